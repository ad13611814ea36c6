//! Bodies that must be a row of the dataset.

use std::fmt;
use std::sync::Arc;

use memchr::memmem::Finder;
use serde::Deserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};

use super::ChangedRows;
use super::text::{Text, TextSeed};
use crate::dataset::{Dataset, RowWriter};

/// Added to the limit of a body for what stands around the row's texts.
const FRAME_BYTES: usize = 64 * 1024;

/// The id's key, as it stands in a body.
#[derive(Debug)]
struct IdKey {
    key: Finder<'static>,
}

impl IdKey {
    fn new(name: &str) -> IdKey {
        let key = serde_json::to_string(name).expect("a string is JSON");
        IdKey { key: Finder::new(key.as_bytes()).into_owned() }
    }

    /// The whole number behind the first key of this name.
    #[inline]
    fn find(&self, body: &[u8]) -> Option<u64> {
        self.key.find_iter(body).find_map(|at| {
            let rest = body[at + self.key.needle().len()..].trim_ascii_start().strip_prefix(b":")?;
            parse_id(rest.trim_ascii_start())
        })
    }
}

/// The number at the front of `text`, if it is a whole one and ended by what may follow in an object.
#[inline]
fn parse_id(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 19 || (digits > 1 && text[0] == b'0') {
        return None;
    }
    if !matches!(text.get(digits), Some(b',' | b'}' | b' ' | b'\t' | b'\r' | b'\n')) {
        return None;
    }
    Some(text[..digits].iter().fold(0, |id, byte| id * 10 + u64::from(byte - b'0')))
}

/// Compares bodies with rows.
#[derive(Debug)]
pub(super) struct RowBody {
    dataset: Arc<Dataset>,
    /// Places of the expected fields in the dataset.
    places: Vec<usize>,
    id_key: IdKey,
    changed: ChangedRows,
    writer: RowWriter,
    expected: Vec<u8>,
    seen: Vec<bool>,
}

impl RowBody {
    /// The error names what is wrong with `fields`.
    pub(super) fn new(dataset: Arc<Dataset>, fields: &[String]) -> Result<RowBody, String> {
        let mut places = Vec::new();
        for name in fields {
            match dataset.place(name) {
                Some(place) if places.contains(&place) => {
                    return Err(format!("expect.body.fields: {name:?} occurs twice"));
                }
                Some(place) => places.push(place),
                None => {
                    let names = dataset.names();
                    return Err(format!("expect.body.fields: {name:?} is none of the dataset's {names:?}"));
                }
            }
        }
        let Some(&id_place) = places.iter().find(|&&place| dataset.is_id(place)) else {
            return Err("expect.body.fields: the dataset's field of kind \"id\" is needed".to_owned());
        };
        let id_key = IdKey::new(&dataset.names()[id_place]);
        let seen = vec![false; places.len()];
        let (changed, writer) = (ChangedRows::default(), RowWriter::new());
        Ok(RowBody { dataset, places, id_key, changed, writer, expected: Vec::new(), seen })
    }

    /// Both texts of these rows are right.
    pub(super) fn watch(&mut self, changed: &ChangedRows) {
        self.changed = changed.clone();
    }

    /// The number of the row's change, if somebody changes it.
    #[inline]
    pub(super) fn change_of(&self, id: u64) -> Option<usize> {
        self.changed.find(id)
    }

    /// The id that a body answers, found without reading all of it as JSON.
    #[inline]
    pub(super) fn find_id(&self, body: &[u8]) -> Option<u64> {
        self.id_key.find(body)
    }

    pub(super) fn dataset(&self) -> &Dataset {
        &self.dataset
    }

    /// No body of a row is longer, however it is escaped.
    pub(super) fn bytes_limit(&self) -> usize {
        const LONGEST_ESCAPE: usize = 6;
        FRAME_BYTES + LONGEST_ESCAPE * self.dataset.row_bytes_limit()
    }

    /// `None` if `body` is no JSON object that holds the expected fields of row `id`. `change`: as
    /// [`RowBody::change_of`] gave it; then also whether the text is the new one, if it is among the fields.
    pub(super) fn row_shown(&mut self, body: &[u8], id: u64, change: Option<usize>) -> Option<Option<bool>> {
        self.seen.fill(false);
        // JSON is UTF-8 (RFC 8259, section 8.1), also where nobody looks.
        let mut reader = serde_json::Deserializer::from_str(std::str::from_utf8(body).ok()?);
        let shown = reader.deserialize_map(RowVisitor { row: self, id, change }).ok()?;
        (reader.end().is_ok() && self.seen.iter().all(|&seen| seen)).then_some(shown)
    }
}

