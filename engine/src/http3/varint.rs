//! Integers as QUIC and HTTP/3 write them (RFC 9000, section 16).

/// Takes an integer from the front. `None`: it is not whole yet.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let first = *bytes.first()?;
    let length = 1 << (first >> 6);
    let (number, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    let start = u64::from(first & 0x3f);
    Some(number[1..].iter().fold(start, |number, &byte| number << 8 | u64::from(byte)))
}

/// Appends an integer below 2^62.
pub(super) fn put(number: u64, out: &mut Vec<u8>) {
    match number {
        0..0x40 => out.push(number as u8),
        0x40..0x4000 => out.extend((number as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => out.extend((number as u32 | 0x8000_0000).to_be_bytes()),
        _ => out.extend((number | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_standard_are_read() {
        let long = [0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c];
        for (number, bytes) in [
            (37, &[0x25][..]),
            (15_293, &[0x7b, 0xbd]),
            (494_878_333, &[0x9d, 0x7f, 0x3e, 0x7d]),
            (151_288_809_941_952_652, &long),
        ] {
            let mut out = Vec::new();
            put(number, &mut out);
            assert_eq!(out, bytes);
            assert_eq!(take(&mut &bytes[..]), Some(number));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
        }
    }
}
