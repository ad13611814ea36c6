//! One thread's core: connections, schedule, verification and recording, without sockets.
//!
//! A driver tells the session what happened on a connection and when; the session answers with the [`Next`] step
//! for that connection. Times are nanoseconds on the run's clock and never go back.

mod conversation;
mod deadlines;
mod judge;
mod slot;

use std::sync::Arc;

use deadlines::Deadlines;
use judge::judge;
use slot::{Slot, State};

use crate::driver::ConnectFailure;
pub use crate::driver::Next;
use crate::exchange::Received;
use crate::http1::request::EncodedRequest;
use crate::mix::RequestMix;
use crate::record::{ErrorKind, Record, Totals};
use crate::schedule::{Phase, Quota, Timeline};
use crate::verify::Expectation;

/// What a session is made of.
#[derive(Debug)]
pub struct SessionParts {
    /// Connections of this thread.
    pub connections: usize,
    /// Requests of the mix, and at the same places what is expected of their answers.
    pub requests: Arc<[EncodedRequest]>,
    /// See `requests`.
    pub expectations: Vec<Expectation>,
    /// The choice among the requests.
    pub mix: RequestMix,
    /// How many requests may begin.
    pub quota: Quota,
    /// False: every request has a connection of its own.
    pub keep_alive: bool,
    /// From a request's begin, its connect included, to the error `timeout`.
    pub timeout_ns: u64,
    /// Where the window is recorded.
    pub record: Record,
    /// What other threads may see.
    pub totals: Arc<Totals>,
}

/// What a thread knows at the end.
#[derive(Debug)]
pub struct Ended {
    /// Everything in the window.
    pub record: Record,
    /// When the thread's window ended.
    pub at_ns: u64,
    /// Requests begun and not ended.
    pub in_flight: u64,
    /// The earliest intended start among them.
    pub oldest_intended_ns: Option<u64>,
}

/// The state of one thread's run.
#[derive(Debug)]
pub struct Session {
    parts: SessionParts,
    timeline: Timeline,
    phase: Phase,
    /// When the phase ends by the clock.
    boundary_ns: u64,
    ended_ns: u64,
    slots: Vec<Slot>,
    deadlines: Deadlines,
}

impl Session {
    /// A session whose connections all rest.
    pub fn new(parts: SessionParts, timeline: Timeline) -> Session {
        let mut slots = Vec::new();
        slots.resize_with(parts.connections, Slot::default);
        let deadlines = Deadlines::new(parts.connections);
        Session {
            parts,
            timeline,
            phase: Phase::WarmUp,
            boundary_ns: timeline.opens_ns,
            ended_ns: timeline.opens_ns,
            slots,
            deadlines,
        }
    }

    /// How many connections there are; their numbers start at 0.
    pub fn connections(&self) -> usize {
        self.slots.len()
    }

    /// Where the thread stands.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The next moment at which [`Session::advance`] or [`Session::due`] has something to do.
    #[inline]
    pub fn wake_ns(&self) -> u64 {
        self.boundary_ns.min(self.deadlines.earliest_ns())
    }

    /// Moves on to the phase of `now_ns`.
    #[inline]
    pub fn advance(&mut self, now_ns: u64) {
        if now_ns >= self.boundary_ns {
            self.cross_boundary(now_ns);
        }
    }

    /// Ends the run early.
    pub fn stop(&mut self, now_ns: u64) {
        self.advance(now_ns);
        if self.phase != Phase::Over {
            self.end(now_ns);
        }
    }

    /// A connection's first step.
    pub fn start(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        self.begin(number, now_ns)
    }

