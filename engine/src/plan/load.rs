//! Load models and the end of a run.

use serde::Deserialize;

/// The load model.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Load {
    /// Every connection sends its next request when its last one is answered and thought about.
    Closed {
        /// How many, over all threads.
        connections: u32,
        /// From an answer to the next request's intended start.
        #[serde(default)]
        think_time_seconds: f64,
        /// Connects of the window that find a local port, over all threads; the others fail, and their connections
        /// are not opened again. Left out: all do.
        #[serde(default)]
        local_ports: Option<u32>,
    },
    /// Requests begin at equal distances, whatever the answers do.
    Constant {
        /// Over all threads.
        rate_per_second: f64,
        /// How many, over all threads.
        connections: u32,
        /// Requests that may wait for a free connection, over all threads.
        #[serde(default = "default_waiting_limit")]
        waiting_limit: u32,
    },
    /// Requests begin independently of each other: exponential gaps.
    Poisson {
        /// The mean, over all threads.
        rate_per_second: f64,
        /// How many, over all threads.
        connections: u32,
        /// Requests that may wait for a free connection, over all threads.
        #[serde(default = "default_waiting_limit")]
        waiting_limit: u32,
    },
    /// The rate changes linearly over the window; the warm-up runs at the first rate.
    Ramp {
        /// At the window's begin.
        from_per_second: f64,
        /// At the window's end.
        to_per_second: f64,
        /// How many, over all threads.
        connections: u32,
        /// Requests that may wait for a free connection, over all threads.
        #[serde(default = "default_waiting_limit")]
        waiting_limit: u32,
    },
    /// One constant rate after the other; the warm-up runs at the first one, and the last one goes on to the end.
    Steps {
        /// In this order.
        steps: Vec<Step>,
        /// How many, over all threads.
        connections: u32,
        /// Requests that may wait for a free connection, over all threads.
        #[serde(default = "default_waiting_limit")]
        waiting_limit: u32,
    },
}

/// A constant rate for some time.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Over all threads; 0: a pause.
    pub rate_per_second: f64,
    /// For how long.
    pub seconds: f64,
}

impl Load {
    /// The highest number of connections that are open at once.
    pub fn connections(&self) -> u32 {
        match self {
            Load::Closed { connections, .. }
            | Load::Constant { connections, .. }
            | Load::Poisson { connections, .. }
            | Load::Ramp { connections, .. }
            | Load::Steps { connections, .. } => *connections,
        }
    }

    /// How many requests may wait for a free connection; `None` in a closed load, where none does.
    pub fn waiting_limit(&self) -> Option<u32> {
        match self {
            Load::Closed { .. } => None,
            Load::Constant { waiting_limit, .. }
            | Load::Poisson { waiting_limit, .. }
            | Load::Ramp { waiting_limit, .. }
            | Load::Steps { waiting_limit, .. } => Some(*waiting_limit),
        }
    }

    /// How many connects of the window find a local port; `None`: all.
    pub fn local_ports(&self) -> Option<u32> {
        match self {
            Load::Closed { local_ports, .. } => *local_ports,
            _ => None,
        }
    }

    /// True if requests begin on a schedule of their own.
    pub fn is_open(&self) -> bool {
        !matches!(self, Load::Closed { .. })
    }
}

/// When the run ends.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Stop {
    /// After this long, counted from the end of the warm-up.
    Seconds {
        /// The window's length.
        seconds: f64,
    },
    /// After this many answers or errors, counted from the end of the warm-up.
    Requests {
        /// Over all threads.
        requests: u64,
    },
}

fn default_waiting_limit() -> u32 {
    100_000
}
