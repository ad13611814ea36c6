//! When requests begin: closed forms on the run's clock, in nanoseconds, without ticks. Knows no sockets.

mod arrivals;
mod constant;
#[cfg(test)]
pub(crate) mod goodness;
mod poisson;
mod quota;
mod ramp;
mod steps;
mod thinking;

pub use arrivals::{Arrivals, ThreadShare};
pub use constant::Constant;
pub use poisson::Poisson;
pub use quota::{Quota, split};
pub use ramp::Ramp;
pub use steps::Steps;
pub use thinking::{ThinkTimes, Thinking};

/// The run's phases on its clock, the same for every thread. Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Timeline {
    /// The warm-up begins.
    pub starts_ns: u64,
    /// The window begins; until that is decided, the latest moment at which it does.
    pub opens_ns: u64,
    /// The window ends; `None` if that depends on a [`Quota`].
    pub closes_ns: Option<u64>,
}

impl Timeline {
    /// The same, whose window begins at another moment and is as long.
    #[must_use]
    pub fn opening_at(self, opens_ns: u64) -> Timeline {
        let closes_ns = self.closes_ns.map(|closes_ns| closes_ns - self.opens_ns + opens_ns);
        Timeline { opens_ns, closes_ns, ..self }
    }
}

/// Where a thread stands in its [`Timeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Load is offered, nothing is recorded.
    WarmUp,
    /// Everything is recorded.
    Window,
    /// After an open load's window: nothing arrives any more, and the answers that are owed are awaited.
    Drain,
    /// Nothing is begun or recorded any more.
    Over,
}
