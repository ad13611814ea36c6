//! The numbers of a request's sequence that had a verified answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const PAGE_WORDS: usize = 512;
const PAGE_NUMBERS: u64 = 64 * PAGE_WORDS as u64;

/// Numbers of one sequence, a bit each. Grows by pages, so that nothing is copied while a run goes on.
#[derive(Debug, Deserialize, Serialize)]
pub struct AcknowledgedNumbers {
    /// The sequence's first number.
    from: u64,
    #[serde(serialize_with = "write_pages", deserialize_with = "read_pages")]
    pages: Vec<Box<[u64; PAGE_WORDS]>>,
}

/// One request of the mix, as a summary holds it.
#[derive(Debug, Serialize)]
pub struct Acknowledgements {
    request: String,
    begun: u64,
    /// Both ends included, ascending, not adjacent.
    not_acknowledged: Vec<(u64, u64)>,
}

impl AcknowledgedNumbers {
    /// None, of a sequence that begins at `from`.
    pub fn new(from: u64) -> AcknowledgedNumbers {
        AcknowledgedNumbers { from, pages: Vec::new() }
    }

    /// Adds a number of the sequence.
    pub fn add(&mut self, number: u64) {
        let (page, word, bit) = place(number - self.from);
        while self.pages.len() <= page {
            self.pages.push(Box::new([0; PAGE_WORDS]));
        }
        self.pages[page][word] |= bit;
    }

    /// Adds another thread's numbers of the same sequence.
    pub fn merge(&mut self, mut other: AcknowledgedNumbers) {
        if other.pages.len() > self.pages.len() {
            std::mem::swap(&mut self.pages, &mut other.pages);
        }
        for (page, added) in self.pages.iter_mut().zip(&other.pages) {
            for (word, added) in page.iter_mut().zip(added.iter()) {
                *word |= added;
            }
        }
    }

    /// Concludes on the request of this name, `begun` of whose numbers were given out.
    pub fn conclude(&self, request: &str, begun: u64) -> Acknowledgements {
        let mut missing: Vec<(u64, u64)> = Vec::new();
        for nth in (0..begun).filter(|&nth| !self.holds(nth)) {
            let number = self.from + nth;
            match missing.last_mut() {
                Some((_, last)) if *last + 1 == number => *last = number,
                _ => missing.push((number, number)),
            }
        }
        Acknowledgements { request: request.to_owned(), begun, not_acknowledged: missing }
    }

    fn holds(&self, nth: u64) -> bool {
        let (page, word, bit) = place(nth);
        self.pages.get(page).is_some_and(|page| page[word] & bit != 0)
    }
}

/// The words of all pages, the lowest byte first, as base64.
fn write_pages<S: Serializer>(pages: &[Box<[u64; PAGE_WORDS]>], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> =
        pages.iter().flat_map(|page| page.iter()).flat_map(|word| word.to_le_bytes()).collect();
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn read_pages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Box<[u64; PAGE_WORDS]>>, D::Error> {
    let bytes = STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
    let (words, rest) = bytes.as_chunks::<8>();
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (pages, rest_of_words) = words.as_chunks::<PAGE_WORDS>();
    if !rest.is_empty() || !rest_of_words.is_empty() {
        return Err(D::Error::custom("numbers that are no whole pages"));
    }
    Ok(pages.iter().map(|page| Box::new(*page)).collect())
}

/// Page, word and bit of the sequence's nth number.
fn place(nth: u64) -> (usize, usize, u64) {
    ((nth / PAGE_NUMBERS) as usize, (nth % PAGE_NUMBERS / 64) as usize, 1 << (nth % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(from: u64, added: impl IntoIterator<Item = u64>) -> AcknowledgedNumbers {
        let mut numbers = AcknowledgedNumbers::new(from);
        added.into_iter().for_each(|number| numbers.add(number));
        numbers
    }

    #[test]
    fn what_is_missing_comes_in_ranges_of_the_numbers_themselves() {
        for (from, added, begun, missing) in [
            (5, vec![], 0, vec![]),
            (5, vec![], 3, vec![(5, 7)]),
            (5, vec![5, 6, 7], 3, vec![]),
            (5, vec![7, 5], 4, vec![(6, 6), (8, 8)]),
            (0, vec![63, 64], 130, vec![(0, 62), (65, 129)]),
            ((1 << 63) - 1, vec![(1 << 63) - 1], 2, vec![(1 << 63, 1 << 63)]),
        ] {
            assert_eq!(of(from, added).conclude("", begun).not_acknowledged, missing);
        }
    }

    #[test]
    fn threads_numbers_come_together() {
        let (many, last) = (2 * PAGE_NUMBERS + 100, 2 * PAGE_NUMBERS);
        for swapped in [false, true] {
            let (mut one, mut other) =
                (of(1, (1..=many).filter(|number| number % 2 == 0)), of(1, (1..last).step_by(2)));
            if swapped {
                std::mem::swap(&mut one, &mut other);
            }
            one.merge(other);
            let missing = one.conclude("a", many).not_acknowledged;
            let expected: Vec<(u64, u64)> = (last + 1..many).step_by(2).map(|odd| (odd, odd)).collect();
            assert_eq!(missing, expected);
        }
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for added in [vec![], vec![1, 64, PAGE_NUMBERS + 3]] {
            let written = serde_json::to_string(&of(1, added.clone())).unwrap();
            let read: AcknowledgedNumbers = serde_json::from_str(&written).unwrap();
            let missing =
                |numbers: &AcknowledgedNumbers| numbers.conclude("a", 2 * PAGE_NUMBERS).not_acknowledged;
            assert_eq!(missing(&read), missing(&of(1, added)));
        }
        assert!(serde_json::from_str::<AcknowledgedNumbers>("{\"from\": 1, \"pages\": \"AAAA\"}").is_err());
    }

    #[test]
    fn ranges_are_written_as_pairs() {
        let written = serde_json::to_value(of(1, [2]).conclude("signup", 3)).unwrap();
        assert_eq!(
            written,
            serde_json::json!({"request": "signup", "begun": 3, "not_acknowledged": [[1, 1], [3, 3]]})
        );
    }
}
