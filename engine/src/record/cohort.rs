//! The cohort of an open load: the requests whose intended start lies in the window, whenever they end.

use serde::{Deserialize, Serialize};

/// What became of a cohort. In a closed load, which has none, these are the requests that ended in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Cohort {
    /// Complete answers, wrong ones included.
    pub answers: u64,
    /// Ended without a complete answer, or never began.
    pub failures: u64,
    /// Unanswered when the drain ended.
    pub censored: u64,
}

impl Cohort {
    /// Adds another thread's.
    pub fn merge(&mut self, other: Cohort) {
        self.answers += other.answers;
        self.failures += other.failures;
        self.censored += other.censored;
    }

    /// As a summary holds it.
    pub(super) fn written(self, drain_seconds: f64) -> CohortWritten {
        CohortWritten { drain_seconds, cohort: self }
    }
}

/// See [`Cohort`].
#[derive(Debug, Serialize)]
pub(super) struct CohortWritten {
    drain_seconds: f64,
    #[serde(flatten)]
    cohort: Cohort,
}
