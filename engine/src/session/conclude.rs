//! Phases, and what is known at the end.

use super::Session;
use super::pace::Pace;
use crate::record::{Books, ErrorKind, Record};
use crate::schedule::Phase;

/// What a thread knows at the end.
#[derive(Debug)]
pub struct Ended {
    /// Everything in the window.
    pub record: Record,
    /// When the thread's window ended.
    pub at_ns: u64,
    /// Requests by their begin and end.
    pub books: Books,
    /// The earliest intended start among the requests that have not ended.
    pub oldest_intended_ns: Option<u64>,
}

impl Ended {
    /// An end at 0 with nothing under way.
    pub fn of(record: Record) -> Ended {
        Ended { record, at_ns: 0, books: Books::default(), oldest_intended_ns: None }
    }
}

impl Session {
    #[cold]
    pub(super) fn cross_boundary(&mut self, now_ns: u64) {
        if self.phase == Phase::WarmUp {
            self.phase = Phase::Window;
            self.phase_ends_ns = self.timeline.closes_ns.unwrap_or(u64::MAX);
            self.answer_watch.open(&self.slots, self.timeline.opens_ns);
            self.quota.open_window();
            if let Pace::Open(open) = &mut self.pace {
                open.waiting.open_window();
            }
            if self.quota.is_used_up() {
                self.end(self.timeline.opens_ns);
            }
        }
        if self.phase == Phase::Window && now_ns >= self.phase_ends_ns {
            self.end(self.phase_ends_ns);
        }
        if self.phase == Phase::Window {
            let slice_ends_ns = self.answer_watch.slice_ends_ns(&self.slots, now_ns);
            self.boundary_ns = self.phase_ends_ns.min(slice_ends_ns);
        }
    }

    #[cold]
    pub(super) fn end(&mut self, at_ns: u64) {
        self.phase = Phase::Over;
        self.phase_ends_ns = u64::MAX;
        self.boundary_ns = u64::MAX;
        self.ended_ns = at_ns;
    }

    /// Ends the session at the latest now.
    pub fn conclude(mut self, now_ns: u64) -> Ended {
        self.stop(now_ns);
        self.take_late_arrivals();
        let waiting = match &self.pace {
            Pace::Closed(_) => None,
            Pace::Open(open) => Some(&open.waiting),
        };
        let under_way = self.slots.iter().filter(|slot| slot.is_under_way());
        let oldest_intended_ns = under_way
            .map(|slot| slot.current.intended_ns)
            .chain(waiting.and_then(|waiting| waiting.oldest_ns()))
            .min();
        let books = Books {
            in_flight_at_start: self.quota.under_way_at_opening(),
            offered: self.quota.begun_in_window(),
            in_flight_at_end: self.quota.under_way(),
            waiting: waiting.map(|waiting| waiting.conclude()),
        };
        self.record.evenness = self.answer_watch.conclude(&self.slots);
        self.record.comparison = self.reference.take().and_then(|reference| reference.conclude());
        Ended { at_ns: self.ended_ns, books, oldest_intended_ns, record: self.record }
    }

    /// Arrivals whose intended start came before the end, but not before anyone looked.
    fn take_late_arrivals(&mut self) {
        let last_ns = self.ended_ns.saturating_sub(1);
        while let Some(intended_ns) = self.arrive(last_ns) {
            let Pace::Open(open) = &mut self.pace else { return };
            if open.waiting.put(intended_ns) {
                continue;
            }
            self.quota.end();
            self.totals.add_error();
            if let Some(since_opened_ns) = last_ns.checked_sub(self.timeline.opens_ns) {
                self.record.failure(None, ErrorKind::Overflow, since_opened_ns);
            }
        }
    }
}
