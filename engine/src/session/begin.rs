//! Begins requests.

use super::chain::remember;
use super::pace::Pace;
use super::slot::{InFlight, State};
use super::{Next, Session};
use crate::record::ErrorKind;
use crate::reference::NO_INSTANCE;
use crate::schedule::Phase;

/// A connection that stands still looks so often whether it may go on.
const LOOK_AT_HALT_EVERY_NS: u64 = 1_000_000;

impl Session {
    /// In the drain: what waits, and came too late for anyone to look whether a connection is free; whoever has thought
    /// about an answer, and asks nothing more; and deadlines.
    #[cold]
    pub(super) fn due_after_window(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if self.phase == Phase::Over {
            return None;
        }
        if now_ns >= self.pace.thinking().next_ns()
            && let Some(due) = self.due_by_the_clock(now_ns)
        {
            return Some(due);
        }
        if let Pace::Open(open) = &mut self.pace
            && open.waiting.oldest_ns().is_some()
            && let Some(number) = open.free.take()
        {
            return Some((number, self.free(number, now_ns)));
        }
        if now_ns >= self.deadlines.earliest_ns() { self.due_deadline(now_ns) } else { None }
    }

    pub(super) fn due_deadline(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if self.phase == Phase::Over {
            return None;
        }
        let number = self.deadlines.next_expired(now_ns)?;
        let next = match self.slots[number].state {
            // It stands still, and looks whether it still has to.
            State::Resting if self.halt.is_some() => self.begin(number, now_ns, now_ns),
            State::Resting | State::Thinking => Next::Wait,
            State::BackingOff => self.begin(number, now_ns, now_ns),
            State::Opening
            | State::Connecting
            | State::SettingUpAhead
            | State::SettingUp
            | State::Requesting => self.too_late(number, now_ns),
        };
        Some((number, next))
    }

    /// What was asked has not come in time.
    fn too_late(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        let InFlight { request, row, sent_bytes, has_deadline, .. } = slot.current;
        if has_deadline && slot.state == State::Requesting && sent_bytes > 0 {
            slot.exchange.ends_at_deadline(&mut self.expectations[request], row, now_ns);
            return self.whole_answer(number, true, now_ns);
        }
        if let Some(failure) = slot.if_late.take() {
            self.explain(&failure(), now_ns);
        }
        self.explain_unfinished(number, ErrorKind::Timeout, now_ns);
        self.fail(number, ErrorKind::Timeout, now_ns)
    }

    pub(super) fn due_by_the_clock(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if let Some((intended_ns, number)) = self.pace.thinking().take(now_ns) {
            if self.slots[number].state == State::Thinking {
                return Some((number, self.next_step(number, intended_ns, now_ns)));
            }
            return Some((number, self.begin(number, intended_ns, now_ns)));
        }
        if matches!(self.pace, Pace::Closed(_)) {
            return None;
        }
        loop {
            let intended_ns = self.arrive_in_time(now_ns)?;
            let Pace::Open(open) = &mut self.pace else { return None };
            if let Some(number) = open.free.take() {
                return Some((number, self.assign(number, intended_ns, now_ns)));
            }
            self.wait(intended_ns, now_ns);
        }
    }

    /// Takes an open load's next arrival, if its intended start has come.
    #[inline]
    pub(super) fn arrive(&mut self, now_ns: u64) -> Option<u64> {
        let Pace::Open(open) = &mut self.pace else { return None };
        if open.arrivals.next_ns() > now_ns {
            return None;
        }
        if !self.quota.begin() {
            open.arrivals.end();
            return None;
        }
        let intended_ns = open.arrivals.take();
        if intended_ns < self.timeline.opens_ns {
            if self.quota.window_is_open() {
                self.record.under_way.at_start(u128::from(self.timeline.opens_ns - intended_ns));
            }
            self.quota.was_before_window();
        } else {
            self.record.intended(intended_ns);
        }
        Some(intended_ns)
    }

    /// No connection is free for this request.
    pub(super) fn wait(&mut self, intended_ns: u64, now_ns: u64) {
        let Pace::Open(open) = &mut self.pace else { return };
        if !open.waiting.put(intended_ns, 0) {
            if self.phase == Phase::Window && intended_ns < self.timeline.opens_ns {
                self.record.under_way.not_taken_at_start(u128::from(self.timeline.opens_ns - intended_ns));
            }
            self.record.cohort.failures += u64::from(self.cohort.contains(&intended_ns));
            self.count_failure(None, ErrorKind::Overflow, now_ns);
            self.end_request(now_ns);
        }
    }

    /// Begins a closed load's next request on a connection that has none.
    pub(super) fn begin(&mut self, number: usize, intended_ns: u64, now_ns: u64) -> Next {
        if self.phase == Phase::Over {
            return self.rest(number);
        }
        match self.halt.as_deref().filter(|halt| halt.is_on()) {
            // A spot check would take the place of what the halt allows.
            Some(halt) => {
                let slot = &self.slots[number];
                if !halt.lets(number, slot.answers > 0 && slot.failures == 0) {
                    return self.stand_still(number, now_ns);
                }
            }
            None => {
                if let Some(next) = self.spot_check(number, now_ns) {
                    return next;
                }
            }
        }
        if !self.quota.begin() {
            return self.rest(number);
        }
        if self.phase == Phase::Window {
            self.record.intended(intended_ns);
        }
        self.assign(number, intended_ns, now_ns)
    }

