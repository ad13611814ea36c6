//! Phases, and what is known at the end.

use super::Session;
use super::pace::Pace;
use super::slot::{InFlight, State};
use crate::driver::Failure;
use crate::record::{Books, ErrorKind, JourneyEnd, Record};
use crate::schedule::{Phase, Timeline};
use crate::warm_up::TICK_NS;

/// What a thread knows at the end.
#[derive(Debug)]
pub struct Ended {
    /// Everything in the window.
    pub record: Record,
    /// When the thread's window ended.
    pub at_ns: u64,
    /// Requests by their begin and end.
    pub books: Books,
    /// The earliest intended start among the requests that had not ended then.
    pub oldest_intended_ns: Option<u64>,
    /// How long answers were awaited after the window.
    pub drained_ns: u64,
}

/// How things stood when the window ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    pub(super) books: Books,
    pub(super) oldest_intended_ns: Option<u64>,
}

impl Ended {
    /// An end at 0 with nothing under way.
    pub fn of(record: Record) -> Ended {
        Ended { record, at_ns: 0, books: Books::default(), oldest_intended_ns: None, drained_ns: 0 }
    }
}

impl Session {
    #[cold]
    pub(super) fn cross_boundary(&mut self, now_ns: u64) {
        if self.phase == Phase::WarmUp {
            if !self.window_opens(now_ns) {
                return;
            }
            self.phase = Phase::Window;
            let ages_ns = self.ages_ns(self.timeline.opens_ns);
            self.record.under_way.at_start(ages_ns);
            self.phase_ends_ns = self.timeline.closes_ns.unwrap_or(u64::MAX);
            self.answer_watch.open(&self.slots, self.timeline.opens_ns);
            self.quota.open_window();
            if matches!(self.pace, Pace::Closed(_)) {
                self.cohort.start = 0;
            }
            if let Pace::Open(open) = &mut self.pace {
                open.waiting.open_window();
            }
            if self.quota.is_used_up() {
                self.end(self.timeline.opens_ns);
            }
        }
        if self.phase == Phase::Window && now_ns >= self.phase_ends_ns {
            self.close_window();
        }
        if self.phase == Phase::Drain && now_ns >= self.phase_ends_ns {
            self.end(self.phase_ends_ns);
        }
        if self.phase == Phase::Window {
            let slice_ends_ns = self.answer_watch.slice_ends_ns(&self.slots, now_ns);
            self.boundary_ns = self.phase_ends_ns.min(slice_ends_ns);
        }
    }

    /// False as long as the warm-up goes on, which is then looked at again at the next tick.
    fn window_opens(&mut self, now_ns: u64) -> bool {
        let Timeline { starts_ns, opens_ns, .. } = self.timeline;
        let Some(opening) = &self.opening else { return now_ns >= opens_ns };
        let at_ns = now_ns.min(opens_ns).saturating_sub(starts_ns);
        match opening.pass(at_ns) {
            Some(decided_ns) => self.open_at(starts_ns + decided_ns),
            None => {
                let next_tick_ns = starts_ns + (at_ns / TICK_NS + 1) * TICK_NS;
                self.phase_ends_ns = opens_ns.min(next_tick_ns);
            }
        }
        self.boundary_ns = self.phase_ends_ns;
        now_ns >= self.timeline.opens_ns
    }

    /// It is decided when the window opens.
    fn open_at(&mut self, opens_ns: u64) {
        self.opening = None;
        if opens_ns < self.timeline.opens_ns {
            self.timeline = self.timeline.opening_at(opens_ns);
            self.spot_checks.open_at(opens_ns);
            if let Pace::Open(open) = &mut self.pace {
                open.arrivals.open_at(opens_ns);
                self.cohort.start = opens_ns;
            }
        }
        self.phase_ends_ns = self.timeline.opens_ns;
    }

    /// The window ends by the clock.
    fn close_window(&mut self) {
        self.ended_ns = self.phase_ends_ns;
        if self.drain_ns == 0 {
            return self.end(self.ended_ns);
        }
        self.take_late_arrivals();
        self.shed_at_the_end(self.ended_ns, true);
        self.closing = Some(self.close_books());
        if let Pace::Open(open) = &mut self.pace {
            open.arrivals.end();
        }
        if matches!(self.pace, Pace::Closed(_)) {
            self.quota.leave_thinking();
        }
        self.quota.await_the_rest();
        if self.quota.is_used_up() {
            return self.end(self.ended_ns);
        }
        self.over_ns = self.ended_ns;
        self.phase = Phase::Drain;
        match self.pace {
            // What a journey asks from now on is its own affair.
            Pace::Open(_) => self.cohort.end = self.ended_ns,
            // Its figures are of what ended in the window.
            Pace::Closed(_) => {
                self.censor();
                self.cohort.start = u64::MAX;
            }
        }
        self.phase_ends_ns = self.ended_ns.saturating_add(self.drain_ns);
        self.boundary_ns = self.phase_ends_ns;
    }

    /// Nothing is awaited any more.
    #[cold]
    pub(super) fn end(&mut self, at_ns: u64) {
        if self.closing.is_none() {
            self.ended_ns = at_ns;
        }
        self.phase = Phase::Over;
        self.phase_ends_ns = u64::MAX;
        self.boundary_ns = u64::MAX;
        self.over_ns = at_ns;
    }

