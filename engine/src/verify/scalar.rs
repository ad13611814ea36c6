//! Values of JSON that hold no others, compared by value: 1 is 1.0, however both are spelled.

use serde_json::{Number, Value};

/// A value that was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar<'v> {
    Null,
    Boolean(bool),
    Whole(i128),
    Decimal(f64),
    Text(&'v str),
}

impl Scalar<'_> {
    /// True if it is the wanted one, a JSON text. Allocates only if that has escapes.
    pub(super) fn is(self, wanted: &[u8]) -> bool {
        let wanted = wanted.trim_ascii();
        match (wanted.first(), self) {
            (Some(b'"'), Scalar::Text(found)) => is_text(wanted, found),
            (Some(b't'), Scalar::Boolean(found)) => found,
            (Some(b'f'), Scalar::Boolean(found)) => !found,
            (Some(b'n'), Scalar::Null) => true,
            (Some(b'-' | b'0'..=b'9'), Scalar::Whole(_) | Scalar::Decimal(_)) => {
                std::str::from_utf8(wanted).is_ok_and(|wanted| self.is_number(wanted))
            }
            _ => false,
        }
    }

    fn is_number(self, wanted: &str) -> bool {
        if let (Ok(wanted), Scalar::Whole(found)) = (wanted.parse::<i128>(), self) {
            return wanted == found;
        }
        wanted.parse::<f64>().is_ok_and(|wanted| match self {
            Scalar::Whole(found) => found as f64 == wanted,
            Scalar::Decimal(found) => found == wanted,
            _ => false,
        })
    }
}

fn is_text(wanted: &[u8], found: &str) -> bool {
    let inner = &wanted[1..wanted.len().saturating_sub(1).max(1)];
    if memchr::memchr(b'\\', inner).is_none() {
        return inner == found.as_bytes();
    }
    serde_json::from_slice::<String>(wanted).is_ok_and(|wanted| wanted == found)
}

/// True if both are the same document: members in any order, numbers by value.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_there = |(name, value)| other.get(name).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(is_there)
        }
        _ => one == other,
    }
}

fn equal_numbers(one: &Number, other: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64() == other.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_are_compared_by_value() {
        for (found, wanted, fits) in [
            (Scalar::Whole(7), "7", true),
            (Scalar::Whole(7), " 7.0 ", true),
            (Scalar::Decimal(7.0), "7", true),
            (Scalar::Decimal(1.5), "15e-1", true),
            (Scalar::Whole(0), "-0", true),
            (Scalar::Whole(i128::from(u64::MAX)), "18446744073709551615", true),
            (Scalar::Whole(i128::from(u64::MAX)), "18446744073709551614", false),
            (Scalar::Whole(7), "\"7\"", false),
            (Scalar::Text("7"), "7", false),
            (Scalar::Text("7"), "\"7\"", true),
            (Scalar::Text("a\"b"), "\"a\\\"b\"", true),
            (Scalar::Text("ä"), "\"\\u00e4\"", true),
            (Scalar::Text(""), "\"\"", true),
            (Scalar::Text("a"), "\"ab\"", false),
            (Scalar::Boolean(true), "true", true),
            (Scalar::Boolean(false), "true", false),
            (Scalar::Boolean(false), "false", true),
            (Scalar::Null, "null", true),
            (Scalar::Null, "0", false),
            (Scalar::Text(""), "\"", true),
            (Scalar::Null, "", false),
        ] {
            assert_eq!(found.is(wanted.as_bytes()), fits, "{found:?} {wanted}");
        }
    }

    #[test]
    fn documents_are_equal_in_any_order_and_spelling() {
        let one = json!({"a": [1, 2.0, {"b": null}], "c": "x"});
        assert!(equal(&one, &serde_json::from_str("{\"c\":\"x\",\"a\":[1.0,2,{\"b\":null}]}").unwrap()));
        for other in
            [json!({"a": [1, 2, {"b": null}]}), json!({"a": [2, 1, {"b": null}], "c": "x"}), json!([1])]
        {
            assert!(!equal(&one, &other), "{other}");
        }
    }
}
