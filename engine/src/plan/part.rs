//! The part of a load that one of several engines offers, and what cannot be shared between them.

use serde::Deserialize;

use super::{InvalidPlan, PickPlan, Plan};

/// One of several engines that carry out a plan together, or the only one of a window that is one of several. All have
/// the same plan, this key and `cpus` apart.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PartPlan {
    /// From 0.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

/// More parts than anybody has hosts for.
const MOST_PARTS: u32 = 1024;

/// Checks what is said of parts.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let Some(PartPlan { number, of }) = plan.part else { return Ok(()) };
    let invalid = |text: String| Err(InvalidPlan(text));
    if of == 0 || of > MOST_PARTS || number >= of {
        return invalid(format!(
            "part: {number} of {of}; they are counted from 0, and are {MOST_PARTS} at most"
        ));
    }
    let threads = u64::from(of) * u64::from(plan.threads);
    if u64::from(plan.load.connections()) < threads {
        return invalid(format!(
            "part: {} connections for {of} times {} threads; each thread needs one",
            plan.load.connections(),
            plan.threads
        ));
    }
    if of > 1
        && let Some((name, _)) = plan.rows.iter().find(|(_, rows)| is_in_turn(&rows.pick))
    {
        return invalid(format!(
            "part: rows.{name}.pick: rows that are taken in turn need one engine for all"
        ));
    }
    let reason = if of > 1 && plan.reference.is_some() {
        "reference: answers are compared by one engine"
    } else if of > 1 && plan.requests.iter().any(|request| request.expect.keep_bodies) {
        "expect.keep_bodies: bodies are kept by one engine"
    } else {
        return Ok(());
    };
    invalid(format!("part: {reason}"))
}

fn is_in_turn(pick: &PickPlan) -> bool {
    matches!(pick, PickPlan::Sequential {} | PickPlan::Once {})
}
