//! Texts that follow from a request's number for those alone who hold the plan's key.

use ring::hmac::{HMAC_SHA256, Key, sign};

/// Bytes of the code that are written, each as two digits.
const NONCE_BYTES: usize = 8;

/// The key of a plan, of 32 hexadecimal digits; empty: none.
///
/// # Errors
/// What is allowed.
pub fn nonce_key(hex: &str) -> Result<Option<Key>, String> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    match digits {
        Some(digits) if digits.is_empty() => Ok(None),
        Some(digits) if digits.len() == 32 => {
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
            Ok(Some(Key::new(HMAC_SHA256, &bytes)))
        }
        _ => Err("nonce_key: needs 32 hexadecimal digits".to_owned()),
    }
}

/// What stands for `{{nonce LABEL FROM}}`.
#[derive(Clone, Debug)]
pub(super) struct Nonce {
    pub(super) key: Key,
    pub(super) label: String,
}

impl Nonce {
    /// Appends the first bytes of HMAC-SHA-256 of the label, a blank and the number, as hexadecimal digits.
    pub(super) fn write(&self, number: u64, out: &mut Vec<u8>) {
        let code = sign(&self.key, format!("{} {number}", self.label).as_bytes());
        for byte in &code.as_ref()[..NONCE_BYTES] {
            out.extend([byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nonce_follows_from_key_label_and_number() {
        let text = |key: &str, label: &str, number| {
            let nonce = Nonce { key: nonce_key(key).unwrap().unwrap(), label: label.to_owned() };
            let mut out = Vec::new();
            nonce.write(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        let key = "000102030405060708090a0b0c0d0e0f";
        // By another implementation, Python's hmac; tests/catalog/workloads/test_audits.py has the same.
        assert_eq!(text(key, "s14", 7), "aad0d2d7675df9a2");
        assert_ne!(text(key, "s14", 8), text(key, "s14", 7));
        assert_ne!(text(key, "s8", 7), text(key, "s14", 7));
        assert_ne!(text(&key.replace('0', "1"), "s14", 7), text(key, "s14", 7));
    }

    #[test]
    fn a_key_has_32_digits_or_none() {
        assert!(nonce_key("").unwrap().is_none());
        for wrong in ["00", "0001020304050607080g0a0b0c0d0e0f", "000102030405060708090a0b0c0d0e0f00"] {
            assert_eq!(nonce_key(wrong).unwrap_err(), "nonce_key: needs 32 hexadecimal digits");
        }
    }
}
