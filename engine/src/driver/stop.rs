//! A signal by which the coordinator ends a driver that sleeps in the kernel.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// A line on which a thread is told to stop.
#[derive(Debug)]
pub struct StopLine {
    is_pulled: AtomicBool,
    wake: OwnedFd,
}

impl StopLine {
    /// A line that is not pulled.
    ///
    /// # Errors
    /// If the process has too many files open.
    pub fn new() -> io::Result<StopLine> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(StopLine { is_pulled: AtomicBool::new(false), wake })
    }

    /// Tells the thread to stop, and wakes it.
    pub fn pull(&self) {
        self.is_pulled.store(true, Ordering::Release);
        // It fails only if the counter is full, and then the thread is being woken already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// True once pulled.
    #[inline]
    pub fn is_pulled(&self) -> bool {
        self.is_pulled.load(Ordering::Acquire)
    }

    /// Becomes readable when the line is pulled.
    pub fn wake_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
