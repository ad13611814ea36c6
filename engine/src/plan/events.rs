//! What must be true of an answer that is a stream of events.

use serde::Deserialize;

use super::{FieldPlan, InvalidPlan};

/// Longer gaps are stalls, if the plan does not say. A reader notices a second (J. Nielsen, *Usability Engineering*, 1993,
/// section 5.5: after one second without feedback, the flow of thought is interrupted).
const DEFAULT_STALL_SECONDS: f64 = 1.0;

/// What must be true of the events of an answer, and which of them have times.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsPlan {
    /// The fewest that are right.
    #[serde(default)]
    pub min: u64,
    /// The most; left out: any number.
    #[serde(default)]
    pub max: Option<u64>,
    /// Where each has its number: `id`, or a JSON pointer in its data; of messages, one of fields' numbers (`/3/1`), as
    /// are the other pointers.
    #[serde(default)]
    pub sequence: Option<String>,
    /// The number of the first one.
    #[serde(default)]
    pub first: u64,
    /// A JSON pointer: only events that have something there count.
    #[serde(default)]
    pub content: Option<String>,
    /// The data of the event that ends the stream, which does not count.
    #[serde(default)]
    pub last: Option<String>,
    /// A JSON pointer at which one of the events says how many tokens the answer has.
    #[serde(default)]
    pub tokens: Option<String>,
    /// The events are the messages of a call by gRPC, and this stands in them, by their places; what stands in the last
    /// one stands in all further ones. Left out, they are server-sent.
    #[serde(default)]
    pub messages: Option<Vec<Vec<FieldPlan>>>,
    /// A longer gap between two events is a stall.
    #[serde(default = "default_stall")]
    pub stall_seconds: f64,
}

fn default_stall() -> f64 {
    DEFAULT_STALL_SECONDS
}

impl EventsPlan {
    /// Checks the numbers. `key`: its own in the plan.
    pub(super) fn check(&self, key: &str) -> Result<(), InvalidPlan> {
        let EventsPlan { min, max, stall_seconds, .. } = self;
        if let Some(max) = max.filter(|max| max < min) {
            return Err(InvalidPlan(format!("{key}: min {min} is above max {max}")));
        }
        if self.messages.is_some() && self.last.is_some() {
            return Err(InvalidPlan(format!("{key}.last: a call's status ends its messages: leave it out")));
        }
        if !(0.001..=3600.0).contains(stall_seconds) {
            return Err(InvalidPlan(format!(
                "{key}.stall_seconds: {stall_seconds} is not from 0.001 to 3600"
            )));
        }
        Ok(())
    }
}
