//! Bodies that must hold certain values at certain places, compared in one pass over the body.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{Deserialize, DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::scalar::{Scalar, equal};
use super::text::{Text, TextSeed};
use crate::template::RowText;

/// A body that is longer is not kept, and so is wrong.
pub const BYTES_LIMIT: usize = 16 << 20;

/// Compares bodies with values.
#[derive(Debug)]
pub(super) struct JsonBody {
    /// By JSON pointer.
    expected: Vec<(String, Expected)>,
    root: Node,
    /// By the number of a node: it was in the body.
    seen: Vec<bool>,
    /// The value that is compared, as JSON.
    wanted: Vec<u8>,
}

/// What stands at one place.
#[derive(Debug)]
enum Expected {
    /// A text, a number, a boolean or null, as JSON.
    Scalar(RowText),
    /// An array or an object, with all that is in it.
    Whole(Value),
}

/// A place on the way to what is expected.
#[derive(Debug, Default)]
struct Node {
    number: usize,
    /// Of what is expected here; if nothing is, something lies below.
    expected: Option<usize>,
    below: Vec<Step>,
}

/// A member's name, which may be an element's place.
#[derive(Debug)]
struct Step {
    name: String,
    place: Option<u64>,
    node: Node,
}

impl JsonBody {
    /// `compile`: a JSON text with cells of the request's rows. The error names what is wrong with `values`.
    pub(super) fn new(
        values: &BTreeMap<String, String>,
        compile: impl Fn(&str) -> Result<RowText, String>,
    ) -> Result<JsonBody, String> {
        let (mut expected, mut root, mut seen) = (Vec::new(), Node::default(), vec![false]);
        for (pointer, text) in values {
            let named = |text: String| format!("expect.body.values: {pointer:?}: {text}");
            let text = compile(text).map_err(named)?;
            root.insert(&names(pointer).map_err(named)?, expected.len(), &mut seen).map_err(named)?;
            expected.push((pointer.clone(), Expected::new(text).map_err(named)?));
        }
        Ok(JsonBody { expected, root, seen, wanted: Vec::new() })
    }

    /// True if `body` is JSON and every value stands where it should. `row`: see [`RowText`].
    pub(super) fn fits(&mut self, body: &[u8], row: u64) -> bool {
        self.seen.fill(false);
        // JSON is UTF-8 (RFC 8259, section 8.1), also where nobody looks.
        let Ok(body) = std::str::from_utf8(body) else { return false };
        let mut reader = serde_json::Deserializer::from_str(body);
        let (expected, seen, wanted) = (&self.expected[..], &mut self.seen[..], &mut self.wanted);
        let compared = At { node: &self.root, expected, seen, wanted, row }.deserialize(&mut reader);
        compared.is_ok() && reader.end().is_ok() && self.seen.iter().all(|&seen| seen)
    }

    /// What is wrong with a body, for people; `None` if nothing is.
    pub(super) fn difference(&mut self, body: &[u8], row: u64) -> Option<String> {
        let found: Value = match serde_json::from_slice(body) {
            Ok(found) => found,
            Err(error) => return Some(format!("not JSON: {error}")),
        };
        for (pointer, expected) in &self.expected {
            let place = if pointer.is_empty() { "the body" } else { pointer.as_str() };
            let wanted = expected.value(row);
            match found.pointer(pointer) {
                None => return Some(format!("{place} is missing, not {wanted}")),
                Some(found) if !equal(found, &wanted) => {
                    return Some(format!("{place} is {found}, not {wanted}"));
                }
                Some(_) => {}
            }
        }
        if std::str::from_utf8(body).is_err() {
            return Some("not JSON: it is no UTF-8".to_owned());
        }
        (!self.fits(body, row)).then(|| "a member occurs twice".to_owned())
    }
}

impl Expected {
    fn new(text: RowText) -> Result<Expected, String> {
        let mut json = Vec::new();
        text.write(0, &mut json);
        let value: Value = serde_json::from_slice(&json).map_err(|error| format!("not JSON: {error}"))?;
        match value {
            Value::Array(_) | Value::Object(_) if !text.is_fixed() => {
                Err("holds {{row …}} within a value: expect it apart, by a pointer of its own".to_owned())
            }
            Value::Array(_) | Value::Object(_) => Ok(Expected::Whole(value)),
            _ => Ok(Expected::Scalar(text)),
        }
    }

    fn value(&self, row: u64) -> Value {
        match self {
            Expected::Whole(value) => value.clone(),
            Expected::Scalar(text) => {
                let mut json = Vec::new();
                text.write(row, &mut json);
                serde_json::from_slice(&json).unwrap_or_default()
            }
        }
    }
}

