//! Reads templates.

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

/// What may stand between braces, for errors.
const ALLOWED: &str = "{{uniform FROM TO}}, {{zipf RANKS EXPONENT}}, {{sequence FROM}}, \
     {{nonce LABEL FROM}}, {{field NAME}}, {{row NAME COLUMN}}, {{var NAME}}, and {{{{ for two braces";

/// The most ranks: every rank is a double's whole number.
const MOST_RANKS: u64 = 1 << 53;

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'t> {
    /// Stands there as it is.
    Text(&'t str),
    /// Something else for every request.
    Placeholder(Placeholder<'t>),
}

/// What differs from request to request. See [`crate::template`].
#[derive(Clone, Debug, PartialEq)]
pub enum Placeholder<'t> {
    /// `{{uniform FROM TO}}`
    Uniform {
        /// The lowest number.
        from: u64,
        /// The highest number.
        to: u64,
    },
    /// `{{zipf RANKS EXPONENT}}`
    Zipf {
        /// The highest rank.
        ranks: u64,
        /// Above 0.
        exponent: f64,
    },
    /// `{{sequence FROM}}`
    Sequence {
        /// The first number.
        from: u64,
    },
    /// `{{nonce LABEL FROM}}`
    Nonce {
        /// Tells the requests apart that have the same numbers.
        label: &'t str,
        /// The first number of the sequence.
        from: u64,
    },
    /// `{{field NAME}}`
    Field {
        /// The field's name.
        name: &'t str,
    },
    /// `{{row NAME COLUMN}}`, or with `json`, `escaped` or `base64` behind
    Row {
        /// The table's name.
        table: &'t str,
        /// The name of one of its columns.
        column: &'t str,
        /// How the cell is written.
        spelling: Spelling,
    },
    /// `{{var NAME}}`, `{{var NAME json}}` or `{{var NAME escaped}}`
    Variable {
        /// The variable's name.
        name: &'t str,
        /// How its value is written.
        spelling: Spelling,
    },
}

/// How a cell of a row, or the value of a variable, is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Its text, as the place needs it.
    Plain,
    /// `json`: as a JSON value.
    Json,
    /// `escaped`: its text, to stand within a JSON string.
    Escaped,
    /// `base64`: the bytes of which a cell's text is the base64.
    Base64,
}

/// Splits a template into its parts.
///
/// # Errors
/// The placeholder that does not fit, and what is allowed.
pub fn parse(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let (before, after) = (&rest[..at], &rest[at + OPEN.len()..]);
        if let Some(after_literal) = after.strip_prefix(OPEN) {
            // The first pair of the four stands for itself.
            parts.push(Part::Text(&rest[..at + OPEN.len()]));
            rest = after_literal;
            continue;
        }
        let Some(end) = after.find(CLOSE) else {
            let start: String = rest[at..].chars().take(40).collect();
            return Err(format!("{start:?} is not closed by }}}}; allowed are {ALLOWED}"));
        };
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        parts.push(Part::Placeholder(placeholder(&after[..end])?));
        rest = &after[end + CLOSE.len()..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(parts)
}

fn placeholder(inner: &str) -> Result<Placeholder<'_>, String> {
    let shown: String = inner.chars().take(60).collect();
    let invalid = |text: &str| Err(format!("{{{{{shown}}}}}: {text}"));
    let mut words = inner.split_ascii_whitespace();
    let name = words.next().unwrap_or("");
    let arguments: Vec<&str> = words.collect();
    match (name, arguments.as_slice()) {
        ("uniform", [from, to]) => match (whole(from), whole(to)) {
            (Some(from), Some(to)) if from <= to => Ok(Placeholder::Uniform { from, to }),
            (Some(_), Some(_)) => invalid("FROM is above TO"),
            _ => invalid("FROM and TO are whole numbers from 0 on, like {{uniform 1 1000}}"),
        },
        ("uniform", _) => invalid("needs FROM and TO, like {{uniform 1 1000}}"),
        ("zipf", [ranks, exponent]) => {
            let ranks = whole(ranks).filter(|ranks| (1..=MOST_RANKS).contains(ranks));
            let exponent = exponent.parse().ok().filter(|exponent: &f64| (0.01..=20.0).contains(exponent));
            match (ranks, exponent) {
                (Some(ranks), Some(exponent)) => Ok(Placeholder::Zipf { ranks, exponent }),
                (None, _) => invalid("RANKS is a whole number from 1 to 2^53, like {{zipf 1000 1.1}}"),
                (_, None) => invalid("EXPONENT is a number from 0.01 to 20, like {{zipf 1000 1.1}}"),
            }
        }
        ("zipf", _) => invalid("needs RANKS and EXPONENT, like {{zipf 1000 1.1}}"),
        ("sequence", [from]) => match whole(from) {
            Some(from) => Ok(Placeholder::Sequence { from }),
            None => invalid("FROM is a whole number from 0 on, like {{sequence 1}}"),
        },
        ("sequence", _) => invalid("needs FROM, like {{sequence 1}}"),
        ("nonce", [label, from]) => match whole(from) {
            Some(from) => Ok(Placeholder::Nonce { label, from }),
            None => invalid("FROM is a whole number from 0 on, like {{nonce orders 1}}"),
        },
        ("nonce", _) => invalid("needs LABEL and FROM, like {{nonce orders 1}}"),
        ("field", [name]) => Ok(Placeholder::Field { name }),
        ("field", _) => invalid("needs the NAME of one field, like {{field uuid}}"),
        ("row", [table, column]) => Ok(Placeholder::Row { table, column, spelling: Spelling::Plain }),
        ("row", [table, column, "json"]) => Ok(Placeholder::Row { table, column, spelling: Spelling::Json }),
        ("row", [table, column, "escaped"]) => {
            Ok(Placeholder::Row { table, column, spelling: Spelling::Escaped })
        }
        ("row", [table, column, "base64"]) => {
            Ok(Placeholder::Row { table, column, spelling: Spelling::Base64 })
        }
        ("var", [name]) => Ok(Placeholder::Variable { name, spelling: Spelling::Plain }),
        ("var", [name, "json"]) => Ok(Placeholder::Variable { name, spelling: Spelling::Json }),
        ("var", [name, "escaped"]) => Ok(Placeholder::Variable { name, spelling: Spelling::Escaped }),
        ("var", _) => invalid("needs the NAME of a variable, and maybe json or escaped, like {{var token}}"),
        ("row", _) => invalid(
            "needs the NAME of a table and a COLUMN, and maybe json, escaped or base64, like {{row items id}}",
        ),
        _ => invalid(&format!("is no placeholder; allowed are {ALLOWED}")),
    }
}