    /// The connection begins nothing until its load goes on.
    #[cold]
    fn stand_still(&mut self, number: usize, now_ns: u64) -> Next {
        let next = self.rest(number);
        self.deadlines.set(number, now_ns + LOOK_AT_HALT_EVERY_NS);
        next
    }

    /// Gives the mix's next request to a connection that has none.
    #[inline]
    fn assign(&mut self, number: usize, intended_ns: u64, now_ns: u64) -> Next {
        let request = self.mix.next();
        self.give(number, request, intended_ns, now_ns)
    }

    /// Gives a request to a connection that has none. `request`: its place in the mix.
    #[inline]
    pub(super) fn give(&mut self, number: usize, request: usize, intended_ns: u64, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        let left = if slot.is_connected {
            slot.left_on_socket
        } else if self.set_up.is_some() {
            if self.requests[request].begins_user() {
                // Its setup sends no cookie of the user before.
                self.renderer.variables.begin_user(number);
            }
            // It is written when the connection is ready: it may hold variables.
            slot.current = InFlight { request, intended_ns, ..InFlight::default() };
            slot.exchange.reset();
            self.deadlines.set(number, now_ns + self.timeout_ns);
            return self.connect(number, State::Connecting, now_ns);
        } else {
            self.socket_limit
        };
        let closes = left == Some(1);
        let message = &self.requests[request].message;
        let reference = &mut self.reference;
        let (row, bytes, instance) = match message.fixed(closes) {
            Some(bytes) => {
                let instance = reference.as_mut().map(|reference| reference.fixed_instance(request));
                (0, bytes.len(), instance.unwrap_or(NO_INSTANCE))
            }
            None => {
                let rendered = &mut self.rendered[number];
                rendered.clear();
                self.renderer.variables.turn_to(number);
                if self.requests[request].begins_user() {
                    self.renderer.variables.begin_user(number);
                }
                let drawn = reference
                    .as_ref()
                    .and_then(|reference| reference.draw(request, closes, &mut self.renderer, rendered));
                let (row, instance) = match drawn {
                    Some(drawn) => drawn,
                    None => {
                        let Some(row) = message.render(closes, &mut self.renderer, rendered) else {
                            return self.run_out(number, now_ns);
                        };
                        let instance =
                            reference.as_mut().map(|reference| reference.rendered_instance(request));
                        (row, instance.unwrap_or(NO_INSTANCE))
                    }
                };
                let bytes = rendered.len();
                if !self.is_plain {
                    remember(&self.requests[request], number, row, &self.renderer, &mut self.drawn);
                    if let Some(asked) = self.asked_numbers.get_mut(number) {
                        *asked = self.renderer.first_number().unwrap_or(0);
                    }
                    if let Some(trace_id) = self.trace_ids.get_mut(number) {
                        *trace_id = self.renderer.tracer.trace_id();
                    }
                }
                (row, bytes, instance)
            }
        };
        slot.current = InFlight { request, row, instance, intended_ns, bytes, closes, ..InFlight::default() };
        slot.exchange.reset();
        self.deadlines.set(number, now_ns + self.timeout_ns);
        if slot.is_connected {
            slot.state = State::Requesting;
            return Next::Send;
        }
        self.connect(number, State::Connecting, now_ns)
    }

    /// There is no row left for a request. The run ends: see [`crate::rows::Table::ran_out`].
    #[cold]
    fn run_out(&mut self, number: usize, now_ns: u64) -> Next {
        self.end(now_ns);
        self.rest(number)
    }

    /// A connection without a request takes the next one whose time has come, or rests.
    #[inline]
    pub(super) fn free(&mut self, number: usize, now_ns: u64) -> Next {
        match &mut self.pace {
            Pace::Closed(thinking) => {
                if thinking.is_needed() && thinking.rest(number, self.slots[number].current.request, now_ns) {
                    return self.rest(number);
                }
                self.begin(number, now_ns, now_ns)
            }
            Pace::Open(_) => {
                if self.phase == Phase::Over {
                    return self.rest(number);
                }
                if let Some(next) = self.spot_check(number, now_ns) {
                    return next;
                }
                if let Some(intended_ns) = self.next_in_time(now_ns) {
                    return self.assign(number, intended_ns, now_ns);
                }
                if self.phase == Phase::Over {
                    return self.rest(number);
                }
                self.offer(number);
                self.rest(number)
            }
        }
    }

    /// The connection is there for whatever arrives next.
    fn offer(&mut self, number: usize) {
        if let Pace::Open(open) = &mut self.pace {
            open.free.put(number, self.slots[number].is_connected);
        }
    }

    #[inline]
    pub(super) fn rest(&mut self, number: usize) -> Next {
        let slot = &mut self.slots[number];
        slot.state = State::Resting;
        self.deadlines.clear(number);
        if slot.is_connected { Next::Wait } else { Next::Close }
    }
}
