//! Planned stalls: every so often the whole server stands still.

use std::os::fd::BorrowedFd;
use std::str::FromStr;

use rustix::event::{PollFd, PollFlags, poll};

use crate::clock::{now_ns, timespec};
use crate::delay::parse_span;

/// How long before a stall's end the server is awake again.
const AWAKE_NS: u64 = 500_000;

/// Stalls by the clock since the start: from `k × every_ns` on for `length_ns`, for k = 1, 2, ….
///
/// A client that asks at a constant rate all the time meets a stall with probability `length / every`, and then waits
/// for a time that is uniform between 0 and `length`: 200 ms in every 2 s give a p95 of 100 ms and a p99 of 180 ms. Where
/// the kernel makes a stall longer, the target's account of its answers tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalls {
    /// From one stall's begin to the next one's.
    pub every_ns: u64,
    /// Shorter than `every_ns`.
    pub length_ns: u64,
}

impl FromStr for Stalls {
    type Err = String;

    /// `EVERY:LENGTH`, as in `2s:200ms`.
    fn from_str(text: &str) -> Result<Stalls, String> {
        let (every, length) = text.split_once(':').ok_or("EVERY:LENGTH is needed, such as 2s:200ms")?;
        let (every_ns, length_ns) = (parse_span(every)?, parse_span(length)?);
        if length_ns == 0 || every_ns <= length_ns {
            return Err(
                "a stall must be longer than nothing and shorter than what it recurs after".to_owned()
            );
        }
        Ok(Stalls { every_ns, length_ns })
    }
}

impl Stalls {
    /// The end of the stall at `elapsed_ns`, if there is one.
    fn end_ns(self, elapsed_ns: u64) -> Option<u64> {
        let begin_ns = elapsed_ns - elapsed_ns % self.every_ns;
        let end_ns = begin_ns + self.length_ns;
        (begin_ns > 0 && elapsed_ns < end_ns).then_some(end_ns)
    }

    /// How many stalls have begun until `elapsed_ns`.
    pub(super) fn begun(self, elapsed_ns: u64) -> u64 {
        elapsed_ns / self.every_ns
    }

    /// Stands still while a stall lasts, or until `wake` becomes readable. Gives the time.
    ///
    /// The end is awaited awake: a timer is late by some tens of microseconds, and what a stall does to the percentiles
    /// is to be arithmetic.
    pub(super) fn hold(self, starts_ns: u64, wake: BorrowedFd<'_>) -> u64 {
        loop {
            let now = now_ns();
            let Some(end_ns) = self.end_ns(now - starts_ns) else { return now };
            let wait = timespec((starts_ns + end_ns - now).saturating_sub(AWAKE_NS));
            if poll(&mut [PollFd::new(&wake, PollFlags::IN)], Some(&wait)).is_ok_and(|ready| ready > 0) {
                return now_ns();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_come_by_the_clock() {
        let stalls: Stalls = "2s:200ms".parse().unwrap();
        let end =
            |milliseconds: u64| stalls.end_ns(milliseconds * 1_000_000).map(|end_ns| end_ns / 1_000_000);
        assert_eq!([0, 100, 1999, 2200, 3999].map(end), [None; 5]);
        assert_eq!([2000, 2199, 4100].map(end), [Some(2200), Some(2200), Some(4200)]);
        assert_eq!((stalls.begun(1_999_999_999), stalls.begun(4_000_000_000)), (0, 2));
        for wrong in ["2s", "200ms:2s", "2s:0s", "2s:2s", "a:b"] {
            assert!(wrong.parse::<Stalls>().is_err(), "{wrong}");
        }
    }
}
