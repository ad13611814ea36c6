//! What happened in each second of the window.
//!
//! Response times go into a small histogram that is emptied every second: log-linear, 64 buckets to a power of two, so
//! that a percentile is within 1% of the sample. What a second's buckets held is kept in a list, for the seconds of several
//! threads become one before their percentiles are taken.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Totals;

pub(super) const SECOND_NS: u64 = 1_000_000_000;

/// Buckets to a power of two, as a power of two. Below 2 × 64 ns every nanosecond has its own.
const BUCKET_BITS: u32 = 6;

/// Nothing is told apart above 2^42 ns, about 73 minutes.
const HIGHEST_BIT: u32 = 42;

const BUCKETS: usize = ((HIGHEST_BIT - BUCKET_BITS + 1) << BUCKET_BITS) as usize;

/// One second, as a summary holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SeriesPoint {
    /// Verified answers.
    pub verified: u64,
    /// Errors of all kinds.
    pub errors: u64,
    /// Median of the response times.
    pub p50_seconds: Option<f64>,
    /// 99th percentile of the response times.
    pub p99_seconds: Option<f64>,
    /// Longest response time.
    pub max_seconds: Option<f64>,
}

/// One second, before its percentiles are taken.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Second {
    verified: u64,
    errors: u64,
    max_ns: u64,
    /// Buckets that are not empty, ascending, and what they hold.
    buckets: Vec<(u16, u32)>,
}

/// The seconds of one thread's window. Moments must not fall from call to call.
#[derive(Debug)]
pub struct Series {
    seconds: Vec<Second>,
    /// Of the last second.
    counts: Box<[u32]>,
    /// No count lies below or above.
    touched: (usize, usize),
    /// The last second's end.
    ends_ns: u64,
    /// Is told each second that is over.
    told: Option<Arc<Totals>>,
}

impl Default for Series {
    fn default() -> Series {
        Series {
            seconds: Vec::with_capacity(1024),
            counts: vec![0; BUCKETS].into(),
            touched: (BUCKETS, 0),
            ends_ns: 0,
            told: None,
        }
    }
}

impl Series {
    /// Each second that is over shall be seen there.
    pub fn tell(&mut self, totals: Arc<Totals>) {
        self.told = Some(totals);
    }

    /// A verified answer, `since_opened_ns` after the window's opening.
    #[inline]
    pub fn verified(&mut self, since_opened_ns: u64) {
        self.second(since_opened_ns).verified += 1;
    }

    /// A request ended in an error.
    pub fn error(&mut self, since_opened_ns: u64) {
        self.second(since_opened_ns).errors += 1;
    }

    /// An answer came, right or wrong.
    #[inline]
    pub fn answer(&mut self, since_opened_ns: u64, response_ns: u64) {
        let second = self.second(since_opened_ns);
        second.max_ns = second.max_ns.max(response_ns);
        let bucket = bucket_of(response_ns);
        self.counts[bucket] += 1;
        self.touched = (self.touched.0.min(bucket), self.touched.1.max(bucket + 1));
    }

    /// Adds another thread's seconds.
    pub fn merge(&mut self, mut other: Series) {
        self.close_second();
        other.close_second();
        let length = self.seconds.len().max(other.seconds.len());
        self.seconds.resize(length, Second::default());
        for (second, added) in self.seconds.iter_mut().zip(other.seconds) {
            second.add(added);
        }
    }

    /// At least `seconds` points: every begun second has one, also if nothing ended in it.
    pub fn conclude(mut self, seconds: usize) -> Vec<SeriesPoint> {
        self.close_second();
        let length = self.seconds.len().max(seconds);
        self.seconds.resize(length, Second::default());
        self.seconds.iter().map(Second::conclude).collect()
    }

    #[inline]
    fn second(&mut self, since_opened_ns: u64) -> &mut Second {
        if since_opened_ns >= self.ends_ns {
            self.begin_second(since_opened_ns);
        }
        let last = self.seconds.len() - 1;
        &mut self.seconds[last]
    }

    #[cold]
    fn begin_second(&mut self, since_opened_ns: u64) {
        self.close_second();
        if let (Some(totals), Some(closed)) = (&self.told, self.seconds.last()) {
            totals.latest.publish(self.seconds.len() as u64 - 1, closed.clone());
        }
        let number = since_opened_ns / SECOND_NS;
        self.seconds.resize(number as usize + 1, Second::default());
        self.ends_ns = (number + 1) * SECOND_NS;
    }

