//! Requests beside the mix, each sent at a moment of its own, in place of none: what is asked of a server before the load
//! has to hold under it, too. On the wire they are requests like all others; they are in no figure of the load.

use std::collections::VecDeque;

use super::judge::{Beyond, Tally};
use super::slot::InFlight;
use super::{Next, Session};
use crate::record::{ErrorKind, SpotCheckOutcome};
use crate::schedule::Phase;
use crate::verify::{Answer, Expectation};

/// A thread sends at least so many requests of the mix for each spot check, so that these weigh little in what the server
/// does.
const REQUESTS_FOR_EACH: u64 = 100;

/// A thread's spot checks, the earliest first: when each is due, in nanoseconds since the window's opening, and its place
/// among the requests.
pub type PlannedSpotChecks = VecDeque<(u64, usize)>;

/// Those that have not been sent.
#[derive(Debug)]
pub(super) struct SpotChecks {
    planned: PlannedSpotChecks,
    opens_ns: u64,
    begun: u64,
    /// When the next one is due, on the run's clock.
    due_ns: u64,
}

impl SpotChecks {
    pub(super) fn new(planned: PlannedSpotChecks, opens_ns: u64) -> SpotChecks {
        let mut spot_checks = SpotChecks { planned, opens_ns, begun: 0, due_ns: 0 };
        spot_checks.look_ahead();
        spot_checks
    }

    /// The window opens at this moment, which is to come.
    pub(super) fn open_at(&mut self, opens_ns: u64) {
        self.opens_ns = opens_ns;
        self.look_ahead();
    }

    fn look_ahead(&mut self) {
        self.due_ns = self.planned.front().map_or(u64::MAX, |&(after_ns, _)| self.opens_ns + after_ns);
    }

    /// The next one, if there is room for it beside `sent` requests of the mix.
    fn take(&mut self, sent: u64) -> Option<usize> {
        if sent < (self.begun + 1) * REQUESTS_FOR_EACH {
            return None;
        }
        let (_, request) = self.planned.pop_front()?;
        self.begun += 1;
        self.look_ahead();
        Some(request)
    }
}

impl Session {
    /// The step of a connection without a request if a spot check is due, which it then sends.
    #[inline]
    pub(super) fn spot_check(&mut self, number: usize, now_ns: u64) -> Option<Next> {
        if now_ns < self.spot_checks.due_ns { None } else { self.due_spot_check(number, now_ns) }
    }

    #[cold]
    fn due_spot_check(&mut self, number: usize, now_ns: u64) -> Option<Next> {
        if self.phase != Phase::Window {
            return None;
        }
        let request = self.spot_checks.take(self.record.totals().sent)?;
        Some(self.give(number, request, now_ns, now_ns))
    }

    /// A spot check has ended without an answer.
    #[cold]
    pub(super) fn spot_check_failed(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        let slot = &self.slots[number];
        let times = slot.current.times(slot.first_byte_ns().unwrap_or(0), now_ns);
        self.record.spot_checked(SpotCheckOutcome::of(slot.current.request, times, Some(kind)));
    }
}

/// Verifies the answer to a spot check, and keeps its cookies. Gives what is wrong.
#[cold]
pub(super) fn judge_spot_check(
    answer: &Answer<'_>,
    expectation: &mut Expectation,
    asked: &InFlight,
    done_ns: u64,
    tally: Tally<'_>,
    beyond: Option<Beyond<'_>>,
) -> Option<ErrorKind> {
    let error = expectation.verify(answer, asked.row).wrong;
    let reason = error.and_then(|kind| expectation.reason(kind, answer, asked.row));
    if error.is_none() {
        for sighting in expectation.sightings() {
            tally.record.sighted(*sighting, asked.sent_ns);
        }
    }
    let outcome = SpotCheckOutcome::of(asked.request, asked.times(answer.first_byte_ns, done_ns), error);
    let mut outcome = outcome.answered(answer.status, answer.readable_body(), reason);
    if let Some(Beyond { variables, number, sent, .. }) = beyond {
        variables.take_cookies(number, sent, answer);
        if !variables.are_none() {
            outcome.hide(|text| variables.hidden(text));
        }
    }
    tally.record.spot_checked(outcome);
    error
}
