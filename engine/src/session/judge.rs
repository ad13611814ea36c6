//! What becomes of a complete answer.

use crate::exchange::Answer;
use crate::record::{ExchangeTimes, Record, Totals};
use crate::verify::Expectation;

/// Verifies a complete answer and records it; `record` is `None` in the warm-up.
#[inline]
pub(super) fn judge(
    answer: &Answer<'_>,
    expectation: &mut Expectation,
    times: ExchangeTimes,
    record: Option<&mut Record>,
    totals: &Totals,
    opened_ns: u64,
) {
    let verdict = expectation.verify(answer);
    match verdict.wrong {
        None => totals.add_verified(),
        Some(_) => totals.add_error(),
    }
    let Some(record) = record else { return };
    record.answer(times, answer.body_bytes);
    record.checked_bodies += u64::from(verdict.checked_body);
    if let Some((id, is_known)) = verdict.picked {
        record.pick(id, is_known);
    }
    let since_opened_ns = times.done_ns - opened_ns;
    match verdict.wrong {
        None => record.verified(since_opened_ns),
        Some(kind) => {
            record.error(kind, since_opened_ns);
            record.example(kind, Some(answer.status), answer.body, times.done_ns);
        }
    }
}
