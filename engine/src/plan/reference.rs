//! Answers that are kept, and answers that are compared with those kept before.

use std::path::PathBuf;

use serde::Deserialize;

use super::{InvalidPlan, Plan};

const KEY_DIGITS: usize = 32;
const MOST_INSTANCES: u32 = 1 << 16;

/// What a run does with the answers to the requests that are `compared`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "mode", rename_all = "lowercase", deny_unknown_fields)]
pub enum ReferencePlan {
    /// Writes them to a file.
    Keep {
        /// The file, which is made anew.
        file: PathBuf,
        /// The secret of the digests: 32 hexadecimal digits.
        key: String,
        /// What does not count.
        normalisation: NormalisationPlan,
    },
    /// Compares them with those of a file.
    Compare {
        /// The file that a run in mode `keep` has written.
        file: PathBuf,
        /// As in that run.
        key: String,
        /// As in that run.
        normalisation: NormalisationPlan,
        /// The seed of that run.
        seed: u64,
        /// No more instances of a request are drawn from.
        instances: u32,
    },
}

/// What does not count when answers are compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NormalisationPlan {
    /// JSON pointers, `*` for any member or element: of the values there only the type counts.
    #[serde(default)]
    pub volatile: Vec<String>,
    /// Likewise.
    #[serde(default)]
    pub renamed: Vec<String>,
    /// Of the arrays there the order does not count.
    #[serde(default)]
    pub unordered: Vec<String>,
    /// What is replaced in bodies that are no JSON.
    #[serde(default)]
    pub text: Vec<TextPlan>,
}

/// A replacement in bodies that are no JSON.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextPlan {
    /// A regular expression.
    pub matches: String,
    /// What stands in the place of what it matches.
    pub is: String,
}

impl ReferencePlan {
    /// The secret of the digests, as it is written.
    pub fn key(&self) -> &str {
        match self {
            ReferencePlan::Keep { key, .. } | ReferencePlan::Compare { key, .. } => key,
        }
    }

    /// What does not count.
    pub fn normalisation(&self) -> &NormalisationPlan {
        match self {
            ReferencePlan::Keep { normalisation, .. } | ReferencePlan::Compare { normalisation, .. } => {
                normalisation
            }
        }
    }
}

/// Checks what the plan says of a reference.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let invalid = |text: String| Err(InvalidPlan(text));
    let Some(reference) = &plan.reference else {
        return match plan.requests.iter().position(|request| request.compared) {
            Some(place) => invalid(format!("requests[{place}].compared: needs the key reference")),
            None => Ok(()),
        };
    };
    if !plan.requests.iter().any(|request| request.compared) {
        return invalid("reference: no request is compared".to_owned());
    }
    if reference.key().len() != KEY_DIGITS || !reference.key().bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        return invalid(format!("reference.key: not {KEY_DIGITS} hexadecimal digits"));
    }
    if plan.pipeline > 1 {
        return invalid("reference: needs pipeline 1".to_owned());
    }
    if plan.trace_share > 0.0 {
        return invalid("reference: needs trace_share 0".to_owned());
    }
    match reference {
        ReferencePlan::Keep { .. } if plan.threads > 1 => invalid(
            "reference.mode: \"keep\" needs threads 1: instances are counted in the order of one".to_owned(),
        ),
        ReferencePlan::Compare { instances, .. } if !(1..=MOST_INSTANCES).contains(instances) => {
            invalid(format!("reference.instances: {instances} is not from 1 to {MOST_INSTANCES}"))
        }
        _ => Ok(()),
    }
}
