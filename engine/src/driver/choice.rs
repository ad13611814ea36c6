//! Chooses the driver: io_uring or epoll.

use std::io;

use super::{Conversation, DriverUse, Kept, StopLine, epoll, uring};
use crate::endpoint::Endpoint;
use crate::plan::DriverChoice;
use crate::wait::Wait;

/// A driver that this kernel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Readiness, then calls.
    Epoll,
    /// Requests and completions in shared memory.
    IoUring,
}

impl Driver {
    /// The name in a summary.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Epoll => "epoll",
            Driver::IoUring => "io_uring",
        }
    }

    /// Runs a conversation to its end on the calling thread. `kept`: what runs before have left, and this one leaves.
    ///
    /// # Errors
    /// If the driver itself cannot be used; what happens on a connection is the conversation's.
    pub fn run<C: Conversation>(
        self,
        conversation: C,
        endpoint: &Endpoint,
        stop: &StopLine,
        wait: Wait,
        kept: &mut Kept,
    ) -> io::Result<(C::Outcome, DriverUse)> {
        match self {
            Driver::Epoll => epoll::run(conversation, endpoint, stop, wait, kept),
            Driver::IoUring => uring::run(conversation, endpoint, stop, wait, kept),
        }
    }
}

/// Where all bodies are longer, the epoll driver costs less: it reads each into the same buffer, which stays in the
/// caches, while the kernel goes through all of io_uring's in turn. Between 16 KiB, where io_uring costs less, and 64 KiB,
/// where it costs a little more: docs/benchmarks.md.
const MOST_BODY_BYTES: u64 = 32 * 1024;

/// Chooses a driver for so many connections per thread and bodies of at least so many bytes, and
/// says why it is not io_uring where that was not asked for.
///
/// # Errors
/// Why io_uring cannot be used, if nothing else will do.
pub fn choose(
    wanted: DriverChoice,
    connections: u32,
    least_body_bytes: u64,
) -> Result<(Driver, Option<String>), String> {
    decide(wanted, least_body_bytes, || uring::probe(connections))
}

fn decide(
    wanted: DriverChoice,
    least_body_bytes: u64,
    probe: impl FnOnce() -> io::Result<()>,
) -> Result<(Driver, Option<String>), String> {
    if wanted == DriverChoice::Epoll {
        return Ok((Driver::Epoll, None));
    }
    if wanted == DriverChoice::Auto && least_body_bytes > MOST_BODY_BYTES {
        let why = format!(
            "bodies of at least {least_body_bytes} bytes are expected, and epoll costs less above {MOST_BODY_BYTES}"
        );
        return Ok((Driver::Epoll, Some(why)));
    }
    match probe().map_err(|error| reason(&error)) {
        Ok(()) => Ok((Driver::IoUring, None)),
        Err(reason) if wanted == DriverChoice::Auto => Ok((Driver::Epoll, Some(reason))),
        Err(reason) => Err(reason),
    }
}

/// What the error means to who asked for io_uring.
fn reason(error: &io::Error) -> String {
    use io::ErrorKind::{PermissionDenied, Unsupported};
    match error.kind() {
        PermissionDenied => format!(
            "io_uring is not permitted here, by kernel.io_uring_disabled or by a container's filter ({error})"
        ),
        Unsupported => format!("this kernel has no io_uring ({error})"),
        io::ErrorKind::InvalidInput => format!("this kernel's io_uring is too old, 6.0 is needed ({error})"),
        _ => format!("io_uring cannot be used: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    fn works() -> io::Result<()> {
        Ok(())
    }

    #[test]
    fn io_uring_where_it_works() {
        assert_eq!(decide(DriverChoice::Auto, 0, works), Ok((Driver::IoUring, None)));
        assert_eq!(decide(DriverChoice::IoUring, 0, works), Ok((Driver::IoUring, None)));
    }

    #[test]
    fn epoll_for_long_bodies_unless_io_uring_is_asked_for() {
        assert_eq!(decide(DriverChoice::Auto, 32_768, works), Ok((Driver::IoUring, None)));
        let (driver, why) = decide(DriverChoice::Auto, 32_769, || unreachable!()).unwrap();
        assert_eq!(driver, Driver::Epoll);
        assert!(why.unwrap().contains("32769 bytes"));
        assert_eq!(decide(DriverChoice::IoUring, 32_769, works), Ok((Driver::IoUring, None)));
        assert_eq!(decide(DriverChoice::Epoll, 32_769, works), Ok((Driver::Epoll, None)));
    }

    #[test]
    fn epoll_does_not_even_ask() {
        let decided = decide(DriverChoice::Epoll, 0, || unreachable!());
        assert_eq!(decided, Ok((Driver::Epoll, None)));
    }

    #[test]
    fn where_it_does_not_work_epoll_says_why_or_the_plan_is_refused() {
        for (errno, word) in [
            (Errno::PERM, "permitted"),
            (Errno::NOSYS, "no io_uring"),
            (Errno::INVAL, "too old"),
            (Errno::MFILE, "open files"),
        ] {
            let fails = || Err(errno.into());
            let (driver, why) = decide(DriverChoice::Auto, 0, fails).unwrap();
            assert_eq!(driver, Driver::Epoll);
            assert!(why.unwrap().contains(word));
            assert!(decide(DriverChoice::IoUring, 0, fails).unwrap_err().contains(word));
        }
    }
}
