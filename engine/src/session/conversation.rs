//! A session as its driver sees it.

use super::conclude::Closing;
use super::lanes::Heard;
use super::pace::Pace;
use super::slot::{Slot, State};
use super::{Ended, Next, Session, sent};
use crate::driver::{Conversation, Failure};
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::verify::Expectation;

impl Conversation for Session {
    type Outcome = Ended;

    fn connections(&self) -> usize {
        self.slots.len()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        let of_load =
            self.set_up.as_ref().map_or(self.expectations.len(), |set_up| set_up.parts.requests.start);
        let most = self.expectations[..of_load].iter().map(Expectation::most_body_bytes);
        most.reduce(|most, other| Some(most?.max(other?))).flatten()
    }

    #[inline]
    fn phase(&self) -> Phase {
        self.phase
    }

    #[inline]
    fn wake_ns(&self) -> u64 {
        self.phase_ends_ns.min(self.deadlines.earliest_ns()).min(self.pace.next_ns())
    }

    fn is_paced(&self) -> bool {
        self.pace.is_by_the_clock()
    }

    #[inline]
    fn is_awaiting(&mut self) -> bool {
        // Where a connection awaits something, it mostly is the one that was found before; only where none does, all are
        // looked at.
        let is_awaiting = |slot: &Slot| slot.state.is_awaiting();
        if self.slots.get(self.awaited).is_some_and(is_awaiting) {
            return true;
        }
        let found = self.slots.iter().position(is_awaiting);
        self.awaited = found.unwrap_or(0);
        found.is_some()
    }

    #[inline]
    fn advance(&mut self, now_ns: u64) {
        if now_ns >= self.boundary_ns {
            self.cross_boundary(now_ns);
        }
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        let connections = self.slots.len();
        match &mut self.pace {
            Pace::Closed(thinking) if thinking.is_needed() => {
                let first_ns = thinking.first_ns(now_ns.max(self.timeline.starts_ns), number, connections);
                thinking.rest_until(number, first_ns);
                self.rest(number)
            }
            Pace::Closed(_) => {
                self.quota.start();
                self.begin(number, now_ns, now_ns)
            }
            // Where every request has its own connection, its connect is a part of it.
            Pace::Open(_) if self.socket_limit == Some(1) => self.free(number, now_ns),
            Pace::Open(_) => {
                self.deadlines.set(number, now_ns + self.timeout_ns);
                self.connect(number, State::Opening, now_ns)
            }
        }
    }

    #[inline]
    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        self.advance(now_ns);
        if matches!(self.phase, Phase::Drain | Phase::Over) {
            return self.due_after_window(now_ns);
        }
        if now_ns >= self.pace.next_ns()
            && let Some(due) = self.due_by_the_clock(now_ns)
        {
            return Some(due);
        }
        if now_ns >= self.deadlines.earliest_ns() { self.due_deadline(now_ns) } else { None }
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        self.has_connected(self.slots[number].connect_ns, now_ns);
        self.has_connection(number, false, now_ns)
    }

    fn taken_over(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        let next = self.has_connection(number, true, now_ns);
        self.slots[number].is_kept = true;
        next
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Window && self.slots[number].is_under_way() {
            self.explain(&failure, now_ns);
        }
        self.fail(number, failure.kind, now_ns)
    }

    #[inline]
    fn to_send(&mut self, number: usize) -> &[u8] {
        let slot = &self.slots[number];
        if !slot.state.is_asking() {
            return &[];
        }
        let current = &slot.current;
        let bytes = sent(&self.requests, &self.rendered, current, number);
        &bytes[current.sent_bytes..]
    }

    #[inline]
    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        if self.phase == Phase::Window {
            self.record.counters.sent_bytes += bytes as u64;
        }
        self.has_sent(number, bytes, at_ns);
    }

    #[inline]
    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        if self.phase == Phase::Window {
            self.record.counters.received_bytes += bytes.len() as u64;
        }
        let slot = &self.slots[number];
        if !slot.state.is_asking() || slot.current.sent_bytes == 0 {
            return self.received_otherwise(number, bytes, now_ns);
        }
        let mut input = bytes;
        match self.hear(number, &mut input, false, peer_closes, now_ns) {
            Heard::Part => Next::Wait,
            Heard::Answer { next, .. } | Heard::Garbage(next) => next,
        }
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        match self.whole_at_close(number, now_ns) {
            Some(next) => next,
            None => self.broken(number, ErrorKind::Closed, now_ns),
        }
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.advance(now_ns);
        if kind.is_by_peer() && self.slots[number].is_between_answers() {
            let kind = self.closed_between();
            return self.lose(number, kind, now_ns);
        }
        self.explain_unfinished(number, kind, now_ns);
        self.lose(number, kind, now_ns)
    }

    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        if failure.kind.is_by_peer() && self.slots[number].is_between_answers() {
            return self.broken(number, failure.kind, now_ns);
        }
        self.advance(now_ns);
        self.lose_because(number, &failure, now_ns)
    }

    fn peer_closed_early(&mut self, number: usize, failure: fn() -> Failure, now_ns: u64) -> Next {
        match self.whole_at_close(number, now_ns) {
            Some(next) => next,
            None => self.broken_because(number, failure(), now_ns),
        }
    }

    fn awaits(&mut self, number: usize, failure: Option<fn() -> Failure>) {
        self.slots[number].if_late = failure;
    }

    fn is_kept(&self, number: usize) -> bool {
        let slot = &self.slots[number];
        let has_request = !matches!(slot.state, State::Resting | State::Thinking);
        slot.is_connected && !has_request && self.socket_limit.is_none()
    }

    fn conclude(mut self, now_ns: u64) -> Ended {
        self.stop(now_ns);
        let closing = match self.closing.take() {
            Some(closing) => {
                self.record.counters.undrained = self.quota.under_way();
                closing
            }
            None => {
                self.take_late_arrivals();
                self.shed_at_the_end(self.ended_ns, true);
                self.close_books()
            }
        };
        self.explain_silence();
        self.censor();
        self.record.conclude_setup();
        self.record.event_streams = self.conclude_events();
        self.record.comparison = self.reference.take().and_then(|reference| reference.conclude());
        let Closing { books, oldest_intended_ns } = closing;
        let drained_ns = self.over_ns.saturating_sub(self.ended_ns);
        Ended { at_ns: self.ended_ns, books, oldest_intended_ns, drained_ns, record: self.record }
    }
}
