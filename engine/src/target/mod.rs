//! A calibrated HTTP server: one thread, answers rendered before they are needed, and counts that tests and
//! calibration take as the truth.
//!
//! Without faults it is [`plain`], as cheap as we can make it; with them, over TLS, or where its own delay is to be
//! measured, it is [`shaped`].

mod answer;
mod faults;
mod plain;
mod request;
mod serve;
mod shaped;
mod stall;

use std::io;
use std::num::NonZeroU64;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::set_current_timer_slack;

pub use answer::AnswerSpec;
use answer::RenderedAnswers;
pub use faults::{FaultCounts, Faults};
use shaped::Tally;
pub use stall::Stalls;

use crate::listen::{Listen, Listener};
use crate::record::Distribution;
use crate::signals::Signals;
use crate::tls::ServerTls;

/// A server that listens.
pub struct Target {
    listener: Listener,
    spec: TargetSpec,
}

/// What a target does.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// The answer to every request.
    pub answer: AnswerSpec,
    /// Delays and faults; `None`: it answers at once and rightly, and does not measure itself.
    pub faults: Option<Faults>,
    /// TLS instead of plain bytes.
    pub tls: Option<ServerTls>,
}

/// The truth about what a target did.
#[derive(Clone, Debug)]
pub struct Served {
    /// Requests whose answer was handed to the kernel whole.
    pub requests: u64,
    /// Connections accepted.
    pub connections: u64,
    /// How many answers met a fault.
    pub faults: FaultCounts,
    /// From a request complete in the target's hands to its answer handed to the kernel whole; `None`: not measured.
    pub delay: Option<Distribution>,
    /// How many answers were handed over in each millisecond since the start, a minute at most; `None` without stalls.
    pub answers_each_ms: Option<Vec<u32>>,
}

impl Target {
    /// Listens at `listen`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn bind(listen: &Listen, spec: TargetSpec) -> io::Result<Target> {
        Ok(Target { listener: Listener::bind(listen)?, spec })
    }

    /// Where the server listens, with the real port.
    pub fn address(&self) -> &Listen {
        &self.listener.address
    }

    /// Serves until one of the signals comes.
    ///
    /// # Errors
    /// If epoll cannot be used.
    pub fn serve(self, signals: &Signals) -> io::Result<Served> {
        // One file per connection; where the limit stays low, the rest waits in the backlog.
        let limit = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
        let socket = &self.listener.socket;
        let TargetSpec { answer, faults, tls } = self.spec;
        if faults.is_none() && tls.is_none() {
            let mut worker = plain::Worker::new(RenderedAnswers::new(&answer));
            let connections = serve::serve(&mut worker, socket, signals)?;
            let faults = FaultCounts::default();
            let requests = worker.served();
            return Ok(Served { requests, connections, faults, delay: None, answers_each_ms: None });
        }
        let faults = faults.unwrap_or_default();
        // The kernel's usual 50 µs would be in every delay.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let mut worker = shaped::Worker::new(answer, &faults, tls.as_ref(), signals.wake_fd());
        let connections = serve::serve(&mut worker, socket, signals)?;
        let Tally { served, faults, delay, answers_each_ms, .. } = worker.into_tally();
        Ok(Served { requests: served, connections, faults, delay: Some(delay), answers_each_ms })
    }
}
