//! Where in an answer a variable stands.

use regex_lite::Regex;
use serde_json::value::RawValue;

use crate::http1::field_values;
use crate::plan::TakePlan;
use crate::rows::member;
use crate::verify::{pointer_names, pointer_place};

/// A longer value is refused: requests hold each one, and servers refuse longer headers anyway. Bytes.
const LONGEST_VALUE_BYTES: usize = 16 << 10;

/// A regular expression does not grow beyond this when it is compiled. Bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// Where one variable stands.
#[derive(Clone, Debug)]
pub struct Taking {
    name: String,
    /// The variable's place among all.
    pub variable: usize,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    /// The names of a JSON pointer.
    Body(Vec<String>, String),
    /// A header, and what to take of its value; `None`: all.
    Header(String, Option<Regex>),
}

impl Taking {
    /// Compiles what a plan takes.
    ///
    /// # Errors
    /// The key that does not fit, and what is allowed.
    pub fn new(name: &str, variable: usize, plan: &TakePlan) -> Result<Taking, String> {
        let place = match (&plan.pointer, &plan.header) {
            (Some(pointer), None) if plan.pattern.is_none() => {
                let names = pointer_names(pointer).map_err(|text| format!("take.{name}.pointer: {text}"))?;
                Place::Body(names, pointer.clone())
            }
            (None, Some(header)) => {
                let pattern = plan.pattern.as_deref().map(compiled).transpose();
                Place::Header(header.clone(), pattern.map_err(|text| format!("take.{name}.pattern: {text}"))?)
            }
            _ => return Err(format!("take.{name}: needs a pointer, or a header with or without a pattern")),
        };
        Ok(Taking { name: name.to_owned(), variable, place })
    }

    /// True if it stands in the body.
    pub fn is_in_body(&self) -> bool {
        matches!(self.place, Place::Body(..))
    }

    /// The value in an answer, as JSON: a text, a number or a boolean. `body`: all of it.
    ///
    /// # Errors
    /// Why there is none; nothing of the answer is quoted.
    pub fn value(&self, head: &[u8], body: &[u8]) -> Result<String, String> {
        let cell = match &self.place {
            Place::Body(names, pointer) => {
                in_body(body, names).map_err(|text| format!("{text} at {pointer}"))
            }
            Place::Header(name, pattern) => in_header(head, name, pattern.as_ref()),
        };
        let checked = cell.and_then(|cell| {
            if cell.starts_with(['{', '[', 'n']) {
                return Err("what stands there is neither a text, nor a number, nor a boolean".to_owned());
            }
            if cell.len() > LONGEST_VALUE_BYTES {
                return Err(format!("the value has more than {LONGEST_VALUE_BYTES} bytes"));
            }
            // In a JSON text, control characters can stand escaped only.
            let text: Option<String> = serde_json::from_str(&cell).ok();
            if text.is_some_and(|text| text.chars().any(char::is_control)) {
                return Err("the value holds a control character".to_owned());
            }
            Ok(cell)
        });
        checked.map_err(|text| format!("take.{}: {text}", self.name))
    }
}

/// One group is the value.
fn compiled(pattern: &str) -> Result<Regex, String> {
    let built = regex_lite::RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build();
    let regex = built.map_err(|error| format!("{pattern:?}: {error}"))?;
    match regex.captures_len() {
        2 => Ok(regex),
        groups => Err(format!("{pattern:?} has {} groups, and one is the value", groups - 1)),
    }
}

fn in_body(body: &[u8], names: &[String]) -> Result<String, String> {
    let text =
        std::str::from_utf8(body).map_err(|_| "the body is not UTF-8, so that nothing stands".to_owned())?;
    let whole: &RawValue =
        serde_json::from_str(text).map_err(|_| "the body is no JSON, so that nothing stands".to_owned())?;
    value_at(whole.get(), names).map(str::to_owned).ok_or_else(|| "nothing stands".to_owned())
}

/// What stands at the names of a JSON pointer, as JSON. `json`: without space around it.
pub(crate) fn value_at<'v>(json: &'v str, names: &[String]) -> Option<&'v str> {
    names.iter().try_fold(json, |value, name| below(value, name))
}

/// The member of an object, or the element of an array.
fn below<'v>(value: &'v str, name: &str) -> Option<&'v str> {
    match value.as_bytes().first() {
        Some(b'{') => member(value, name).ok(),
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(value).ok()?;
            elements.get(usize::try_from(pointer_place(name)?).ok()?).map(|element| element.get())
        }
        _ => None,
    }
}

