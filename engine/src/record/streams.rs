//! Streams of HTTP/2, as the plan wants them and as the server allows them.

use serde::{Deserialize, Serialize};

/// Of the whole run, on each connection.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct StreamUse {
    /// At once, by the plan.
    pub planned: u64,
    /// The fewest that the server allowed at once; `None`: it named no limit, or nothing was asked.
    pub allowed: Option<u64>,
    /// The most at once.
    pub most: u64,
}

impl StreamUse {
    /// Both threads' together.
    #[must_use]
    pub fn plus(self, other: StreamUse) -> StreamUse {
        StreamUse {
            planned: self.planned,
            allowed: self.allowed.into_iter().chain(other.allowed).min(),
            most: self.most.max(other.most),
        }
    }
}
