//! Counts and times of each second of the window, and of each tenth of a second.
//!
//! Response times go into a small histogram that is emptied every second: log-linear, 64 buckets to a power of two, so
//! that a percentile is within 1% of the sample. What a second's buckets held is kept in a list, for the seconds of several
//! threads become one before their percentiles are taken. A tenth has no percentiles: an answer is counted in the tenth
//! that has begun, and ten of them are added up to a second, so that an answer costs no more than without them.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Totals;
use super::buckets::{BUCKETS, bucket_of, middle_of};
use super::tail_dispersion::TailDispersion;

pub(super) const SECOND_NS: u64 = 1_000_000_000;

const TENTHS: u64 = 10;

const TENTH_NS: u64 = SECOND_NS / TENTHS;

/// Those of ten minutes. A window of a week would have six million.
const MOST_TENTHS: usize = 6000;

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

/// Tenths of a second, as a summary holds them: each list has one value for each of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tenths {
    /// Verified answers.
    pub verified: Vec<u64>,
    /// Errors of all kinds.
    pub errors: Vec<u64>,
    /// Longest response time; `None` without an answer.
    pub max_seconds: Vec<Option<f64>>,
}

/// A tenth of a second.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Tenth {
    verified: u64,
    errors: u64,
    answers: u64,
    max_ns: u64,
}

/// One second, before its percentiles are taken.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Second {
    verified: u64,
    errors: u64,
    max_ns: u64,
    /// Buckets that are not empty, ascending, and what they hold.
    pub(super) buckets: Vec<(u16, u32)>,
}

/// The seconds of one thread's window. Moments must not fall from call to call.
#[derive(Debug)]
pub struct Series {
    seconds: Vec<Second>,
    tenths: Vec<Tenth>,
    /// The last tenth so far, which is in neither list yet, and its number.
    tenth: Tenth,
    number: u64,
    /// Its end.
    ends_ns: u64,
    /// Of the last second.
    counts: Box<[u32]>,
    /// No count lies below or above.
    touched: (usize, usize),
    /// Is told each second that is over.
    told: Option<Arc<Totals>>,
}

impl Default for Series {
    fn default() -> Series {
        Series {
            seconds: Vec::with_capacity(1024),
            // Not grown under load.
            tenths: Vec::with_capacity(MOST_TENTHS),
            tenth: Tenth::default(),
            number: 0,
            ends_ns: 0,
            counts: vec![0; BUCKETS].into(),
            touched: (BUCKETS, 0),
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
        self.tenth(since_opened_ns).verified += 1;
    }

    /// A request ended in an error.
    pub fn error(&mut self, since_opened_ns: u64) {
        self.tenth(since_opened_ns).errors += 1;
    }

    /// An answer came, right or wrong.
    #[inline]
    pub fn answer(&mut self, since_opened_ns: u64, response_ns: u64) {
        let tenth = self.tenth(since_opened_ns);
        tenth.answers += 1;
        tenth.max_ns = tenth.max_ns.max(response_ns);
        let bucket = bucket_of(response_ns);
        self.counts[bucket] += 1;
        self.touched = (self.touched.0.min(bucket), self.touched.1.max(bucket + 1));
    }

    /// Adds another thread's.
    pub fn merge(&mut self, mut other: Series) {
        self.close();
        other.close();
        let length = self.seconds.len().max(other.seconds.len());
        self.seconds.resize(length, Second::default());
        for (second, added) in self.seconds.iter_mut().zip(other.seconds) {
            second.add(added);
        }
        let length = self.tenths.len().max(other.tenths.len());
        self.tenths.resize(length, Tenth::default());
        for (tenth, added) in self.tenths.iter_mut().zip(other.tenths) {
            tenth.add(added);
        }
    }

    /// How unevenly the answers above each percentile fall on the full seconds of a window of this length.
    pub fn tail_dispersion(&mut self, window_ns: u64) -> TailDispersion {
        self.close();
        let full = self.seconds.len().min((window_ns / SECOND_NS) as usize);
        TailDispersion::of(&self.seconds[..full])
    }

    /// At least those of a window of this length: all that has begun has a point, also if nothing ended in it.
    pub fn conclude(mut self, window_ns: u64) -> (Vec<SeriesPoint>, Tenths) {
        self.close();
        let length = self.seconds.len().max(window_ns.div_ceil(SECOND_NS) as usize);
        self.seconds.resize(length, Second::default());
        let length = self.tenths.len().max((window_ns.div_ceil(TENTH_NS) as usize).min(MOST_TENTHS));
        self.tenths.resize(length, Tenth::default());
        let tenths = Tenths {
            verified: self.tenths.iter().map(|tenth| tenth.verified).collect(),
            errors: self.tenths.iter().map(|tenth| tenth.errors).collect(),
            max_seconds: self.tenths.iter().map(Tenth::max_seconds).collect(),
        };
        (self.seconds.iter().map(Second::conclude).collect(), tenths)
    }

    #[inline]
    fn tenth(&mut self, since_opened_ns: u64) -> &mut Tenth {
        if since_opened_ns >= self.ends_ns {
            self.begin_tenth(since_opened_ns);
        }
        &mut self.tenth
    }

    #[cold]
    fn begin_tenth(&mut self, since_opened_ns: u64) {
        self.close_tenth();
        self.number = since_opened_ns / TENTH_NS;
        self.ends_ns = (self.number + 1) * TENTH_NS;
        let second = (self.number / TENTHS) as usize;
        if second < self.seconds.len() {
            return;
        }
        self.close_second();
        if let (Some(totals), Some(closed)) = (&self.told, self.seconds.last()) {
            totals.latest.publish(self.seconds.len() as u64 - 1, closed.clone());
        }
        self.seconds.resize(second + 1, Second::default());
    }

    /// Puts all that was counted into the lists.
    pub(super) fn close(&mut self) {
        self.close_tenth();
        self.close_second();
    }

    fn close_tenth(&mut self) {
        let tenth = std::mem::take(&mut self.tenth);
        let Some(second) = self.seconds.last_mut() else { return };
        second.verified += tenth.verified;
        second.errors += tenth.errors;
        second.max_ns = second.max_ns.max(tenth.max_ns);
        let number = self.number as usize;
        if number >= MOST_TENTHS {
            return;
        }
        if number >= self.tenths.len() {
            self.tenths.resize(number + 1, Tenth::default());
        }
        self.tenths[number].add(tenth);
    }

    fn close_second(&mut self) {
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

/// A series in which all that was counted is in the lists.
#[derive(Serialize, Deserialize)]
struct Closed<'s> {
    seconds: Cow<'s, [Second]>,
    tenths: Cow<'s, [Tenth]>,
}

/// Must be closed.
impl Serialize for Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (seconds, tenths) = (Cow::from(&self.seconds), Cow::from(&self.tenths));
        Closed { seconds, tenths }.serialize(serializer)
    }
}