    /// What is known of the window at its end.
    pub(super) fn close_books(&mut self) -> Closing {
        self.record.evenness = self.answer_watch.conclude(&self.slots);
        let ages_ns = self.ages_ns(self.ended_ns);
        self.record.under_way.at_end(ages_ns);
        let waiting = match &self.pace {
            Pace::Closed(_) => None,
            Pace::Open(open) => Some(&open.waiting),
        };
        let oldest_intended_ns = self
            .under_way()
            .map(|(_, asked)| asked.intended_ns)
            .chain(waiting.and_then(|waiting| waiting.oldest_ns()))
            .min();
        let books = Books {
            in_flight_at_start: self.quota.under_way_at_opening(),
            offered: self.quota.begun_in_window(),
            in_flight_at_end: self.quota.under_way(),
            waiting: waiting.map(|waiting| waiting.conclude()),
        };
        Closing { books, oldest_intended_ns }
    }

    /// The requests that connections have, or that wait until one is set up.
    fn under_way(&self) -> impl Iterator<Item = (usize, &InFlight)> {
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_under_way());
        slots.map(|(number, slot)| match &self.set_up {
            Some(set_up) if slot.state == State::SettingUp => (number, &set_up.waiting[number]),
            _ if slot.current.is_renewal => (number, &self.renewing[number]),
            _ => (number, &slot.current),
        })
    }

    /// The ages of all requests under way, added up.
    fn ages_ns(&self, at_ns: u64) -> u128 {
        let on_connections = self
            .under_way()
            .filter(|(_, asked)| self.record.is_of_mix(asked.request))
            .map(|(_, asked)| asked.intended_ns);
        let waiting = match &self.pace {
            Pace::Closed(_) => None,
            Pace::Open(open) => Some(open.waiting.intended_ns()),
        };
        let intended_ns = on_connections.chain(waiting.into_iter().flatten());
        intended_ns.map(|intended_ns| u128::from(at_ns.saturating_sub(intended_ns))).sum()
    }

    /// Where nothing was answered at all, shows what came of a request.
    pub(super) fn explain_silence(&mut self) {
        if self.record.totals().answers > 0 || self.record.counters.failures > 0 {
            return;
        }
        let mut numbers = 0..self.slots.len();
        if let Some(failure) = numbers.find_map(|number| self.unfinished(number, ErrorKind::Timeout)) {
            let Failure { kind, explanation, cause } = failure;
            self.record.examples.add_for(kind, cause, None, explanation.as_bytes(), self.over_ns);
        }
    }

    /// What an open load's cohort still owes at the very end took at least so long.
    pub(super) fn censor(&mut self) {
        self.shed_at_the_end(self.over_ns, false);
        let is_owed = matches!(self.pace, Pace::Open(_));
        let under_way: Vec<(usize, InFlight)> = self
            .under_way()
            .filter(|(_, asked)| self.record.is_of_mix(asked.request))
            .map(|(number, asked)| (number, *asked))
            .collect();
        for (number, asked) in under_way {
            let arrived_ns = self.arrived_ns(number, &asked);
            self.journey_ended(&asked, arrived_ns, JourneyEnd::Unfinished { is_owed }, self.over_ns);
            self.events_missed(&asked, Some(number), is_owed, self.over_ns);
            if is_owed {
                let first_byte_ns = self.slots[number].exchange.first_byte_ns();
                self.count_censored(&asked, first_byte_ns.filter(|_| asked.sent_bytes > 0));
            }
        }
        self.leave_thinking(is_owed);
        while let Pace::Open(open) = &mut self.pace
            && let Some(intended_ns) = open.waiting.take()
        {
            // It would have been the next one of the mix.
            let asked = InFlight { request: self.mix.next(), intended_ns, ..InFlight::default() };
            self.journey_ended(&asked, intended_ns, JourneyEnd::Unfinished { is_owed }, self.over_ns);
            self.events_missed(&asked, None, true, self.over_ns);
            self.count_censored(&asked, None);
        }
    }

    fn count_censored(&mut self, asked: &InFlight, first_byte_ns: Option<u64>) {
        if self.cohort.contains(&asked.intended_ns) {
            self.record.cohort.censored += 1;
            self.record.unanswered(asked.request, asked.unanswered(first_byte_ns, self.over_ns));
        }
    }

    /// Arrivals whose intended start came before the end, but not before anyone looked.
    pub(super) fn take_late_arrivals(&mut self) {
        let last_ns = self.ended_ns.saturating_sub(1);
        let Pace::Open(open) = &self.pace else { return };
        let free_connections = open.free.count();
        while let Some(intended_ns) = self.arrive(last_ns) {
            let Pace::Open(open) = &mut self.pace else { return };
            if open.waiting.put(intended_ns, free_connections) {
                continue;
            }
            self.quota.end();
            self.totals.add_error();
            self.record.cohort.failures += u64::from(self.cohort.contains(&intended_ns));
            if self.quota.window_is_open() {
                self.record.failure(None, ErrorKind::Overflow, self.last_of_window_ns(self.ended_ns));
            }
        }
    }

    /// The last moment of a window that ends then, since it opened: its end is not within it. 0 for an empty window.
    pub(super) fn last_of_window_ns(&self, ends_ns: u64) -> u64 {
        ends_ns.saturating_sub(1).saturating_sub(self.timeline.opens_ns)
    }
}