impl Node {
    fn insert(&mut self, names: &[String], expected: usize, seen: &mut Vec<bool>) -> Result<(), String> {
        if self.expected.is_some() {
            return Err("lies within a value that is expected, too".to_owned());
        }
        let Some((name, rest)) = names.split_first() else {
            self.expected = Some(expected);
            return if self.below.is_empty() { Ok(()) } else { Err("another value lies within".to_owned()) };
        };
        let known = self.below.iter().position(|step| step.name == *name);
        let step = known.unwrap_or_else(|| {
            let node = Node { number: seen.len(), ..Node::default() };
            seen.push(false);
            self.below.push(Step { name: name.clone(), place: place(name), node });
            self.below.len() - 1
        });
        self.below[step].node.insert(rest, expected, seen)
    }
}

/// The names of a JSON pointer (RFC 6901).
///
/// # Errors
/// What is wrong with it.
pub fn names(pointer: &str) -> Result<Vec<String>, String> {
    if pointer.is_empty() {
        return Ok(Vec::new());
    }
    let Some(rest) = pointer.strip_prefix('/') else {
        return Err("a JSON pointer begins with /".to_owned());
    };
    let unescaped = |name: &str| {
        let left = name.replace("~0", "").replace("~1", "");
        if left.contains('~') {
            return Err("in a JSON pointer, ~ is written ~0, and / in a name ~1".to_owned());
        }
        Ok(name.replace("~1", "/").replace("~0", "~"))
    };
    rest.split('/').map(unescaped).collect()
}

/// An element's place, if the name can be one.
pub fn place(name: &str) -> Option<u64> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| is_plain)
}

/// Compares what stands at one node; ends with an error at the first difference.
struct At<'a> {
    node: &'a Node,
    expected: &'a [(String, Expected)],
    seen: &'a mut [bool],
    wanted: &'a mut Vec<u8>,
    row: u64,
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if std::mem::replace(&mut self.seen[self.node.number], true) {
            return Err(D::Error::custom("a member occurs twice"));
        }
        let Some(number) = self.node.expected else {
            return deserializer.deserialize_any(Below(self));
        };
        match &self.expected[number].1 {
            Expected::Scalar(text) => {
                self.wanted.clear();
                text.write(self.row, self.wanted);
                deserializer.deserialize_any(Wanted(self.wanted))
            }
            Expected::Whole(wanted) => is_right(equal(&Value::deserialize(deserializer)?, wanted)),
        }
    }
}

fn is_right<E: Error>(is_right: bool) -> Result<(), E> {
    if is_right { Ok(()) } else { Err(E::custom("a value differs")) }
}

/// Looks on at what is in an object or an array.
struct Below<'a>(At<'a>);