    /// The connect has succeeded.
    pub fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        let slot = &mut self.slots[number];
        slot.state = State::Requesting;
        slot.is_connected = true;
        slot.has_served = false;
        if self.phase == Phase::Window {
            self.parts.record.connects += 1;
            self.parts.record.connect_time.record(now_ns.saturating_sub(slot.connect_ns));
        }
        Next::Send
    }

    /// The connect has failed.
    pub fn connect_failed(&mut self, number: usize, failure: ConnectFailure, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Window {
            self.parts.record.example(failure.kind, None, failure.explanation.as_bytes(), now_ns);
        }
        self.fail(number, failure.kind, now_ns)
    }

    /// What is left to send of the request.
    #[inline]
    pub fn to_send(&self, number: usize) -> &[u8] {
        let slot = &self.slots[number];
        match slot.state {
            State::Requesting => &self.parts.requests[slot.request].bytes[slot.sent_bytes..],
            _ => &[],
        }
    }

    /// The kernel has taken `bytes` of [`Session::to_send`] at `at_ns`.
    #[inline]
    pub fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        let slot = &mut self.slots[number];
        let is_first = slot.sent_bytes == 0;
        if is_first {
            slot.sent_ns = at_ns;
        }
        slot.sent_bytes += bytes;
        if self.phase == Phase::Window {
            self.parts.record.sent += u64::from(is_first);
            self.parts.record.sent_bytes += bytes as u64;
        }
    }

    /// Bytes have come. `peer_closes`: these are the last ones, so that the connection carries no other request.
    #[inline]
    pub fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        self.advance(now_ns);
        let is_recorded = match self.phase {
            Phase::WarmUp => false,
            Phase::Window => true,
            Phase::Over => return Next::Close,
        };
        if is_recorded {
            self.parts.record.received_bytes += bytes.len() as u64;
        }
        let slot = &mut self.slots[number];
        if slot.state != State::Requesting {
            // Nothing was asked: an idle connection's farewell, as some servers send before they close.
            slot.is_connected = false;
            return Next::Close;
        }
        if slot.sent_bytes == 0 {
            return self.fail(number, ErrorKind::Protocol, now_ns);
        }
        let is_head = self.parts.requests[slot.request].is_head;
        let expectation = &mut self.parts.expectations[slot.request];
        let times = slot.times(now_ns);
        match slot.exchange.receive(bytes, is_head, expectation) {
            Received::Partial => Next::Wait,
            Received::Complete(answer) => {
                let is_sent = slot.sent_bytes == self.parts.requests[slot.request].bytes.len();
                let stays = answer.reusable && self.parts.keep_alive && is_sent && !peer_closes;
                let record = is_recorded.then_some(&mut self.parts.record);
                judge(&answer, expectation, times, record, &self.parts.totals, self.timeline.opens_ns);
                self.answered(number, stays, now_ns)
            }
            Received::Broken(kind) => {
                if is_recorded {
                    self.parts.record.example(kind, None, bytes, now_ns);
                }
                self.fail(number, kind, now_ns)
            }
        }
    }

    /// The peer has closed its side.
    pub fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        let slot = &mut self.slots[number];
        if slot.state == State::Requesting && slot.sent_bytes > 0 && self.phase != Phase::Over {
            let expectation = &mut self.parts.expectations[slot.request];
            let times = slot.times(now_ns);
            if let Some(answer) = slot.exchange.receive_close(expectation) {
                let record = (self.phase == Phase::Window).then_some(&mut self.parts.record);
                judge(&answer, expectation, times, record, &self.parts.totals, self.timeline.opens_ns);
                return self.answered(number, false, now_ns);
            }
        }
        self.broken(number, ErrorKind::Closed, now_ns)
    }

    /// The connection is of no more use.
    pub fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.advance(now_ns);
        let slot = &mut self.slots[number];
        if slot.state == State::Requesting && slot.sent_bytes == 0 && slot.has_served {
            // The peer ended an idle connection, which is its right: nobody asked anything of it yet.
            return self.reconnect(number, now_ns);
        }
        self.fail(number, kind, now_ns)
    }

    /// The next connection whose time has come, and its step; to be called until `None`.
    #[inline]
    pub fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if now_ns < self.deadlines.earliest_ns() || self.phase == Phase::Over {
            return None;
        }
        let number = self.deadlines.next_expired(now_ns)?;
        self.advance(now_ns);
        let next = match self.slots[number].state {
            State::Resting => Next::Wait,
            State::BackingOff => self.begin(number, now_ns),
            State::Connecting | State::Requesting => self.fail(number, ErrorKind::Timeout, now_ns),
        };
        Some((number, next))
    }

    /// Ends the session at the latest now.
    pub fn conclude(mut self, now_ns: u64) -> Ended {
        self.stop(now_ns);
        let in_flight = self.slots.iter().filter(|slot| slot.is_under_way());
        Ended {
            at_ns: self.ended_ns,
            in_flight: in_flight.clone().count() as u64,
            oldest_intended_ns: in_flight.map(|slot| slot.intended_ns).min(),
            record: self.parts.record,
        }
    }

    fn begin(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        if self.phase == Phase::Over || !self.parts.quota.begin() {
            slot.state = State::Resting;
            self.deadlines.clear(number);
            return if slot.is_connected { Next::Wait } else { Next::Close };
        }
        slot.request = self.parts.mix.draw();
        slot.intended_ns = now_ns;
        slot.sent_bytes = 0;
        slot.exchange.reset();
        self.deadlines.set(number, now_ns + self.parts.timeout_ns);
        if slot.is_connected {
            slot.state = State::Requesting;
            return Next::Send;
        }
        self.reconnect(number, now_ns)
    }

    fn reconnect(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        slot.state = State::Connecting;
        slot.is_connected = false;
        slot.connect_ns = now_ns;
        Next::Connect
    }

    #[inline]
    fn answered(&mut self, number: usize, stays: bool, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        slot.failures = 0;
        slot.has_served = true;
        slot.is_connected = stays;
        slot.state = State::Resting;
        self.end_request(now_ns);
        self.begin(number, now_ns)
    }

    fn fail(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        slot.is_connected = false;
        if !slot.is_under_way() || self.phase == Phase::Over {
            return Next::Close;
        }
        slot.state = State::Resting;
        slot.failures += 1;
        let pause_ns = slot::pause_ns(kind, slot.failures);
        self.parts.totals.add_error();
        if self.phase == Phase::Window {
            self.parts.record.error(kind, now_ns - self.timeline.opens_ns);
        }
        self.end_request(now_ns);
        if pause_ns == 0 || self.phase == Phase::Over {
            return self.begin(number, now_ns);
        }
        self.slots[number].state = State::BackingOff;
        self.deadlines.set(number, now_ns + pause_ns);
        Next::Close
    }

    #[inline]
    fn end_request(&mut self, now_ns: u64) {
        self.parts.quota.end();
        if self.parts.quota.is_used_up() {
            self.end(now_ns);
        }
    }

    #[cold]
    fn cross_boundary(&mut self, now_ns: u64) {
        if self.phase == Phase::WarmUp {
            self.phase = Phase::Window;
            self.boundary_ns = self.timeline.closes_ns.unwrap_or(u64::MAX);
            self.parts.quota.open_window();
            if self.parts.quota.is_used_up() {
                self.end(self.timeline.opens_ns);
            }
        }
        if self.phase == Phase::Window && now_ns >= self.boundary_ns {
            self.end(self.boundary_ns);
        }
    }

    #[cold]
    fn end(&mut self, at_ns: u64) {
        self.phase = Phase::Over;
        self.boundary_ns = u64::MAX;
        self.ended_ns = at_ns;
    }
}

#[cfg(test)]
mod tests;
