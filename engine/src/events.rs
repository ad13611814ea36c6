//! Events on standard output, one JSON object a line.

use std::io::{self, Write};

use serde::Serialize;

use crate::halt::Released;
use crate::proxy::{Account, DatagramAccount, RoundTrips};
use crate::record::{Distribution, Part, Routes, Summary};
use crate::target::FaultCounts;
use crate::websocket::{IdleAccount, IdleState};

/// Everything that the engine says.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event<'a> {
    /// The window has opened or closed.
    Window {
        /// Which of both.
        state: WindowState,
        /// Since the start of the run.
        elapsed_seconds: f64,
    },
    /// How far the phase has come.
    Progress {
        /// Since the start of the run.
        elapsed_seconds: f64,
        /// Which phase.
        phase: ProgressPhase,
        /// Verified answers in this phase.
        verified: u64,
        /// Errors in this phase.
        errors: u64,
        /// Since the last progress event of this phase.
        verified_per_second: f64,
        /// Median of response time in the last full second of the window.
        p50_seconds: Option<f64>,
        /// 99th percentile of the same.
        p99_seconds: Option<f64>,
        /// In a warm-up that goes on until the pace is flat, what the last doubling of its time brought: 0.5 is a server
        /// that became half as fast again. `None` elsewhere, and as long as it is not known.
        rise: Option<f64>,
        /// While the load stands still or goes on in stages: see [`crate::halt`].
        #[serde(skip_serializing_if = "Option::is_none")]
        halt: Option<Released>,
    },
    /// A body that came in right answers, and that the plan asks for.
    Body {
        /// The request's name.
        request: &'a str,
        /// Of the answer.
        status: u16,
        /// In how many of the answers that were looked at.
        times: u64,
        /// `None` if it is not UTF-8.
        text: Option<&'a str>,
    },
    /// The warm-up of one of several engines need not go on: see [`crate::hold::Hold::opening_ns`].
    Warm {
        /// Since the start of the run.
        elapsed_seconds: f64,
    },
    /// All is prepared, and the start is held.
    Ready,
    /// Before the first connect: more connections share an address and a source than find a local port at once.
    Crowded(&'a Routes),
    /// The end of a run.
    Summary(&'a Summary),
    /// What a run that is one of several was, in full; right before its summary.
    Part(&'a Part),
    /// A target or a proxy can be connected to.
    Listening {
        /// With the real port; `unix:` and the path of a Unix socket.
        address: String,
    },
    /// The end of a target.
    Served {
        /// Requests whose answer was handed to the kernel whole.
        requests: u64,
        /// Connections accepted.
        connections: u64,
        /// What went wrong on purpose.
        faults: FaultCounts,
        /// The target's own delay, if it was measured.
        delay: Option<&'a Distribution>,
        /// Answers in each millisecond since the start, if stalls were planned.
        answers_each_ms: Option<&'a [u32]>,
    },
    /// A proxy so far, at SIGUSR1.
    Proxying {
        /// Of the clock that the kernel counts from its start.
        at_seconds: f64,
        /// Those that have ended.
        round_trips: &'a RoundTrips,
    },
    /// What became of idle connections so far.
    Idle {
        /// When it is said.
        state: IdleState,
        /// Since the first connect began.
        elapsed_seconds: f64,
        /// All of them.
        #[serde(flatten)]
        account: &'a IdleAccount,
    },
    /// The end of a proxy.
    Proxied(&'a Account),
    /// The end of a proxy of datagrams.
    #[serde(rename = "proxied")]
    ProxiedDatagrams(&'a DatagramAccount),
}

/// See [`Event::Window`].
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowState {
    /// Recording has begun.
    Opened,
    /// Recording has ended.
    Closed,
}

/// See [`Event::Progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProgressPhase {
    /// Before the window.
    Warmup,
    /// In the window.
    Window,
}

/// Writes an event as one line, at once.
///
/// # Errors
/// Those of standard output: whoever listened is gone.
pub fn emit(event: &Event<'_>) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    out.flush()
}
