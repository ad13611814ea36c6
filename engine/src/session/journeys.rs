//! Arrivals that are several requests, one after the other on the same connection. Each counts and is judged as any other
//! request; what is here leads from one to the next, and says what became of the whole.

use super::pace::Pace;
use super::slot::InFlight;
use super::{Next, Session};
use crate::record::{ErrorKind, JourneyEnd};
use crate::schedule::Phase;

impl Session {
    /// What else is done where a request is answered, and the next step of its connection, unless that is up to the load.
    #[inline(never)]
    pub(super) fn goes_on(
        &mut self,
        number: usize,
        stays: bool,
        wrong: Option<ErrorKind>,
        now_ns: u64,
    ) -> Option<Next> {
        if self.slots[number].state.is_setting_up() {
            return Some(self.answered_set_up(number, stays, wrong, now_ns));
        }
        self.acknowledge(number, wrong.is_none());
        if wrong.is_some() {
            self.hide_in_examples();
        }
        let current = self.slots[number].current;
        let step = self.requests[current.request].step?;
        if self.phase == Phase::Drain && matches!(self.pace, Pace::Closed(_)) {
            return None; // the journey was cut off with the window
        }
        let arrived_ns = self.arrived_ns(number, &current);
        if wrong.is_some() || step.is_last {
            let end = wrong.map_or(JourneyEnd::Completed, JourneyEnd::by_failure);
            self.journey_ended(&current, arrived_ns, end, now_ns);
            return None;
        }
        self.arrivals_ns[number] = arrived_ns;
        self.slots[number].take_answer(stays);
        self.quota.next_step();
        Some(self.give(number, current.request + 1, now_ns, now_ns))
    }

    /// The intended start of the arrival whose request a connection has.
    pub(super) fn arrived_ns(&self, number: usize, asked: &InFlight) -> u64 {
        match self.requests[asked.request].step {
            Some(step) if step.step > 0 => self.arrivals_ns[number],
            _ => asked.intended_ns,
        }
    }

    /// If this request is a step of a journey, which arrived at that time, it is its last one.
    pub(super) fn journey_ended(&mut self, asked: &InFlight, arrived_ns: u64, end: JourneyEnd, at_ns: u64) {
        if let Some(step) = self.requests[asked.request].step
            && arrived_ns >= self.cohort.start
        {
            self.record.journeys[step.journey].ended(step.step, end, at_ns.saturating_sub(arrived_ns));
        }
    }
}