    pub(super) fn close_second(&mut self) {
        let (from, to) = std::mem::replace(&mut self.touched, (BUCKETS, 0));
        let Some(second) = self.seconds.last_mut() else { return };
        if from >= to {
            return;
        }
        let counts = &mut self.counts[from..to];
        let held = counts.iter().zip(from as u16..).filter(|(count, _)| **count > 0);
        second.buckets.extend(held.map(|(&count, bucket)| (bucket, count)));
        counts.fill(0);
    }
}

/// Its seconds, of which the last must be closed.
impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.seconds.serialize(serializer)
    }
}

impl<'d> Deserialize<'d> for Series {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Series, D::Error> {
        let seconds = Vec::<Second>::deserialize(deserializer)?;
        let is_known = |&(bucket, _): &(u16, u32)| usize::from(bucket) < BUCKETS;
        if !seconds.iter().all(|second| second.buckets.iter().all(is_known)) {
            return Err(D::Error::custom("a second has a bucket that does not exist"));
        }
        Ok(Series { seconds, ..Series::default() })
    }
}

impl Second {
    /// Adds another thread's.
    pub(super) fn add(&mut self, other: Second) {
        self.verified += other.verified;
        self.errors += other.errors;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.buckets.extend(other.buckets);
        self.buckets.sort_unstable_by_key(|&(bucket, _)| bucket);
    }

    pub(super) fn conclude(&self) -> SeriesPoint {
        SeriesPoint {
            verified: self.verified,
            errors: self.errors,
            p50_seconds: self.percentile(0.50),
            p99_seconds: self.percentile(0.99),
            max_seconds: (!self.buckets.is_empty()).then_some(self.max_ns as f64 / 1e9),
        }
    }

    /// The smallest value that so large a share of the samples does not exceed.
    fn percentile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.buckets.iter().map(|&(_, count)| u64::from(count)).sum();
        let rank = (share * total as f64).ceil() as u64;
        let mut seen = 0;
        let reached = self.buckets.iter().find(|&&(_, count)| {
            seen += u64::from(count);
            seen >= rank
        });
        reached.map(|&(bucket, _)| middle_of(bucket).min(self.max_ns) as f64 / 1e9)
    }
}

#[inline]
fn bucket_of(nanoseconds: u64) -> usize {
    let capped = nanoseconds.min((1 << HIGHEST_BIT) - 1);
    // Small values have their own buckets: there is nothing to shift.
    let shift = (u64::BITS - capped.leading_zeros()).saturating_sub(BUCKET_BITS + 1);
    ((u64::from(shift) << BUCKET_BITS) + (capped >> shift)) as usize
}

fn middle_of(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    let shift = (bucket >> BUCKET_BITS).saturating_sub(1);
    let lowest = (bucket - (shift << BUCKET_BITS)) << shift;
    lowest + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_within_one_percent() {
        let mut last = 0;
        for exponent in 0..1400 {
            let value = 1.02_f64.powi(exponent) as u64;
            let bucket = bucket_of(value);
            assert!(bucket >= last && bucket < BUCKETS);
            last = bucket;
            if value < 1 << HIGHEST_BIT {
                let error = middle_of(bucket as u16).abs_diff(value) as f64 / value.max(1) as f64;
                assert!(error < 0.01, "{value}: {error}");
            }
        }
        assert_eq!((bucket_of(0), bucket_of(u64::MAX)), (0, BUCKETS - 1));
    }

    #[test]
    fn seconds_have_their_own_percentiles_over_all_threads() {
        let (mut first, mut second) = (Series::default(), Series::default());
        for sample in 1..=100_u64 {
            let series = if sample % 2 == 0 { &mut first } else { &mut second };
            series.answer(sample, sample * 1_000_000);
            series.verified(sample);
        }
        second.error(2 * SECOND_NS);
        second.answer(3 * SECOND_NS, 5_000);
        first.merge(second);
        let points = first.conclude(5);
        assert_eq!(points.len(), 5);
        let near = |figure: Option<f64>, expected: f64| (figure.unwrap() / expected - 1.0).abs() < 0.01;
        assert!(near(points[0].p50_seconds, 0.050) && near(points[0].p99_seconds, 0.099));
        assert_eq!((points[0].verified, points[0].max_seconds), (100, Some(0.1)));
        assert_eq!(points[1], SeriesPoint::default());
        assert_eq!((points[2].errors, points[2].p50_seconds), (1, None));
        assert_eq!((points[3].p50_seconds, points[3].max_seconds), (Some(5e-6), Some(5e-6)));
    }
}
