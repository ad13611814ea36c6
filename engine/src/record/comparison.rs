//! Counts of answers that were compared with those of a reference, and of unequal ones.

use serde::{Deserialize, Serialize};

/// So many unequal answers are kept of each request.
pub const UNEQUAL_KEPT: usize = 5;

/// What was found out.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Comparison {
    /// By request, in the order of the mix.
    pub requests: Vec<RequestComparison>,
    /// The first ones of each request.
    pub unequal_answers: Vec<UnequalAnswer>,
}

/// Of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct RequestComparison {
    /// Its name.
    pub name: String,
    /// Answers that were compared, warm-up included.
    pub compared: u64,
    /// Those of them that were unequal.
    pub unequal: u64,
}

/// An answer that was unequal to the one that was kept.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UnequalAnswer {
    /// Name of the request.
    pub request: String,
    /// Which of its instances.
    pub instance: u32,
    /// The status.
    pub status: u16,
    /// Content-Type; empty: none.
    pub content_type: String,
    /// The front of the body.
    pub body: String,
}

impl Comparison {
    /// Adds another thread's.
    pub fn merge(&mut self, other: Comparison) {
        for (found, added) in self.requests.iter_mut().zip(&other.requests) {
            found.compared += added.compared;
            found.unequal += added.unequal;
        }
        for unequal in other.unequal_answers {
            let same = |kept: &&UnequalAnswer| kept.request == unequal.request;
            if self.unequal_answers.iter().filter(same).count() < UNEQUAL_KEPT {
                self.unequal_answers.push(unequal);
            }
        }
    }
}
