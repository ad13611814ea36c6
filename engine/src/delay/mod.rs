//! Lengths of time, and distributions of them: how long a target takes to answer, or a round trip through a proxy.

mod random;
mod span;

use std::fs;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

pub(crate) use random::Draws;
pub use span::{parse_share, parse_span};

/// A distribution of delays, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Delay {
    /// Always the same.
    Constant(u64),
    /// Exponential with this mean.
    Exponential(u64),
    /// `high_ns` with probability `high_share`, else `low_ns`.
    TwoPoint {
        /// The usual delay.
        low_ns: u64,
        /// The other one.
        high_ns: u64,
        /// 0 to 1.
        high_share: f64,
    },
    /// As a histogram has it: `(samples up to here, delay)`, ascending; the last entry holds all samples.
    Histogram(Vec<(u64, u64)>),
}

/// The draws that a delay takes.
const CHOICE: u64 = 0;

impl Delay {
    /// The delay of the request or round trip with these draws.
    pub(crate) fn sample_ns(&self, draws: Draws) -> u64 {
        let uniform = draws.uniform(CHOICE);
        match self {
            Delay::Constant(delay_ns) => *delay_ns,
            Delay::Exponential(mean_ns) => (-(1.0 - uniform).ln() * *mean_ns as f64) as u64,
            Delay::TwoPoint { low_ns, high_ns, high_share } => {
                if uniform < *high_share {
                    *high_ns
                } else {
                    *low_ns
                }
            }
            Delay::Histogram(steps) => {
                let drawn = (uniform * steps[steps.len() - 1].0 as f64) as u64;
                steps[steps.partition_point(|(until, _)| *until <= drawn)].1
            }
        }
    }

    /// A delay that stands for all of them: the mean, or the median of a histogram.
    pub(crate) fn typical_ns(&self) -> u64 {
        match self {
            Delay::Constant(delay_ns) | Delay::Exponential(delay_ns) => *delay_ns,
            Delay::TwoPoint { low_ns, high_ns, high_share } => {
                (*low_ns as f64 * (1.0 - high_share) + *high_ns as f64 * high_share) as u64
            }
            Delay::Histogram(steps) => {
                let half = steps[steps.len() - 1].0 / 2;
                steps[steps.partition_point(|(until, _)| *until <= half)].1
            }
        }
    }
}

impl FromStr for Delay {
    type Err = String;

    /// `constant:5ms`, `exponential:5ms`, `two-point:1ms:100ms:0.01` or `histogram:FILE`; reads the file.
    fn from_str(text: &str) -> Result<Delay, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "constant" => Ok(Delay::Constant(parse_span(rest)?)),
            "exponential" => Ok(Delay::Exponential(parse_span(rest)?)),
            "two-point" => match rest.split(':').collect::<Vec<_>>()[..] {
                [low, high, share] => Ok(Delay::TwoPoint {
                    low_ns: parse_span(low)?,
                    high_ns: parse_span(high)?,
                    high_share: parse_share(share)?,
                }),
                _ => Err("two-point:LOW:HIGH:SHARE is needed, such as two-point:1ms:100ms:0.01".to_owned()),
            },
            "histogram" => fs::read_to_string(rest)
                .map_err(|error| format!("{rest}: {error}"))
                .and_then(|base64| of_histogram(&base64).map_err(|error| format!("{rest}: {error}"))),
            _ => Err(format!(
                "{kind:?} is not one of constant:SPAN, exponential:SPAN, two-point:LOW:HIGH:SHARE, histogram:FILE"
            )),
        }
    }
}

/// `base64`: HdrHistogram V2 of nanoseconds, as distributions in a summary have it.
fn of_histogram(base64: &str) -> Result<Delay, String> {
    let bytes = STANDARD.decode(base64.trim()).map_err(|error| format!("no base64: {error}"))?;
    let histogram: Histogram<u64> = Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| format!("no HdrHistogram V2: {error}"))?;
    let mut sum = 0;
    let steps: Vec<_> = histogram
        .iter_recorded()
        .map(|step| {
            sum += step.count_at_value();
            (sum, histogram.median_equivalent(step.value_iterated_to()))
        })
        .collect();
    if steps.is_empty() { Err("a histogram without samples".to_owned()) } else { Ok(Delay::Histogram(steps)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Distribution;

    fn samples(delay: &Delay) -> Vec<u64> {
        let mut samples: Vec<_> = (0..100_000).map(|n| delay.sample_ns(Draws::new(3, n))).collect();
        samples.sort_unstable();
        samples
    }

    fn assert_near(figure: u64, expected: f64) {
        assert!((figure as f64 / expected - 1.0).abs() < 0.03, "{figure} for {expected}");
    }

    #[test]
    fn exponential_quantiles() {
        let samples = samples(&"exponential:5ms".parse().unwrap());
        for share in [0.5_f64, 0.9, 0.99] {
            assert_near(samples[(share * 1e5) as usize], -(1.0 - share).ln() * 5e6);
        }
    }

    #[test]
    fn two_points_by_share() {
        let samples = samples(&"two-point:1ms:100ms:0.1".parse().unwrap());
        assert_near(samples.iter().filter(|&&delay_ns| delay_ns == 100_000_000).count() as u64, 10_000.0);
        assert_eq!(samples[0], 1_000_000);
    }

    #[test]
    fn a_histogram_is_followed() {
        let mut distribution = Distribution::new();
        (0..900).for_each(|_| distribution.record(1_000_000));
        (0..100).for_each(|_| distribution.record(50_000_000));
        let samples = samples(&of_histogram(&distribution.to_base64()).unwrap());
        assert_near(samples[50_000], 1e6);
        assert_near(samples[95_000], 5e7);
        assert_near(samples.partition_point(|&delay_ns| delay_ns < 2_000_000) as u64, 90_000.0);
    }

    #[test]
    fn one_delay_stands_for_all() {
        for (text, expected) in
            [("constant:5ms", 5e6), ("exponential:2ms", 2e6), ("two-point:1ms:101ms:0.1", 11e6)]
        {
            assert_near(text.parse::<Delay>().unwrap().typical_ns(), expected);
        }
        assert_near(Delay::Histogram(vec![(900, 1_000_000), (1000, 50_000_000)]).typical_ns(), 1e6);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in ["", "uniform:1ms", "constant:", "two-point:1ms:2ms", "two-point:1ms:2ms:2"] {
            assert!(wrong.parse::<Delay>().is_err(), "{wrong}");
        }
        assert!("histogram:/nowhere".parse::<Delay>().unwrap_err().starts_with("/nowhere: "));
        assert!(of_histogram("????").is_err() && of_histogram("AAAA").is_err());
        assert!(of_histogram(&Distribution::new().to_base64()).unwrap_err().contains("without samples"));
    }
}
