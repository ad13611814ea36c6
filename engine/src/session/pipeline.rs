//! Several requests in flight on one connection. Answers come in the order of the requests, so the one whose answer is
//! awaited next is the slot's current one, and the others are behind it.
//!
//! If the connection breaks, every request in flight on it has failed: whether the server did their work is not known.

use std::collections::VecDeque;

use super::slot::{InFlight, State};
use super::{Next, Session, Tally, judge};
use crate::exchange::Received;
use crate::record::ErrorKind;
use crate::schedule::Phase;

#[derive(Clone, Debug, Default)]
pub(super) struct Pipeline {
    behind: VecDeque<InFlight>,
    /// Bytes of requests; the first `out_sent` are handed over.
    out: Vec<u8>,
    out_sent: usize,
}

impl Pipeline {
    /// The requests behind the current one.
    pub(super) fn behind(&self) -> impl Iterator<Item = &InFlight> {
        self.behind.iter()
    }

    #[inline]
    pub(super) fn to_send(&self) -> &[u8] {
        &self.out[self.out_sent..]
    }

    fn handed_over(&mut self, bytes: usize) {
        self.out_sent += bytes;
        // Moves no byte more than once for each one sent.
        if self.out_sent * 2 >= self.out.len() {
            self.out.drain(..self.out_sent);
            self.out_sent = 0;
        }
    }

    fn forget_bytes(&mut self) {
        self.out.clear();
        self.out_sent = 0;
    }
}

impl Session {
    /// Begins as many requests as the connection's pipeline takes.
    pub(super) fn fill(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        let pipeline = &mut self.pipelines[number];
        let (mut is_under_way, mut ran_out) = (slot.is_under_way(), false);
        while self.phase != Phase::Over
            && pipeline.behind.len() + usize::from(is_under_way) < self.depth
            && self.quota.begin()
        {
            let request = self.mix.next();
            if self.phase == Phase::Window {
                self.record.intended(now_ns);
            }
            let start = pipeline.out.len();
            let message = &self.requests[request].message;
            let Some(row) = message.render(false, &mut self.renderer, &mut pipeline.out) else {
                ran_out = true;
                break;
            };
            let bytes = pipeline.out.len() - start;
            let begun = InFlight { request, row, intended_ns: now_ns, bytes, ..InFlight::default() };
            if is_under_way {
                pipeline.behind.push_back(begun);
            } else {
                slot.current = begun;
                slot.exchange.reset();
                self.deadlines.set(number, now_ns + self.timeout_ns);
                is_under_way = true;
            }
        }
        if ran_out {
            self.end(now_ns);
        }
        if !is_under_way {
            return self.rest(number);
        }
        let slot = &mut self.slots[number];
        if slot.is_connected {
            slot.state = State::Requesting;
            return Next::Send;
        }
        self.connect(number, State::Connecting, now_ns)
    }

    pub(super) fn handed_over_pipelined(&mut self, number: usize, bytes: usize, at_ns: u64) {
        let pipeline = &mut self.pipelines[number];
        let mut left = bytes;
        for request in std::iter::once(&mut self.slots[number].current).chain(&mut pipeline.behind) {
            if left == 0 {
                break;
            }
            let taken = left.min(request.bytes - request.sent_bytes);
            if taken > 0 && request.sent_bytes == 0 {
                request.sent_ns = at_ns;
                self.record.sent(request.request, self.phase == Phase::Window);
            }
            request.sent_bytes += taken;
            left -= taken;
        }
        pipeline.handed_over(bytes);
    }

    /// Bytes of any number of answers have come. The phase is not over.
    pub(super) fn received_pipelined(
        &mut self,
        number: usize,
        bytes: &[u8],
        peer_closes: bool,
        now_ns: u64,
    ) -> Next {
        if self.phase == Phase::Window {
            self.record.received_bytes += bytes.len() as u64;
        }
        let mut input = bytes;
        while self.slots[number].state == State::Requesting {
            if input.is_empty() && self.slots[number].exchange.is_untouched() {
                break;
            }
            let slot = &mut self.slots[number];
            slot.current.hears(now_ns);
            let current = slot.current;
            let more_may_follow =
                self.pipelines[number].behind.front().is_some_and(|next| next.sent_bytes > 0);
            let expectation = &mut self.expectations[current.request];
            let is_head = self.requests[current.request].is_head;
            match slot.exchange.receive(&mut input, is_head, more_may_follow, expectation, current.row) {
                Received::Partial => return Next::Wait,
                Received::Broken(broken) => return self.received_garbage(number, &broken, now_ns),
                Received::Complete(answer) => {
                    let stays = answer.reusable && current.is_sent();
                    let in_window = self.phase == Phase::Window;
                    let opened_ns = self.timeline.opens_ns;
                    let tally = Tally {
                        record: &mut self.record,
                        in_window,
                        cohort_from_ns: self.cohort_from_ns,
                        totals: &self.totals,
                        opened_ns,
                    };
                    let is_right = judge(&answer, expectation, &current, now_ns, tally, None);
                    if !stays {
                        return self.answered(number, false, is_right, now_ns);
                    }
                    self.next_in_flight(number, now_ns);
                    if self.phase == Phase::Over {
                        return Next::Close;
                    }
                }
            }
        }
        let slot = &mut self.slots[number];
        if !peer_closes {
            return self.fill(number, now_ns);
        }
        if slot.state == State::Requesting {
            // Their answers do not come any more; the end of what can be read will say so.
            return Next::Wait;
        }
        slot.is_connected = false;
        self.fill(number, now_ns)
    }

    /// The current request is answered; the one behind it takes its place.
    fn next_in_flight(&mut self, number: usize, now_ns: u64) {
        let slot = &mut self.slots[number];
        slot.failures = 0;
        slot.answers += 1;
        slot.is_reused = true;
        match self.pipelines[number].behind.pop_front() {
            Some(next) => {
                slot.current = next;
                slot.exchange.reset();
                self.deadlines.set(number, next.intended_ns + self.timeout_ns);
            }
            None => slot.state = State::Resting,
        }
        self.end_request(now_ns);
    }

    /// The connection is gone: everything behind its current request has failed.
    pub(super) fn fail_behind(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        if self.pipelines.is_empty() {
            return;
        }
        self.pipelines[number].forget_bytes();
        while self.phase != Phase::Over
            && let Some(lost) = self.pipelines[number].behind.pop_front()
        {
            self.end_without_answer(&lost, kind, now_ns);
            self.count_failure(Some(lost.request), kind, now_ns);
            self.end_request(now_ns);
        }
    }
}
