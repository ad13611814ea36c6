//! One connection's place in a session, through all its sockets.

use crate::driver::Failure;
use crate::exchange::Exchange;
use crate::record::{ErrorKind, ExchangeTimes, Unanswered};

const SHORTEST_PAUSE_NS: u64 = 10_000_000;
const LONGEST_PAUSE_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// No request is under way.
    #[default]
    Resting,
    /// It connects ahead of any request.
    Opening,
    /// A request waits for the connect.
    Connecting,
    /// Setup requests are sent ahead of any request.
    SettingUpAhead,
    /// A request waits for setup requests.
    SettingUp,
    /// A request is to be sent, or is sent.
    Requesting,
    /// After failures: the next request waits.
    BackingOff,
    /// No request is under way: its user thinks before the next step of a journey.
    Thinking,
}

/// A request from its begin to its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InFlight {
    /// Its place in the mix.
    pub request: usize,
    /// Id of the row whose fields it holds; 0: none.
    pub row: u64,
    /// Which of the request's instances it is, where answers are kept or compared; see [`crate::reference`].
    pub instance: u32,
    pub intended_ns: u64,
    /// When its first byte was handed to the kernel.
    pub sent_ns: u64,
    /// Its length.
    pub bytes: usize,
    pub sent_bytes: usize,
    /// How often it was asked again, as the server had not processed it.
    pub retries: u8,
    /// It says that it is the connection's last one.
    pub closes: bool,
    /// How many redirects were followed for it.
    pub redirects: u8,
    /// Something was answered for it already: see [`super::chain`].
    pub is_further: bool,
    /// It has values taken anew for another one, which waits.
    pub is_renewal: bool,
    /// It is sent again, after such a renewal.
    pub was_renewed: bool,
    /// It is a call whose own deadline comes before the timeout.
    pub has_deadline: bool,
}

impl InFlight {
    #[inline]
    pub(super) fn is_sent(&self) -> bool {
        self.sent_bytes == self.bytes
    }

    #[inline]
    pub(super) fn times(&self, first_byte_ns: u64, done_ns: u64) -> ExchangeTimes {
        let InFlight { intended_ns, sent_ns, .. } = *self;
        ExchangeTimes { intended_ns, sent_ns, first_byte_ns, done_ns }
    }

    /// Its times if it is awaited no longer. `first_byte_ns`: when the first byte of its answer came.
    pub(super) fn unanswered(&self, first_byte_ns: Option<u64>, given_up_ns: u64) -> Unanswered {
        let sent_ns = (self.sent_bytes > 0).then_some(self.sent_ns);
        Unanswered { intended_ns: self.intended_ns, sent_ns, first_byte_ns, given_up_ns }
    }
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub state: State,
    pub is_connected: bool,
    /// The socket is older than the request: the peer may have closed it before it was asked.
    pub is_reused: bool,
    /// An earlier run has had answers on this socket.
    pub is_kept: bool,
    /// Requests that this socket may still carry; `None`: any number.
    pub left_on_socket: Option<u32>,
    pub connect_ns: u64,
    /// Why a request times out that waits for the connection, or for its answer, if more is known than that.
    pub if_late: Option<fn() -> Failure>,
    /// Since the last complete answer.
    pub failures: u32,
    /// Complete answers since the begin of the run, through all its sockets.
    pub answers: u64,
    /// Those of them that came before this socket was there.
    pub answers_before: u64,
    /// The one whose answer is awaited next.
    pub current: InFlight,
    pub exchange: Exchange,
}

impl Slot {
    /// When the first byte of the answer to the current request came.
    pub(super) fn first_byte_ns(&self) -> Option<u64> {
        self.exchange.first_byte_ns().filter(|_| self.current.sent_bytes > 0)
    }

    /// A request of the load has its answer, and the connection may carry another one, or not.
    #[inline]
    pub(super) fn take_answer(&mut self, stays: bool) {
        self.failures = 0;
        self.answers += 1;
        self.is_reused = true;
        self.is_connected = stays;
        if let Some(left) = &mut self.left_on_socket {
            *left = left.saturating_sub(1);
        }
        self.state = State::Resting;
    }

    /// This socket has carried an answer, and nothing of another one.
    pub(super) fn is_between_answers(&self) -> bool {
        let is_open = match self.state {
            State::Requesting => self.first_byte_ns().is_none(),
            State::Resting | State::Thinking => self.is_connected,
            _ => false,
        };
        is_open && (self.is_kept || self.answers > self.answers_before)
    }

    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Connecting | State::SettingUp | State::Requesting)
    }
}

impl State {
    /// A request is to be sent, or is sent: of the load, or of the connection's setup.
    #[inline]
    pub(super) fn is_asking(self) -> bool {
        matches!(self, State::SettingUpAhead | State::SettingUp | State::Requesting)
    }

    /// Something is awaited of the peer.
    pub(super) fn is_awaiting(self) -> bool {
        !matches!(self, State::Resting | State::BackingOff | State::Thinking)
    }

    pub(super) fn is_setting_up(self) -> bool {
        matches!(self, State::SettingUpAhead | State::SettingUp)
    }
}

/// How long to hold back after so many failures in a row. A single broken connection is replaced at once, and a
/// timeout took its time already; anything else would let a dead server be asked in a busy loop.
pub(super) fn pause_ns(kind: ErrorKind, failures: u32) -> u64 {
    let pauses = match kind {
        ErrorKind::Timeout => return 0,
        ErrorKind::Refused | ErrorKind::Connect | ErrorKind::Tls => failures,
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
