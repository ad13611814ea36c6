//! The trait by which a link drives a session whose connection several requests share.
//!
//! Each of a session's slots carries one request at a time. Over HTTP/1.1 a slot is a connection, and the driver speaks
//! with the session itself. Where requests share a connection, a slot is one of its lanes: the link between session and
//! driver has the connection, frames what the lanes send, and tells the session what came for each of them.

use super::slot::State;
use super::{Next, Session, sent};
use crate::driver::{Conversation, Failure};
use crate::http1::response::Head;
use crate::record::{ErrorKind, StreamUse};
use crate::schedule::Phase;

/// How often a request is asked again that the server did not process, where the connection has answered others.
const MOST_RETRIES: u8 = 100;

/// The same where it has answered none: a server that refuses all is not asked in a busy loop.
const MOST_RETRIES_UNANSWERED: u8 = 3;

/// The request that a lane is to send.
pub(crate) struct Asked<'s> {
    /// Its place among the requests.
    pub place: usize,
    /// It has the same text each time.
    pub is_fixed: bool,
    /// As HTTP/1.1 writes it.
    pub text: &'s [u8],
}

/// What came of some bytes of an answer.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Not all of it has come.
    Part,
    /// All of it: the next step, and whether the connection carries other requests.
    Answer { next: Next, stays: bool },
    /// They are none, and the connection is of no more use: the next step.
    Garbage(Next),
}

impl Session {
    /// How long a request may take, from its begin to its end.
    pub(crate) fn timeout_ns(&self) -> u64 {
        self.timeout_ns
    }

    /// Requests of the window that have failed so far.
    pub(crate) fn failures(&self) -> u64 {
        self.record.counters.failures
    }

    /// The lane shares a connection that another lane's connect has made. `is_older`: it was there before this lane wanted
    /// one, so that its end says nothing about the request.
    pub(crate) fn joined(&mut self, lane: usize, is_older: bool, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        self.has_connection(lane, is_older, now_ns)
    }

    /// A connect has succeeded, which began at `since_ns`.
    pub(crate) fn has_connected(&mut self, since_ns: u64, now_ns: u64) {
        if self.phase == Phase::Window {
            self.record.counters.connects += 1;
            self.record.connect_time.record(now_ns.saturating_sub(since_ns));
        }
    }

    /// What a lane has to send after [`Next::Send`], as HTTP/1.1 writes it.
    #[inline]
    pub(crate) fn text(&self, lane: usize) -> &[u8] {
        sent(&self.requests, &self.rendered, &self.slots[lane].current, lane)
    }

