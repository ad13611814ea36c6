//! The trait by which a driver asks for bytes to send and hands on bytes that came.

use super::Failure;
use crate::record::ErrorKind;
use crate::schedule::Phase;

/// What the driver does next on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing, until something happens.
    Wait,
    /// Send [`Conversation::to_send`].
    Send,
    /// Close the socket, if there is one, and connect anew.
    Connect,
    /// Close the socket, if there is one.
    Close,
}

/// Before each datagram that is to be sent.
pub const DATAGRAM_LENGTH_BYTES: usize = 2;

/// One thread's connections, seen from the sockets: bytes as they are on the wire.
///
/// A driver tells what happened on a connection and when, and does the [`Next`] step that it gets back. Connections are
/// numbered from 0. Times are nanoseconds on the run's clock and never go back from call to call.
pub trait Conversation {
    /// What is known at the end.
    type Outcome;

    /// What goes and comes are datagrams. Of those to send, each has its length before it, in [`DATAGRAM_LENGTH_BYTES`] of
    /// network order, and is handed over with it, whole. A farewell is one datagram, without its length.
    const IS_DATAGRAMS: bool = false;

    /// How many connections there are.
    fn connections(&self) -> usize;

    /// The longest body that is expected, in bytes; `None`: any length may come. Receive buffers are sized by it, no
    /// answer is refused for it.
    fn most_body_bytes(&self) -> Option<u64> {
        None
    }

    /// Where the thread stands. When it is over, the driver concludes.
    fn phase(&self) -> Phase;

    /// The next moment at which [`Conversation::advance`] or [`Conversation::due`] has something to do.
    fn wake_ns(&self) -> u64;

    /// True if [`Conversation::wake_ns`] is to be met to the microsecond, at the price of processor time: requests have
    /// moments of their own at which they begin.
    fn is_paced(&self) -> bool;

    /// True if anything is awaited of the peer: an answer, or a connect. Asked at every look of a driver that waits
    /// awake.
    fn is_awaiting(&mut self) -> bool;

    /// Moves on to the phase of `now_ns`.
    fn advance(&mut self, now_ns: u64);

    /// A connection's first step.
    fn start(&mut self, number: usize, now_ns: u64) -> Next;

    /// The next connection whose time has come, and its step; to be called until `None`.
    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)>;

    /// The connect has succeeded.
    fn connected(&mut self, number: usize, now_ns: u64) -> Next;

    /// In place of a connect there is a connection that an earlier run has left, between two answers.
    fn taken_over(&mut self, number: usize, now_ns: u64) -> Next {
        self.connected(number, now_ns)
    }

    /// The connect has failed; there is no socket any more.
    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next;

    /// What is left to send. The same bytes until [`Conversation::handed_over`] is called; more may follow behind them.
    fn to_send(&mut self, number: usize) -> &[u8];

    /// The kernel has, or will have taken the first `bytes` of [`Conversation::to_send`]; they were given to it at `at_ns`.
    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64);

    /// Bytes have come. `peer_closes`: these are known to be the last ones.
    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next;

    /// The peer has closed its side.
    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next;

    /// The connection is of no more use.
    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next;

    /// The same, where more than the kind is known: `failure` is shown if a request fails by it.
    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.broken(number, failure.kind, now_ns)
    }

    /// The peer has closed its side by a word of its protocol; `failure`: what that is to an answer which is not complete.
    fn peer_closed_early(&mut self, number: usize, _failure: fn() -> Failure, now_ns: u64) -> Next {
        self.peer_closed(number, now_ns)
    }

    /// `failure`: why a request times out that waits for the connection as it is now; `None`: nothing is known of that.
    fn awaits(&mut self, _number: usize, _failure: Option<fn() -> Failure>) {}

    /// What the peer is to hear before an open connection's socket is closed; empty: nothing. The driver asks once, right
    /// before each such close, also at the end of the run, and sends it only if that goes without waiting.
    fn farewell(&mut self, _number: usize) -> Vec<u8> {
        Vec::new()
    }

    /// True if a later run could go on with the connection as it is: nothing is under way on it. Asked right before
    /// [`Conversation::conclude`].
    fn is_kept(&self, _number: usize) -> bool {
        false
    }

    /// Ends at the latest now.
    fn conclude(self, now_ns: u64) -> Self::Outcome;
}
