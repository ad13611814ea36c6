//! Wrong answers, as a summary shows some of them.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ErrorKind;

/// Bytes of an answer that are shown.
pub const EXCERPT_BYTES: usize = 200;

/// The beginning of an answer, as text.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT_BYTES)]).into_owned()
}

/// A reason, no longer than what is shown of an answer.
pub(super) fn shortened(reason: String) -> String {
    reason.chars().take(EXCERPT_BYTES).collect()
}

/// A wrong answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Example {
    #[serde(skip)]
    pub(super) at_ns: u64,
    pub(super) kind: Cow<'static, str>,
    /// `None` if what came was no answer.
    pub(super) status: Option<u16>,
    pub(super) excerpt: String,
    /// What is wrong with it, where more than the kind can be told.
    pub(super) reason: Option<String>,
    /// Why, by a name, where the kind alone does not tell: of a `protocol` error, why the bytes are no answer.
    pub(super) cause: Option<Cow<'static, str>>,
}

/// Wrong answers that are kept.
const MOST: usize = 8;

/// The first wrong answers, in the order in which they came.
#[derive(Debug, Default)]
pub struct Examples {
    kept: Vec<Example>,
    /// So many of them were given to [`Examples::hide`].
    hidden: usize,
}

impl Examples {
    /// Keeps the answer if it is among the first. `bytes`: of the body, or whatever came.
    pub fn add(&mut self, kind: ErrorKind, status: Option<u16>, bytes: &[u8], at_ns: u64) {
        self.add_because(kind, status, bytes, at_ns, || None);
    }

    /// The same with a reason, which is only asked for if the answer is kept.
    pub fn add_because(
        &mut self,
        kind: ErrorKind,
        status: Option<u16>,
        bytes: &[u8],
        at_ns: u64,
        reason: impl FnOnce() -> Option<String>,
    ) {
        if self.kept.len() < MOST {
            let reason = reason().map(shortened);
            self.kept.push(Example { reason, ..Example::of(kind, status, bytes, at_ns) });
        }
    }

    /// Keeps what came instead of an answer; `cause`: why it is none.
    pub fn add_broken(&mut self, cause: &'static str, status: Option<u16>, bytes: &[u8], at_ns: u64) {
        self.add_for(ErrorKind::Protocol, Some(cause), status, bytes, at_ns);
    }

    /// The same for any kind. `bytes`: what came, or what is to be said of it.
    pub fn add_for(
        &mut self,
        kind: ErrorKind,
        cause: Option<&'static str>,
        status: Option<u16>,
        bytes: &[u8],
        at_ns: u64,
    ) {
        if self.kept.len() < MOST {
            let cause = cause.map(Into::into);
            self.kept.push(Example { cause, ..Example::of(kind, status, bytes, at_ns) });
        }
    }

    /// True if one of this kind and cause was kept.
    pub fn has(&self, kind: ErrorKind, cause: Option<&str>) -> bool {
        self.kept.iter().any(|example| example.kind == kind.name() && example.cause.as_deref() == cause)
    }

    /// Those that were kept.
    pub fn as_slice(&self) -> &[Example] {
        &self.kept
    }

    /// The same, for the summary.
    pub(super) fn into_vec(self) -> Vec<Example> {
        self.kept
    }

    /// Those that were kept since the last call show their texts as `hide` gives them.
    pub fn hide(&mut self, hide: impl Fn(&str) -> String) {
        for example in &mut self.kept[self.hidden..] {
            example.excerpt = hide(&example.excerpt);
            example.reason = example.reason.as_deref().map(&hide);
        }
        self.hidden = self.kept.len();
    }

    /// The same with moments since `opened_ns`.
    pub(super) fn since(&mut self, opened_ns: u64) {
        self.kept.iter_mut().for_each(|example| example.at_ns = example.at_ns.saturating_sub(opened_ns));
    }

    /// The same, so much later.
    pub(super) fn later(&mut self, by_ns: u64) {
        self.kept.iter_mut().for_each(|example| example.at_ns += by_ns);
    }

    /// Adds another thread's.
    pub fn merge(&mut self, other: Examples) {
        self.kept.extend(other.kept);
        self.kept.sort_by_key(|example| example.at_ns);
        self.kept.truncate(MOST);
    }
}

/// With their moments, which a summary does not have.
impl Serialize for Examples {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.kept.iter().map(|example| (example.at_ns, example)))
    }
}

impl<'d> Deserialize<'d> for Examples {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Examples, D::Error> {
        let kept = Vec::<(u64, Example)>::deserialize(deserializer)?;
        let kept: Vec<Example> =
            kept.into_iter().map(|(at_ns, example)| Example { at_ns, ..example }).collect();
        Ok(Examples { hidden: kept.len(), kept })
    }
}

impl Example {
    fn of(kind: ErrorKind, status: Option<u16>, bytes: &[u8], at_ns: u64) -> Example {
        Example {
            at_ns,
            kind: kind.name().into(),
            status,
            excerpt: excerpt(bytes),
            reason: None,
            cause: None,
        }
    }
}
