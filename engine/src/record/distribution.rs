//! Distributions of durations.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer as Reader, Serializer as _, V2DeflateSerializer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest duration that is told apart: one hour, in nanoseconds.
const HIGHEST_NS: u64 = 3_600_000_000_000;

/// Those of a summary.
pub(super) const PERCENTILES: [(&str, f64); 7] =
    [("50", 50.0), ("75", 75.0), ("90", 90.0), ("95", 95.0), ("99", 99.0), ("99.9", 99.9), ("99.99", 99.99)];

/// Durations in nanoseconds: an HdrHistogram with three significant digits, and minimum, mean and maximum exactly.
#[derive(Clone, Debug)]
pub struct Distribution {
    histogram: Histogram<u64>,
    sum_ns: u128,
    min_ns: u64,
    /// Of the others: what is longer may be a lower bound.
    max_ns: u64,
    /// Samples that are lower bounds.
    bounds: u64,
    lowest_bound_ns: u64,
    highest_bound_ns: u64,
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution::new()
    }
}

impl Distribution {
    /// A distribution without samples. Takes about 270 KB.
    pub fn new() -> Distribution {
        let histogram = Histogram::new_with_bounds(1, HIGHEST_NS, 3).expect("the bounds are valid");
        Distribution {
            histogram,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            bounds: 0,
            lowest_bound_ns: u64::MAX,
            highest_bound_ns: 0,
        }
    }

    /// Adds a sample; one above an hour counts as an hour in the percentiles.
    #[inline]
    pub fn record(&mut self, nanoseconds: u64) {
        self.histogram.saturating_record(nanoseconds);
        self.sum_ns += u128::from(nanoseconds);
        self.min_ns = self.min_ns.min(nanoseconds);
        self.max_ns = self.max_ns.max(nanoseconds);
    }

    /// Adds a sample that is a lower bound: nobody waited for its end. With every bound in the place of its true value,
    /// each percentile is a lower bound of the true one; and it is exact where all bounds are above it.
    #[cold]
    pub fn record_at_least(&mut self, nanoseconds: u64) {
        self.histogram.saturating_record(nanoseconds);
        self.sum_ns += u128::from(nanoseconds);
        self.min_ns = self.min_ns.min(nanoseconds);
        self.bounds += 1;
        self.lowest_bound_ns = self.lowest_bound_ns.min(nanoseconds.min(HIGHEST_NS));
        self.highest_bound_ns = self.highest_bound_ns.max(nanoseconds);
    }

    /// Adds another thread's samples.
    pub fn merge(&mut self, other: &Distribution) {
        self.histogram.add(&other.histogram).expect("all have the same bounds");
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.bounds += other.bounds;
        self.lowest_bound_ns = self.lowest_bound_ns.min(other.lowest_bound_ns);
        self.highest_bound_ns = self.highest_bound_ns.max(other.highest_bound_ns);
    }

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The HdrHistogram V2 interchange form: deflated, base64.
    pub fn to_base64(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.histogram, &mut bytes)
            .expect("a histogram of an hour fits the format");
        STANDARD.encode(bytes)
    }

    /// The highest listed percentile above which at least ten samples lie: what is above rests on chance.
    fn supported_percentile(&self) -> Option<f64> {
        // In hundredths of a percent, so that nothing is rounded.
        let samples_above =
            |percentile: f64| self.count() * (10_000 - (percentile * 100.0).round() as u64) / 10_000;
        PERCENTILES.iter().rev().map(|&(_, at)| at).find(|&at| samples_above(at) >= 10)
    }

    fn longest_ns(&self) -> u64 {
        self.max_ns.max(self.highest_bound_ns)
    }

    /// The median-unbiased estimate: as often too high as too low, whatever the samples are drawn from. With q the
    /// percentile's share, it stands at position q (n + 1/3) + 1/3 of the ordered samples, between two neighbours on the
    /// straight line from one to the other (definition 8 of R. J. Hyndman and Y. Fan, *The American Statistician* 50
    /// (1996), 361–365). The smallest sample that a share q does not exceed is too low more often than not.
    fn percentile_seconds(&self, percentile: f64) -> Option<f64> {
        if self.count() == 0 {
            return None;
        }
        let count = self.count() as f64;
        let position = (percentile / 100.0 * (count + 1.0 / 3.0) + 1.0 / 3.0).clamp(1.0, count);
        let (low, above) = (self.at_rank(position.floor()), position.fract());
        if above == 0.0 {
            return Some(seconds(low));
        }
        let high = self.at_rank(position.floor() + 1.0);
        if high >= self.lowest_bound_ns {
            // What leans on a lower bound is one, and has to be known as one.
            return Some(seconds(high));
        }
        Some(seconds(low) + (seconds(high) - seconds(low)) * above)
    }

    /// The value of the sample of this rank, from 1.
    fn at_rank(&self, rank: f64) -> u64 {
        // Half a rank below, for the histogram rounds up; and a value's bucket may reach above the largest sample.
        let quantile = (rank - 0.5) / self.count() as f64;
        self.histogram.value_at_quantile(quantile).min(self.longest_ns())
    }
}

