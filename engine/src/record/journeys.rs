//! What became of journeys: arrivals that are several requests of one user, one after the other.

use serde::{Deserialize, Serialize};

use super::distribution::exact;
use super::{Distribution, ErrorKind};
use crate::plan::{JourneyStep, RequestPlan, journey_steps};

/// One kind of journey: of a closed load those that ended in the window or were under way at its end, of an open load
/// those that arrived in it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct JourneyRecord {
    name: String,
    completed: u64,
    unfinished: u64,
    #[serde(with = "exact")]
    time: Distribution,
    steps: Vec<StepWritten>,
}

/// A step of a journey, as a summary has it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct StepWritten {
    name: String,
    /// Journeys that ended here otherwise than by a right answer to the last step.
    broken_off: u64,
}

/// A kind of journey, as a summary has it.
#[derive(Debug, Serialize)]
pub struct JourneyWritten {
    name: String,
    count: u64,
    completed: u64,
    broken_off: u64,
    unfinished: u64,
    journey_time: Distribution,
    steps: Vec<StepWritten>,
}

/// How a journey ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JourneyEnd {
    /// By the right answer to its last step.
    Completed,
    /// By a step that failed. `is_given_up`: it was awaited for so long, and no longer.
    BrokenOff {
        /// What it took is a lower bound of what it would have taken.
        is_given_up: bool,
    },
    /// Not by the end of the run. `is_owed`: an open load's, whose time is a lower bound as well.
    Unfinished {
        /// Somebody awaits it.
        is_owed: bool,
    },
}

impl JourneyEnd {
    /// By a step that failed like this.
    pub fn by_failure(kind: ErrorKind) -> JourneyEnd {
        JourneyEnd::BrokenOff { is_given_up: matches!(kind, ErrorKind::Timeout | ErrorKind::Deadline) }
    }
}

impl JourneyRecord {
    /// Nothing yet of each journey in a mix.
    pub fn all(mix: &[RequestPlan]) -> Vec<JourneyRecord> {
        let mut journeys: Vec<JourneyRecord> = Vec::new();
        for (request, step) in mix.iter().zip(journey_steps(mix)) {
            let (Some(JourneyStep { journey, .. }), Some(name)) = (step, &request.journey) else { continue };
            if journeys.len() == journey {
                journeys.push(JourneyRecord { name: name.clone(), ..JourneyRecord::default() });
            }
            journeys[journey].steps.push(StepWritten { name: request.name.clone(), broken_off: 0 });
        }
        journeys
    }

    /// One has ended at this step, so long after its intended start.
    pub fn ended(&mut self, step: usize, end: JourneyEnd, after_ns: u64) {
        match end {
            JourneyEnd::Completed => {
                self.completed += 1;
                self.time.record(after_ns);
            }
            JourneyEnd::BrokenOff { .. } => self.steps[step].broken_off += 1,
            JourneyEnd::Unfinished { .. } => self.unfinished += 1,
        }
        if matches!(
            end,
            JourneyEnd::BrokenOff { is_given_up: true } | JourneyEnd::Unfinished { is_owed: true }
        ) {
            self.time.record_at_least(after_ns);
        }
    }

    /// Adds another thread's of the same kind.
    pub(super) fn merge(&mut self, other: &JourneyRecord) {
        self.completed += other.completed;
        self.unfinished += other.unfinished;
        self.time.merge(&other.time);
        for (step, added) in self.steps.iter_mut().zip(&other.steps) {
            step.broken_off += added.broken_off;
        }
    }

    /// As a summary has it.
    pub fn written(self) -> JourneyWritten {
        let JourneyRecord { name, completed, unfinished, time, steps } = self;
        let broken_off = steps.iter().map(|step| step.broken_off).sum();
        let count = completed + broken_off + unfinished;
        JourneyWritten { name, count, completed, broken_off, unfinished, journey_time: time, steps }
    }
}
