//! When the window opens, if that is found out while threads work.
//!
//! Threads look at ticks. Once one of them has passed a tick, the window opens at none before it; so all threads open it at
//! the same moment, and none learns of it too late, however long it was kept from its processor.

use std::sync::atomic::{AtomicU64, Ordering};

/// From tick to tick.
pub const TICK_NS: u64 = 10_000_000;

/// Marks a state that is the tick of the opening; others are the last tick that a thread has passed.
const DECIDED: u64 = 1 << 63;

/// What threads and coordinator agree on. Times are nanoseconds since the warm-up's begin.
#[derive(Debug, Default)]
pub struct Opening {
    state: AtomicU64,
}

impl Opening {
    /// A thread is at this time, before the opening as it knows it. Returns the opening, if that is decided.
    pub fn pass(&self, at_ns: u64) -> Option<u64> {
        let tick = at_ns / TICK_NS;
        let passed = |state: u64| (state & DECIDED == 0).then_some(state.max(tick));
        match self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, passed) {
            Ok(_) => None,
            Err(state) => Some((state & !DECIDED) * TICK_NS),
        }
    }

    /// Decides on the first moment from this one on that every thread can keep, and returns it. To be called once.
    pub fn decide(&self, earliest_ns: u64) -> u64 {
        let tick = |passed: u64| earliest_ns.div_ceil(TICK_NS).max(passed + 1);
        let decided = |passed: u64| Some(DECIDED | tick(passed));
        let passed = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, decided);
        tick(passed.unwrap_or_else(|state| state)) * TICK_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_at_no_tick_that_a_thread_has_passed() {
        let opening = Opening::default();
        assert_eq!(opening.pass(0), None);
        assert_eq!(opening.pass(57 * TICK_NS + 3), None);
        assert_eq!(opening.pass(12 * TICK_NS), None);
        assert_eq!(opening.decide(20 * TICK_NS), 58 * TICK_NS);
        assert_eq!(opening.pass(57 * TICK_NS + 4), Some(58 * TICK_NS));
        assert_eq!(opening.pass(90 * TICK_NS), Some(58 * TICK_NS));
    }

    #[test]
    fn it_is_as_early_as_asked_for_otherwise() {
        let opening = Opening::default();
        assert_eq!(opening.pass(5 * TICK_NS), None);
        assert_eq!(opening.decide(7 * TICK_NS + 1), 8 * TICK_NS);
        assert_eq!(opening.pass(6 * TICK_NS), Some(8 * TICK_NS));
    }
}
