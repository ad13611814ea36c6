//! One connection of a shaped target: requests that are complete, and their answers in order.

use std::collections::VecDeque;

use rustix::io::Errno;

use super::answers::{Answers, Variant};
use super::shape::Shape;
use super::transport::Transport;
use super::{Drawn, Tally};
use crate::clock::now_ns;
use crate::target::plain::MOST_OWED;
use crate::target::request::{Asked, Refusal, RequestReader, Reuse};
use crate::target::serve::PeerState;

/// A request that is complete, and what becomes of it.
struct Pending {
    asked: Asked,
    /// When its last byte was read.
    complete_ns: u64,
    drawn: Drawn,
}

/// What a connection is in the middle of.
pub(in crate::target) struct Peer {
    pub(super) transport: Transport,
    /// Answers to give, the first perhaps in part.
    pending: VecDeque<Pending>,
    /// Bytes of the first pending answer that are handed over.
    sent_bytes: usize,
    /// Part of a head.
    carry: Vec<u8>,
    /// What is left of the body of the request in `unfinished`.
    body_left: u64,
    /// Its head has been read.
    unfinished: Option<Asked>,
    /// Nothing more is read: the peer has ended, or its last request was its last.
    is_input_over: bool,
    /// Sent after all answers.
    refusal: Option<Refusal>,
    /// The timer that is set.
    timer_ns: Option<u64>,
    /// When [`Peer::give_out`] last looked at the clock. What became due since then still wants a timer.
    looked_ns: u64,
}

impl Peer {
    pub(super) fn new(transport: Transport) -> Peer {
        Peer {
            transport,
            pending: VecDeque::new(),
            sent_bytes: 0,
            carry: Vec::new(),
            body_left: 0,
            unfinished: None,
            is_input_over: false,
            refusal: None,
            timer_ns: None,
            looked_ns: 0,
        }
    }

    /// Reading goes on.
    pub(super) fn wants_input(&self) -> bool {
        !self.is_input_over && (self.pending.len() as u64) < MOST_OWED
    }

    pub(super) fn end_input(&mut self) {
        self.is_input_over = true;
    }

    /// The timer to set, if it is not yet.
    pub(super) fn timer_to_set(&mut self) -> Option<u64> {
        let now = self.looked_ns;
        let first = self.pending.front()?;
        let due_ns = first.complete_ns + first.drawn.delay_ns;
        let next_ns = if now < due_ns { due_ns } else { due_ns + first.drawn.shape.next_ns(now - due_ns)? };
        let is_new = self.timer_ns.is_none_or(|timer_ns| timer_ns <= now || next_ns < timer_ns);
        is_new.then(|| {
            self.timer_ns = Some(next_ns);
            next_ns
        })
    }

    /// Finds the requests in `input`. `draw` is asked what becomes of each.
    pub(super) fn take_in(
        &mut self,
        input: &[u8],
        reader: &mut RequestReader,
        mut draw: impl FnMut() -> Drawn,
    ) {
        let now = now_ns();
        let joined;
        let mut input = if self.carry.is_empty() {
            input
        } else {
            self.carry.extend_from_slice(input);
            joined = std::mem::take(&mut self.carry);
            &joined
        };
        loop {
            let skipped = self.body_left.min(input.len() as u64);
            self.body_left -= skipped;
            input = &input[skipped as usize..];
            if self.body_left > 0 {
                return;
            }
            if let Some(asked) = self.unfinished.take() {
                self.pending.push_back(Pending { asked, complete_ns: now, drawn: draw() });
                self.is_input_over |= asked.reuse == Reuse::Close;
            }
            if input.is_empty() || self.is_input_over {
                return;
            }
            match reader.read(input) {
                Ok(Some(request)) => {
                    input = &input[request.head_bytes..];
                    self.body_left = request.body_bytes;
                    self.unfinished = Some(request.asked);
                }
                Ok(None) => {
                    self.carry = input.to_vec();
                    return;
                }
                Err(refusal) => {
                    self.refusal = Some(refusal);
                    self.is_input_over = true;
                }
            }
        }
    }

    /// Hands over what may go out now.
    pub(super) fn give_out(&mut self, answers: &mut Answers, tally: &mut Tally) -> PeerState {
        while let Some(first) = self.pending.front() {
            let now = now_ns();
            self.looked_ns = now;
            let due_ns = first.complete_ns + first.drawn.delay_ns;
            let Some(elapsed_ns) = now.checked_sub(due_ns) else { return PeerState::Open };
            let shape = first.drawn.shape;
            if shape == Shape::Reset {
                tally.fault(first.drawn.fate);
                self.transport.reset_at_end();
                return PeerState::Ended;
            }
            let answer = answers.get(first.asked, Variant::of(first.drawn.fate));
            let allowed = shape.allowed(answer.head_bytes, answer.bytes.len(), elapsed_ns);
            while self.sent_bytes < allowed {
                match self.transport.write(&answer.bytes[self.sent_bytes..allowed]) {
                    Ok(bytes) => self.sent_bytes += bytes,
                    Err(Errno::AGAIN) => return PeerState::Open,
                    Err(_) => return PeerState::Ended,
                }
            }
            match self.transport.flush() {
                Ok(()) => {}
                Err(Errno::AGAIN) => return PeerState::Open,
                Err(_) => return PeerState::Ended,
            }
            if shape == Shape::Cut {
                tally.fault(first.drawn.fate);
                return PeerState::Ended;
            }
            if allowed < answer.bytes.len() {
                return PeerState::Open;
            }
            tally.fault(first.drawn.fate);
            tally.answered(first.complete_ns, now_ns());
            let is_last = first.asked.reuse == Reuse::Close;
            self.sent_bytes = 0;
            self.pending.pop_front();
            if is_last {
                self.transport.finish();
                return PeerState::Ended;
            }
        }
        if let Some(Refusal(answer)) = self.refusal.take() {
            let _ = self.transport.write(answer);
        }
        if self.is_input_over {
            self.transport.finish();
            return PeerState::Ended;
        }
        PeerState::Open
    }
}
