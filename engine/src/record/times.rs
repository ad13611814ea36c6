//! Times of requests, by kind: of complete answers, and lower bounds of those that nobody awaited to the end.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::exact;

/// A mix of more kinds has no times by kind: those of one take 540 KB in each thread.
const MOST_KINDS: usize = 16;

/// Times of requests.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Times {
    /// From sending to the last byte, or to the moment at which it was awaited no longer.
    #[serde(with = "exact")]
    pub service: Distribution,
    /// From the intended start to the same.
    #[serde(with = "exact")]
    pub response: Distribution,
}

impl Times {
    fn merge(&mut self, other: &Times) {
        self.service.merge(&other.service);
        self.response.merge(&other.response);
    }
}

/// Times by kind. Each answer is recorded once: the times of all kinds are the sum of these.
#[derive(Debug, Deserialize, Serialize)]
pub struct TimesByKind(
    /// By kind; a single one for all if there is a single kind, or too many.
    Vec<Times>,
);

impl TimesByKind {
    /// No times of so many kinds.
    pub fn new(kinds: usize) -> TimesByKind {
        let apart = if kinds <= MOST_KINDS { kinds } else { 1 };
        // Not a clone of one: memory that is never written to is never used.
        TimesByKind((0..apart).map(|_| Times::default()).collect())
    }

    /// Adds the times of an answer to a request of this kind.
    #[inline]
    pub fn record(&mut self, kind: usize, service_ns: u64, response_ns: u64) {
        let times = self.place(kind);
        times.service.record(service_ns);
        times.response.record(response_ns);
    }

    /// Adds a request of this kind that was not answered for so long. `service_ns`: `None` if it never was sent.
    #[cold]
    pub fn record_at_least(&mut self, kind: usize, service_ns: Option<u64>, response_ns: u64) {
        let times = self.place(kind);
        if let Some(service_ns) = service_ns {
            times.service.record_at_least(service_ns);
        }
        times.response.record_at_least(response_ns);
    }

    #[inline]
    fn place(&mut self, kind: usize) -> &mut Times {
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
        let mut total = Times::default();
        self.0.iter().for_each(|times| total.merge(times));
        total
    }

    /// Of one kind; `None` if there is a single kind, or too many.
    pub fn of(&self, kind: usize) -> Option<&Times> {
        self.0.get(kind).filter(|_| self.0.len() > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads' answers: the kind and the response time in microseconds. Service times are half as long.
    fn of_two_threads(kinds: usize, answers: &[(usize, u64)]) -> TimesByKind {
        let mut threads = [TimesByKind::new(kinds), TimesByKind::new(kinds)];
        for (nth, &(kind, microseconds)) in answers.iter().enumerate() {
            threads[nth % 2].record(kind, microseconds * 500, microseconds * 1000);
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
        }
        times
    }

    fn assert_same(times: &Times, expected: &Times) {
        for (one, other) in [(&times.service, &expected.service), (&times.response, &expected.response)] {
            assert_eq!(serde_json::to_value(one).unwrap(), serde_json::to_value(other).unwrap());
        }
    }

    #[test]
    fn each_kind_has_its_own_times_and_their_sum_is_the_whole_in_every_bin() {
        let answers: Vec<(usize, u64)> =
            (1..=3000).map(|nth| (nth as usize % 3, nth * nth % 5000 + 1)).collect();
        let times = of_two_threads(3, &answers);
        for kind in 0..3 {
            let own = alone(answers.iter().filter(|(of, _)| *of == kind));
            assert_same(times.of(kind).unwrap(), &own);
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
