//! Ends requests: by an answer, or by an error.

use super::pace::Pace;
use super::slot::{InFlight, State, pause_ns};
use super::{Next, Session};
use crate::driver::Failure;
use crate::exchange::{Broken, NO_LENGTH};
use crate::http1::response::Malformed;
use crate::record::{ErrorKind, JourneyEnd};
use crate::schedule::Phase;

impl Session {
    /// Bytes that are not a single awaited answer's. The phase is not over.
    #[cold]
    pub(super) fn received_otherwise(&mut self, number: usize, bytes: &[u8], now_ns: u64) -> Next {
        match self.slots[number].state {
            state if state.is_asking() => {
                self.received_garbage(number, &Broken::new(Malformed::Unasked, None, bytes), now_ns)
            }
            _ => {
                self.received_at_rest(number, bytes, now_ns);
                self.lost(number, now_ns)
            }
        }
    }

    /// Bytes on a connection without a request. A server may say 408 before it closes (RFC 9110, section 15.5.9).
    #[cold]
    pub(super) fn received_at_rest(&mut self, number: usize, bytes: &[u8], now_ns: u64) {
        let is_farewell = bytes.starts_with(b"HTTP/1.1 408") || bytes.starts_with(b"HTTP/1.0 408");
        if self.phase != Phase::Window || is_farewell || bytes.is_empty() || !self.slots[number].is_connected
        {
            return;
        }
        self.record.counters.unasked += 1;
        self.show(&Broken::new(Malformed::Unasked, None, bytes), now_ns);
    }

    /// The kind of error of what was asked on a connection that the peer has ended between two answers: it had answered on
    /// it, had not said that it would close it, and had not begun another answer. Counts the close.
    #[cold]
    pub(crate) fn closed_between(&mut self) -> ErrorKind {
        if self.phase == Phase::Window {
            self.record.counters.unannounced_closes += 1;
        }
        ErrorKind::UnannouncedClose
    }

    /// Shows how far the answer to a request has come that fails by this kind; once for each kind and stage.
    #[cold]
    pub(crate) fn explain_unfinished(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        if self.phase == Phase::Window
            && let Some(Failure { kind, explanation, cause }) = self.unfinished(number, kind)
            && !self.record.examples.has(kind, cause)
        {
            self.record.examples.add_for(kind, cause, None, explanation.as_bytes(), now_ns);
        }
    }

    /// How far the answer to a request has come that fails by this kind. `None`: nothing is to be said of it.
    pub(super) fn unfinished(&self, number: usize, kind: ErrorKind) -> Option<Failure> {
        let slot = &self.slots[number];
        if slot.state != State::Requesting {
            return None;
        }
        let (cause, words) = match slot.first_byte_ns() {
            Some(_) => slot.exchange.unfinished()?,
            None if kind.is_by_peer() && !self.is_unasked(number) && self.set_up.is_none() => {
                ("no_answer", "a new connection ended before any answer".to_owned())
            }
            None => return None,
        };
        // Where the close is the end, only a reset ends it too early.
        let cause = if cause == NO_LENGTH && kind.is_by_peer() { "body_unfinished" } else { cause };
        Some(Failure { kind, explanation: words.into(), cause: Some(cause) })
    }

    /// What came is no answer to the request.
    #[cold]
    pub(super) fn received_garbage(&mut self, number: usize, broken: &Broken, now_ns: u64) -> Next {
        let slot = &self.slots[number];
        if slot.state.is_setting_up() {
            let reason = format!("what came is no answer: {}", broken.cause.name());
            return self.fail_set_up(number, ErrorKind::Protocol, broken.status, &reason, now_ns);
        }
        if self.phase == Phase::Window {
            let may_be_shown = self.requests[slot.current.request].takes.is_empty();
            let excerpt = if may_be_shown { &broken.excerpt[..] } else { b"" };
            self.show(&Broken::new(broken.cause, broken.status, excerpt), now_ns);
        }
        self.fail(number, ErrorKind::Protocol, now_ns)
    }

    /// Keeps what came as an example.
    #[cold]
    fn show(&mut self, broken: &Broken, now_ns: u64) {
        // A cookie that it sets is not known, and would be shown.
        let may_be_shown = !self.renderer.variables.keep_cookies();
        let excerpt = if may_be_shown { &broken.excerpt[..] } else { b"" };
        self.record.examples.add_broken(broken.cause.name(), broken.status, excerpt, now_ns);
        self.hide_in_examples();
    }

