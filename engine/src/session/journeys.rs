//! Arrivals that are several requests, one after the other on the same connection. Each counts and is judged as any other
//! request; what is here leads from one to the next, and says what became of the whole.

use super::pace::Pace;
use super::slot::{InFlight, Slot, State};
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
        if self.pace.thinking().rest_between(number, current.request, now_ns) {
            self.quota.think();
            let next = self.rest(number);
            self.slots[number].state = State::Thinking;
            return Some(next);
        }
        self.quota.next_step();
        Some(self.give(number, current.request + 1, now_ns, now_ns))
    }

    /// Whoever has thought about a step goes on with the next one, unless a closed load has ended meanwhile.
    pub(super) fn next_step(&mut self, number: usize, intended_ns: u64, now_ns: u64) -> Next {
        if self.phase == Phase::Drain && matches!(self.pace, Pace::Closed(_)) {
            return self.rest(number);
        }
        // Due right before an edge of the window and looked at behind it: it is under way from the edge on.
        let edge_ns = match self.phase {
            Phase::WarmUp | Phase::Over => 0,
            Phase::Window => self.timeline.opens_ns,
            Phase::Drain => self.ended_ns,
        };
        self.quota.go_on();
        self.give(number, self.slots[number].current.request + 1, intended_ns.max(edge_ns), now_ns)
    }

    /// Journeys whose users think when nothing is awaited any more.
    pub(super) fn leave_thinking(&mut self, is_owed: bool) {
        for number in 0..self.arrivals_ns.len() {
            let Slot { state, current, .. } = &self.slots[number];
            if *state == State::Thinking {
                let (asked, arrived_ns) = (*current, self.arrivals_ns[number]);
                self.journey_ended(&asked, arrived_ns, JourneyEnd::Unfinished { is_owed }, self.over_ns);
            }
        }
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
