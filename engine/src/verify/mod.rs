//! Whether an answer is right. Looks at bytes, knows no sockets and no clock.

mod answer;
mod changing;
mod content_type;
mod header;
mod json;
mod row;
mod scalar;
mod text;

use std::sync::Arc;

pub use answer::Answer;
pub use changing::ChangingRows;
use header::HeaderExpectation;
pub use json::BYTES_LIMIT as BODY_BYTES_LIMIT;
use json::JsonBody;
use row::RowBody;

use crate::http1::response::Head;
use crate::plan::{BodyPlan, ByteRange, Expect};
use crate::record::{EXCERPT_BYTES, ErrorKind, LONGEST_BODY_BYTES};
use crate::rows::Table;
use crate::template::{RowText, Sources};

/// What must be true of the answers to one request.
#[derive(Debug)]
pub struct Expectation {
    statuses: Vec<u16>,
    header: HeaderExpectation,
    body_bytes: Option<ByteRange>,
    body: BodyExpectation,
    kept_bytes: usize,
    keeps_bodies: bool,
    keeps_content_type: bool,
    check_every: u32,
    until_check: u32,
}

#[derive(Debug)]
enum BodyExpectation {
    Any,
    Exact(Vec<u8>),
    Row(Box<RowBody>),
    Json(Box<JsonBody>),
}

/// What was found out about an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The first thing that was wrong, in the order status, header, length, body.
    pub wrong: Option<ErrorKind>,
    /// The body was compared as a whole, or is to be kept.
    pub checked_body: bool,
    /// The answered id, and whether the dataset holds it.
    pub picked: Option<(u64, bool)>,
}

impl Expectation {
    /// Prepares what the plan expects. `tables`: those of which the request takes rows, see
    /// [`crate::template::Message::tables`].
    ///
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub fn new(expect: &Expect, sources: Sources<'_>, tables: &[Arc<Table>]) -> Result<Expectation, String> {
        let dataset = sources.dataset;
        let header = HeaderExpectation::new(expect, dataset)?;
        let body = match &expect.body {
            BodyPlan::Any {} => BodyExpectation::Any,
            BodyPlan::Exact { text } => BodyExpectation::Exact(text.clone().into_bytes()),
            BodyPlan::Row { fields } => {
                let Some(dataset) = dataset else {
                    return Err("expect.body: kind \"row\" needs the key dataset".to_owned());
                };
                if !tables.is_empty() {
                    return Err(
                        "expect.body: kind \"row\" is about the dataset, and the request about {{row …}}"
                            .into(),
                    );
                }
                BodyExpectation::Row(Box::new(RowBody::new(Arc::clone(dataset), fields)?))
            }
            BodyPlan::Json { values } => {
                let compile = |text: &str| RowText::new(text, sources.rows, tables);
                BodyExpectation::Json(Box::new(JsonBody::new(values, compile)?))
            }
        };
        let judged_bytes = match &body {
            BodyExpectation::Any => EXCERPT_BYTES,
            BodyExpectation::Exact(text) => text.len().max(EXCERPT_BYTES),
            BodyExpectation::Row(body) => body.bytes_limit(),
            BodyExpectation::Json(_) => json::BYTES_LIMIT,
        };
        let handed_on_bytes = if expect.keep_bodies { LONGEST_BODY_BYTES } else { 0 };
        Ok(Expectation {
            statuses: expect.status.clone(),
            header,
            body_bytes: expect.body_bytes,
            body,
            kept_bytes: judged_bytes.max(handed_on_bytes),
            keeps_bodies: expect.keep_bodies,
            keeps_content_type: false,
            check_every: expect.check_every,
            until_check: 0,
        })
    }

    /// Checks what is expected of headers, which needs no request.
    ///
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub fn check_header(expect: &Expect, sources: Sources<'_>) -> Result<(), String> {
        HeaderExpectation::new(expect, sources.dataset).map(drop)
    }

    /// The same, but of these rows only what does not change is judged: that they are the asked ones.
    #[must_use]
    pub fn sparing(mut self, changing: &ChangingRows) -> Expectation {
        self.header.spare(changing);
        if let BodyExpectation::Row(body) = &mut self.body {
            body.spare(changing);
        }
        self
    }

