//! Sends a connection's setup requests before any request of the load, each time it is opened.
//!
//! A connection on which nothing is set up carries no request of the load. One that a request waits for is under way, as
//! one that connects is: where a setup request fails, so does the request that waits, with the same kind of error and the
//! same pause before the next attempt. In a closed load that request begins when the connection is ready, so that its
//! response time has neither the connect nor the setup in it; in an open one it began when it was intended to.
//!
//! Setup requests stand behind those of the load and are sent as they are; what waits is put aside meanwhile.

use std::ops::Range;

use super::chain::remember;
use super::judge::{Beyond, Tally};
use super::pace::Pace;
use super::slot::{InFlight, State};
use super::{Next, Session};
use crate::record::{ErrorKind, SetupCounts};
use crate::schedule::Phase;
use crate::verify::{Answer, Expectation};

/// What a thread's connections send before anything else.
#[derive(Debug)]
pub struct SetupParts {
    /// Places among the requests, in the order in which they are sent.
    pub requests: Range<usize>,
    /// The number of this thread's first connection among those of all threads: each takes rows at its own number.
    pub first_connection: u64,
}

/// The setup of a thread's connections.
#[derive(Debug)]
pub(super) struct SetUp {
    pub(super) parts: SetupParts,
    /// By connection, the load's request that waits until it is ready.
    pub(super) waiting: Vec<InFlight>,
}

impl SetUp {
    pub(super) fn new(parts: SetupParts, connections: usize) -> SetUp {
        SetUp { parts, waiting: vec![InFlight::default(); connections] }
    }
}

impl Session {
    /// The connection is open, and everything is set up before it is used.
    pub(super) fn begin_set_up(&mut self, number: usize, now_ns: u64) -> Next {
        let Some(set_up) = &mut self.set_up else { return Next::Wait };
        let slot = &mut self.slots[number];
        slot.state = if slot.state == State::Opening { State::SettingUpAhead } else { State::SettingUp };
        set_up.waiting[number] = slot.current;
        let first = set_up.parts.requests.start;
        self.send_set_up(number, first, now_ns)
    }

    fn send_set_up(&mut self, number: usize, request: usize, now_ns: u64) -> Next {
        let Some(set_up) = &self.set_up else { return Next::Wait };
        let message = &self.requests[request].message;
        let (row, bytes) = match message.fixed(false) {
            Some(bytes) => (0, bytes.len()),
            None => {
                let rendered = &mut self.rendered[number];
                rendered.clear();
                self.renderer.variables.turn_to(number);
                let place = set_up.parts.first_connection + number as u64;
                let (row, bytes) = (message.render_at(place, &mut self.renderer, rendered), rendered.len());
                remember(&self.requests[request], number, row, &self.renderer, &mut self.drawn);
                (row, bytes)
            }
        };
        let slot = &mut self.slots[number];
        slot.current = InFlight { request, row, bytes, ..InFlight::default() };
        slot.exchange.reset();
        self.deadlines.set(number, now_ns + self.timeout_ns);
        Next::Send
    }

    /// The answer to a setup request is complete and judged.
    pub(super) fn answered_set_up(
        &mut self,
        number: usize,
        stays: bool,
        wrong: Option<ErrorKind>,
        now_ns: u64,
    ) -> Next {
        if let Some(kind) = wrong {
            return self.fail(number, kind, now_ns);
        }
        if !stays {
            let reason = "the connection was closed behind the answer, and is to carry the load";
            return self.fail_set_up(number, ErrorKind::Closed, None, reason, now_ns);
        }
        let following = self.slots[number].current.request + 1;
        if following < self.requests.len() {
            return self.send_set_up(number, following, now_ns);
        }
        self.end_set_up(number, now_ns)
    }

    /// The connection is ready for the load.
    fn end_set_up(&mut self, number: usize, now_ns: u64) -> Next {
        self.setup_counts().completed += 1;
        let is_ahead = self.slots[number].state == State::SettingUpAhead;
        self.take_up_again(number);
        if is_ahead {
            return self.free(number, now_ns);
        }
        if let Some(next) = self.drop_late(number, now_ns) {
            return next;
        }
        let InFlight { request, intended_ns, .. } = self.slots[number].current;
        let intended_ns = if matches!(self.pace, Pace::Closed(_)) { now_ns } else { intended_ns };
        self.give(number, request, intended_ns, now_ns)
    }

    /// A connection has what waited for it in the place of its setup request.
    fn take_up_again(&mut self, number: usize) {
        if let Some(set_up) = &self.set_up {
            self.slots[number].current = set_up.waiting[number];
        }
    }

    /// A setup request has failed for this reason, which quotes nothing that came: answers hold credentials.
    pub(super) fn fail_set_up(
        &mut self,
        number: usize,
        kind: ErrorKind,
        status: Option<u16>,
        reason: &str,
        now_ns: u64,
    ) -> Next {
        if self.phase == Phase::Window {
            let name = &self.requests[self.slots[number].current.request].name;
            let reason = || Some(format!("setup {name}: {reason}"));
            self.record.examples.add_because(kind, status, b"", now_ns, reason);
        }
        self.fail(number, kind, now_ns)
    }

    /// A connection that was being set up is of no more use.
    pub(super) fn count_failed_set_up(&mut self, number: usize, kind: ErrorKind) {
        self.setup_counts().failures.add(kind);
        self.take_up_again(number);
    }

    fn setup_counts(&mut self) -> &mut SetupCounts {
        self.record.setup.get_or_insert_default()
    }

    /// No example that was kept since the last call shows a variable's value.
    #[cold]
    pub(super) fn hide_in_examples(&mut self) {
        let variables = &self.renderer.variables;
        if !variables.are_none() {
            self.record.examples.hide(|text| variables.hidden(text));
            self.record.statuses.hide(|text| variables.hidden(text));
        }
    }
}

/// Verifies the answer to a setup request, and takes what it has. Gives what is wrong.
#[cold]
pub(super) fn judge_set_up(
    answer: &Answer<'_>,
    expectation: &mut Expectation,
    asked: &InFlight,
    done_ns: u64,
    tally: Tally<'_>,
    mut beyond: Beyond<'_>,
) -> Option<ErrorKind> {
    let name = &beyond.request.name;
    let wrong = expectation.verify(answer, asked.row).wrong;
    let (kind, reason) = match (wrong, beyond.object(asked, answer, wrong)) {
        (_, Some(objection)) => objection,
        (Some(kind), None) => (kind, "the answer is not as expected".to_owned()),
        (None, None) => {
            tally.record.verified_in_run(asked.request);
            return None;
        }
    };
    if tally.in_window {
        let reason = || Some(format!("setup {name}: {reason}"));
        tally.record.examples.add_because(kind, Some(answer.status), b"", done_ns, reason);
    }
    Some(kind)
}
