//! Bodies that must have one digest, as they came: what is packed is not unpacked for it.

use ring::digest::{SHA256, digest};

/// Compares bodies by their SHA-256.
#[derive(Debug)]
pub(super) struct DigestBody {
    sha256: [u8; 32],
}

impl DigestBody {
    /// The error names what is wrong with it.
    pub(super) fn new(hex: &str) -> Result<DigestBody, String> {
        let digits: Option<Vec<u8>> =
            hex.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
        let bytes: Option<Vec<u8>> = digits.map(|digits| {
            digits.chunks(2).map(|pair| pair.iter().fold(0, |all, each| 16 * all + each)).collect()
        });
        let sha256 = bytes.filter(|_| hex.len() == 64).and_then(|bytes| bytes.try_into().ok());
        Ok(DigestBody { sha256: sha256.ok_or("expect.body.sha256: needs 64 hexadecimal digits")? })
    }

    pub(super) fn fits(&self, body: &[u8]) -> bool {
        digest(&SHA256, body).as_ref() == self.sha256
    }
}
