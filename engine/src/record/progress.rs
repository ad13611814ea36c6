//! The counters that a thread lets the others see while it works.

use std::sync::atomic::{AtomicU64, Ordering};

use super::latest::LatestSecond;

/// Totals of one thread since its start, warm-up included. On cache lines of its own: only one thread writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Totals {
    verified: AtomicU64,
    errors: AtomicU64,
    /// Of verified answers outside of the window: [`log_of`] of their response times and [`WAKING_NS`], added up.
    log_response: AtomicU64,
    /// Written once a second.
    pub latest: LatestSecond,
}

impl Totals {
    /// Counts a verified answer. Only the owning thread may call this.
    #[inline]
    pub fn add_verified(&self) {
        // A plain store: with one writer nothing can come between.
        self.verified.store(self.verified.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Counts an error. Only the owning thread may call this.
    pub fn add_error(&self) {
        self.errors.store(self.errors.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Counts what a verified answer took that came in the warm-up. Only the owning thread may call this.
    #[inline]
    pub fn add_warming(&self, response_ns: u64) {
        let sum = self.log_response.load(Ordering::Relaxed) + log_of(response_ns + WAKING_NS);
        self.log_response.store(sum, Ordering::Relaxed);
    }

    /// Binary logarithms of the response times of verified answers in the warm-up, in nanoseconds and with
    /// [`WAKING_NS`] in each, added up.
    pub fn log_response(&self) -> f64 {
        self.log_response.load(Ordering::Relaxed) as f64 / LOG_UNIT
    }

    /// Verified answers and errors so far.
    pub fn read(&self) -> (u64, u64) {
        (self.verified.load(Ordering::Relaxed), self.errors.load(Ordering::Relaxed))
    }
}

/// Added to what an answer takes before its logarithm is: what a machine takes to wake threads at both ends, which differs
/// from second to second. A server that answers in 50 µs, and then in 100, has learned and forgotten nothing.
pub const WAKING_NS: u64 = 100_000;

const LOG_BITS: u32 = 16;
const LOG_UNIT: f64 = (1 << LOG_BITS) as f64;

/// The binary logarithm in units of 2⁻¹⁶, on a straight line between powers of two: at most 0.09 from the true one, and as
/// monotone. It takes a nanosecond.
#[inline]
fn log_of(value: u64) -> u64 {
    let value = value.max(1);
    let power = value.ilog2();
    let fraction = ((value << (63 - power)) << 1) >> (64 - LOG_BITS);
    (u64::from(power) << LOG_BITS) | fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_is_near_and_monotone() {
        let mut last = 0;
        for value in (1..5000).chain((1..2000).map(|step| step * 9_223_372_036_854_775)) {
            let log = log_of(value);
            assert!(log >= last, "{value}");
            assert!((log as f64 / LOG_UNIT - (value as f64).log2()).abs() < 0.09, "{value}");
            last = log;
        }
        assert_eq!(
            [0, 1, 2, 3, 1024].map(|value| log_of(value) as f64 / LOG_UNIT),
            [0.0, 0.0, 1.0, 1.5, 10.0]
        );
    }

    #[test]
    fn typical_times_are_geometric_means() {
        let totals = Totals::default();
        for nanoseconds in [1 << 20, 1 << 30] {
            totals.add_warming(nanoseconds - WAKING_NS);
        }
        assert_eq!(totals.log_response(), 50.0);
    }
}
