//! Judges a complete answer, and counts it.

use super::judge_spot_check;
use super::slot::InFlight;
use crate::record::{ErrorKind, Record, Totals};
use crate::reference::{AskedInstance, NO_INSTANCE, ThreadReference};
use crate::verify::{Answer, Expectation};

/// Where answers are counted.
pub(super) struct Tally<'s> {
    pub record: &'s mut Record,
    /// Outside of it, little is recorded.
    pub in_window: bool,
    /// Requests with an intended start from here on are of those whose times are recorded.
    pub cohort_from_ns: u64,
    pub totals: &'s Totals,
    pub opened_ns: u64,
}

/// What keeps answers, or compares them.
pub(super) struct Against<'s> {
    pub reference: &'s mut ThreadReference,
    /// The request's bytes.
    pub sent: &'s [u8],
}

impl Against<'_> {
    /// False if the answer passed its expectation and is unequal.
    fn take(self, asked: &InFlight, answer: &Answer<'_>, is_wrong: bool) -> bool {
        // What fails its expectation is an error already: under load a server may say that it is overloaded.
        if asked.instance == NO_INSTANCE || (is_wrong && !self.reference.takes_wrong_answers()) {
            return true;
        }
        let InFlight { request, instance, row: about, .. } = *asked;
        self.reference.take(&AskedInstance { request, instance, about, sent: self.sent }, answer)
    }
}

/// Verifies a complete answer and counts it. True if it is right.
#[inline]
pub(super) fn judge(
    answer: &Answer<'_>,
    expectation: &mut Expectation,
    asked: &InFlight,
    done_ns: u64,
    tally: Tally<'_>,
    against: Option<Against<'_>>,
) -> bool {
    if tally.record.is_spot_check(asked.request) {
        return judge_spot_check(answer, expectation, asked, done_ns, tally);
    }
    let mut verdict = expectation.verify(answer, asked.row);
    let record = tally.record;
    let is_equal = against.is_none_or(|against| against.take(asked, answer, verdict.wrong.is_some()));
    if !is_equal {
        verdict.wrong = Some(ErrorKind::WrongBody);
    }
    match verdict.wrong {
        None => {
            tally.totals.add_verified();
            record.verified_in_run(asked.request);
        }
        Some(_) => tally.totals.add_error(),
    }
    if asked.intended_ns >= tally.cohort_from_ns {
        record.answer_of_cohort(asked.request, asked.times(answer.first_byte_ns, done_ns));
    }
    if !tally.in_window {
        if verdict.wrong.is_none() {
            tally.totals.add_warming(done_ns.saturating_sub(asked.intended_ns));
        }
        return verdict.wrong.is_none();
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
            record.verified(asked.request, since_opened_ns);
            for sighting in expectation.sightings() {
                record.sighted(*sighting, asked.sent_ns);
            }
            if verdict.checked_body && expectation.keeps_bodies() {
                record.kept.keep(asked.request, answer.status, answer.body, answer.body_bytes);
            }
        }
        Some(kind) => {
            record.wrong_answer(kind, since_opened_ns);
            let reason = || match kind {
                ErrorKind::WrongBody if !is_equal => Some("unequal to the reference's answer".to_owned()),
                _ => expectation.reason(kind, answer, asked.row),
            };
            let body = answer.readable_body();
            record.examples.add_because(kind, Some(answer.status), body, done_ns, reason);
        }
    }
    verdict.wrong.is_none()
}
