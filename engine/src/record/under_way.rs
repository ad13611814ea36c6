//! The time for which requests were under way.
//!
//! Each moment of the window counts once for each request under way at it. Added up, that is what the requests that ended
//! in the window took, less what those that were under way when it opened had taken by then, plus what those that were
//! under way when it ended had taken. Divided by the window it is the mean number of requests under way: Little's law
//! (J. D. C. Little, *A Proof for the Queuing Formula: L = λW*, Operations Research 9, 1961) for a window with two ends,
//! where it is an identity.

use serde::{Deserialize, Serialize};

/// Sums over the requests of a thread, or of all.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct UnderWay {
    at_start_ns: u128,
    ended_ns: u128,
    at_end_ns: u128,
}

/// As a summary has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnderWayWritten {
    at_start_seconds: f64,
    ended_seconds: f64,
    at_end_seconds: f64,
    mean_requests: Option<f64>,
}

impl UnderWay {
    /// Requests were under way when the window opened, and had been for so long together.
    pub fn at_start(&mut self, ages_ns: u128) {
        self.at_start_ns += ages_ns;
    }

    /// One of those that were counted at the start was not taken: it never was under way.
    pub fn not_taken_at_start(&mut self, age_ns: u128) {
        self.at_start_ns -= age_ns;
    }

    /// A request ended in the window, so long after its intended start.
    #[inline]
    pub fn ended(&mut self, response_ns: u64) {
        self.ended_ns += u128::from(response_ns);
    }

    /// Requests were under way when the window ended, and had been for so long together.
    pub fn at_end(&mut self, ages_ns: u128) {
        self.at_end_ns += ages_ns;
    }

    /// Adds another thread's.
    pub fn merge(&mut self, other: UnderWay) {
        self.at_start_ns += other.at_start_ns;
        self.ended_ns += other.ended_ns;
        self.at_end_ns += other.at_end_ns;
    }

    /// What requests took within the window, all together.
    pub fn within_ns(self) -> u128 {
        (self.ended_ns + self.at_end_ns).saturating_sub(self.at_start_ns)
    }

    /// As a summary has it, of a window of this length.
    pub fn written(self, window_seconds: f64) -> UnderWayWritten {
        let UnderWay { at_start_ns, ended_ns, at_end_ns } = self;
        let seconds = |nanoseconds: u128| nanoseconds as f64 / 1e9;
        UnderWayWritten {
            at_start_seconds: seconds(at_start_ns),
            ended_seconds: seconds(ended_ns),
            at_end_seconds: seconds(at_end_ns),
            mean_requests: (window_seconds > 0.0).then(|| seconds(self.within_ns()) / window_seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_what_was_within_the_window() {
        let (mut first, mut second) = (UnderWay::default(), UnderWay::default());
        // From 1 s before a window of 4 s to its second 2, and from there to 3 s behind its end.
        first.at_start(1_000_000_000);
        first.ended(3_000_000_000);
        first.at_end(2_000_000_000);
        second.ended(2_000_000_000);
        first.merge(second);
        let written = first.written(4.0);
        assert_eq!(
            (written.at_start_seconds, written.ended_seconds, written.at_end_seconds),
            (1.0, 5.0, 2.0)
        );
        assert_eq!(written.mean_requests, Some(1.5));
        assert_eq!(UnderWay::default().written(0.0).mean_requests, None);
    }
}
