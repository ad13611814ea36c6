//! Sends a connection's setup requests before any request of the load, each time it is opened.
//!
//! A connection on which nothing is set up carries no request. One that a request waits for is under way, as one that
//! connects is: where a setup request fails, so does the request that waits, with the same kind of error and the same
//! pause before the next attempt. In a closed load that request begins when the connection is ready, so that its
//! response time has neither the connect nor the setup in it; in an open one it began when it was intended to.
//!
//! Without setup requests nothing of this is reached: an open connection's states are the same, and what a request costs,
//! too.

use std::sync::Arc;

use super::pace::Pace;
use super::slot::State;
use super::{Next, Session};
use crate::exchange::Received;
use crate::record::{ErrorKind, SetupCounts};
use crate::schedule::Phase;
use crate::setup_requests::SetupRequest;
use crate::variables::Variables;
use crate::verify::Expectation;

/// One thread's setup requests.
#[derive(Debug)]
pub struct SetupParts {
    /// In the order in which they are sent.
    pub requests: Arc<[SetupRequest]>,
    /// At the same places, what is expected of their answers.
    pub expectations: Vec<Expectation>,
    /// The number of this thread's first connection among those of all threads: each takes rows at its own number.
    pub first_connection: u64,
}

/// The setup of a thread's connections.
#[derive(Debug)]
pub(super) struct SetUp {
    parts: SetupParts,
    progress: Vec<Progress>,
}

/// How far a connection is.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// The place of the request whose answer is awaited.
    step: usize,
    out: Vec<u8>,
    sent_bytes: usize,
    /// The combined place of its rows.
    about: u64,
}

impl SetUp {
    pub(super) fn new(parts: SetupParts, connections: usize) -> SetUp {
        SetUp { parts, progress: vec![Progress::default(); connections] }
    }

    fn to_send(&self, number: usize) -> &[u8] {
        let progress = &self.progress[number];
        &progress.out[progress.sent_bytes..]
    }
}

/// What an answer came to.
enum Outcome {
    Partial,
    /// Right, and the connection stays open or not.
    Taken(bool),
    /// The kind of error, the status if there was an answer, and why, without a value.
    Failed(ErrorKind, Option<u16>, String),
}

impl Session {
    /// The connection is open, and everything is set up before it is used.
    pub(super) fn begin_set_up(&mut self, number: usize, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        slot.state = if slot.state == State::Opening { State::SettingUpAhead } else { State::SettingUp };
        if let Some(set_up) = &mut self.set_up {
            set_up.progress[number].step = 0;
        }
        self.send_set_up(number, now_ns)
    }

    fn send_set_up(&mut self, number: usize, now_ns: u64) -> Next {
        let Some(set_up) = &mut self.set_up else { return Next::Wait };
        let progress = &mut set_up.progress[number];
        let message = &set_up.parts.requests[progress.step].encoded.message;
        progress.out.clear();
        progress.sent_bytes = 0;
        self.renderer.variables.turn_to(number);
        let place = set_up.parts.first_connection + number as u64;
        progress.about = message.render_at(place, &mut self.renderer, &mut progress.out);
        self.slots[number].exchange.reset();
        self.deadlines.set(number, now_ns + self.timeout_ns);
        Next::Send
    }

    /// What is left to send on a connection that carries no request of the load.
    #[cold]
    pub(super) fn set_up_to_send(&self, number: usize) -> &[u8] {
        match &self.set_up {
            Some(set_up) if self.slots[number].state.is_setting_up() => set_up.to_send(number),
            _ => &[],
        }
    }

    /// The kernel has taken bytes; true if they were a setup request's.
    pub(super) fn handed_over_set_up(&mut self, number: usize, bytes: usize) -> bool {
        let Some(set_up) = &mut self.set_up else { return false };
        if !self.slots[number].state.is_setting_up() {
            return false;
        }
        let progress = &mut set_up.progress[number];
        let is_first = progress.sent_bytes == 0;
        progress.sent_bytes += bytes;
        if is_first {
            self.setup_counts().sent += 1;
        }
        true
    }

