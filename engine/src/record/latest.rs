//! The response times of the last full second, for whoever watches a run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::series::{SECOND_NS, Second};

/// An older second says nothing about now. One second less and a thread that has little to do would be left out: it
/// closes a second with the first request that ends in the next one.
const OLDEST: u64 = 2;

/// The last second of the window that one thread has closed. It is locked once a second by that thread, and once for each
/// progress event by the watching one.
#[derive(Debug, Default)]
pub struct LatestSecond(Mutex<Option<(u64, Second)>>);

/// Percentiles of response times; `None` without answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatestTimes {
    /// The median.
    pub p50_seconds: Option<f64>,
    /// The 99th percentile.
    pub p99_seconds: Option<f64>,
}

impl LatestSecond {
    /// The second of this number, from 0, is over.
    pub(super) fn publish(&self, number: u64, second: Second) {
        *self.lock() = Some((number, second));
    }

    /// Nothing that panics happens under the lock, so what it guards is whole.
    fn lock(&self) -> MutexGuard<'_, Option<(u64, Second)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LatestTimes {
    /// Over all threads, of the newest second that one of them has closed. `since_opened_ns`: now.
    pub fn of<'a>(threads: impl Iterator<Item = &'a LatestSecond>, since_opened_ns: u64) -> LatestTimes {
        let closed: Vec<(u64, Second)> = threads.filter_map(|latest| latest.lock().clone()).collect();
        let newest = closed.iter().map(|&(number, _)| number).max();
        let Some(newest) = newest.filter(|newest| newest + OLDEST >= since_opened_ns / SECOND_NS) else {
            return LatestTimes::default();
        };
        let mut all = Second::default();
        closed.into_iter().filter(|&(number, _)| number == newest).for_each(|(_, second)| all.add(second));
        let point = all.conclude();
        LatestTimes { p50_seconds: point.p50_seconds, p99_seconds: point.p99_seconds }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::record::{Series, Totals};

    fn thread() -> (Arc<Totals>, Series) {
        let totals = Arc::new(Totals::default());
        let mut series = Series::default();
        series.tell(Arc::clone(&totals));
        (totals, series)
    }

    #[test]
    fn the_newest_closed_second_counts_over_all_threads_until_it_is_old() {
        let ((first, mut one), (second, mut other)) = (thread(), thread());
        let times = |at_ns: u64| LatestTimes::of([&first.latest, &second.latest].into_iter(), at_ns);
        for sample in 1..=100_u64 {
            let series = if sample % 2 == 0 { &mut one } else { &mut other };
            series.answer(sample, sample * 1_000_000);
        }
        assert_eq!(times(SECOND_NS), LatestTimes::default());
        one.answer(SECOND_NS, 7_000_000);
        other.answer(SECOND_NS, 7_000_000);
        let near = |figure: Option<f64>, expected: f64| (figure.unwrap() / expected - 1.0).abs() < 0.01;
        let found = times(SECOND_NS);
        assert!(near(found.p50_seconds, 0.050) && near(found.p99_seconds, 0.099), "{found:?}");
        one.error(2 * SECOND_NS);
        assert!(near(times(2 * SECOND_NS).p99_seconds, 0.007));
        assert!(times(4 * SECOND_NS - 1).p99_seconds.is_some());
        assert_eq!(times(4 * SECOND_NS), LatestTimes::default());
        other.error(4 * SECOND_NS);
        one.error(4 * SECOND_NS);
        assert_eq!(times(4 * SECOND_NS), LatestTimes::default());
    }
}
