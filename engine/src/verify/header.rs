//! The headers that an answer must have.

use std::sync::Arc;

use super::ChangedRows;
use super::content_type::ContentType;
use crate::dataset::{Dataset, RowWriter};
use crate::http1::response::Head;
use crate::plan::Expect;
use crate::record::Sighting;

/// What is expected of the headers. One case for each of the usual expectations, so that none pays for another.
#[derive(Debug)]
pub(super) enum HeaderExpectation {
    Any,
    ContentType(ContentType),
    Location(Box<Location>),
}

/// A Location that is a field of the row that was asked for, and maybe a content type.
#[derive(Debug)]
pub(super) struct Location {
    content_type: Option<ContentType>,
    dataset: Arc<Dataset>,
    /// Place of the field in the dataset.
    place: usize,
    changed: ChangedRows,
    /// By the last head that was looked at.
    shown: Option<Sighting>,
    writer: RowWriter,
    expected: Vec<u8>,
}

impl HeaderExpectation {
    /// The error names the key that does not fit.
    pub(super) fn new(expect: &Expect, dataset: Option<&Arc<Dataset>>) -> Result<HeaderExpectation, String> {
        let content_type = expect.content_type.as_deref().map(ContentType::new);
        let Some(name) = &expect.location_field else {
            return Ok(content_type.map_or(HeaderExpectation::Any, HeaderExpectation::ContentType));
        };
        let Some(dataset) = dataset else {
            return Err("expect.location_field: needs the key dataset".to_owned());
        };
        let Some(place) = dataset.place(name) else {
            let names = dataset.names();
            return Err(format!("expect.location_field: {name:?} is none of the dataset's {names:?}"));
        };
        Ok(HeaderExpectation::Location(Box::new(Location {
            content_type,
            dataset: Arc::clone(dataset),
            place,
            changed: ChangedRows::default(),
            shown: None,
            writer: RowWriter::new(),
            expected: Vec::new(),
        })))
    }

    /// Both texts of these rows are right.
    pub(super) fn watch(&mut self, changed: &ChangedRows) {
        if let HeaderExpectation::Location(location) = self {
            location.changed = changed.clone();
        }
    }

    /// Which text of a changed row the head shows that was looked at last.
    #[inline]
    pub(super) fn shows(&self) -> Option<Sighting> {
        match self {
            HeaderExpectation::Location(location) => location.shown,
            _ => None,
        }
    }

    #[inline]
    pub(super) fn fits(&mut self, head: &Head<'_>, asked_row: u64) -> bool {
        match self {
            HeaderExpectation::Any => true,
            HeaderExpectation::ContentType(expected) => is_content_type(expected, head),
            HeaderExpectation::Location(location) => location.fits(head, asked_row),
        }
    }

    /// What is wrong with a head that does not fit, for people. `content_type`: as it came; empty if there is none.
    #[cold]
    pub(super) fn difference(&self, content_type: &[u8]) -> Option<String> {
        match self {
            HeaderExpectation::Any => None,
            HeaderExpectation::ContentType(expected) => expected.difference(content_type),
            HeaderExpectation::Location(location) => {
                let of_type = location.content_type.as_ref().and_then(|each| each.difference(content_type));
                Some(of_type.unwrap_or_else(|| "the location is not that of the row".to_owned()))
            }
        }
    }
}

#[inline]
fn is_content_type(expected: &ContentType, head: &Head<'_>) -> bool {
    head.content_type.is_some_and(|value| expected.fits(value))
}

