//! Signals as something to poll.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

/// Catches some signals for the life of the process.
#[derive(Debug)]
pub struct Signals {
    wake: UnixStream,
    write: UnixStream,
    caught: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    /// Catches these signals from now on.
    ///
    /// # Errors
    /// The kernel's.
    pub fn catch(signals: &[i32]) -> io::Result<Signals> {
        let (wake, write) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let mut catching = Signals { wake, write, caught: Vec::new() };
        catching.also_catch(signals)?;
        Ok(catching)
    }

    /// Catches these signals, too.
    ///
    /// # Errors
    /// The kernel's.
    pub fn also_catch(&mut self, signals: &[i32]) -> io::Result<()> {
        for &signal in signals {
            let flag = Arc::new(AtomicBool::new(false));
            // The flag first: whoever is woken finds it set.
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal, self.write.try_clone()?)?;
            self.caught.push((signal, flag));
        }
        Ok(())
    }

    /// Becomes readable when a signal was caught, until [`Signals::take`] has been called.
    pub fn wake_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// The signals that were caught since the last call, in the order in which they were asked for.
    pub fn take(&mut self) -> Vec<i32> {
        let mut ignored = [0; 64];
        while matches!(self.wake.read(&mut ignored), Ok(1..)) {}
        let was_caught = |flag: &AtomicBool| flag.swap(false, Ordering::SeqCst);
        self.caught.iter().filter(|(_, flag)| was_caught(flag)).map(|&(signal, _)| signal).collect()
    }
}
