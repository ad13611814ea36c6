//! Times of requests, by kind: of complete answers, and lower bounds of those that nobody awaited to the end.

use serde::{Deserialize, Serialize};

use super::distribution::exact;
use super::{Distribution, ExchangeTimes, Unanswered};

/// A mix of more kinds has no times by kind: those of one take 1.1 MB in each thread.
const MOST_KINDS: usize = 16;

/// Times of requests.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// From sending to the last byte, or to the moment at which it was awaited no longer.
    pub service: Distribution,
    /// From the intended start to the same.
    pub response: Distribution,
    /// From sending to the answer's first byte, or to the moment at which it was awaited no longer.
    pub first_byte: Distribution,
}

/// Times of requests, as they are recorded: an answer that came at once has one time for its first byte and for its last.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Recorded {
    #[serde(with = "exact")]
    response: Distribution,
    /// Both to the first byte and to the last, of answers that came in one piece.
    #[serde(with = "exact")]
    at_once: Distribution,
    /// Of all others.
    #[serde(with = "exact")]
    service: Distribution,
    #[serde(with = "exact")]
    first_byte: Distribution,
}

impl Recorded {
    fn merge(&mut self, other: &Recorded) {
        self.response.merge(&other.response);
        self.at_once.merge(&other.at_once);
        self.service.merge(&other.service);
        self.first_byte.merge(&other.first_byte);
    }

    fn conclude(&self) -> Times {
        let Recorded { response, at_once, service, first_byte } = self.clone();
        let mut times = Times { service, response, first_byte };
        times.service.merge(&at_once);
        times.first_byte.merge(&at_once);
        times
    }
}

/// Times by kind. Each answer is recorded once: the times of all kinds are the sum of these.
#[derive(Debug, Deserialize, Serialize)]
pub struct TimesByKind(
    /// By kind; a single one for all if there is a single kind, or too many.
    Vec<Recorded>,
);

impl TimesByKind {
    /// No times of so many kinds.
    pub fn new(kinds: usize) -> TimesByKind {
        let apart = if kinds <= MOST_KINDS { kinds } else { 1 };
        // Not a clone of one: memory that is never written to is never used.
        TimesByKind((0..apart).map(|_| Recorded::default()).collect())
    }

    /// Adds the times of an answer to a request of this kind.
    #[inline]
    pub fn record(&mut self, kind: usize, times: ExchangeTimes) {
        let ExchangeTimes { intended_ns, sent_ns, first_byte_ns, done_ns } = times;
        let place = self.place(kind);
        place.response.record(done_ns.saturating_sub(intended_ns));
        if first_byte_ns == done_ns {
            place.at_once.record(done_ns.saturating_sub(sent_ns));
            return;
        }
        place.service.record(done_ns.saturating_sub(sent_ns));
        place.first_byte.record(first_byte_ns.saturating_sub(sent_ns));
    }

    /// Adds a request of this kind that was not answered for so long. One that never was sent has no service time.
    #[cold]
    pub fn record_unanswered(&mut self, kind: usize, times: Unanswered) {
        let Unanswered { intended_ns, sent_ns, first_byte_ns, given_up_ns } = times;
        let place = self.place(kind);
        place.response.record_at_least(given_up_ns.saturating_sub(intended_ns));
        let Some(sent_ns) = sent_ns else { return };
        place.service.record_at_least(given_up_ns.saturating_sub(sent_ns));
        match first_byte_ns {
            Some(first_byte_ns) => place.first_byte.record(first_byte_ns.saturating_sub(sent_ns)),
            None => place.first_byte.record_at_least(given_up_ns.saturating_sub(sent_ns)),
        }
    }

    #[inline]
    fn place(&mut self, kind: usize) -> &mut Recorded {
        let place = if self.0.len() == 1 { 0 } else { kind };
        &mut self.0[place]
    }

    /// Adds another thread's times of the same kinds.
    pub fn merge(&mut self, other: &TimesByKind) {
        for (times, added) in self.0.iter_mut().zip(&other.0) {
            times.merge(added);
        }
    }

    /// Of all kinds.
    pub fn total(&self) -> Times {
        let mut total = Recorded::default();
        self.0.iter().for_each(|times| total.merge(times));
        total.conclude()
    }