impl Location {
    fn fits(&mut self, head: &Head<'_>, asked_row: u64) -> bool {
        self.shown = None;
        if self.content_type.as_ref().is_some_and(|expected| !is_content_type(expected, head)) {
            return false;
        }
        let Some(value) = head.location else { return false };
        self.expected.clear();
        self.writer.write_field(&self.dataset, asked_row, self.place, &mut self.expected);
        let is_old = value == self.expected;
        let Some(number) = self.changed.find(asked_row) else { return is_old };
        let change = self.changed.change(number);
        let is_changed = change.place == self.place && value == change.text;
        if is_old || is_changed {
            self.shown = Some(Sighting { id: asked_row, is_changed });
        }
        is_old || is_changed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::dataset::tests::items;
    use crate::plan::ChangedRowPlan;

    fn dataset() -> Arc<Dataset> {
        Arc::new(Dataset::new(&items(100, 0.0)).unwrap())
    }

    fn expected(expect: Value) -> Result<HeaderExpectation, String> {
        HeaderExpectation::new(&serde_json::from_value(expect).unwrap(), Some(&dataset()))
    }

    fn text(id: u64, name: &str) -> Vec<u8> {
        let (dataset, mut text) = (dataset(), Vec::new());
        RowWriter::new().write_field(&dataset, id, dataset.place(name).unwrap(), &mut text);
        text
    }

    fn head<'a>(content_type: Option<&'a [u8]>, location: Option<&'a [u8]>) -> Head<'a> {
        Head {
            status: 301,
            content_type,
            location,
            coding: None,
            bytes: b"",
            reusable: true,
            has_two_framings: false,
        }
    }

    #[test]
    fn a_location_is_the_asked_row_s() {
        let mut header = expected(json!({"location_field": "uuid"})).unwrap();
        let (right, other) = (text(7, "uuid"), text(8, "uuid"));
        assert!(header.fits(&head(None, Some(&right)), 7) && header.fits(&head(Some(b"x"), Some(&right)), 7));
        for location in [None, Some(&other[..]), Some(&right[1..]), Some(&right[..35]), Some(b"")] {
            assert!(!header.fits(&head(None, location), 7));
        }
        let mut number = expected(json!({"location_field": "id"})).unwrap();
        assert!(number.fits(&head(None, Some(b"42")), 42));
    }

    #[test]
    fn both_headers_must_fit_where_both_are_expected() {
        let mut header = expected(json!({"location_field": "uuid", "content_type": "text/html"})).unwrap();
        let right = text(7, "uuid");
        assert!(header.fits(&head(Some(b"text/html"), Some(&right)), 7));
        assert!(!header.fits(&head(Some(b"text/plain"), Some(&right)), 7));
        assert!(!header.fits(&head(None, Some(&right)), 7));
        assert!(!header.fits(&head(Some(b"text/html"), None), 7));
        let told = ["text/plain", "text/html"].map(|each| header.difference(each.as_bytes()).unwrap());
        assert_eq!(told[0], "the content type is \"text/plain\", not text/html");
        assert_eq!(told[1], "the location is not that of the row");
    }

    #[test]
    fn a_changed_row_has_its_old_or_its_new_location() {
        let plan = ChangedRowPlan { id: 7, field: "uuid".to_owned(), text: "elsewhere".to_owned() };
        let mut header = expected(json!({"location_field": "uuid"})).unwrap();
        header.watch(&ChangedRows::new(&[plan], Some(&dataset())).unwrap());
        for (location, asked, shows) in [
            (&text(7, "uuid")[..], 7, Some(false)),
            (b"elsewhere", 7, Some(true)),
            (b"nowhere", 7, None),
            (b"elsewhere", 8, None),
        ] {
            assert_eq!(header.fits(&head(None, Some(location)), asked), shows.is_some());
            assert_eq!(header.shows(), shows.map(|is_changed| Sighting { id: 7, is_changed }));
        }
        assert!(header.fits(&head(None, Some(&text(8, "uuid"))), 8));
        assert_eq!(header.shows(), None);
    }

    #[test]
    fn a_location_needs_a_dataset_that_has_its_field() {
        let line = expected(json!({"location_field": "url"})).unwrap_err();
        assert!(line.starts_with("expect.location_field: \"url\" is none of") && line.contains("\"uuid\""));
        let expect = serde_json::from_value(json!({"location_field": "uuid"})).unwrap();
        let line = HeaderExpectation::new(&expect, None).unwrap_err();
        assert!(line.starts_with("expect.location_field: ") && line.contains("dataset"));
    }
}