    /// Bytes of the answer to a setup request. The phase is not over.
    pub(super) fn received_set_up(
        &mut self,
        number: usize,
        bytes: &[u8],
        peer_closes: bool,
        now_ns: u64,
    ) -> Next {
        match self.set_up_outcome(number, bytes, now_ns) {
            Outcome::Partial => Next::Wait,
            Outcome::Failed(kind, status, reason) => self.fail_set_up(number, kind, status, &reason, now_ns),
            Outcome::Taken(stays) => {
                self.setup_counts().verified += 1;
                if !stays || peer_closes {
                    let reason = "the connection was closed behind the answer, and is to carry the load";
                    return self.fail_set_up(number, ErrorKind::Closed, None, reason, now_ns);
                }
                let Some(set_up) = &mut self.set_up else { return Next::Wait };
                set_up.progress[number].step += 1;
                if set_up.progress[number].step < set_up.parts.requests.len() {
                    return self.send_set_up(number, now_ns);
                }
                self.end_set_up(number, now_ns)
            }
        }
    }

    fn set_up_outcome(&mut self, number: usize, bytes: &[u8], now_ns: u64) -> Outcome {
        let failed = |kind, text: &str| Outcome::Failed(kind, None, text.to_owned());
        let Some(set_up) = &mut self.set_up else { return Outcome::Partial };
        let Progress { step, sent_bytes, about, out } = &set_up.progress[number];
        if *sent_bytes == 0 {
            return failed(ErrorKind::Protocol, "bytes came before it was sent");
        }
        let request = &set_up.parts.requests[*step];
        let expectation = &mut set_up.parts.expectations[*step];
        let (mut input, is_head) = (bytes, request.encoded.is_head);
        let exchange = &mut self.slots[number].exchange;
        match exchange.receive(&mut input, is_head, false, expectation, *about, now_ns) {
            Received::Partial => Outcome::Partial,
            Received::Broken(broken) => {
                let reason = format!("what came is no answer: {}", broken.cause.name());
                Outcome::Failed(ErrorKind::Protocol, broken.status, reason)
            }
            Received::Complete(answer) => {
                let failed = |kind, reason| Outcome::Failed(kind, Some(answer.status), reason);
                if let Some(kind) = expectation.verify(&answer, *about).wrong {
                    return failed(kind, "the answer is not as expected".to_owned());
                }
                let is_whole = answer.body_bytes == answer.body.len() as u64;
                for taking in &request.takes {
                    if taking.is_in_body() && !is_whole {
                        return failed(
                            ErrorKind::WrongLength,
                            "the body is too long to be looked at".to_owned(),
                        );
                    }
                    let kind =
                        if taking.is_in_body() { ErrorKind::WrongBody } else { ErrorKind::WrongHeader };
                    let taken = taking
                        .value(answer.head, answer.body)
                        .and_then(|cell| self.renderer.variables.take(number, taking.variable, &cell));
                    if let Err(reason) = taken {
                        return failed(kind, reason);
                    }
                }
                Outcome::Taken(answer.reusable && *sent_bytes == out.len())
            }
        }
    }

    /// The connection is ready for the load.
    fn end_set_up(&mut self, number: usize, now_ns: u64) -> Next {
        self.setup_counts().completed += 1;
        let slot = &mut self.slots[number];
        if slot.state == State::SettingUpAhead {
            return self.free(number, now_ns);
        }
        if let Some(next) = self.drop_late(number, now_ns) {
            return next;
        }
        let slot = &self.slots[number];
        let intended_ns =
            if matches!(self.pace, Pace::Closed(_)) { now_ns } else { slot.current.intended_ns };
        let request = slot.current.request;
        self.give(number, request, intended_ns, now_ns)
    }

    fn fail_set_up(
        &mut self,
        number: usize,
        kind: ErrorKind,
        status: Option<u16>,
        reason: &str,
        now_ns: u64,
    ) -> Next {
        if self.phase == Phase::Window
            && let Some(set_up) = &self.set_up
        {
            let name = &set_up.parts.requests[set_up.progress[number].step].name;
            // Nothing that came is shown: answers to setup requests hold credentials.
            self.record
                .examples
                .add_because(kind, status, b"", now_ns, || Some(format!("setup {name}: {reason}")));
        }
        self.fail(number, kind, now_ns)
    }

    /// A connection that was being set up is of no more use.
    pub(super) fn count_failed_set_up(&mut self, kind: ErrorKind) {
        self.setup_counts().failures.add(kind);
    }

    fn setup_counts(&mut self) -> &mut SetupCounts {
        self.record.setup.get_or_insert_default()
    }

    /// No example that was kept since the last call shows a variable's value.
    #[cold]
    pub(super) fn hide_in_examples(&mut self) {
        if self.set_up.is_some() {
            let variables: &Variables = &self.renderer.variables;
            self.record.examples.hide(|text| variables.hidden(text));
        }
    }
}