/// Of a header that comes several times, the values are one list, as RFC 9110, section 5.3 has it.
fn in_header(head: &[u8], name: &str, pattern: Option<&Regex>) -> Result<String, String> {
    let values: Vec<&[u8]> = field_values(head, name).collect();
    if values.is_empty() {
        return Err(format!("the answer has no header {name}"));
    }
    let value = String::from_utf8(values.join(&b", "[..]));
    let value = value.map_err(|_| format!("the header {name} is not UTF-8"))?;
    let taken = match pattern {
        None => Some(value.as_str()),
        Some(pattern) => pattern.captures(&value).and_then(|found| found.get(1)).map(|group| group.as_str()),
    };
    let taken = taken.ok_or_else(|| format!("the pattern does not fit the header {name}"))?;
    serde_json::to_string(taken).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn taken(plan: Value, head: &str, body: &str) -> Result<String, String> {
        let plan: TakePlan = serde_json::from_value(plan).unwrap();
        Taking::new("x", 0, &plan)?.value(head.as_bytes(), body.as_bytes())
    }

    #[test]
    fn a_value_is_taken_as_it_is_spelled() {
        let body = r#"{"a": {"b~/": [true, {"c": "é\u0041"}, 12345678901234567890123]}, "t": "x"}"#;
        let at = |pointer: &str| taken(json!({"pointer": pointer}), "", body);
        assert_eq!(at("/t").unwrap(), "\"x\"");
        assert_eq!(at("/a/b~0~1/0").unwrap(), "true");
        assert_eq!(at("/a/b~0~1/1/c").unwrap(), r#""é\u0041""#);
        assert_eq!(at("/a/b~0~1/2").unwrap(), "12345678901234567890123");
        assert_eq!(taken(json!({"pointer": ""}), "", " 7 ").unwrap(), "7");
    }

    #[test]
    fn a_header_or_its_group_is_taken() {
        let head =
            "HTTP/1.1 201 X\r\nLocation: /carts/42?a:b\r\nset-cookie: a=1\r\nSet-Cookie: s=\"2\"; x\r\n\r\n";
        let of = |plan: Value| taken(plan, head, "");
        assert_eq!(of(json!({"header": "location"})).unwrap(), "\"/carts/42?a:b\"");
        assert_eq!(of(json!({"header": "Location", "pattern": "/carts/([0-9]+)"})).unwrap(), "\"42\"");
        assert_eq!(of(json!({"header": "Set-Cookie", "pattern": "s=([^;]+)"})).unwrap(), r#""\"2\"""#);
        let missing = of(json!({"header": "Location", "pattern": "/trolleys/([0-9]+)"})).unwrap_err();
        assert_eq!(missing, "take.x: the pattern does not fit the header Location");
        assert_eq!(of(json!({"header": "HTTP/1.1 201 X"})).unwrap_err().split(": ").count(), 2);
    }

    #[test]
    fn a_header_that_is_no_text_is_refused_and_not_sent_as_another_one() {
        let plan = serde_json::from_value(json!({"header": "x-id"})).unwrap();
        let taking = Taking::new("x", 0, &plan).unwrap();
        let of =
            |value: &[u8]| taking.value(&[b"HTTP/1.1 200 OK\r\nX-Id: ", value, b"\r\n\r\n"].concat(), b"");
        assert_eq!(of("caf\u{e9}".as_bytes()).unwrap(), "\"caf\u{e9}\"");
        assert_eq!(of(b"caf\xe9").unwrap_err(), "take.x: the header x-id is not UTF-8");
    }

    #[test]
    fn what_is_missing_or_cannot_be_sent_is_told_without_its_value() {
        let body = r#"{"none": null, "list": ["s3cret"], "line": "s3cret\r\nb: c", "é": "s3cret"}"#;
        for (pointer, reason) in [
            ("/token", "nothing stands at /token"),
            ("/none", "neither a text"),
            ("/list", "neither a text"),
            ("/list/1", "nothing stands at /list/1"),
            ("/list/01", "nothing stands"),
            ("/line", "the value holds a control character"),
            ("/line/0", "nothing stands"),
        ] {
            let text = taken(json!({"pointer": pointer}), "", body).unwrap_err();
            assert!(
                text.starts_with("take.x: ") && text.contains(reason) && !text.contains("s3cret"),
                "{text}"
            );
        }
        let long = format!("\"{}\"", "x".repeat(LONGEST_VALUE_BYTES));
        assert!(taken(json!({"pointer": ""}), "", &long).unwrap_err().contains("more than 16384 bytes"));
        assert!(taken(json!({"pointer": "/a"}), "", "{\"a\": 1").unwrap_err().contains("no JSON"));
        assert!(taken(json!({"pointer": "/a"}), "", &"[".repeat(100_000)).unwrap_err().contains("no JSON"));
    }

    #[test]
    fn wrong_places_are_named() {
        for (plan, expected) in [
            (json!({}), "take.x: needs a pointer"),
            (json!({"pointer": "/a", "header": "b"}), "take.x: needs a pointer"),
            (json!({"pointer": "a"}), "take.x.pointer: a JSON pointer begins with /"),
            (json!({"header": "a", "pattern": "("}), "take.x.pattern: \"(\": "),
            (json!({"header": "a", "pattern": "(a)(b)"}), "take.x.pattern: \"(a)(b)\" has 2 groups"),
            (json!({"header": "a", "pattern": "a(?=b)"}), "take.x.pattern: "),
        ] {
            let text = taken(plan, "", "").unwrap_err();
            assert!(text.starts_with(expected), "{text}");
        }
    }
}