impl<'d> Deserialize<'d> for Series {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Series, D::Error> {
        let Closed { seconds, tenths } = Closed::deserialize(deserializer)?;
        let is_known = |&(bucket, _): &(u16, u32)| usize::from(bucket) < BUCKETS;
        if !seconds.iter().all(|second| second.buckets.iter().all(is_known)) {
            return Err(D::Error::custom("a second has a bucket that does not exist"));
        }
        if tenths.len() > MOST_TENTHS {
            return Err(D::Error::custom("there are more tenths of a second than any engine keeps"));
        }
        let (seconds, tenths) = (seconds.into_owned(), tenths.into_owned());
        Ok(Series { seconds, tenths, ..Series::default() })
    }
}

impl Tenth {
    fn add(&mut self, other: Tenth) {
        self.verified += other.verified;
        self.errors += other.errors;
        self.answers += other.answers;
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    fn max_seconds(&self) -> Option<f64> {
        (self.answers > 0).then_some(self.max_ns as f64 / 1e9)
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let (points, tenths) = first.conclude(5 * SECOND_NS);
        assert_eq!(points.len(), 5);
        let near = |figure: Option<f64>, expected: f64| (figure.unwrap() / expected - 1.0).abs() < 0.01;
        assert!(near(points[0].p50_seconds, 0.050) && near(points[0].p99_seconds, 0.099));
        assert_eq!((points[0].verified, points[0].max_seconds), (100, Some(0.1)));
        assert_eq!(points[1], SeriesPoint::default());
        assert_eq!((points[2].errors, points[2].p50_seconds), (1, None));
        assert_eq!((points[3].p50_seconds, points[3].max_seconds), (Some(5e-6), Some(5e-6)));
        assert_eq!((tenths.verified.len(), tenths.verified[0], tenths.errors[20]), (50, 100, 1));
        assert_eq!((tenths.max_seconds[0], tenths.max_seconds[20]), (Some(0.1), None));
    }

    #[test]
    fn ten_tenths_are_a_second_over_all_threads() {
        let mut threads = [Series::default(), Series::default(), Series::default()];
        for nth in 0..3000_u64 {
            let (series, since_ns) = (&mut threads[(nth * nth % 3) as usize], nth * 1_300_000);
            series.answer(since_ns, nth * 1000);
            match nth % 7 {
                0 => series.error(since_ns),
                _ => series.verified(since_ns),
            }
        }
        let [mut all, second, third] = threads;
        all.merge(second);
        all.merge(third);
        let (points, tenths) = all.conclude(0);
        assert_eq!((points.len(), tenths.verified.len()), (4, 39));
        for (number, point) in points.iter().enumerate() {
            let within = number * 10..(number * 10 + 10).min(39);
            assert_eq!(tenths.verified[within.clone()].iter().sum::<u64>(), point.verified);
            assert_eq!(tenths.errors[within.clone()].iter().sum::<u64>(), point.errors);
            assert!(within.clone().all(|tenth| tenths.verified[tenth] + tenths.errors[tenth] >= 76));
            let longest = tenths.max_seconds[within].iter().flatten().copied().fold(0.0, f64::max);
            assert_eq!(point.max_seconds, Some(longest));
        }
    }

    #[test]
    fn tenths_are_those_of_ten_minutes_at_most() {
        let mut series = Series::default();
        for since_ns in [0, 599_950_000_000, 600_050_000_000, 700 * SECOND_NS] {
            series.verified(since_ns);
        }
        let (points, tenths) = series.conclude(700 * SECOND_NS);
        assert_eq!((points.len(), tenths.verified.len()), (701, MOST_TENTHS));
        assert_eq!((tenths.verified[0], tenths.verified[MOST_TENTHS - 1]), (1, 1));
        assert_eq!((points[600].verified, points[700].verified), (1, 1));
    }
}
