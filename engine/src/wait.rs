//! The ways to wait for answers, asleep or awake: a plan names one, drivers carry it out, and a summary reports it.

use serde::{Deserialize, Serialize};

/// What a load thread does while answers are awaited.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// It sleeps, and its processor is free for others. Waking it is part of every time that is measured.
    #[default]
    Sleep,
    /// It looks for answers without a pause, and takes its whole processor for that.
    Awake,
}
