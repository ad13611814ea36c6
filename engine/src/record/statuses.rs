//! Unexpected statuses, each with what one of the answers that had it says of the reason.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::example::excerpt;

/// Headers by which a server says what to do instead, in lower case.
const TELLING: [&str; 5] = ["accept", "allow", "location", "retry-after", "www-authenticate"];

/// The answers with one status.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Unexpected {
    count: u64,
    /// Those of [`TELLING`] that the first of these answers had, by name.
    headers: BTreeMap<Cow<'static, str>, String>,
    /// The beginning of its body.
    excerpt: String,
    /// The texts went through [`UnexpectedStatuses::hide`].
    #[serde(skip)]
    is_hidden: bool,
}

/// Of the window, by status.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct UnexpectedStatuses(BTreeMap<u16, Unexpected>);

impl UnexpectedStatuses {
    /// Counts one answer. `head`: its lines; empty: they are not to be shown, or say nothing.
    #[cold]
    pub fn add(&mut self, status: u16, head: &[u8], body: &[u8]) {
        let of_first =
            || Unexpected { headers: telling(head), excerpt: excerpt(body), ..Unexpected::default() };
        self.0.entry(status).or_insert_with(of_first).count += 1;
    }

    /// Texts that came since the last call are shown as `hide` gives them.
    pub fn hide(&mut self, hide: impl Fn(&str) -> String) {
        for unexpected in self.0.values_mut().filter(|unexpected| !unexpected.is_hidden) {
            unexpected.headers.values_mut().for_each(|value| *value = hide(value));
            unexpected.excerpt = hide(&unexpected.excerpt);
            unexpected.is_hidden = true;
        }
    }

    /// Adds another thread's.
    pub fn merge(&mut self, other: UnexpectedStatuses) {
        for (status, added) in other.0 {
            match self.0.get_mut(&status) {
                Some(unexpected) => unexpected.count += added.count,
                None => drop(self.0.insert(status, added)),
            }
        }
    }
}

/// What a head says in those headers; several of a name are one list.
fn telling(head: &[u8]) -> BTreeMap<Cow<'static, str>, String> {
    let mut found = BTreeMap::<Cow<'static, str>, String>::new();
    for line in head.split(|&byte| byte == b'\n') {
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let is_line_s = |name: &&&str| line[..colon].eq_ignore_ascii_case(name.as_bytes());
        let Some(&name) = TELLING.iter().find(is_line_s) else { continue };
        let value = excerpt(line[colon + 1..].trim_ascii());
        found
            .entry(name.into())
            .and_modify(|list| *list = excerpt(format!("{list}, {value}").as_bytes()))
            .or_insert(value);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_answer_of_a_status_tells() {
        let head = b"HTTP/1.1 401 No: not so\r\nwww-Authenticate: Basic realm=\"x\"\r\nDate: now\r\n\
            WWW-Authenticate:Bearer\r\nSet-Cookie: secret\r\n\r\n";
        let mut statuses = UnexpectedStatuses::default();
        statuses.add(401, head, b"who are you?");
        statuses.hide(|text| text.replace("who", "\u{2026}"));
        statuses.add(401, b"", b"another");
        let mut other = UnexpectedStatuses::default();
        other.add(429, b"HTTP/1.1 429 X\nRetry-After: 1\n\n", &[b'y'; 1000]);
        other.add(401, b"", b"who");
        statuses.merge(other);
        let written = serde_json::to_value(&statuses).unwrap();
        assert_eq!(
            written["401"],
            json!({
                "count": 3,
                "headers": {"www-authenticate": "Basic realm=\"x\", Bearer"},
                "excerpt": "\u{2026} are you?"
            })
        );
        assert_eq!(written["429"]["headers"], json!({"retry-after": "1"}));
        assert_eq!(written["429"]["excerpt"].as_str().unwrap().len(), 200);
        let read: UnexpectedStatuses = serde_json::from_str(&written.to_string()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), written);
    }
}