    /// The current request's answer is complete and judged.
    #[inline]
    pub(super) fn answered(
        &mut self,
        number: usize,
        stays: bool,
        wrong: Option<ErrorKind>,
        now_ns: u64,
    ) -> Next {
        if !self.is_plain
            && let Some(next) = self.goes_on(number, stays, wrong, now_ns)
        {
            return next;
        }
        let slot = &mut self.slots[number];
        slot.take_answer(stays);
        if self.record.is_of_mix(slot.current.request) {
            if let Some(halt) = self.halt.as_deref().filter(|_| wrong.is_none()) {
                halt.answered(number);
            }
            self.end_request(now_ns);
        }
        self.free(number, now_ns)
    }

    /// Keeps the number of the request that was just answered, if such numbers are kept.
    pub(super) fn acknowledge(&mut self, number: usize, is_right: bool) {
        if let Some(&asked) = self.asked_numbers.get(number).filter(|_| is_right) {
            self.record.acknowledged(self.slots[number].current.request, asked);
        }
    }

    /// The connection is of no more use; a request that it carries has failed.
    pub(super) fn fail(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        if self.phase == Phase::Over {
            slot.is_connected = false;
            return Next::Close;
        }
        if slot.state.is_setting_up() {
            self.count_failed_set_up(number, kind);
        }
        self.take_up_step(number);
        let slot = &mut self.slots[number];
        if !slot.is_under_way() {
            return self.lost(number, now_ns);
        }
        slot.is_connected = false;
        slot.state = State::Resting;
        slot.failures += 1;
        let request = slot.current.request;
        let pause_ns = pause_ns(kind, slot.failures);
        self.request_failed(number, request, kind, now_ns);
        // An open load paces itself: what comes next has its own intended start and its own outcome.
        if pause_ns == 0 || self.phase == Phase::Over || matches!(self.pace, Pace::Open(_)) {
            return self.free(number, now_ns);
        }
        self.slots[number].state = State::BackingOff;
        self.deadlines.set(number, now_ns + pause_ns);
        Next::Close
    }

    /// The connection's request ends without an answer.
    pub(super) fn request_failed(&mut self, number: usize, request: usize, kind: ErrorKind, now_ns: u64) {
        if !self.record.is_of_mix(request) {
            return self.spot_check_failed(number, kind, now_ns);
        }
        let slot = &self.slots[number];
        let (current, first_byte_ns) = (slot.current, slot.first_byte_ns());
        self.events_failed(&current, Some(number), kind, now_ns);
        self.end_without_answer(&current, first_byte_ns, kind, now_ns);
        self.journey_ended(&current, self.arrived_ns(number, &current), JourneyEnd::by_failure(kind), now_ns);
        self.count_failure(Some(request), kind, now_ns);
        self.end_request(now_ns);
    }

    /// Records what a request without an answer took. One that was given up took at least so long; of other failures
    /// nothing is known.
    pub(super) fn end_without_answer(
        &mut self,
        failed: &InFlight,
        first_byte_ns: Option<u64>,
        kind: ErrorKind,
        now_ns: u64,
    ) {
        if self.phase == Phase::Window {
            self.record.under_way.ended(now_ns.saturating_sub(failed.intended_ns));
        }
        if !self.cohort.contains(&failed.intended_ns) {
            return;
        }
        self.record.cohort.failures += 1;
        if matches!(kind, ErrorKind::Timeout | ErrorKind::Deadline) {
            self.record.unanswered(failed.request, failed.unanswered(first_byte_ns, now_ns));
        }
    }

    /// A connection without a request is of no more use.
    fn lost(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        let (was_connected, state) = (std::mem::take(&mut slot.is_connected), slot.state);
        let Pace::Open(open) = &mut self.pace else { return Next::Close };
        match state {
            State::Opening | State::SettingUpAhead => self.free(number, now_ns),
            State::Resting if was_connected => {
                open.free.remove(number, true);
                open.free.put(number, false);
                Next::Close
            }
            _ => Next::Close,
        }
    }

    /// Counts a request that ends without an answer. `request`: its place in the mix; `None` if it never began.
    pub(super) fn count_failure(&mut self, request: Option<usize>, kind: ErrorKind, now_ns: u64) {
        self.totals.add_error();
        if self.phase == Phase::Window {
            self.record.failure(request, kind, now_ns - self.timeline.opens_ns);
        }
    }

    #[inline]
    pub(super) fn end_request(&mut self, now_ns: u64) {
        self.quota.end();
        if self.quota.is_used_up() {
            self.end(now_ns);
        }
    }
}