impl<'de> Visitor<'de> for Below<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let At { node, expected, seen, wanted, row } = self.0;
        while let Some(Text(name)) = members.next_key_seed(TextSeed)? {
            match node.below.iter().find(|step| step.name == name) {
                None => {
                    members.next_value::<IgnoredAny>()?;
                }
                Some(Step { node, .. }) => {
                    members.next_value_seed(At {
                        node,
                        expected,
                        seen: &mut *seen,
                        wanted: &mut *wanted,
                        row,
                    })?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let At { node, expected, seen, wanted, row } = self.0;
        for place in 0_u64.. {
            let element = match node.below.iter().find(|step| step.place == Some(place)) {
                None => elements.next_element::<IgnoredAny>()?.map(|_| ()),
                Some(Step { node, .. }) => elements.next_element_seed(At {
                    node,
                    expected,
                    seen: &mut *seen,
                    wanted: &mut *wanted,
                    row,
                })?,
            };
            if element.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Compares a value that holds no others with the one that is wanted.
struct Wanted<'w>(&'w [u8]);

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the wanted value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        is_right(Scalar::Null.is(self.0))
    }

    fn visit_bool<E: Error>(self, found: bool) -> Result<(), E> {
        is_right(Scalar::Boolean(found).is(self.0))
    }

    fn visit_u64<E: Error>(self, found: u64) -> Result<(), E> {
        is_right(Scalar::Whole(found.into()).is(self.0))
    }

    fn visit_i64<E: Error>(self, found: i64) -> Result<(), E> {
        is_right(Scalar::Whole(found.into()).is(self.0))
    }

    fn visit_f64<E: Error>(self, found: f64) -> Result<(), E> {
        is_right(Scalar::Decimal(found).is(self.0))
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<(), E> {
        is_right(Scalar::Text(found).is(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(values: &[(&str, &str)]) -> Result<JsonBody, String> {
        let values = values.iter().map(|&(pointer, text)| (pointer.to_owned(), text.to_owned())).collect();
        JsonBody::new(&values, |text| RowText::new(text, None, &[]))
    }

    #[test]
    fn values_are_found_wherever_they_stand() {
        let values = [
            ("/id", "7"),
            ("/kind", "\"book\""),
            ("/tags/1", "\"b\""),
            ("/more/a~1b/0/~0", "null"),
            ("/whole", "{\"x\": [1, {}]}"),
            ("/", "true"),
        ];
        let mut body = body(&values).unwrap();
        let right = r#"{"tags": ["a", "b", 3], "": true, "more": {"z": {"id": 8}, "a/b": [{"~": null}]},
            "kind": "b\u006fok", "whole": {"x": [1.0, {}]}, "id": 7.0}"#;
        assert!(body.fits(right.as_bytes(), 0));
        assert_eq!(body.difference(right.as_bytes(), 0), None);
        for (from, to, difference) in [
            ("7.0", "8", "/id is 8, not 7"),
            ("7.0", "\"7\"", "/id is \"7\", not 7"),
            ("\"id\": 7", "\"ids\": 7", "/id is missing, not 7"),
            ("\"b\", 3", "3, \"b\"", "/tags/1 is 3, not \"b\""),
            ("[\"a\", \"b\", 3]", "{\"1\": \"c\"}", "/tags/1 is \"c\", not \"b\""),
            ("\"~\": null", "\"~\": 0", "/more/a~1b/0/~0 is 0, not null"),
            ("[1.0, {}]", "[1.0, {}, 2]", "/whole is {\"x\":[1.0,{},2]}, not {\"x\":[1,{}]}"),
            ("\"\": true", "\"\": [true]", "/ is [true], not true"),
            ("7.0}", "7.0, \"id\": 7}", "a member occurs twice"),
            ("7.0}", "7.0}}", "not JSON: "),
            ("7.0}", "7.0", "not JSON: "),
        ] {
            let wrong = right.replace(from, to);
            assert_ne!(wrong, right);
            assert!(!body.fits(wrong.as_bytes(), 0), "{wrong}");
            let said = body.difference(wrong.as_bytes(), 0).unwrap();
            assert!(said.starts_with(difference), "{said}");
        }
        assert!(body.fits(right.as_bytes(), 0), "what was seen before is forgotten");
    }

    #[test]
    fn the_whole_body_can_be_one_value() {
        let mut whole = body(&[("", "[1, 2]")]).unwrap();
        assert!(whole.fits(b" [1,2] ", 0) && !whole.fits(b"[1,2,3]", 0) && !whole.fits(b"", 0));
        let mut scalar = body(&[("", "\"x\"")]).unwrap();
        assert!(scalar.fits(b"\"x\"", 0) && !scalar.fits(b"[\"x\"]", 0));
    }

    #[test]
    fn a_body_that_is_no_utf_8_is_wrong_wherever_it_is_none() {
        let mut some = body(&[("/a", "1")]).unwrap();
        assert!(some.fits(b"{\"a\": 1, \"b\": \"x\"}", 0));
        let wrong = b"{\"a\": 1, \"b\": \"\xff\"}";
        assert!(!some.fits(wrong, 0));
        assert!(some.difference(wrong, 0).unwrap().starts_with("not JSON: "));
    }

    #[test]
    fn a_body_that_nests_too_deeply_is_wrong() {
        let mut deep = body(&[("/a", "1")]).unwrap();
        assert!(!deep.fits(&b"[".repeat(100_000), 0));
        assert!(!deep.fits(format!("{{\"b\": {}", "[".repeat(100_000)).as_bytes(), 0));
    }

    #[test]
    fn wrong_expectations_are_named() {
        for (values, expected) in [
            (&[("id", "1")][..], "\"id\": a JSON pointer begins with /"),
            (&[("/a~2", "1")], "~ is written ~0"),
            (&[("/a", "{}"), ("/a/b", "1")], "\"/a/b\": lies within"),
            (&[("/a", "book")], "\"/a\": not JSON"),
            (&[("/a", "{{uniform 1 2}}")], "only {{row …}} can be expected"),
        ] {
            let line = body(values).unwrap_err();
            assert!(line.starts_with("expect.body.values: ") && line.contains(expected), "{line}");
        }
    }
}
