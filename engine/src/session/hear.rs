//! Handles what comes on a connection: answers, bytes that are none, and its end.

use super::chain::Further;
use super::judge::{Beyond, Tally, judge};
use super::lanes::Heard;
use super::slot::{Slot, State};
use super::{Next, Session, sent};
use crate::driver::{Conversation, Failure};
use crate::exchange::Received;
use crate::record::ErrorKind;
use crate::schedule::Phase;

/// What comes of the answer to the current request.
enum Coming<'c, 'i> {
    /// Bytes, as [`Session::hear`] takes them.
    Bytes { input: &'c mut &'i [u8], more_may_follow: bool, peer_closes: bool },
    /// Its end. `stays`: the connection carries other requests.
    End { stays: bool },
}

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
        self.hear_of(number, Coming::Bytes { input, more_may_follow, peer_closes }, now_ns)
    }

    /// All of an answer has come whose end the bytes themselves do not say. The phase is not over.
    pub(super) fn whole_answer(&mut self, number: usize, stays: bool, now_ns: u64) -> Next {
        match self.hear_of(number, Coming::End { stays }, now_ns) {
            Heard::Part => Next::Wait,
            Heard::Answer { next, .. } | Heard::Garbage(next) => next,
        }
    }

    #[inline(always)]
    fn hear_of(&mut self, number: usize, coming: Coming<'_, '_>, now_ns: u64) -> Heard {
        let in_window = self.phase == Phase::Window;
        if !self.is_plain {
            self.turn_to_events(number);
        }
        let slot = &mut self.slots[number];
        let current = &slot.current;
        let expectation = &mut self.expectations[current.request];
        let (answer, stays) = match coming {
            Coming::End { stays } => (slot.exchange.whole(expectation), stays),
            Coming::Bytes { input, more_may_follow, peer_closes } => {
                let is_head = self.requests[current.request].is_head;
                let row = current.row;
                match slot.exchange.receive(input, is_head, more_may_follow, expectation, row, now_ns) {
                    Received::Partial => return Heard::Part,
                    Received::Complete(answer) => {
                        let may_stay = answer.reusable && current.is_sent() && !current.closes;
                        if peer_closes && may_stay && in_window {
                            self.record.counters.unannounced_closes += 1;
                        }
                        (answer, may_stay && !peer_closes)
                    }
                    Received::Broken(broken) => {
                        return Heard::Garbage(self.received_garbage(number, &broken, now_ns));
                    }
                }
            }
        };
        let mut refusal = None;
        let goes_on = stays || self.set_up.is_none();
        if !self.is_plain
            && let Some(chain) = &self.requests[current.request].chain
        {
            let sent = sent(&self.requests, &self.rendered, current, number);
            match chain.further(current, expectation, &answer, sent, goes_on) {
                Further::None => {}
                Further::Refused(reason) => refusal = Some((ErrorKind::of_status(answer.status), reason)),
                further => {
                    self.renderer.variables.take_cookies(number, sent, &answer);
                    return Heard::Answer { next: self.go_further(number, further, stays, now_ns), stays };
                }
            }
        }
        let answer = match &mut self.unpacker {
            Some(unpacker) => {
                let is_counted = in_window && self.record.is_of_mix(current.request);
                let counted = self.record.unpacking.as_mut().filter(|_| is_counted);
                unpacker.unpacked(current.request, answer, expectation, counted)
            }
            None => answer,
        };
        let tally = Tally {
            record: &mut self.record,
            in_window,
            cohort: &self.cohort,
            totals: &self.totals,
            opened_ns: self.timeline.opens_ns,
        };
        let is_renewal = current.is_renewal;
        let mut beyond = (!self.is_plain).then(|| Beyond {
            reference: self.reference.as_deref_mut(),
            request: &self.requests[current.request],
            sent: sent(&self.requests, &self.rendered, current, number),
            variables: &mut self.renderer.variables,
            number,
            trace_id: self.trace_ids.get(number).copied().flatten(),
            refusal,
            is_hidden: is_renewal || !self.requests[current.request].takes.is_empty(),
        });
        let (mut asked, mut expectation) = (current, expectation);
        if is_renewal && let Some(beyond) = &mut beyond {
            let Some(refusal) = beyond.renewal_refusal(current, expectation, &answer, goes_on) else {
                return Heard::Answer { next: self.go_further(number, Further::Again, stays, now_ns), stays };
            };
            beyond.refusal = Some(refusal);
            asked = &self.renewing[number];
            expectation = &mut self.expectations[asked.request];
        }
        let wrong = judge(&answer, expectation, asked, now_ns, tally, beyond);
        if is_renewal {
            self.take_up_step(number);
        }
        Heard::Answer { next: self.answered(number, stays, wrong, now_ns), stays }
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
        let Slot { state, current, is_reused, .. } = &self.slots[number];
        // Where a new connection is set up, what waits for it begins anew.
        let begins_anew = current.is_further && self.set_up.is_some();
        *state == State::Requesting && current.sent_bytes == 0 && *is_reused && !begins_anew
    }
}
