//! What may go wrong with an answer, and how often.

use serde::Serialize;

use super::stall::Stalls;
use crate::delay::{Delay, Draws};

/// How a target differs from one that answers at once and rightly. Shares are of all requests, 0 to 1; a request meets
/// at most one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// From the request to the answer's first byte.
    pub delay: Option<Delay>,
    /// The whole server stands still.
    pub stalls: Option<Stalls>,
    /// Instead of an answer, the connection is reset (a Unix socket is closed).
    pub reset_share: f64,
    /// The answer's status is 503.
    pub status_5xx_share: f64,
    /// The body is one byte longer than usual, and announced so.
    pub wrong_length_share: f64,
    /// The connection closes after half of the announced body.
    pub cut_body_share: f64,
    /// Head and body go out 40 ms apart, as with Nagle's algorithm and a delayed acknowledgement.
    pub pause_40ms_share: f64,
    /// The body of every answer goes out in ten parts, the last one so long after the first.
    pub slow_body_ns: Option<u64>,
    /// Of the random numbers.
    pub seed: u64,
}

/// What becomes of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Right,
    Reset,
    Status5xx,
    WrongLength,
    CutBody,
    Pause40Ms,
}

/// How many answers met each fault, and how many stalls there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FaultCounts {
    /// Connections reset instead of an answer.
    pub reset: u64,
    /// Answers with status 503.
    pub status_5xx: u64,
    /// Answers one byte too long.
    pub wrong_length: u64,
    /// Answers cut off in the body.
    pub cut_body: u64,
    /// Answers with 40 ms between head and body.
    pub pause_40ms: u64,
    /// Stalls begun.
    pub stalls: u64,
}

/// The draw that decides an answer's fate; the delay takes the one before.
const FATE: u64 = 1;

impl Faults {
    /// The key of a share that makes all of them more than 1, if there is one.
    pub fn shares_exceed_one(&self) -> bool {
        self.shares().iter().map(|(share, _)| share).sum::<f64>() > 1.0 + 1e-9
    }

    pub(super) fn fate(&self, draws: Draws) -> Fate {
        let mut left = draws.uniform(FATE);
        for (share, fate) in self.shares() {
            if left < share {
                return fate;
            }
            left -= share;
        }
        Fate::Right
    }

    fn shares(&self) -> [(f64, Fate); 5] {
        [
            (self.reset_share, Fate::Reset),
            (self.status_5xx_share, Fate::Status5xx),
            (self.wrong_length_share, Fate::WrongLength),
            (self.cut_body_share, Fate::CutBody),
            (self.pause_40ms_share, Fate::Pause40Ms),
        ]
    }
}

impl FaultCounts {
    pub(super) fn add(&mut self, fate: Fate) {
        match fate {
            Fate::Right => {}
            Fate::Reset => self.reset += 1,
            Fate::Status5xx => self.status_5xx += 1,
            Fate::WrongLength => self.wrong_length += 1,
            Fate::CutBody => self.cut_body += 1,
            Fate::Pause40Ms => self.pause_40ms += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_meets_at_most_one_fault() {
        let faults =
            Faults { reset_share: 0.1, status_5xx_share: 0.2, cut_body_share: 0.3, ..Faults::default() };
        let mut counts = FaultCounts::default();
        (0..10_000).for_each(|request| counts.add(faults.fate(Draws::new(9, request))));
        for (count, expected) in [(counts.reset, 1000), (counts.status_5xx, 2000), (counts.cut_body, 3000)] {
            assert!(count.abs_diff(expected) < 150, "{counts:?}");
        }
        assert_eq!((counts.wrong_length, counts.pause_40ms), (0, 0));
    }

    #[test]
    fn shares_are_bounded() {
        let faults = Faults { reset_share: 0.6, pause_40ms_share: 0.4, ..Faults::default() };
        assert!(!faults.shares_exceed_one());
        assert!(Faults { status_5xx_share: 0.1, ..faults }.shares_exceed_one());
    }
}
