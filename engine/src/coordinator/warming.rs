//! A warm-up that goes on until the pace is flat, as the coordinator follows it.

use std::io;
use std::sync::Arc;

use super::Worker;
use crate::clock::seconds;
use crate::events::{Event, emit};
use crate::hold::Hold;
use crate::warm_up::{Opening, Rule, Sample, TICK_NS, WarmUp, WarmUpWritten};

/// From sample to sample.
const SAMPLE_NS: u64 = 20_000_000;

/// From the decision to the opening: each thread comes by a tick meanwhile, unless it was kept from its processor.
const LEAD_NS: u64 = 2 * TICK_NS;

/// Times are nanoseconds since the warm-up's begin.
pub(super) struct Warming {
    warm_up: WarmUp,
    opening: Arc<Opening>,
    next_sample_ns: u64,
    /// Where it is said when all engines of a load open their windows; `None`: this one is alone.
    others: Option<Hold>,
}

impl Warming {
    pub(super) fn new(rule: Rule, opening: Arc<Opening>, others: Option<Hold>) -> Warming {
        Warming { warm_up: WarmUp::new(rule, seconds(SAMPLE_NS)), opening, next_sample_ns: SAMPLE_NS, others }
    }

    /// True if it is awaited on standard input when all engines open their windows.
    pub(super) fn awaits_others(&self) -> bool {
        self.others.is_some() && !self.warm_up.goes_on()
    }

    /// When there is something to do; `u64::MAX` if nothing is.
    pub(super) fn next_ns(&self) -> u64 {
        if self.warm_up.goes_on() { self.next_sample_ns } else { u64::MAX }
    }

    /// Looks at what the threads have done. Returns when the window opens, if that was decided now.
    ///
    /// # Errors
    /// If nobody reads standard output any more.
    pub(super) fn look(&mut self, at_ns: u64, workers: &[Worker]) -> io::Result<Option<u64>> {
        if !self.warm_up.goes_on() || at_ns < self.next_sample_ns {
            return Ok(None);
        }
        self.next_sample_ns = at_ns + SAMPLE_NS;
        if self.warm_up.add(sample(at_ns, workers)).is_none() {
            return Ok(None);
        }
        if self.others.is_some() {
            emit(&Event::Warm { elapsed_seconds: seconds(at_ns) })?;
            return Ok(None);
        }
        Ok(Some(self.opening.decide(at_ns + LEAD_NS)))
    }

    /// A line has come. Returns when the window opens, if that was decided now. Where standard input has ended, nobody
    /// says it any more, and the window opens at the limit.
    pub(super) fn hear(&mut self, starts_ns: u64) -> Option<u64> {
        let opens_ns = self.others.take()?.opening_ns().ok()?;
        Some(self.opening.decide(opens_ns.saturating_sub(starts_ns)))
    }

    /// True if it was said before it was awaited.
    pub(super) fn was_said(&self) -> bool {
        self.others.as_ref().is_some_and(Hold::has_line)
    }

    /// The window opens, as it does at the limit at the latest.
    pub(super) fn close(&mut self, at_ns: u64, workers: &[Worker]) {
        self.warm_up.add(sample(at_ns, workers));
    }

    /// See [`WarmUp::rise`].
    pub(super) fn rise(&self) -> Option<f64> {
        self.warm_up.rise()
    }

    pub(super) fn written(&self) -> WarmUpWritten {
        self.warm_up.written()
    }
}

fn sample(at_ns: u64, workers: &[Worker]) -> Sample {
    let mut sample = Sample { at_seconds: seconds(at_ns), ..Sample::default() };
    for worker in workers {
        let (verified, errors) = worker.totals.read();
        sample.verified += verified;
        sample.errors += errors;
        sample.log_response += worker.totals.log_response();
    }
    sample
}