/// A whole number below 2^63, so that sums of two do not wrap.
fn whole(text: &str) -> Option<u64> {
    let has_digits_only = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&number: &u64| has_digits_only && number < 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_their_order() {
        let parts =
            parse("/items/{{uniform 1 1000}}?s={{ sequence  7 }}&u={{field uuid}}{{zipf 10 1}}").unwrap();
        assert_eq!(
            parts,
            [
                Part::Text("/items/"),
                Part::Placeholder(Placeholder::Uniform { from: 1, to: 1000 }),
                Part::Text("?s="),
                Part::Placeholder(Placeholder::Sequence { from: 7 }),
                Part::Text("&u="),
                Part::Placeholder(Placeholder::Field { name: "uuid" }),
                Part::Placeholder(Placeholder::Zipf { ranks: 10, exponent: 1.0 }),
            ]
        );
    }

    #[test]
    fn cells_of_rows_are_spelled_in_four_ways() {
        let cell = |spelling| Part::Placeholder(Placeholder::Row { table: "items", column: "id", spelling });
        let text = "{{row items id}}{{row items id json}}{{row items id escaped}}{{row items id base64}}";
        let spellings = [Spelling::Plain, Spelling::Json, Spelling::Escaped, Spelling::Base64];
        assert_eq!(parse(text).unwrap(), spellings.map(cell));
    }

    #[test]
    fn braces_stand_for_themselves() {
        let text = |template| {
            let parts = parse(template).unwrap();
            parts.iter().map(|part| if let Part::Text(text) = part { text } else { "#" }).collect::<String>()
        };
        assert_eq!(text("{\"a\": {\"b\": 1}}"), "{\"a\": {\"b\": 1}}");
        assert_eq!(text("{{{{x}}"), "{{x}}");
        assert_eq!(text("{{{{{{{{"), "{{{{");
        assert_eq!(text("{\"a\": {\"b\": {{uniform 1 2}}}}"), "{\"a\": {\"b\": #}}");
        assert_eq!(text(""), "");
    }

    #[test]
    fn errors_name_the_placeholder_and_what_is_allowed() {
        for (template, expected) in [
            ("{{unifrom 1 2}}", "{{unifrom 1 2}}: is no placeholder; allowed are {{uniform FROM TO}}"),
            ("{{uniform 1}}", "{{uniform 1}}: needs FROM and TO"),
            ("{{uniform 2 1}}", "FROM is above TO"),
            ("{{uniform -1 1}}", "whole numbers"),
            ("{{uniform +1 1}}", "whole numbers"),
            ("{{zipf 0 1}}", "RANKS"),
            ("{{zipf 10 nan}}", "EXPONENT"),
            ("{{zipf 10 0}}", "EXPONENT"),
            ("{{sequence}}", "needs FROM"),
            ("{{sequence 9223372036854775808}}", "FROM is a whole number"),
            ("{{nonce 1}}", "needs LABEL and FROM"),
            ("{{nonce a b}}", "FROM is a whole number"),
            ("{{field}}", "NAME"),
            ("{{row items}}", "needs the NAME of a table and a COLUMN"),
            ("{{row items id xml}}", "maybe json, escaped or base64"),
            ("a {{", "is not closed"),
            ("{{}}", "{{}}: is no placeholder"),
        ] {
            let message = parse(template).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