    /// Of one kind; `None` if there is a single kind, or too many.
    pub fn of(&self, kind: usize) -> Option<Times> {
        self.0.get(kind).filter(|_| self.0.len() > 1).map(Recorded::conclude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer after so long. It was sent after a half of it, and its first byte came a quarter later.
    fn after(microseconds: u64) -> ExchangeTimes {
        let part = |quarters: u64| microseconds * 250 * quarters;
        ExchangeTimes { intended_ns: 0, sent_ns: part(2), first_byte_ns: part(3), done_ns: part(4) }
    }

    /// Two threads' answers: the kind and the response time in microseconds.
    fn of_two_threads(kinds: usize, answers: &[(usize, u64)]) -> TimesByKind {
        let mut threads = [TimesByKind::new(kinds), TimesByKind::new(kinds)];
        for (nth, &(kind, microseconds)) in answers.iter().enumerate() {
            threads[nth % 2].record(kind, after(microseconds));
        }
        let [mut first, second] = threads;
        first.merge(&second);
        first
    }

    /// What the answers come to in distributions that know of no kinds.
    fn alone<'a>(answers: impl Iterator<Item = &'a (usize, u64)>) -> Times {
        let mut times = Times::default();
        for &(_, microseconds) in answers {
            times.service.record(microseconds * 500);
            times.response.record(microseconds * 1000);
            times.first_byte.record(microseconds * 250);
        }
        times
    }

    fn assert_same(times: &Times, expected: &Times) {
        let of = |times: &Times| [&times.service, &times.response, &times.first_byte].map(written);
        assert_eq!(of(times), of(expected));
    }

    fn written(times: &Distribution) -> serde_json::Value {
        serde_json::to_value(times).unwrap()
    }

    #[test]
    fn an_answer_in_one_piece_has_its_first_byte_with_its_last() {
        let mut times = TimesByKind::new(1);
        let at_once =
            |done_ns| ExchangeTimes { intended_ns: 0, sent_ns: 10, first_byte_ns: done_ns, done_ns };
        times.record(0, at_once(30));
        times.record(0, ExchangeTimes { first_byte_ns: 15, ..at_once(40) });
        times.record(0, at_once(50));
        let Times { service, response, first_byte } = times.total();
        let figures = |times: &Distribution| {
            let written = written(times);
            ["count", "min_seconds", "max_seconds"].map(|key| written[key].as_f64().unwrap())
        };
        assert_eq!(figures(&service), [3.0, 2e-8, 4e-8]);
        assert_eq!(figures(&response), [3.0, 3e-8, 5e-8]);
        assert_eq!(figures(&first_byte), [3.0, 5e-9, 4e-8]);
    }

    #[test]
    fn what_came_of_an_unanswered_request_is_exact_and_the_rest_a_lower_bound() {
        let mut times = TimesByKind::new(1);
        let never_sent = Unanswered { intended_ns: 0, sent_ns: None, first_byte_ns: None, given_up_ns: 900 };
        let silent = Unanswered { sent_ns: Some(100), ..never_sent };
        times.record_unanswered(0, never_sent);
        times.record_unanswered(0, silent);
        times.record_unanswered(0, Unanswered { first_byte_ns: Some(150), ..silent });
        let Times { service, response, first_byte } = times.total();
        assert_eq!((response.count(), service.count(), first_byte.count()), (3, 2, 2));
        let first_byte = serde_json::to_value(first_byte).unwrap();
        assert_eq!((&first_byte["min_seconds"], &first_byte["at_least"]["count"]), (&5e-8.into(), &1.into()));
        assert_eq!(serde_json::to_value(service).unwrap()["at_least"]["count"], 2);
    }

    #[test]
    fn each_kind_has_its_own_times_and_their_sum_is_the_whole_in_every_bin() {
        let answers: Vec<(usize, u64)> =
            (1..=3000).map(|nth| (nth as usize % 3, nth * nth % 5000 + 1)).collect();
        let times = of_two_threads(3, &answers);
        for kind in 0..3 {
            let own = alone(answers.iter().filter(|(of, _)| *of == kind));
            assert_same(&times.of(kind).unwrap(), &own);
        }
        assert_same(&times.total(), &alone(answers.iter()));
    }

    #[test]
    fn one_kind_and_too_many_kinds_have_the_times_of_all_alone() {
        let answers = [(0, 10), (0, 20), (0, 4000)];
        let one = of_two_threads(1, &answers);
        assert!(one.of(0).is_none());
        assert_same(&one.total(), &alone(answers.iter()));
        let answers = [(0, 10), (MOST_KINDS, 20), (3, 4000)];
        let many = of_two_threads(MOST_KINDS + 1, &answers);
        assert!(many.of(0).is_none() && many.of(3).is_none());
        assert_same(&many.total(), &alone(answers.iter()));
        assert!(of_two_threads(MOST_KINDS, &[]).of(MOST_KINDS - 1).is_some());
    }
}
