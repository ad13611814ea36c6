//! Requests of an open load that are too late to be of use. Whoever asked has given up by then, as real clients do, so the
//! request is not sent: it ends as an error of the kind `deadline`, and is as old as it was.

use super::pace::Pace;
use super::slot::{InFlight, State};
use super::{Next, Session};
use crate::record::{ErrorKind, JourneyEnd};
use crate::schedule::Phase;

impl Session {
    #[inline]
    fn is_too_late(&self, intended_ns: u64, now_ns: u64) -> bool {
        now_ns.saturating_sub(intended_ns) > self.deadline_ns
    }

    /// Takes the open load's next request that is to be sent: one that waits, or an arrival whose time has come.
    #[inline]
    pub(super) fn next_in_time(&mut self, now_ns: u64) -> Option<u64> {
        while self.phase != Phase::Over {
            let Pace::Open(open) = &mut self.pace else { return None };
            let Some(intended_ns) = open.waiting.take() else { return self.arrive_in_time(now_ns) };
            if !self.is_too_late(intended_ns, now_ns) {
                return Some(intended_ns);
            }
            self.shed(intended_ns, now_ns);
        }
        None
    }

    /// Takes an open load's next arrival, if its intended start has come, and not too long ago.
    #[inline]
    pub(super) fn arrive_in_time(&mut self, now_ns: u64) -> Option<u64> {
        while self.phase != Phase::Over {
            let intended_ns = self.arrive(now_ns)?;
            if !self.is_too_late(intended_ns, now_ns) {
                return Some(intended_ns);
            }
            self.shed(intended_ns, now_ns);
        }
        None
    }

    /// A request that no connection was given to is not sent any more.
    #[cold]
    fn shed(&mut self, intended_ns: u64, now_ns: u64) {
        // It would have been the next one of the mix.
        let request = self.mix.next();
        let late = InFlight { request, intended_ns, ..InFlight::default() };
        self.events_missed(&late, None, true, now_ns);
        self.end_without_answer(&late, None, ErrorKind::Deadline, now_ns);
        self.journey_ended(&late, intended_ns, JourneyEnd::by_failure(ErrorKind::Deadline), now_ns);
        self.count_failure(Some(request), ErrorKind::Deadline, now_ns);
        self.end_request(now_ns);
    }

    /// The next step of a connection whose request waited for the connect, or for a stream, and is too late now; `None`:
    /// it is to be sent.
    #[inline]
    pub(crate) fn drop_late(&mut self, number: usize, now_ns: u64) -> Option<Next> {
        let InFlight { request, intended_ns, is_further, .. } = self.slots[number].current;
        if !self.is_too_late(intended_ns, now_ns) || !self.record.is_of_mix(request) || is_further {
            return None;
        }
        self.slots[number].state = State::Resting;
        self.request_failed(number, request, ErrorKind::Deadline, now_ns);
        Some(self.free(number, now_ns))
    }

    /// What waits at the end of the window, or behind it at the end of the drain, and is too late by then.
    pub(super) fn shed_at_the_end(&mut self, at_ns: u64, is_in_window: bool) {
        loop {
            let deadline_ns = self.deadline_ns;
            let Pace::Open(open) = &mut self.pace else { return };
            let is_too_late = |&intended_ns: &u64| at_ns.saturating_sub(intended_ns) > deadline_ns;
            let Some(intended_ns) = open.waiting.oldest_ns().filter(is_too_late) else { return };
            let _ = open.waiting.take();
            let late = InFlight { request: self.mix.next(), intended_ns, ..InFlight::default() };
            self.journey_ended(&late, intended_ns, JourneyEnd::by_failure(ErrorKind::Deadline), at_ns);
            self.events_missed(&late, None, true, at_ns);
            if self.cohort.contains(&intended_ns) {
                self.record.cohort.failures += 1;
                self.record.unanswered(late.request, late.unanswered(None, at_ns));
            }
            self.quota.end();
            self.totals.add_error();
            if is_in_window && self.quota.window_is_open() {
                self.record.under_way.ended(at_ns - intended_ns);
                self.record.failure(Some(late.request), ErrorKind::Deadline, self.last_of_window_ns(at_ns));
            }
        }
    }
}
