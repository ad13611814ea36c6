//! The Huffman code of HPACK and QPACK (RFC 7541, appendix B). It is canonical: the lengths of its codes say what the codes are.

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

/// A text that was coded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// As far as it can be read.
    pub text: Vec<u8>,
    /// Everything can be read, and what fills the last byte is as it has to be (RFC 7541, section 5.2).
    pub is_whole: bool,
}

/// Symbols, those with the shortest codes first.
const SYMBOLS: [u8; 256] = {
    let mut symbols = [0; 256];
    let (mut place, mut length) = (0, 1);
    while length <= LONGEST_BITS {
        let mut symbol = 0;
        while symbol < 256 {
            if LENGTHS[symbol] as usize == length {
                symbols[place] = symbol as u8;
                place += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    symbols
};

/// How many codes have so many bits.
const COUNTS: [usize; LONGEST_BITS + 1] = {
    let mut counts = [0; LONGEST_BITS + 1];
    let mut symbol = 0;
    while symbol < 256 {
        counts[LENGTHS[symbol] as usize] += 1;
        symbol += 1;
    }
    counts
};

pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    let mut bits =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |place| usize::from(byte >> place & 1)));
    let mut text = Vec::new();
    'symbols: loop {
        // Codes of one length follow each other; the first of them, and how many symbols have shorter ones.
        let (mut code, mut first, mut shorter) = (0, 0, 0);
        for (length, count) in COUNTS.iter().enumerate().skip(1) {
            let Some(bit) = bits.next() else {
                let is_filling = length <= 8 && code == (1 << (length - 1)) - 1;
                return Decoded { text, is_whole: is_filling };
            };
            code = code << 1 | bit;
            first <<= 1;
            if code - first < *count {
                text.push(SYMBOLS[shorter + code - first]);
                continue 'symbols;
            }
            shorter += count;
            first += count;
        }
        return Decoded { text, is_whole: false };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_standard_are_read() {
        let whole = |text: &[u8]| Decoded { text: text.to_vec(), is_whole: true };
        let code = [0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff];
        assert_eq!(decode(&code), whole(b"www.example.com"));
        assert_eq!(decode(&[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf]), whole(b"custom-value"));
        assert_eq!(decode(b""), whole(b""));
    }

    #[test]
    fn what_fills_the_last_byte_is_ones_and_no_whole_byte() {
        assert_eq!(decode(&[0xff; 8]), Decoded { text: Vec::new(), is_whole: false });
        for code in [&[0b0001_1000][..], &[0b0001_1111, 0xff]] {
            assert_eq!(decode(code), Decoded { text: b"a".to_vec(), is_whole: false });
        }
    }
}
