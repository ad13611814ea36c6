//! Plain counters over the window.

use serde::{Deserialize, Serialize};

/// Counts of a thread, or of all. A summary has each under its own name.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Requests that ended without a complete answer, and those that never began: there was no room to wait.
    pub failures: u64,
    /// Bytes from the peer.
    pub received_bytes: u64,
    /// Bytes handed to the kernel.
    pub sent_bytes: u64,
    /// Successful connects.
    pub connects: u64,
    /// Bodies that were compared as a whole.
    pub checked_bodies: u64,
    /// Answers with a Content-Length beside a Transfer-Encoding.
    pub two_framings: u64,
    /// Resting connections on which bytes came that nobody had asked for.
    pub unasked: u64,
    /// Connections that ended between two answers, although no answer had said so.
    pub unannounced_closes: u64,
    /// Requests that the server said it had not processed, each time one was asked again.
    pub retried: u64,
    /// Requests without an answer when the drain ended.
    pub undrained: u64,
}

impl Counters {
    /// Both together.
    pub fn plus(self, other: Counters) -> Counters {
        Counters {
            failures: self.failures + other.failures,
            received_bytes: self.received_bytes + other.received_bytes,
            sent_bytes: self.sent_bytes + other.sent_bytes,
            connects: self.connects + other.connects,
            checked_bodies: self.checked_bodies + other.checked_bodies,
            two_framings: self.two_framings + other.two_framings,
            unasked: self.unasked + other.unasked,
            unannounced_closes: self.unannounced_closes + other.unannounced_closes,
            retried: self.retried + other.retried,
            undrained: self.undrained + other.undrained,
        }
    }
}
