//! When a warm-up ends.
//!
//! It ends at the first look at which the last doubling of its time brought at most [`TOLERANCE`]. Looks come at the least
//! length, and each time that the warm-up has become a tenth longer. Where the last three doublings together show that the
//! server got faster, a standard error is added to what the last one brought: noise must not hide a rise that was seen.
//! Where the slope itself is not known to [`WIDEST_ERROR`], or there are too few answers for one, there is another look, up
//! to [`PATIENCE_SECONDS`]; before its first right answer, a server is waited for up to the limit.
//!
//! `tests.rs` simulates what comes of it. Servers that are flat to begin with (steady, noisy, correlated over seconds, with
//! pauses, behind a slow database) warm up for 1.0 to 1.2 s in the median and for at most 3 s in 99 of 100, and never end as
//! rising. Those that become warm with a time constant of 3 s open their window at 99% of their final pace.

use serde::{Deserialize, Serialize};

use super::course::{Course, Sample};
use super::flatness::slope;

/// What a doubling may still bring, as a difference of logarithms. A window as long as the warm-up before it holds one
/// doubling, and its mean is then at most 5% from its end: the differences that claims are about.
pub(super) const TOLERANCE: f64 = 0.1;

/// With a standard error above it, a rise by a quarter at a doubling is as good as none: 1.2816 of them are 90%.
const WIDEST_ERROR: f64 = 0.3;

/// For so long a slope is awaited that is known well enough. A server of a few answers a second would never have one.
const PATIENCE_SECONDS: f64 = 5.0;

/// Of a shorter warm-up nothing is said: half of it is a few tens of milliseconds for each stretch of a slope.
const SHORTEST_SECONDS: f64 = 1.0;

/// From one look to the next, the time grows by so much.
const NEXT_LOOK: f64 = 1.1;

/// That a server got faster is told from so many doublings.
const LOOKS_BACK_DOUBLINGS: u16 = 3;

/// So many stretches tell of the course of a warm-up.
const MOST_WRITTEN: usize = 60;

/// The least and the greatest length of a warm-up.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// It is not shorter.
    pub least_seconds: f64,
    /// It is not longer.
    pub limit_seconds: f64,
    /// Whether answers decide when requests begin.
    pub is_closed: bool,
}

/// How a warm-up ended.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WarmUpEnd {
    /// The server did not get faster any more.
    Flat,
    /// There were too few right answers to tell, or too little time.
    Unknown,
    /// At the limit, the server still got faster.
    Rising,
}

/// A warm-up under way.
#[derive(Clone, Debug)]
pub struct WarmUp {
    rule: Rule,
    course: Course,
    next_look_seconds: f64,
    per_doubling: Option<f64>,
    end: Option<WarmUpEnd>,
}

impl WarmUp {
    /// One that begins; samples come every so many seconds.
    pub fn new(rule: Rule, apart_seconds: f64) -> WarmUp {
        let next_look_seconds = rule.least_seconds.max(SHORTEST_SECONDS).min(rule.limit_seconds);
        WarmUp { rule, course: Course::new(apart_seconds), next_look_seconds, per_doubling: None, end: None }
    }

    /// Adds what is known at a later moment. Returns how it ended, if it did.
    pub fn add(&mut self, sample: Sample) -> Option<WarmUpEnd> {
        if self.end.is_some() {
            return self.end;
        }
        self.course.add(sample);
        if sample.at_seconds >= self.next_look_seconds {
            self.look(sample.at_seconds);
        }
        self.end
    }

    /// Whether it has not ended.
    pub fn goes_on(&self) -> bool {
        self.end.is_none()
    }

    /// What a doubling of its time brought when it was looked at last: 0.5 is a server that became half as fast again;
    /// `None` if that is not known.
    pub fn rise(&self) -> Option<f64> {
        self.per_doubling.map(f64::exp_m1)
    }

    /// What is told of it.
    pub fn written(&self) -> WarmUpWritten {
        let Rule { least_seconds, limit_seconds, .. } = self.rule;
        let course = self.course.since(0.0, MOST_WRITTEN);
        WarmUpWritten {
            least_seconds,
            limit_seconds,
            end: self.end,
            rise: self.rise(),
            until_seconds: course.iter().map(|stretch| stretch.until_seconds).collect(),
            verified_per_second: course
                .iter()
                .map(|stretch| stretch.verified as f64 / stretch.seconds)
                .collect(),
            response_seconds: course.iter().map(|stretch| stretch.response_seconds).collect(),
        }
    }

    fn look(&mut self, now_seconds: f64) {
        let Rule { limit_seconds, is_closed, .. } = self.rule;
        let is_last = now_seconds >= limit_seconds;
        self.next_look_seconds = (now_seconds * NEXT_LOOK).min(limit_seconds);
        let last = if now_seconds < SHORTEST_SECONDS { None } else { slope(&self.course, 1, is_closed) };
        self.per_doubling = last.map(|last| last.per_doubling);
        self.end = match last {
            Some(last) if is_last => {
                Some(if last.per_doubling <= TOLERANCE { WarmUpEnd::Flat } else { WarmUpEnd::Rising })
            }
            Some(last) => {
                let is_known = last.error <= WIDEST_ERROR || now_seconds >= PATIENCE_SECONDS;
                let is_flat = is_known
                    && last.per_doubling <= TOLERANCE
                    && (last.per_doubling + last.error <= TOLERANCE || !self.has_risen());
                is_flat.then_some(WarmUpEnd::Flat)
            }
            None if is_last || self.only_fails() => Some(WarmUpEnd::Unknown),
            // It answers, and too seldom: waiting for a slope would take longer than it is worth.
            None if now_seconds >= PATIENCE_SECONDS && self.course.last().verified > 0 => {
                Some(WarmUpEnd::Unknown)
            }
            None => None,
        };
    }

    fn has_risen(&self) -> bool {
        slope(&self.course, LOOKS_BACK_DOUBLINGS, self.rule.is_closed)
            .is_some_and(|slope| slope.per_doubling - slope.error > TOLERANCE)
    }

    /// In the second half nothing was answered right, and something wrong: it is not known what to wait for.
    fn only_fails(&self) -> bool {
        let half = self.course.since(self.course.last().at_seconds / 2.0, 1);
        half.iter().any(|half| half.verified == 0 && half.errors > 0)
    }
}

/// What a summary tells of a warm-up.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WarmUpWritten {
    least_seconds: f64,
    limit_seconds: f64,
    /// `None`: the run was ended before.
    end: Option<WarmUpEnd>,
    /// See [`WarmUp::rise`].
    rise: Option<f64>,
    /// Ends of stretches, since the warm-up's begin.
    until_seconds: Vec<f64>,
    /// In each of them.
    verified_per_second: Vec<f64>,
    /// In each of them, the geometric mean; `None` without an answer.
    response_seconds: Vec<Option<f64>>,
}

impl WarmUpWritten {
    /// Of several engines, that of which is to be told: the one that was least warm.
    #[must_use]
    pub fn worse(self, other: WarmUpWritten) -> WarmUpWritten {
        if other.end > self.end { other } else { self }
    }
}