/// A distribution in a form in which nothing is lost, for `#[serde(with)]`.
pub(super) mod exact {
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Exact {
        hdr_base64: String,
        sum_ns: u128,
        min_ns: u64,
        max_ns: u64,
        bounds: u64,
        lowest_bound_ns: u64,
        highest_bound_ns: u64,
    }

    pub fn serialize<S: Serializer>(distribution: &Distribution, serializer: S) -> Result<S::Ok, S::Error> {
        let Distribution { sum_ns, min_ns, max_ns, bounds, lowest_bound_ns, highest_bound_ns, .. } =
            *distribution;
        let hdr_base64 = distribution.to_base64();
        Exact { hdr_base64, sum_ns, min_ns, max_ns, bounds, lowest_bound_ns, highest_bound_ns }
            .serialize(serializer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Distribution, D::Error> {
        let exact = Exact::deserialize(deserializer)?;
        let bytes = STANDARD.decode(&exact.hdr_base64).map_err(D::Error::custom)?;
        let read: Histogram<u64> = Reader::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| D::Error::custom(format!("{error:?}")))?;
        let mut distribution = Distribution::new();
        // Into one of this engine's own bounds: what lies beyond them is refused.
        distribution.histogram.add(&read).map_err(|error| D::Error::custom(format!("{error:?}")))?;
        let Exact { sum_ns, min_ns, max_ns, bounds, lowest_bound_ns, highest_bound_ns, .. } = exact;
        Ok(Distribution { sum_ns, min_ns, max_ns, bounds, lowest_bound_ns, highest_bound_ns, ..distribution })
    }
}

#[derive(Serialize)]
struct Written {
    count: u64,
    min_seconds: Option<f64>,
    mean_seconds: Option<f64>,
    max_seconds: Option<f64>,
    percentiles: Percentiles,
    supported_percentile: Option<f64>,
    at_least: Option<AtLeast>,
    hdr_base64: String,
}

/// The samples that are lower bounds.
#[derive(Serialize)]
struct AtLeast {
    count: u64,
    /// No figure at or above it is more than a lower bound.
    min_seconds: f64,
    /// The longest of the other samples; `None`: there is no other.
    longest_other_seconds: Option<f64>,
}

struct Percentiles([Option<f64>; PERCENTILES.len()]);

impl Serialize for Percentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(PERCENTILES.iter().map(|(name, _)| name).zip(self.0))
    }
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.count();
        let known = |figure: f64| (count > 0).then_some(figure);
        Written {
            count,
            min_seconds: known(seconds(self.min_ns)),
            mean_seconds: known(self.sum_ns as f64 / count as f64 / 1e9),
            max_seconds: known(seconds(self.longest_ns())),
            percentiles: Percentiles(PERCENTILES.map(|(_, at)| self.percentile_seconds(at))),
            supported_percentile: self.supported_percentile(),
            at_least: (self.bounds > 0).then(|| AtLeast {
                count: self.bounds,
                min_seconds: seconds(self.lowest_bound_ns),
                longest_other_seconds: (count > self.bounds).then(|| seconds(self.max_ns)),
            }),
            hdr_base64: self.to_base64(),
        }
        .serialize(serializer)
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use hdrhistogram::serialization::Deserializer;

    use super::*;

    #[test]
    fn figures_are_those_of_the_samples() {
        let (mut first, mut second) = (Distribution::new(), Distribution::new());
        for sample in 1..=500 {
            first.record(sample * 1000);
            second.record((sample + 500) * 1000);
        }
        first.merge(&second);
        let written = serde_json::to_value(&first).unwrap();
        assert_eq!(written["count"], 1000);
        assert_eq!(written["min_seconds"], 1e-6);
        assert_eq!(written["max_seconds"], 1e-3);
        assert_eq!(written["mean_seconds"], 500.5e-6);
        let median = written["percentiles"]["50"].as_f64().unwrap();
        assert!((median / 500e-6 - 1.0).abs() < 0.002, "{median}");
        assert_eq!(written["percentiles"]["99.99"], 1e-3);
    }

    #[test]
    fn a_percentile_of_few_samples_is_as_often_too_high_as_too_low() {
        let mut distribution = Distribution::new();
        (1..=20).for_each(|sample| distribution.record(sample * 10));
        let at =
            |percentile: f64| (distribution.percentile_seconds(percentile).unwrap() * 1e10).round() / 10.0;
        // Positions 10.5, 15.58 and 18.63 of 10, 20, … 200 ns.
        assert_eq!([50.0, 75.0, 90.0].map(at), [105.0, 155.8, 186.3]);
        assert_eq!([0.0, 100.0].map(at), [10.0, 200.0]);
        // Of uniform samples, half of the figures lie below the true p90.
        let mut state = 1_u64;
        let mut below = 0;
        for _ in 0..2000 {
            let mut sample = Distribution::new();
            for _ in 0..100 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                sample.record((state >> 44) + 1_000_000);
            }
            let truth = (0.9 * f64::from(1 << 20) + 1e6) / 1e9;
            below += i32::from(sample.percentile_seconds(90.0).unwrap() < truth);
        }
        assert!((930..=1070).contains(&below), "{below} of 2000");
    }

    #[test]
    fn lower_bounds_are_samples_and_told_apart() {
        let (mut first, mut second) = (Distribution::new(), Distribution::new());
        (1..=97).for_each(|sample| first.record(sample * 1000));
        assert!(serde_json::to_value(&first).unwrap()["at_least"].is_null());
        first.record_at_least(50_000_000);
        second.record_at_least(40_000_000);
        second.record_at_least(2 * HIGHEST_NS);
        first.merge(&second);
        let written = serde_json::to_value(&first).unwrap();
        assert_eq!((&written["count"], &written["at_least"]["count"]), (&100.into(), &3.into()));
        assert_eq!(written["at_least"]["min_seconds"], 0.04);
        assert_eq!(written["at_least"]["longest_other_seconds"], 97e-6);
        let percentile = |name: &str| written["percentiles"][name].as_f64().unwrap();
        assert!(percentile("95") < 0.04 && percentile("99") >= 0.05, "{written}");
        assert_eq!(written["max_seconds"], 7200.0);
    }

    #[test]
    fn a_lower_bound_above_the_histogram_is_one_of_its_last_bin() {
        let mut distribution = Distribution::new();
        distribution.record_at_least(2 * HIGHEST_NS);
        let written = serde_json::to_value(&distribution).unwrap();
        let median = written["percentiles"]["50"].as_f64().unwrap();
        assert!(median >= written["at_least"]["min_seconds"].as_f64().unwrap(), "{written}");
        assert!(written["at_least"]["longest_other_seconds"].is_null());
    }

    #[test]
    fn a_percentile_is_supported_by_ten_samples_above_it() {
        let supported = |samples: u64| {
            let mut distribution = Distribution::new();
            (0..samples).for_each(|sample| distribution.record(sample));
            distribution.supported_percentile()
        };
        let figures = [0, 19, 20, 39, 40, 200, 999, 1000, 9_999, 10_000, 100_000].map(supported);
        let expected = [0.0, 0.0, 50.0, 50.0, 75.0, 95.0, 95.0, 99.0, 99.0, 99.9, 99.99];
        assert_eq!(figures, expected.map(|figure| (figure > 0.0).then_some(figure)));
    }

    #[test]
    fn the_base64_text_is_the_histogram() {
        let mut distribution = Distribution::new();
        for sample in [0, 1, 17, 4096, HIGHEST_NS, 2 * HIGHEST_NS] {
            distribution.record(sample);
        }
        let text = distribution.to_base64();
        assert!(text.starts_with("HISTFAAA"), "{text}");
        let bytes = STANDARD.decode(text).unwrap();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!(read, distribution.histogram);
    }

    #[test]
    fn without_samples_figures_are_null() {
        let written = serde_json::to_value(Distribution::new()).unwrap();
        assert_eq!(written["count"], 0);
        assert!(written["min_seconds"].is_null() && written["percentiles"]["99.9"].is_null());
        assert_eq!(written["percentiles"].as_object().unwrap().len(), 7);
    }
}
