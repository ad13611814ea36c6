//! Counts of setup requests, which count among no others.

use serde::{Deserialize, Serialize};

use super::ErrorCounts;

/// Of the whole run, warm-up included.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SetupCounts {
    /// Requests whose first byte was handed to the kernel.
    pub sent: u64,
    /// Answers that were as expected and had every variable.
    pub verified: u64,
    /// How many times a connection was ready for the load.
    pub completed: u64,
    /// Those that ended otherwise, each of which its connection did not survive; by kind.
    pub failures: ErrorCounts,
}

impl SetupCounts {
    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &SetupCounts) {
        self.sent += other.sent;
        self.verified += other.verified;
        self.completed += other.completed;
        self.failures.merge(&other.failures);
    }
}
