//! Answers that are streams of events: whose they are, and what becomes of those that do not end.

use super::Session;
use super::slot::InFlight;
use crate::record::{ErrorKind, EventRecord};
use crate::schedule::Phase;
use crate::verify::EventsAsked;

impl Session {
    /// Events that come next are those of the request that a connection has.
    pub(super) fn turn_to_events(&mut self, number: usize) {
        let current = self.slots[number].current;
        self.events_of(&current);
    }

    fn events_of(&mut self, asked: &InFlight) {
        let is_of_mix = self.record.is_of_mix(asked.request);
        if let Some(events) = self.expectations[asked.request].events() {
            events.turn_to(EventsAsked {
                intended_ns: asked.intended_ns,
                row: asked.row,
                is_in_cohort: is_of_mix && self.cohort.contains(&asked.intended_ns),
                is_in_window: is_of_mix && self.phase == Phase::Window,
            });
        }
    }

    /// A request has failed. `number`: the connection that had it, if one did.
    pub(super) fn events_failed(
        &mut self,
        asked: &InFlight,
        number: Option<usize>,
        kind: ErrorKind,
        now_ns: u64,
    ) {
        match kind {
            ErrorKind::Timeout | ErrorKind::Deadline => self.events_missed(asked, number, true, now_ns),
            _ => {
                self.events_of(asked);
                let stream = number.and_then(|number| self.slots[number].exchange.events());
                if let Some(events) = self.expectations[asked.request].events() {
                    events.broke_off(stream, now_ns);
                }
            }
        }
    }

    /// What was to come next of a request's answer is awaited no longer.
    pub(super) fn events_missed(
        &mut self,
        asked: &InFlight,
        number: Option<usize>,
        is_owed: bool,
        at_ns: u64,
    ) {
        self.events_of(asked);
        let stream = number.and_then(|number| self.slots[number].exchange.events());
        if let Some(events) = self.expectations[asked.request].events() {
            events.gave_up(stream, is_owed, at_ns);
        }
    }

    /// What the events of all requests came to; `None` if no answer is to be a stream of them.
    pub(super) fn conclude_events(&mut self) -> Option<EventRecord> {
        let mut of_all = self.expectations.iter_mut().filter_map(|expectation| expectation.events());
        let mut sum = of_all.next()?.record().clone();
        of_all.for_each(|events| sum.merge(events.record()));
        Some(sum)
    }
}
