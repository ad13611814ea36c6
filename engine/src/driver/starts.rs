//! Which connections start next.
//!
//! A connect takes some 20 µs of the thread, and a millisecond where the kernel looks for a local port. Thousands in a row
//! would keep the thread from its clock, from the stop line and from answers that have come: each turn starts a few.

use std::ops::Range;

/// As many connections start at once: fewer than these are all under way before the first answer is read.
const STARTS_PER_TURN: usize = 64;

/// The connections of a thread that have not started.
pub(super) struct Starts(Range<usize>);

impl Starts {
    /// None of so many has.
    pub(super) fn of(connections: usize) -> Starts {
        Starts(0..connections)
    }

    /// Those that the next turn starts; empty if all have been.
    #[inline]
    pub(super) fn next_turn(&mut self) -> Range<usize> {
        let until = self.0.end.min(self.0.start + STARTS_PER_TURN);
        let next = self.0.start..until;
        self.0.start = until;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_connection_starts_once() {
        let mut starts = Starts::of(150);
        let turns: Vec<Range<usize>> = std::iter::repeat_with(|| starts.next_turn()).take(4).collect();
        assert_eq!(turns, [0..64, 64..128, 128..150, 150..150]);
    }
}