    /// The same, but whole answers are kept: something else compares them.
    #[must_use]
    pub fn keeping_all(mut self) -> Expectation {
        self.kept_bytes = self.kept_bytes.max(BODY_BYTES_LIMIT);
        self.keeps_content_type = true;
        self
    }

    /// True if Content-Type must be kept.
    #[inline]
    pub fn keeps_content_type(&self) -> bool {
        self.keeps_content_type
    }

    /// How many bytes of a body must be kept to judge it. A longer body is wrong or need not be looked at.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes
    }

    /// True if the body of an answer that is right is to be kept, wherever [`Verdict::checked_body`] is true.
    #[inline]
    pub fn keeps_bodies(&self) -> bool {
        self.keeps_bodies
    }

    /// Judges the headers. `asked_row` as for [`Expectation::verify`].
    #[inline]
    pub fn header_fits(&mut self, head: &Head<'_>, asked_row: u64) -> bool {
        self.header.fits(head, asked_row)
    }

    /// What is wrong with the body of an answer, for people; `None` where only its kind can be told.
    #[cold]
    pub fn difference(&mut self, answer: &Answer<'_>, asked_row: u64) -> Option<String> {
        let BodyExpectation::Json(body) = &mut self.body else { return None };
        if answer.body_bytes > json::BYTES_LIMIT as u64 {
            return Some(format!("longer than {} MiB", json::BYTES_LIMIT >> 20));
        }
        body.difference(answer.body, asked_row)
    }

    /// Judges a complete answer. `asked_row`: what [`crate::template::Message::render`] gave: id of the row that was asked
    /// for, 0: none in particular; or the combined place of the rows that the request took.
    #[inline]
    pub fn verify(&mut self, answer: &Answer<'_>, asked_row: u64) -> Verdict {
        let mut verdict = Verdict::default();
        if !self.status_fits(answer.status) {
            verdict.wrong = Some(ErrorKind::of_status(answer.status));
            return verdict;
        }
        let body_fits = self.body_fits(answer, asked_row, &mut verdict);
        let length_fits =
            self.body_bytes.is_none_or(|range| (range.min..=range.max).contains(&answer.body_bytes));
        verdict.wrong = if !answer.header_fits {
            Some(ErrorKind::WrongHeader)
        } else if !length_fits {
            Some(ErrorKind::WrongLength)
        } else if !body_fits {
            Some(ErrorKind::WrongBody)
        } else {
            None
        };
        verdict
    }

    #[inline]
    fn status_fits(&self, status: u16) -> bool {
        match self.statuses.as_slice() {
            [] => (200..300).contains(&status),
            statuses => statuses.contains(&status),
        }
    }

    #[inline]
    fn body_fits(&mut self, answer: &Answer<'_>, asked_row: u64, verdict: &mut Verdict) -> bool {
        let is_whole = answer.body_bytes == answer.body.len() as u64;
        match &mut self.body {
            BodyExpectation::Any => {
                verdict.checked_body = self.keeps_bodies && is_due(&mut self.until_check, self.check_every);
                true
            }
            BodyExpectation::Exact(text) => {
                let has_length = answer.body_bytes == text.len() as u64;
                verdict.checked_body = is_due(&mut self.until_check, self.check_every);
                has_length && (!verdict.checked_body || answer.body == text.as_slice())
            }
            BodyExpectation::Json(body) => {
                verdict.checked_body = is_due(&mut self.until_check, self.check_every);
                !verdict.checked_body || (is_whole && body.fits(answer.body, asked_row))
            }
            BodyExpectation::Row(body) => {
                let Some(id) = body.find_id(answer.body) else {
                    return false;
                };
                let is_known = body.dataset().holds(id);
                verdict.picked = Some((id, is_known));
                verdict.checked_body =
                    is_due(&mut self.until_check, self.check_every) && !body.is_changing(id);
                let is_asked = asked_row == 0 || asked_row == id;
                is_asked && is_known && is_whole && (!verdict.checked_body || body.is_row(answer.body, id))
            }
        }
    }
}

