//! Decides how long a driver may sleep, and counts the processor time of waiting awake.
//!
//! A sleeping thread wakes some tens of microseconds late: the timer fires, the processor leaves its idle state, the
//! thread is scheduled. Where moments are to be met ([`super::Conversation::is_paced`]), the driver sleeps until shortly
//! before and looks on awake. The same delay is in front of every answer that a sleeping thread awaits, and so in every
//! time that is measured: below saturation it can be the largest part. With [`Wait::Awake`] the driver does not sleep
//! while anything is awaited. The processor time of waiting awake is told apart from what the load itself took.

use std::num::NonZeroU64;

use rustix::thread::set_current_timer_slack;

use super::Conversation;
use crate::clock::{now_ns, thread_cpu_ns, thread_split_ns};
use crate::schedule::Phase;
use crate::wait::Wait;

/// How long before its time the thread is awake.
const SPIN_NS: u64 = 100_000;

/// What one look can take at most of the processor; beyond it, somebody else had the processor.
const LONGEST_LOOK_NS: u64 = 5_000;

/// Looks that are closer to each other follow one another.
const BETWEEN_LOOKS_NS: u64 = 500;

/// What a driver measured while it ran a conversation: processor time of its thread in the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriverUse {
    /// All of it.
    pub cpu_ns: u64,
    /// User time, by the kernel's own, coarser account.
    pub user_ns: u64,
    /// System time, by the same.
    pub system_ns: u64,
    /// The part of `cpu_ns` that was spent waiting awake.
    pub spinning_ns: u64,
}

/// One thread's pace.
pub(super) struct Pace {
    is_paced: bool,
    wait: Wait,
    spinning_ns: u64,
    looked_until_ns: u64,
    opened: Option<DriverUse>,
    closed: Option<DriverUse>,
}

impl Pace {
    /// Asks the kernel to wake the calling thread as exactly as it can.
    ///
    /// Where the window is open already, the thread's processor time counts from its start: what it prepares, and the
    /// connects, are then of the window as well.
    pub(super) fn new(conversation: &mut impl Conversation, wait: Wait) -> Pace {
        // Timers may be late by 50 µs otherwise, to wake several at once. Without it, all works as well.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        conversation.advance(now_ns());
        Pace {
            is_paced: conversation.is_paced(),
            wait,
            spinning_ns: 0,
            looked_until_ns: 0,
            opened: (conversation.phase() != Phase::WarmUp).then(DriverUse::default),
            closed: None,
        }
    }

    /// How long to sleep; 0: not at all.
    #[inline]
    pub(super) fn sleep_ns(&self, conversation: &mut impl Conversation, now_ns: u64) -> u64 {
        if self.wait == Wait::Awake && conversation.is_awaiting() {
            return 0;
        }
        self.until_ns(conversation.wake_ns(), now_ns)
    }

    /// How long to sleep if nothing is to be met but `wake_ns`.
    #[inline]
    fn until_ns(&self, wake_ns: u64, now_ns: u64) -> u64 {
        let left_ns = wake_ns.saturating_sub(now_ns);
        if self.is_paced { left_ns.saturating_sub(SPIN_NS) } else { left_ns }
    }

    /// The thread looked for something to do from `from_ns` to `to_ns` and found nothing.
    #[inline]
    pub(super) fn has_spun(&mut self, from_ns: u64, to_ns: u64) {
        // Between two looks in a row nothing else was done.
        let from_ns = if from_ns.saturating_sub(self.looked_until_ns) < BETWEEN_LOOKS_NS {
            self.looked_until_ns
        } else {
            from_ns
        };
        self.spinning_ns += to_ns.saturating_sub(from_ns).min(LONGEST_LOOK_NS);
        self.looked_until_ns = to_ns;
    }

    /// To be told of every phase.
    #[inline]
    pub(super) fn follow(&mut self, phase: Phase) {
        if self.opened.is_none() && phase != Phase::WarmUp {
            self.opened = Some(self.so_far());
        }
        if self.closed.is_none() && matches!(phase, Phase::Drain | Phase::Over) {
            self.closed = Some(self.so_far());
        }
    }

    /// What the window took.
    pub(super) fn window_use(&self) -> DriverUse {
        let Some(opened) = self.opened else { return DriverUse::default() };
        let closed = self.closed.unwrap_or_else(|| self.so_far());
        DriverUse {
            cpu_ns: closed.cpu_ns.saturating_sub(opened.cpu_ns),
            user_ns: closed.user_ns.saturating_sub(opened.user_ns),
            system_ns: closed.system_ns.saturating_sub(opened.system_ns),
            spinning_ns: closed.spinning_ns.saturating_sub(opened.spinning_ns),
        }
    }

    fn so_far(&self) -> DriverUse {
        let (user_ns, system_ns) = thread_split_ns();
        DriverUse { cpu_ns: thread_cpu_ns(), user_ns, system_ns, spinning_ns: self.spinning_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(is_paced: bool) -> Pace {
        Pace { is_paced, wait: Wait::Sleep, spinning_ns: 0, looked_until_ns: 0, opened: None, closed: None }
    }

    #[test]
    fn only_a_paced_thread_wakes_early() {
        assert_eq!(pace(false).until_ns(1_000_000, 400_000), 600_000);
        assert_eq!(pace(true).until_ns(1_000_000, 400_000), 600_000 - SPIN_NS);
        assert_eq!(pace(true).until_ns(1_000_000, 1_000_000 - SPIN_NS), 0);
        assert_eq!(pace(false).until_ns(400_000, 1_000_000), 0);
    }

    #[test]
    fn only_the_window_is_counted() {
        let mut pace = pace(true);
        pace.has_spun(1_000, 1_005);
        pace.follow(Phase::WarmUp);
        assert_eq!(pace.window_use().spinning_ns, 0);
        pace.follow(Phase::Window);
        pace.has_spun(10_000, 10_007);
        pace.has_spun(1_000_000, 9_000_000);
        pace.follow(Phase::Drain);
        pace.has_spun(15_000_000, 15_000_011);
        pace.follow(Phase::Over);
        pace.has_spun(20_000_000, 20_000_010);
        assert_eq!(pace.window_use().spinning_ns, 7 + LONGEST_LOOK_NS);
    }
}
