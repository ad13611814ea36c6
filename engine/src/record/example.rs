//! Wrong answers, as a summary shows some of them.

use serde::Serialize;

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
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    #[serde(skip)]
    pub(super) at_ns: u64,
    pub(super) kind: &'static str,
    /// `None` if what came was no answer.
    pub(super) status: Option<u16>,
    pub(super) excerpt: String,
    /// What is wrong with it, where more than the kind can be told.
    pub(super) reason: Option<String>,
    /// Of a `protocol` error, why the bytes are no answer.
    pub(super) cause: Option<&'static str>,
}

impl Example {
    pub(super) fn of(kind: ErrorKind, status: Option<u16>, bytes: &[u8], at_ns: u64) -> Example {
        Example { at_ns, kind: kind.name(), status, excerpt: excerpt(bytes), reason: None, cause: None }
    }
}
