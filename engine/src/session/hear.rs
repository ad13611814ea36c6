//! Handles what comes on a connection: answers, bytes that are none, and its end.

use super::judge::{Beyond, Tally, judge};
use super::lanes::Heard;
use super::slot::State;
use super::{Next, Session, sent};
use crate::driver::{Conversation, Failure};
use crate::exchange::Received;
use crate::record::ErrorKind;
use crate::schedule::Phase;

impl Session {
    /// Takes `input` up to the end of the answer to the current request, of which something was sent. The phase is not
    /// over. `more_may_follow`: see [`crate::exchange::Exchange::receive`].
    #[inline(always)]
    pub(super) fn hear(
        &mut self,
        number: usize,
        input: &mut &[u8],
        more_may_follow: bool,
        peer_closes: bool,
        now_ns: u64,
    ) -> Heard {
        let in_window = self.phase == Phase::Window;
        if !self.is_plain {
            self.turn_to_events(number);
        }
        let slot = &mut self.slots[number];
        let current = &slot.current;
        let expectation = &mut self.expectations[current.request];
        let is_head = self.requests[current.request].is_head;
        match slot.exchange.receive(input, is_head, more_may_follow, expectation, current.row, now_ns) {
            Received::Partial => Heard::Part,
            Received::Complete(answer) => {
                let answer = match &mut self.unpacker {
                    Some(unpacker) => {
                        let is_counted = in_window && self.record.is_of_mix(current.request);
                        let counted = self.record.unpacking.as_mut().filter(|_| is_counted);
                        unpacker.unpacked(current.request, answer, expectation, counted)
                    }
                    None => answer,
                };
                let may_stay = answer.reusable && current.is_sent() && !current.closes;
                if peer_closes && may_stay && in_window {
                    self.record.counters.unannounced_closes += 1;
                }
                let opened_ns = self.timeline.opens_ns;
                let tally = Tally {
                    record: &mut self.record,
                    in_window,
                    cohort: &self.cohort,
                    totals: &self.totals,
                    opened_ns,
                };
                let beyond = (!self.is_plain).then(|| Beyond {
                    reference: self.reference.as_deref_mut(),
                    request: &self.requests[current.request],
                    sent: sent(&self.requests, &self.rendered, current, number),
                    variables: &mut self.renderer.variables,
                    number,
                    trace_id: self.trace_ids.get(number).copied().flatten(),
                });
                let wrong = judge(&answer, expectation, current, now_ns, tally, beyond);
                let stays = may_stay && !peer_closes;
                Heard::Answer { next: self.answered(number, stays, wrong, now_ns), stays }
            }
            Received::Broken(broken) => Heard::Garbage(self.received_garbage(number, &broken, now_ns)),
        }
    }

    /// The next step if the peer's close completes the answer that is awaited.
    pub(crate) fn whole_at_close(&mut self, number: usize, now_ns: u64) -> Option<Next> {
        self.advance(now_ns);
        let slot = &self.slots[number];
        let is_whole = slot.state == State::Requesting
            && slot.current.sent_bytes > 0
            && self.phase != Phase::Over
            && slot.exchange.is_complete_at_close();
        is_whole.then(|| self.whole_answer(number, false, now_ns))
    }

    /// All of an answer has come whose end the bytes themselves do not say. The phase is not over.
    pub(super) fn whole_answer(&mut self, number: usize, stays: bool, now_ns: u64) -> Next {
        if !self.is_plain {
            self.turn_to_events(number);
        }
        let slot = &self.slots[number];
        let current = slot.current;
        let expectation = &mut self.expectations[current.request];
        let in_window = self.phase == Phase::Window;
        let mut answer = slot.exchange.whole(expectation);
        if let Some(unpacker) = &mut self.unpacker {
            let is_counted = in_window && self.record.is_of_mix(current.request);
            let counted = self.record.unpacking.as_mut().filter(|_| is_counted);
            answer = unpacker.unpacked(current.request, answer, expectation, counted);
        }
        let tally = Tally {
            record: &mut self.record,
            in_window,
            cohort: &self.cohort,
            totals: &self.totals,
            opened_ns: self.timeline.opens_ns,
        };
        let beyond = (!self.is_plain).then(|| Beyond {
            reference: self.reference.as_deref_mut(),
            request: &self.requests[current.request],
            sent: sent(&self.requests, &self.rendered, &current, number),
            variables: &mut self.renderer.variables,
            number,
            trace_id: self.trace_ids.get(number).copied().flatten(),
        });
        let wrong = judge(&answer, expectation, &current, now_ns, tally, beyond);
        self.answered(number, stays, wrong, now_ns)
    }

    /// What a connection carried that is of no more use is asked anew, or has failed.
    pub(super) fn lose(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        if self.is_unasked(number) && self.phase != Phase::Over {
            // The peer ended an idle connection, which is its right: nobody asked anything of it yet.
            return self.connect(number, State::Connecting, now_ns);
        }
        self.fail(number, kind, now_ns)
    }

    /// The same with a reason, which is shown if a request fails by it. What is wrong inside TLS is nobody's right: also
    /// where nothing was asked yet, the request fails; on a connection that rests after an answer, it counts as bytes that
    /// nobody asked for.
    #[cold]
    pub(super) fn lose_because(&mut self, number: usize, failure: &Failure, now_ns: u64) -> Next {
        let slot = &self.slots[number];
        let is_breach = failure.kind == ErrorKind::Tls;
        let rests = matches!(slot.state, State::Resting | State::Thinking);
        let is_at_rest = rests && slot.is_connected && slot.answers > 0;
        let fails = slot.is_under_way() && (is_breach || !self.is_unasked(number));
        if is_breach && is_at_rest && self.phase == Phase::Window {
            self.record.counters.unasked += 1;
        }
        if fails || (is_breach && is_at_rest) {
            self.explain(failure, now_ns);
        }
        if is_breach {
            self.fail(number, failure.kind, now_ns)
        } else {
            self.lose(number, failure.kind, now_ns)
        }
    }

    /// The connection is older than the request, of which nothing was sent.
    pub(super) fn is_unasked(&self, number: usize) -> bool {
        let slot = &self.slots[number];
        slot.state == State::Requesting && slot.current.sent_bytes == 0 && slot.is_reused
    }
}
