//! HPACK's Huffman code (RFC 7541, appendix B). It is canonical: the lengths of its codes say what the codes are.

/// By symbol, the length of its code in bits. The end of a string, which has 30, is not among them.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6,
    6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5,
    6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24,
    23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26,
    26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21,
    26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26,
    26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

/// The longest code, of the end of a string as well.
const LONGEST_BITS: usize = 30;

/// The text that is coded, as far as it can be read.
pub(super) fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut symbols: Vec<u8> = (0..=255).collect();
    symbols.sort_by_key(|&symbol| LENGTHS[usize::from(symbol)]);
    let mut counts = [0; LONGEST_BITS + 1];
    LENGTHS.iter().for_each(|&length| counts[usize::from(length)] += 1);
    let mut bits =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |place| usize::from(byte >> place & 1)));
    let mut text = Vec::new();
    'symbols: loop {
        // Codes of one length follow each other; the first of them, and how many symbols have shorter ones.
        let (mut code, mut first, mut shorter) = (0, 0, 0);
        for count in &counts[1..] {
            let Some(bit) = bits.next() else { return text };
            code = code << 1 | bit;
            first <<= 1;
            if code - first < *count {
                text.push(symbols[shorter + code - first]);
                continue 'symbols;
            }
            shorter += count;
            first += count;
        }
        return text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_standard_are_read() {
        let code = [0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff];
        assert_eq!(decode(&code), b"www.example.com");
        assert_eq!(decode(&[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf]), b"custom-value");
        assert_eq!(decode(&[0xff; 8]), b"");
    }
}
