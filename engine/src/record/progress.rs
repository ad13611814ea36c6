//! What a thread lets the others see while it works.

use std::sync::atomic::{AtomicU64, Ordering};

use super::latest::LatestSecond;

/// Totals of one thread since its start, warm-up included. On cache lines of its own: only one thread writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Totals {
    verified: AtomicU64,
    errors: AtomicU64,
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

    /// Verified answers and errors so far.
    pub fn read(&self) -> (u64, u64) {
        (self.verified.load(Ordering::Relaxed), self.errors.load(Ordering::Relaxed))
    }
}
