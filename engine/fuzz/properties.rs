//! What must hold for every input, whoever makes the inputs up: libFuzzer or `tests/fuzz_smoke.rs`.

#[path = "oracle.rs"]
mod oracle;
#[path = "rows.rs"]
mod rows;

use std::cell::RefCell;

use fairtrial_engine::http1::response::{BodyPart, HEAD_BYTES_LIMIT, ResponseParser};
use fairtrial_engine::template::{self, Part};

/// True if the same answer can be had by other means, so that [`response`] compares.
#[allow(dead_code, reason = "fuzz_smoke asks")]
pub fn has_oracle(bytes: &[u8]) -> bool {
    oracle::response(bytes, false).is_some()
}

/// What came of some bytes.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// Of the final head.
    status: Option<u16>,
    content_type: Option<Vec<u8>>,
    location: Option<Vec<u8>>,
    body: Vec<u8>,
    end: End,
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    /// With the number of bytes that were not taken.
    Complete(usize),
    /// More is needed; whether the peer's close would complete it.
    Partial(bool),
    Malformed,
}

/// However an answer is cut into reads, it is the same answer; and parsing ends. Where the crate httparse understands the
/// head, and the body is framed without any liberty, the answer is the one that they make it.
pub fn response(bytes: &[u8]) {
    for is_head in [false, true] {
        let whole = parse([bytes].into_iter(), is_head);
        assert!(whole.body.len() <= bytes.len());
        if let Some(expected) = oracle::response(bytes, is_head) {
            assert_eq!(whole, expected, "as httparse and the RFC have it");
        }
        let whole = whole.well_formed();
        assert_eq!(parse(bytes.chunks(1), is_head).well_formed(), whole, "byte by byte");
        assert_eq!(parse(cuts(bytes), is_head).well_formed(), whole, "in some parts");
    }
}

impl Outcome {
    /// How much of a malformed answer was taken before the error depends on the cuts, and does not matter.
    fn well_formed(self) -> Option<Outcome> {
        (self.end != End::Malformed).then_some(self)
    }
}

/// Parts whose lengths are drawn from the bytes themselves.
fn cuts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut state = bytes.iter().fold(7_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut left = bytes;
    std::iter::from_fn(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = ((state >> 33) as usize % 40 + 1).min(left.len());
        let (part, rest) = left.split_at(length);
        left = rest;
        (!part.is_empty()).then_some(part)
    })
}

fn parse<'i>(parts: impl Iterator<Item = &'i [u8]>, is_head: bool) -> Outcome {
    let mut parser = ResponseParser::new();
    let mut outcome = Outcome {
        status: None,
        content_type: None,
        location: None,
        body: Vec::new(),
        end: End::Partial(false),
    };
    let mut rest_bytes = None;
    for mut input in parts {
        if let Some(rest) = &mut rest_bytes {
            *rest += input.len();
            continue;
        }
        if parser.awaits_head() {
            match parser.head(&mut input, is_head) {
                Err(_) => return Outcome { end: End::Malformed, ..outcome },
                Ok(None) => {
                    assert!(input.is_empty(), "an incomplete head takes all");
                    continue;
                }
                Ok(Some(head)) => {
                    let is_interim = (100..200).contains(&head.status) && head.status != 101;
                    assert!(!is_interim && head.status < 1000, "{head:?}");
                    for value in [head.content_type, head.location].into_iter().flatten() {
                        assert!(value.len() <= HEAD_BYTES_LIMIT && value.trim_ascii() == value, "{head:?}");
                    }
                    outcome.status = Some(head.status);
                    outcome.content_type = head.content_type.map(<[u8]>::to_vec);
                    outcome.location = head.location.map(<[u8]>::to_vec);
                }
            }
        }
        loop {
            match parser.body(&mut input) {
                Err(_) => return Outcome { end: End::Malformed, ..outcome },
                Ok(BodyPart::Piece(piece)) => {
                    assert!(!piece.is_empty(), "a piece is never empty: this would not end");
                    outcome.body.extend_from_slice(piece);
                }
                Ok(BodyPart::Trailer(line)) => assert!(!line.is_empty(), "nor is a line"),
                Ok(BodyPart::NeedMore) => {
                    assert!(input.is_empty(), "more is needed only when all is used");
                    break;
                }
                Ok(BodyPart::End) => {
                    rest_bytes = Some(input.len());
                    break;
                }
            }
        }
    }
    outcome.end = match rest_bytes {
        Some(rest) => End::Complete(rest),
        None => End::Partial(parser.is_complete_at_close()),
    };
    outcome
}

thread_local! {
    static ROWS: RefCell<rows::Rows> = RefCell::new(rows::Rows::new());
}

/// Verification of a row says what a plain reading of the body says: of these bytes, and of a row that they draw.
pub fn row(bytes: &[u8]) {
    ROWS.with_borrow_mut(|rows| {
        rows.compare(bytes);
        rows.compare(&rows.drawn(bytes));
    });
}

/// Whether these bytes are a row, and whether the one is that they draw.
#[allow(dead_code, reason = "fuzz_smoke asks")]
pub fn are_rows(bytes: &[u8]) -> [bool; 2] {
    ROWS.with_borrow(|rows| [rows.is_row(bytes), rows.is_row(&rows.drawn(bytes))])
}

/// A template is parts that come from its text in order, or one line that says what is wrong.
pub fn template(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match template::parse(text) {
        Ok(parts) => {
            let mut left = text;
            for part in &parts {
                if let Part::Text(part) = part {
                    assert!(!part.is_empty(), "an empty part");
                    let at = left.find(part).expect("a part is a piece of the text");
                    left = &left[at + part.len()..];
                }
            }
            if !text.contains("{{") {
                assert_eq!(parts, Vec::from_iter((!text.is_empty()).then_some(Part::Text(text))));
            }
        }
        Err(error) => assert!(!error.is_empty() && error.len() < 8 * text.len() + 500, "{error}"),
    }
}
