//! The run's clock.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Monotonic time in nanoseconds, the same for all threads.
#[inline]
pub fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// Real time in nanoseconds, as the kernel stamps what arrives. It may be set at any time.
pub fn real_time_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// Processor time of the calling thread, user and system, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// User and system time of the calling thread, in nanoseconds: the kernel splits the precise sum by what its ticks found.
pub fn thread_split_ns() -> (u64, u64) {
    let nanoseconds = |time: TimeVal| u64::try_from(time.num_nanoseconds()).unwrap_or(0);
    // It fails only for bad arguments.
    getrusage(UsageWho::RUSAGE_THREAD)
        .map_or((0, 0), |used| (nanoseconds(used.user_time()), nanoseconds(used.system_time())))
}

/// A plan's seconds as nanoseconds.
pub fn from_seconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Nanoseconds as seconds.
pub fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// A span for the kernel.
pub fn timespec(nanoseconds: u64) -> Timespec {
    let nanoseconds = nanoseconds.min(i64::MAX as u64) as i64;
    Timespec { tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000 }
}

#[inline]
fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
