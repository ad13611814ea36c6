//! Values of variables in texts that somebody sees. The lab does the same with those that it knows itself.

use std::collections::HashSet;

use memchr::memmem;

use crate::rows::Form;

/// Shorter values are no credentials, and to hide each `1` would make texts unreadable. An excerpt may end in the midst
/// of a value: so many characters of it at its end are hidden, too.
const FEWEST_CHARACTERS: usize = 4;

/// A text with `{{var NAME}}` in place of each value, as it is, percent-encoded, or escaped as in JSON.
pub(super) fn hidden<'v>(text: &str, values: impl Iterator<Item = (&'v str, &'v str)>) -> String {
    let (mut seen, mut spelled) = (HashSet::new(), Vec::<(String, String)>::new());
    for (name, value) in values.filter(|(_, value)| value.chars().nth(FEWEST_CHARACTERS - 1).is_some()) {
        for spelling in spellings(value) {
            if text.contains(front(&spelling)) && seen.insert(spelling.clone()) {
                spelled.push((spelling, format!("{{{{var {name}}}}}")));
            }
        }
    }
    // The longest first: one value may hold another.
    spelled.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
    let mut text = text.to_owned();
    for (spelling, placeholder) in &spelled {
        text = text.replace(spelling, placeholder);
    }
    // The rest of a character that was cut in two.
    let end = text.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
    for (spelling, placeholder) in &spelled {
        let cuts = front(spelling).len()..spelling.len().min(end + 1);
        let mut cuts = cuts.rev().filter(|&cut| spelling.is_char_boundary(cut));
        if let Some(cut) = cuts.find(|&cut| text[..end].ends_with(&spelling[..cut])) {
            text.truncate(end - cut);
            text.push_str(placeholder);
            break;
        }
    }
    text
}

/// Whether a whole text holds one of these values, however it is spelled.
pub(super) fn holds<'v>(text: &[u8], mut values: impl Iterator<Item = &'v str>) -> bool {
    values.any(|value| {
        value.chars().nth(FEWEST_CHARACTERS - 1).is_some()
            && spellings(value).iter().any(|spelling| memmem::find(text, spelling.as_bytes()).is_some())
    })
}

/// The least of a spelling that is hidden.
fn front(spelling: &str) -> &str {
    &spelling[..spelling.char_indices().nth(FEWEST_CHARACTERS).map_or(spelling.len(), |(at, _)| at)]
}

fn spellings(value: &str) -> Vec<String> {
    let cell = serde_json::to_string(value).unwrap_or_default();
    let mut spellings = vec![value.to_owned()];
    for form in [Form::Path, Form::JsonText] {
        let mut bytes = Vec::new();
        if form.write(&cell, &mut bytes).is_ok() {
            spellings.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    // As some writers of JSON escape it.
    spellings.extend(spellings.last().map(|text| text.replace('/', "\\/")));
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hide(text: &str) -> String {
        hidden(text, [("token", "s3cr/t \"ö\""), ("id", "7"), ("long", "s3cr/t \"ö\" and more")].into_iter())
    }

    #[test]
    fn values_are_hidden_however_they_are_spelled() {
        assert_eq!(hide("<s3cr/t \"ö\">"), "<{{var token}}>");
        assert_eq!(hide("/a/s3cr%2Ft%20%22%C3%B6%22?7"), "/a/{{var token}}?7");
        assert_eq!(hide(r#"{"a": "s3cr/t \"ö\"", "b": 1}"#), r#"{"a": "{{var token}}", "b": 1}"#);
        assert_eq!(hide(r#"s3cr\/t \"ö\"!"#), "{{var token}}!");
        assert_eq!(hide("s3cr/t \"ö\" and more!"), "{{var long}}!");
        assert_eq!(hide("s3c and 7 are too short"), "s3c and 7 are too short");
    }

    #[test]
    fn a_text_holds_a_value_in_any_spelling_that_is_long_enough() {
        let is_in = |text: &str| holds(text.as_bytes(), ["abc", "s3cr/t"].into_iter());
        assert_eq!(["abc s3cr", "a s3cr/t", "a s3cr%2Ft", r"s3cr\/t"].map(is_in), [false, true, true, true]);
    }

    /// Each connection has values of its own, and a load thread waits for this.
    #[test]
    fn the_time_grows_with_the_number_of_values() {
        let fastest = |count: usize| {
            let values: Vec<String> = (0..count).map(|number| format!("session-{number:08}")).collect();
            let took = || {
                let begun = std::time::Instant::now();
                let text = hidden("no session-00000007!", values.iter().map(|value| ("session", &value[..])));
                assert_eq!(text, "no {{var session}}!");
                begun.elapsed()
            };
            (0..3).map(|_| took()).min().unwrap().as_secs_f64()
        };
        let ratio = fastest(16_000) / fastest(500);
        assert!(ratio < 200.0, "32 times as many took {ratio} times as long");
    }

    #[test]
    fn a_value_that_is_cut_off_is_hidden_as_well() {
        assert_eq!(hide("who is s3cr"), "who is {{var long}}");
        assert_eq!(hide("who is s3cr/t \"\u{FFFD}"), "who is {{var long}}");
        assert_eq!(hide("who is s3c"), "who is s3c");
    }
}
