//! What became of each request of the mix.

use serde::Serialize;

/// Counts of one request of the mix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestCounts {
    /// Requests whose first byte was handed to the kernel.
    pub sent: u64,
    /// Complete answers, wrong ones included.
    pub answers: u64,
    /// Answers that passed every expectation.
    pub verified: u64,
}

impl RequestCounts {
    /// Both together.
    pub fn plus(self, other: RequestCounts) -> RequestCounts {
        RequestCounts {
            sent: self.sent + other.sent,
            answers: self.answers + other.answers,
            verified: self.verified + other.verified,
        }
    }
}

/// One request of the mix, as a summary holds it.
#[derive(Clone, Debug, Serialize)]
pub struct RequestShare {
    /// As the plan calls it.
    pub name: String,
    /// See [`RequestCounts`].
    pub sent: u64,
    /// See [`RequestCounts`].
    pub answers: u64,
    /// See [`RequestCounts`].
    pub verified: u64,
}

impl RequestShare {
    /// Names the counts.
    pub fn new(name: &str, counts: RequestCounts) -> RequestShare {
        let RequestCounts { sent, answers, verified } = counts;
        RequestShare { name: name.to_owned(), sent, answers, verified }
    }
}
