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
    /// Uniform from one to the other.
    Uniform {
        /// The shortest delay.
        low_ns: u64,
        /// The longest one.
        high_ns: u64,
    },
    /// Its logarithm is normally distributed.
    Lognormal {
        /// The median delay.
        median_ns: u64,
        /// The standard deviation of the natural logarithm.
        sigma: f64,
    },
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

/// Of the logarithm: a 99th percentile is then some 10,000 times the median.
const MOST_SIGMA: f64 = 4.0;

/// The draws that a delay takes.
const CHOICE: u64 = 0;
const ANGLE: u64 = 1;

impl Delay {
    /// The delay of the request or round trip with these draws.
    pub(crate) fn sample_ns(&self, draws: Draws) -> u64 {
        let uniform = draws.uniform(CHOICE);
        match self {
            Delay::Constant(delay_ns) => *delay_ns,
            Delay::Exponential(mean_ns) => (-(1.0 - uniform).ln() * *mean_ns as f64) as u64,
            Delay::Uniform { low_ns, high_ns } => low_ns + (uniform * (high_ns - low_ns) as f64) as u64,
            Delay::Lognormal { median_ns, sigma } => {
                // G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates (1958).
                let radius = (-2.0 * (1.0 - uniform).ln()).sqrt();
                let normal = radius * (std::f64::consts::TAU * draws.uniform(ANGLE)).cos();
                (*median_ns as f64 * (sigma * normal).exp()) as u64
            }
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
            Delay::Uniform { low_ns, high_ns } => (low_ns + high_ns) / 2,
            Delay::Lognormal { median_ns, sigma } => (*median_ns as f64 * (sigma * sigma / 2.0).exp()) as u64,
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

    /// `constant:5ms`, `exponential:5ms`, `uniform:1ms:5ms`, `lognormal:5ms:0.5`, `two-point:1ms:100ms:0.01` or
    /// `histogram:FILE`; reads the file.
    fn from_str(text: &str) -> Result<Delay, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "constant" => Ok(Delay::Constant(parse_span(rest)?)),
            "exponential" => Ok(Delay::Exponential(parse_span(rest)?)),
            "uniform" => match rest.split_once(':').map(|(low, high)| (parse_span(low), parse_span(high))) {
                Some((Ok(low_ns), Ok(high_ns))) if low_ns <= high_ns => {
                    Ok(Delay::Uniform { low_ns, high_ns })
                }
                _ => Err("uniform:LOW:HIGH is needed, such as uniform:1ms:5ms".to_owned()),
            },
            "lognormal" => {
                match rest.split_once(':').map(|(median, sigma)| (parse_span(median), sigma.parse())) {
                    Some((Ok(median_ns), Ok(sigma))) if (0.0..=MOST_SIGMA).contains(&sigma) => {
                        Ok(Delay::Lognormal { median_ns, sigma })
                    }
                    _ => Err(format!(
                        "lognormal:MEDIAN:SIGMA is needed, with a sigma up to {MOST_SIGMA}, such as lognormal:5ms:0.5"
                    )),
                }
            }
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
                "{kind:?} is not one of constant:SPAN, exponential:SPAN, uniform:LOW:HIGH, lognormal:MEDIAN:SIGMA, \
                 two-point:LOW:HIGH:SHARE, histogram:FILE"
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
    fn uniform_and_lognormal_quantiles() {
        let uniform = samples(&"uniform:10ms:30ms".parse().unwrap());
        assert!(uniform[0] >= 10_000_000 && uniform[99_999] <= 30_000_000);
        assert_near(uniform[25_000], 15e6);
        let lognormal = samples(&"lognormal:10ms:0.5".parse().unwrap());
        for (share, deviations) in [(0.5, 0.0), (0.841_345, 1.0), (0.022_75, -2.0)] {
            assert_near(lognormal[(share * 1e5) as usize], 10e6 * (0.5_f64 * deviations).exp());
        }
        let mean = lognormal.iter().sum::<u64>() as f64 / 1e5;
        assert_near("lognormal:10ms:0.5".parse::<Delay>().unwrap().typical_ns(), mean);
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
        for wrong in [
            "",
            "uniform:1ms",
            "uniform:2ms:1ms",
            "lognormal:1ms",
            "lognormal:1ms:-1",
            "normal:1ms",
            "constant:",
            "two-point:1ms:2ms",
            "two-point:1ms:2ms:2",
        ] {
            assert!(wrong.parse::<Delay>().is_err(), "{wrong}");
        }
        assert!("histogram:/nowhere".parse::<Delay>().unwrap_err().starts_with("/nowhere: "));
        assert!(of_histogram("????").is_err() && of_histogram("AAAA").is_err());
        assert!(of_histogram(&Distribution::new().to_base64()).unwrap_err().contains("without samples"));
    }
}