/// Reads an object; ends with an error at the first member that differs.
struct RowVisitor<'r> {
    row: &'r mut RowBody,
    id: u64,
    change: Option<usize>,
}

impl<'de> Visitor<'de> for RowVisitor<'_> {
    /// Which text of a changed field was shown: true is the new one.
    type Value = Option<bool>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Option<bool>, A::Error> {
        let RowVisitor { row, id, change } = self;
        let mut shown = None;
        while let Some(Text(name)) = members.next_key_seed(TextSeed)? {
            let wanted = row.places.iter().position(|&place| row.dataset.names()[place] == name);
            let Some(number) = wanted else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            if std::mem::replace(&mut row.seen[number], true) {
                return Err(A::Error::custom("a member occurs twice"));
            }
            let place = row.places[number];
            let fits = if row.dataset.is_id(place) {
                members.next_value::<u64>()? == id
            } else {
                row.expected.clear();
                row.writer.write_field(&row.dataset, id, place, &mut row.expected);
                if row.dataset.is_number(place) {
                    members.next_value::<u64>()?.to_string().as_bytes() == row.expected
                } else {
                    let Text(value) = members.next_value_seed(TextSeed)?;
                    let is_old = value.as_bytes() == row.expected;
                    let change = change.map(|number| row.changed.change(number));
                    match change.filter(|change| change.place == place) {
                        None => is_old,
                        Some(change) => {
                            shown = Some(!is_old);
                            is_old || value.as_bytes() == change.text
                        }
                    }
                }
            };
            if !fits {
                return Err(A::Error::custom("a member differs"));
            }
        }
        Ok(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::items;
    use crate::dataset::{Format, write_rows};

    fn rows() -> (RowBody, String) {
        let dataset = Arc::new(Dataset::new(&items(1000, 0.0)).unwrap());
        let mut line = Vec::new();
        write_rows(&dataset, [42].into_iter(), Format::JsonLines, &mut line).unwrap();
        let fields = ["name", "id", "created_at", "hash_code"].map(str::to_owned);
        (RowBody::new(dataset, &fields).unwrap(), String::from_utf8(line).unwrap())
    }

    fn is_row(row: &mut RowBody, body: &str, id: u64) -> bool {
        row.row_shown(body.as_bytes(), id, None) == Some(None)
    }

    #[test]
    fn the_id_is_found_however_it_is_spaced() {
        let key = IdKey::new("id");
        for (body, id) in [
            (r#"{"id":7}"#, Some(7)),
            (r#"{"x": "id", "id" : 12 , "y": 1}"#, Some(12)),
            ("{\n\t\"id\":\r\n 0\n}", Some(0)),
            (r#"{"id":"7"}"#, None),
            (r#"{"id":7.5}"#, None),
            (r#"{"id":-7}"#, None),
            (r#"{"id":07}"#, None),
            (r#"{"id":7"#, None),
            (r#"{"ids":7}"#, None),
            (r#"{"id":99999999999999999999}"#, None),
            ("", None),
        ] {
            assert_eq!(key.find(body.as_bytes()), id, "{body}");
        }
    }

    #[test]
    fn a_right_row_passes_in_any_layout() {
        let (mut row, line) = rows();
        let spaced = line.replace(",\"", ", \"").replace("\":", "\" : ");
        let escaped = line.replace('-', "\\u002d");
        let extra = line.replacen('{', r#"{"more":{"id":3,"name":[null]},"#, 1);
        for body in [&line, &spaced, &escaped, &extra] {
            assert!(is_row(&mut row, body, 42), "{body}");
        }
    }

    #[test]
    fn a_wrong_row_does_not() {
        let (mut row, line) = rows();
        let without_name = line.replace("\"name\"", "\"nome\"");
        let twice = line.replacen('{', r#"{"id":42,"#, 1);
        let other_year = line.replace("\"2012-", "\"2013-");
        let text_id = line.replace(":42,", ":\"42\",");
        for body in [&without_name, &twice, &other_year, &text_id, &format!("{line}x"), &format!("[{line}]")]
        {
            assert_ne!(*body, line);
            assert!(!is_row(&mut row, body, 42), "{body}");
        }
        assert!(!is_row(&mut row, &line, 43));
        assert!(!is_row(&mut row, "", 42) && row.row_shown(b"\xff", 42, None).is_none());
        assert!(!is_row(&mut row, &"[".repeat(100_000), 42));
        let more = line.replacen('{', "{\"more\":\"x\",", 1);
        assert!(is_row(&mut row, &more, 42));
        let mut bytes = more.into_bytes();
        bytes[9] = 0xff;
        assert!(row.row_shown(&bytes, 42, None).is_none(), "no UTF-8 in a member that is not looked at");
    }
}