/// True for the first of every `every` calls.
#[inline]
fn is_due(until_check: &mut u32, every: u32) -> bool {
    if *until_check == 0 {
        *until_check = every - 1;
        return true;
    }
    *until_check -= 1;
    false
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dataset::tests::items;
    use crate::dataset::{Dataset, Format, write_rows};

    fn expectation(expect: Value) -> Expectation {
        let dataset = Arc::new(Dataset::new(&items(1000, 0.0)).unwrap());
        let sources = Sources { dataset: Some(&dataset), rows: None };
        Expectation::new(&serde_json::from_value(expect).unwrap(), sources, &[]).unwrap()
    }

    fn answer(status: u16, body: &[u8]) -> Answer<'_> {
        let body_bytes = body.len() as u64;
        Answer { status, header_fits: true, content_type: b"", body_bytes, body, reusable: true }
    }

    #[test]
    fn nothing_expected_is_any_2xx() {
        let mut any = expectation(json!({}));
        for (status, wrong) in [
            (200, None),
            (204, None),
            (101, Some(ErrorKind::Status1xx)),
            (304, Some(ErrorKind::Status3xx)),
            (404, Some(ErrorKind::Status4xx)),
            (503, Some(ErrorKind::Status5xx)),
        ] {
            assert_eq!(any.verify(&answer(status, b"x"), 0).wrong, wrong);
        }
        assert_eq!(expectation(json!({"status": [404]})).verify(&answer(404, b""), 0).wrong, None);
        let other = expectation(json!({"status": [201]})).verify(&answer(200, b""), 0);
        assert_eq!(other.wrong, Some(ErrorKind::Status2xx));
    }

    #[test]
    fn the_first_wrong_thing_counts() {
        let mut expected = expectation(
            json!({"body_bytes": {"min": 2, "max": 3}, "body": {"kind": "exact", "text": "abc"}}),
        );
        assert_eq!(expected.verify(&answer(200, b"abc"), 0).wrong, None);
        assert_eq!(expected.verify(&answer(200, b"abd"), 0).wrong, Some(ErrorKind::WrongBody));
        assert_eq!(expected.verify(&answer(200, b"ab"), 0).wrong, Some(ErrorKind::WrongBody));
        assert_eq!(expected.verify(&answer(200, b"abcd"), 0).wrong, Some(ErrorKind::WrongLength));
        let mut other_type = answer(200, b"abcd");
        other_type.header_fits = false;
        assert_eq!(expected.verify(&other_type, 0).wrong, Some(ErrorKind::WrongHeader));
        other_type.status = 500;
        assert_eq!(expected.verify(&other_type, 0).wrong, Some(ErrorKind::Status5xx));
    }

    #[test]
    fn bodies_are_compared_at_the_asked_rate_and_lengths_always() {
        let mut expected = expectation(json!({"body": {"kind": "exact", "text": "abc"}, "check_every": 4}));
        let found: Vec<bool> =
            (0..8).map(|_| expected.verify(&answer(200, b"xyz"), 0).wrong.is_some()).collect();
        assert_eq!(found, [true, false, false, false, true, false, false, false]);
        assert!((0..8).all(|_| expected.verify(&answer(200, b"xy"), 0).wrong == Some(ErrorKind::WrongBody)));
    }

    #[test]
    fn rows_are_proved_and_ids_reported() {
        let mut expected = expectation(
            json!({"body": {"kind": "row", "fields": ["id", "uuid", "hash_code"]}, "check_every": 2}),
        );
        let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
        let mut right = Vec::new();
        write_rows(&dataset, [77].into_iter(), Format::JsonLines, &mut right).unwrap();
        let wrong = String::from_utf8(right.clone()).unwrap().replace("\"id\":77", "\"id\":78");
        let unknown = br#"{"id": 1001}"#;
        let verdict = |wrong, checked_body, picked| Verdict { wrong, checked_body, picked };
        let of_body = Some(ErrorKind::WrongBody);
        assert_eq!(expected.verify(&answer(200, &right), 0), verdict(None, true, Some((77, true))));
        assert_eq!(
            expected.verify(&answer(200, wrong.as_bytes()), 0),
            verdict(None, false, Some((78, true)))
        );
        assert_eq!(
            expected.verify(&answer(200, wrong.as_bytes()), 0),
            verdict(of_body, true, Some((78, true)))
        );
        assert_eq!(expected.verify(&answer(200, unknown), 0), verdict(of_body, false, Some((1001, false))));
        assert_eq!(expected.verify(&answer(200, b"[]"), 0), verdict(of_body, false, None));
        assert_eq!(
            expected.verify(&answer(500, &right), 0),
            verdict(Some(ErrorKind::Status5xx), false, None)
        );
    }

    #[test]
    fn the_row_must_be_the_one_that_was_asked_for() {
        let mut expected = expectation(json!({"body": {"kind": "row", "fields": ["id", "uuid"]}}));
        let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
        let mut right = Vec::new();
        write_rows(&dataset, [77].into_iter(), Format::JsonLines, &mut right).unwrap();
        assert_eq!(expected.verify(&answer(200, &right), 77).wrong, None);
        assert_eq!(expected.verify(&answer(200, &right), 78).wrong, Some(ErrorKind::WrongBody));
    }

    #[test]
    fn of_changing_rows_only_the_id_is_judged() {
        let row =
            json!({"body": {"kind": "row", "fields": ["id", "uuid"]}, "body_bytes": {"min": 9, "max": 40}});
        let mut expected = expectation(row).sparing(&ChangingRows::new(&[78, 77]));
        let of_body = Some(ErrorKind::WrongBody);
        for (body, asked, wrong, picked) in [
            (r#"{"id":77,"uuid":"other"}"#, 0, None, Some((77, true))),
            (r#"{"id":77,"uuid":"other"}"#, 77, None, Some((77, true))),
            (r#"{"id":77,"uuid":"other"}"#, 78, of_body, Some((77, true))),
            (r#"{"id":76,"uuid":"other"}"#, 0, of_body, Some((76, true))),
            (r#"{"uuid":"other"}"#, 77, of_body, None),
            (r#"{"id":77}   "#, 0, None, Some((77, true))),
            (
                r#"{"id":77,"uuid":"other than any of them"}"#,
                0,
                Some(ErrorKind::WrongLength),
                Some((77, true)),
            ),
        ] {
            let verdict = expected.verify(&answer(200, body.as_bytes()), asked);
            assert_eq!((verdict.wrong, verdict.picked), (wrong, picked), "{body}");
            assert_eq!(verdict.checked_body, picked == Some((76, true)));
        }
        let status = expected.verify(&answer(404, br#"{"id":77,"uuid":"o"}"#), 77);
        assert_eq!(status.wrong, Some(ErrorKind::Status4xx));
    }

    #[test]
    fn a_row_needs_a_dataset_and_its_id() {
        let row = |fields: Value| {
            serde_json::from_value(json!({"body": {"kind": "row", "fields": fields}})).unwrap()
        };
        let dataset = Arc::new(Dataset::new(&items(10, 0.0)).unwrap());
        let error = |fields: Value, dataset| {
            Expectation::new(&row(fields), Sources { dataset, rows: None }, &[]).unwrap_err()
        };
        assert!(error(json!(["id"]), None).contains("dataset"));
        assert!(error(json!(["uuid"]), Some(&dataset)).contains("id"));
        assert!(error(json!(["id", "nam"]), Some(&dataset)).contains("nam"));
    }

    #[test]
    fn values_are_compared_at_the_asked_rate_and_differences_are_told() {
        let values = json!({"/id": "7"});
        let mut expected = expectation(json!({"body": {"kind": "json", "values": values}, "check_every": 3}));
        let wrong = answer(200, b"{\"id\": 8}");
        let found: Vec<bool> = (0..4).map(|_| expected.verify(&wrong, 0).wrong.is_some()).collect();
        assert_eq!(found, [true, false, false, true]);
        assert_eq!(expected.difference(&wrong, 0).unwrap(), "/id is 8, not 7");
        let cut_off = Answer { body_bytes: 99 << 20, ..answer(200, b"{\"id\": 7}") };
        let verdicts = [(); 3].map(|()| expected.verify(&cut_off, 0));
        assert_eq!(verdicts[2].wrong, Some(ErrorKind::WrongBody));
        assert_eq!(expected.difference(&cut_off, 0).unwrap(), "longer than 16 MiB");
    }
}
