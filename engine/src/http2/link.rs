//! One connection of the load, through all the connections of HTTP/2 that carry it.

use super::stream::Ready;

/// Its lanes ask on one connection of HTTP/2. When that one begins to end, the next one takes its place at once, while what
/// was asked before is answered.
#[derive(Default)]
pub(super) struct Link {
    /// The number of the connection on which its lanes ask.
    pub current: usize,
    /// Lanes that want a connection; while one is open, those that it has refused and that wait for an answer on it.
    pub waiting: Vec<usize>,
    /// Lanes for which something has come.
    pub ready: Ready,
}

impl Link {
    /// The lane is looked at next.
    pub(super) fn look_at(&self, lane: usize) {
        self.ready.lock().expect("nobody panics while holding it").push(lane);
    }

    pub(super) fn take_ready(&self) -> Vec<usize> {
        std::mem::take(&mut self.ready.lock().expect("nobody panics while holding it"))
    }
}
