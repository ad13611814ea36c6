//! Judges a complete answer, and counts it.

use super::set_up::judge_set_up;
use super::slot::InFlight;
use super::spot_checks::judge_spot_check;
use std::ops::Range;

use crate::http1::request::EncodedRequest;
use crate::record::{ErrorKind, Record, Totals};
use crate::redirects::is_redirect;
use crate::reference::{AskedInstance, NO_INSTANCE, ThreadReference};
use crate::variables::Variables;
use crate::verify::{Answer, Expectation};

/// Where answers are counted.
pub(super) struct Tally<'s> {
    pub record: &'s mut Record,
    /// Outside of it, little is recorded.
    pub in_window: bool,
    /// Requests with an intended start in it are those whose times are recorded.
    pub cohort: &'s Range<u64>,
    pub totals: &'s Totals,
    pub opened_ns: u64,
}

/// What else becomes of an answer, where more is to become of it.
pub(super) struct Beyond<'s> {
    /// What keeps answers, or compares them.
    pub reference: Option<&'s mut ThreadReference>,
    pub request: &'s EncodedRequest,
    /// Its bytes.
    pub sent: &'s [u8],
    /// Where the values go that are taken of it.
    pub variables: &'s mut Variables,
    /// The connection that it came on.
    pub number: usize,
    /// Under which the request is traced.
    pub trace_id: Option<u128>,
    /// Why the answer is wrong, if what leads to it says so.
    pub refusal: Option<(ErrorKind, String)>,
    /// The answer may hold a credential.
    pub is_hidden: bool,
}

impl Beyond<'_> {
    /// What is wrong with the answer beyond what its expectation said, and why.
    pub(super) fn object(
        &mut self,
        asked: &InFlight,
        answer: &Answer<'_>,
        wrong: Option<ErrorKind>,
    ) -> Option<(ErrorKind, String)> {
        self.variables.take_cookies(self.number, self.sent, answer);
        if self.refusal.is_some() {
            return self.refusal.take();
        }
        if let Some(reference) = self.reference.as_deref_mut()
            && !is_equal(reference, self.sent, asked, answer, wrong.is_some())
        {
            return Some((ErrorKind::WrongBody, "unequal to the reference's answer".to_owned()));
        }
        if wrong.is_some() {
            return None;
        }
        self.variables.take_all(self.number, &self.request.takes, answer).err()
    }
}

/// False if the answer passed its expectation and is unequal.
fn is_equal(
    reference: &mut ThreadReference,
    sent: &[u8],
    asked: &InFlight,
    answer: &Answer<'_>,
    is_wrong: bool,
) -> bool {
    // What fails its expectation is an error already: under load a server may say that it is overloaded.
    if asked.instance == NO_INSTANCE || (is_wrong && !reference.takes_wrong_answers()) {
        return true;
    }
    let InFlight { request, instance, row: about, .. } = *asked;
    reference.take(&AskedInstance { request, instance, about, sent }, answer)
}

/// Verifies a complete answer and counts it. Gives what is wrong.
#[inline]
pub(super) fn judge(
    answer: &Answer<'_>,
    expectation: &mut Expectation,
    asked: &InFlight,
    done_ns: u64,
    tally: Tally<'_>,
    mut beyond: Option<Beyond<'_>>,
) -> Option<ErrorKind> {
    expectation.took(done_ns.saturating_sub(asked.sent_ns));
    if !tally.record.is_of_mix(asked.request) {
        return match beyond {
            Some(beyond) if tally.record.is_setup(asked.request) => {
                judge_set_up(answer, expectation, asked, done_ns, tally, beyond)
            }
            beyond => judge_spot_check(answer, expectation, asked, done_ns, tally, beyond),
        };
    }
    let mut verdict = expectation.verify(answer, asked.row);
    let record = tally.record;
    let is_refused = beyond.as_ref().is_some_and(|beyond| beyond.refusal.is_some());
    if is_refused {
        // What was refused may be the answer to another request, and no row of this one.
        (verdict.checked_body, verdict.picked) = (false, None);
    }
    // An answer of which values are taken may hold credentials, and so may where a redirect leads, in head and body.
    let is_shown =
        beyond.as_ref().is_none_or(|beyond| !beyond.is_hidden) && !(is_refused && is_redirect(answer.status));
    let objection = beyond.as_mut().and_then(|beyond| {
        let trace_id = beyond.trace_id;
        let objection = beyond.object(asked, answer, verdict.wrong);
        if let Some(trace_id) = trace_id
            && verdict.wrong.is_none()
            && objection.is_none()
            && tally.cohort.contains(&asked.intended_ns)
        {
            let response_ns = done_ns.saturating_sub(asked.intended_ns);
            record.traced(trace_id, asked.request, response_ns, answer.status);
        }
        objection
    });
    if let Some((kind, _)) = &objection {
        verdict.wrong = Some(*kind);
    }
    match verdict.wrong {
        None => {
            tally.totals.add_verified();
            record.verified_in_run(asked.request);
        }
        Some(_) => tally.totals.add_error(),
    }
    if !tally.in_window {
        if tally.cohort.contains(&asked.intended_ns) {
            record.answer_of_cohort(asked.request, asked.times(answer.first_byte_ns, done_ns));
        }
        if verdict.wrong.is_none() {
            tally.totals.add_warming(done_ns.saturating_sub(asked.intended_ns));
        }
        return verdict.wrong;
    }
    if asked.intended_ns >= tally.cohort.start {
        record.answer_of_cohort(asked.request, asked.times(answer.first_byte_ns, done_ns));
    }
    let since_opened_ns = done_ns - tally.opened_ns;
    record.answer(
        asked.request,
        asked.times(answer.first_byte_ns, done_ns),
        answer.body_bytes,
        since_opened_ns,
    );
    record.counters.checked_bodies += u64::from(verdict.checked_body);
    record.counters.two_framings += u64::from(answer.has_two_framings);
    if let Some((id, is_known)) = verdict.picked {
        record.pick(id, is_known);
    }
    match verdict.wrong {
        None => {
            record.verified(asked.request, answer.status, since_opened_ns);
            for sighting in expectation.sightings() {
                record.sighted(*sighting, asked.sent_ns);
            }
            if verdict.checked_body && expectation.keeps_bodies() {
                match beyond {
                    Some(beyond) if beyond.variables.are_in(beyond.number, answer.body) => {
                        record.kept.leave_out()
                    }
                    _ => record.kept.keep(asked.request, answer.status, answer.body, answer.body_bytes),
                }
            }
        }
        Some(kind) => {
            record.wrong_answer(kind, since_opened_ns);
            if kind == ErrorKind::StatusGrpc
                && let Some((status, text)) = expectation.grpc_status(answer)
            {
                record.statuses.add(status, b"", if is_shown { text.as_bytes() } else { b"" });
            }
            let reason = || match objection {
                Some((_, reason)) => Some(reason),
                None => expectation.reason(kind, answer, asked.row),
            };
            let (head, body) =
                if is_shown { (answer.head, answer.readable_body()) } else { (&b""[..], &b""[..]) };
            if kind == ErrorKind::of_status(answer.status) {
                record.statuses.add(answer.status, head, body);
            }
            record.examples.add_because(kind, Some(answer.status), body, done_ns, reason);
        }
    }
    verdict.wrong
}
