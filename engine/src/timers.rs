//! When connections want to be looked at again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A heap of `(time, connection)`. An entry whose connection has ended is harmless: looking at a connection too early
/// changes nothing.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Timers {
    pub(crate) fn add(&mut self, at_ns: u64, number: usize) {
        self.heap.push(Reverse((at_ns, number)));
    }

    /// The earliest time.
    pub(crate) fn earliest_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((at_ns, _))| *at_ns)
    }

    /// Takes out a connection whose time has come.
    pub(crate) fn due(&mut self, now_ns: u64) -> Option<usize> {
        self.take(now_ns).map(|(_, number)| number)
    }

    /// The same, with its time.
    pub(crate) fn take(&mut self, now_ns: u64) -> Option<(u64, usize)> {
        if self.earliest_ns()? > now_ns {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_in_order_and_not_early() {
        let mut timers = Timers::default();
        [(30, 1), (10, 2), (20, 3)].into_iter().for_each(|(at_ns, number)| timers.add(at_ns, number));
        assert_eq!((timers.earliest_ns(), timers.due(9)), (Some(10), None));
        assert_eq!([timers.due(20), timers.due(20), timers.due(20)], [Some(2), Some(3), None]);
        assert_eq!((timers.due(30), timers.earliest_ns()), (Some(1), None));
    }
}