    /// The request that a lane has to send after [`Next::Send`].
    pub(crate) fn asked(&self, lane: usize) -> Asked<'_> {
        let current = &self.slots[lane].current;
        let is_fixed = self.requests[current.request].message.fixed(current.closes).is_some();
        Asked { place: current.request, is_fixed, text: self.text(lane) }
    }

    /// The kernel has taken the begin of the lane's request at `at_ns`; how much of the rest is not known.
    pub(crate) fn has_sent_all(&mut self, lane: usize, at_ns: u64) {
        let current = &mut self.slots[lane].current;
        if current.sent_ns > 0 {
            // It is counted already, and asked again.
            current.sent_ns = if current.is_further { current.sent_ns } else { at_ns };
            current.sent_bytes = current.bytes;
            return;
        }
        self.has_sent(lane, self.slots[lane].current.bytes, at_ns);
    }

    /// Bytes as they are on the wire.
    #[inline]
    pub(crate) fn count_bytes(&mut self, sent: usize, received: usize) {
        if self.phase == Phase::Window {
            self.record.counters.sent_bytes += sent as u64;
            self.record.counters.received_bytes += received as u64;
        }
    }

    /// Takes `input` up to the end of the answer to a lane's request, as HTTP/1.1 writes it. The phase is not over.
    /// `more_may_follow`: bytes behind the answer belong to the next lane's.
    #[inline]
    pub(crate) fn answer_bytes(
        &mut self,
        lane: usize,
        input: &mut &[u8],
        more_may_follow: bool,
        now_ns: u64,
    ) -> Heard {
        if self.slots[lane].current.sent_bytes == 0 {
            return Heard::Garbage(self.received_otherwise(lane, input, now_ns));
        }
        self.hear(lane, input, more_may_follow, false, now_ns)
    }

    /// Something of the answer to the lane's request has come.
    pub(crate) fn is_being_answered(&self, lane: usize) -> bool {
        let slot = &self.slots[lane];
        slot.state == State::Requesting && slot.first_byte_ns().is_some()
    }

    /// Bytes have come on a connection without a request. The phase is not over.
    pub(crate) fn unasked(&mut self, lane: usize, bytes: &[u8], now_ns: u64) {
        self.received_at_rest(lane, bytes, now_ns);
    }

    /// So many streams of a connection got an answer that nobody had asked for. `failure`: says what came.
    #[cold]
    pub(crate) fn unasked_streams(&mut self, streams: u64, failure: &Failure, now_ns: u64) {
        if self.phase == Phase::Window {
            self.record.counters.unasked += streams;
            self.explain(failure, now_ns);
        }
    }

    /// The lane's connection is of no more use.
    pub(crate) fn lane_lost(&mut self, lane: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.advance(now_ns);
        self.lose(lane, kind, now_ns)
    }

    /// The head of the answer to a lane's request.
    pub(crate) fn answer_head(&mut self, lane: usize, head: &Head<'_>, now_ns: u64) {
        let slot = &mut self.slots[lane];
        let expectation = &mut self.expectations[slot.current.request];
        slot.exchange.take_head(head, expectation, slot.current.row, now_ns);
    }

    /// A piece of the answer's body.
    pub(crate) fn answer_piece(&mut self, lane: usize, piece: &[u8], now_ns: u64) {
        if !self.is_plain {
            self.turn_to_events(lane);
        }
        let slot = &mut self.slots[lane];
        slot.exchange.take_piece(piece, &mut self.expectations[slot.current.request], now_ns);
    }

    /// The answer to a lane's message, whole: it began to come at `begun_ns`. `is_echo`: it is the message itself.
    #[inline]
    pub(crate) fn answer_message(
        &mut self,
        lane: usize,
        head: &Head<'_>,
        payload: &[u8],
        is_echo: bool,
        begun_ns: u64,
        now_ns: u64,
    ) -> Next {
        self.answer_head(lane, head, begun_ns);
        self.slots[lane].exchange.take_echo(is_echo);
        self.answer_piece(lane, payload, now_ns);
        self.answer_ends(lane, now_ns)
    }

    /// A copy of a message has come that was sent then.
    pub(crate) fn copy_came(&mut self, sent_ns: u64, now_ns: u64) {
        if self.phase == Phase::Window {
            self.record.copy_time.record(now_ns.saturating_sub(sent_ns));
        }
    }

    /// True if something is expected of the answer's trailer.
    pub(crate) fn keeps_trailer(&self, lane: usize) -> bool {
        self.expectations[self.slots[lane].current.request].keeps_trailer()
    }

    /// True if the head of an answer with this status is kept.
    pub(crate) fn keeps_head(&self, lane: usize, status: u16) -> bool {
        self.expectations[self.slots[lane].current.request].keeps_head(status)
    }

    /// A field of the trailer, which is kept.
    pub(crate) fn answer_trailer(&mut self, lane: usize, name: &str, value: &[u8]) {
        self.slots[lane].exchange.take_trailer(name.as_bytes(), value);
    }

    /// All of the answer has come.
    pub(crate) fn answer_ends(&mut self, lane: usize, now_ns: u64) -> Next {
        self.advance(now_ns);
        if self.phase == Phase::Over {
            return Next::Close;
        }
        self.whole_answer(lane, true, now_ns)
    }

    /// The lane's request has failed; its connection may be well.
    pub(crate) fn lane_failed(&mut self, lane: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.advance(now_ns);
        self.fail(lane, kind, now_ns)
    }

    /// True if the lane's request, which the server did not process, waits for a connection to be asked again: as old as it
    /// is, and with what is left of its timeout. False: that was so too often. `has_answered`: the connection has answered
    /// others.
    pub(crate) fn ask_again(&mut self, lane: usize, has_answered: bool, now_ns: u64) -> bool {
        self.advance(now_ns);
        let current = &mut self.slots[lane].current;
        let most = if has_answered { MOST_RETRIES } else { MOST_RETRIES_UNANSWERED };
        if self.phase == Phase::Over || current.retries >= most {
            return false;
        }
        current.retries += 1;
        let was_sent = std::mem::take(&mut current.sent_bytes) > 0;
        self.slots[lane].exchange.reset();
        if was_sent && self.phase == Phase::Window {
            self.record.counters.retried += 1;
        }
        self.connect(lane, State::Connecting, now_ns) == Next::Connect
    }

    /// How many streams of HTTP/2 were asked for, allowed and used.
    pub(crate) fn has_used(&mut self, streams: StreamUse) {
        self.record.streams = Some(streams);
    }

    /// Shows why requests fail, before they do.
    pub(crate) fn explain(&mut self, failure: &Failure, now_ns: u64) {
        if self.phase == Phase::Window {
            let Failure { kind, cause, explanation } = failure;
            self.record.examples.add_for(*kind, *cause, None, explanation.as_bytes(), now_ns);
            self.hide_in_examples();
        }
    }
}
