//! One connection's place in a session, through all its sockets.

use crate::exchange::Exchange;
use crate::record::{ErrorKind, ExchangeTimes};

const SHORTEST_PAUSE_NS: u64 = 10_000_000;
const LONGEST_PAUSE_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// No request is under way.
    #[default]
    Resting,
    /// A request waits for the connect.
    Connecting,
    /// A request is to be sent, or is sent.
    Requesting,
    /// After failures: the next request waits.
    BackingOff,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub state: State,
    pub is_connected: bool,
    /// An answer has come on this socket.
    pub has_served: bool,
    /// Place of the request in the mix.
    pub request: usize,
    pub intended_ns: u64,
    pub connect_ns: u64,
    pub sent_ns: u64,
    pub sent_bytes: usize,
    /// Since the last complete answer.
    pub failures: u32,
    pub exchange: Exchange,
}

impl Slot {
    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Connecting | State::Requesting)
    }

    #[inline]
    pub(super) fn times(&self, done_ns: u64) -> ExchangeTimes {
        ExchangeTimes { intended_ns: self.intended_ns, sent_ns: self.sent_ns, done_ns }
    }
}

/// How long to hold back after so many failures in a row. A single broken connection is replaced at once, and a
/// timeout took its time already; anything else would let a dead server be asked in a busy loop.
pub(super) fn pause_ns(kind: ErrorKind, failures: u32) -> u64 {
    let pauses = match kind {
        ErrorKind::Timeout => return 0,
        ErrorKind::Refused | ErrorKind::Connect => failures,
        _ => failures - 1,
    };
    match pauses {
        0 => 0,
        1..=7 => (SHORTEST_PAUSE_NS << (pauses - 1)).min(LONGEST_PAUSE_NS),
        _ => LONGEST_PAUSE_NS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_second() {
        let pauses = |kind| [1, 2, 3, 8, 1000].map(|failures| pause_ns(kind, failures) / 1_000_000);
        assert_eq!(pauses(ErrorKind::Refused), [10, 20, 40, 1000, 1000]);
        assert_eq!(pauses(ErrorKind::Reset), [0, 10, 20, 640, 1000]);
        assert_eq!(pauses(ErrorKind::Timeout), [0; 5]);
    }
}
