//! The course of a warm-up so far.

#[cfg(doc)]
use crate::record::WAKING_NS;

/// Totals of all threads at one moment of the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the warm-up began.
    pub at_seconds: f64,
    /// Verified answers.
    pub verified: u64,
    /// Wrong answers and failures.
    pub errors: u64,
    /// Binary logarithms of the verified answers' response times in nanoseconds, [`WAKING_NS`] in each, added up.
    pub log_response: f64,
}

/// What happened between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its end, in seconds since the warm-up began.
    pub until_seconds: f64,
    /// Its length.
    pub seconds: f64,
    /// Verified answers.
    pub verified: u64,
    /// Wrong answers and failures.
    pub errors: u64,
    /// Geometric mean of the verified answers' response times, [`WAKING_NS`] in each, in seconds; `None` without one.
    pub response_seconds: Option<f64>,
}

/// So many samples are kept; of a longer warm-up, each second one.
const MOST_SAMPLES: usize = 1024;

/// Samples in the order of their moments. The first is the begin.
#[derive(Clone, Debug)]
pub struct Course {
    samples: Vec<Sample>,
    /// In which they come.
    apart_seconds: f64,
    /// No sample is kept that is closer to the one before: half a step less than those that are kept.
    least_apart_seconds: f64,
}

impl Course {
    /// A warm-up that begins; samples come every so many seconds.
    pub fn new(apart_seconds: f64) -> Course {
        Course { samples: vec![Sample::default()], apart_seconds, least_apart_seconds: apart_seconds / 2.0 }
    }

    /// Adds what is known at a later moment.
    pub fn add(&mut self, sample: Sample) {
        if sample.at_seconds - self.last().at_seconds < self.least_apart_seconds {
            return;
        }
        if self.samples.len() == MOST_SAMPLES {
            self.samples = self.samples.iter().copied().step_by(2).collect();
            self.least_apart_seconds = 2.0 * self.least_apart_seconds + self.apart_seconds / 2.0;
        }
        self.samples.push(sample);
    }

    /// The latest sample.
    pub fn last(&self) -> Sample {
        self.samples.last().copied().unwrap_or_default()
    }

    /// What happened since a moment, in at most so many stretches of nearly the same length.
    pub fn since(&self, from_seconds: f64, most: usize) -> Vec<Stretch> {
        let first = self.samples.partition_point(|sample| sample.at_seconds < from_seconds);
        let samples = self.samples.get(first..).unwrap_or_default();
        let steps = samples.len().saturating_sub(1);
        let count = most.min(steps);
        let edge = |number: usize| samples[number * steps / count];
        (0..count).map(|number| Stretch::between(edge(number), edge(number + 1))).collect()
    }
}

impl Stretch {
    fn between(from: Sample, to: Sample) -> Stretch {
        let verified = to.verified - from.verified;
        let log_response = (to.log_response - from.log_response) / verified as f64;
        Stretch {
            until_seconds: to.at_seconds,
            seconds: to.at_seconds - from.at_seconds,
            verified,
            errors: to.errors - from.errors,
            response_seconds: (verified > 0).then(|| log_response.exp2() / 1e9),
        }
    }
}
