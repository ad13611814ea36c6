//! Whether slow answers come one by one or together.
//!
//! A pause of the server holds up all requests that are in flight, so that a hundred slow answers may be the work of five
//! pauses: a percentile then rests on five samples and not on a hundred.

use serde::{Serialize, Serializer};

use super::buckets::BUCKETS;
use super::distribution::PERCENTILES;
use super::series::Second;

/// For each percentile of a summary, by how much the share of answers above it varies from second to second: the index of
/// dispersion (Pearson's statistic over its degrees of freedom; D. R. Cox and P. A. W. Lewis, *The Statistical Analysis of
/// Series of Events* (1966)). Independent answers have about 1, and answers that are slow c at a time about c. `None`:
/// fewer than two seconds had answers, or none lies above.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TailDispersion([Option<f64>; PERCENTILES.len()]);

impl TailDispersion {
    /// Of full seconds. The limit between the answers is a bucket's, the one that leaves the share above it nearest to
    /// the percentile's and not larger.
    pub(super) fn of(seconds: &[Second]) -> TailDispersion {
        let mut totals = vec![0; BUCKETS];
        for &(bucket, count) in seconds.iter().flat_map(|second| &second.buckets) {
            totals[usize::from(bucket)] += u64::from(count);
        }
        TailDispersion(PERCENTILES.map(|(_, percentile)| {
            let limit = lowest_above(&totals, 1.0 - percentile / 100.0)?;
            index_of_dispersion(seconds, limit)
        }))
    }
}

impl Serialize for TailDispersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(PERCENTILES.iter().map(|(name, _)| name).zip(self.0))
    }
}

/// Of the answers from the bucket `limit` on.
fn index_of_dispersion(seconds: &[Second], limit: usize) -> Option<f64> {
    let counts: Vec<(f64, f64)> =
        seconds.iter().map(|second| above(second, limit)).filter(|&(answers, _)| answers > 0.0).collect();
    if counts.len() < 2 {
        return None;
    }
    let (answers, slow) = counts.iter().fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
    let expected = slow / answers;
    let variance = |answers: f64| answers * expected * (1.0 - expected);
    let pearson: f64 =
        counts.iter().map(|&(answers, slow)| (slow - answers * expected).powi(2) / variance(answers)).sum();
    Some(pearson / (counts.len() - 1) as f64)
}

/// The lowest bucket such that no more than this share of all answers is in it and in those above it; `None`: even the
/// highest that is not empty holds more.
fn lowest_above(totals: &[u64], share: f64) -> Option<usize> {
    // Rounded, as 1 - 0.9 is less than a tenth.
    let most = (share * totals.iter().sum::<u64>() as f64 + 1e-6) as u64;
    let (mut seen, mut limit) = (0, None);
    for (bucket, &count) in totals.iter().enumerate().rev().filter(|&(_, &count)| count > 0) {
        seen += count;
        if seen > most {
            break;
        }
        limit = Some(bucket);
    }
    limit
}

/// A second's answers, and those from the bucket `limit` on.
fn above(second: &Second, limit: usize) -> (f64, f64) {
    second.buckets.iter().fold((0.0, 0.0), |(answers, slow), &(bucket, count)| {
        let count = f64::from(count);
        (answers + count, if usize::from(bucket) >= limit { slow + count } else { slow })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Series;
    use super::super::series::SECOND_NS;
    use super::*;

    const WINDOW_SECONDS: u64 = 20;

    fn p99(dispersion: TailDispersion) -> Option<f64> {
        let place = PERCENTILES.iter().position(|&(name, _)| name == "99").unwrap();
        dispersion.0[place]
    }

    /// A thousand answers a second, of which every `each`-th makes `together` of them slow.
    fn windows(each: u64, together: u64) -> TailDispersion {
        let mut series = Series::default();
        let (mut state, mut slow) = (1_u64, 0);
        for nth in 0..1000 * WINDOW_SECONDS {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (state >> 33) % each == 0 {
                slow = together;
            }
            let response_ns = if slow > 0 { 50_000_000 + (state >> 40) } else { 1_000_000 + (state >> 44) };
            slow = slow.saturating_sub(1);
            series.answer(nth * SECOND_NS / 1000, response_ns);
        }
        series.tail_dispersion(WINDOW_SECONDS * SECOND_NS)
    }

    #[test]
    fn it_is_the_number_of_answers_that_are_slow_together() {
        let alone = p99(windows(105, 1)).unwrap();
        let by_twenty = p99(windows(2100, 20)).unwrap();
        assert!((0.4..2.2).contains(&alone), "{alone}");
        assert!((8.0..44.0).contains(&by_twenty), "{by_twenty}");
        assert!(by_twenty / alone > 5.0);
    }

    #[test]
    fn it_is_unknown_without_two_full_seconds_and_without_an_answer_above() {
        let mut series = Series::default();
        assert_eq!(series.tail_dispersion(0), TailDispersion::default());
        for nth in 0..3000 {
            series.answer(nth * SECOND_NS / 1000, 1_000_000);
        }
        // All are alike: none lies above another.
        assert_eq!(series.tail_dispersion(3 * SECOND_NS), TailDispersion::default());
        for nth in 3000..3010 {
            series.answer(nth * SECOND_NS / 1000, 2_000_000);
        }
        assert!(p99(series.tail_dispersion(4 * SECOND_NS)).is_some());
        assert_eq!(p99(series.tail_dispersion(2 * SECOND_NS - 1)), None);
    }
}
