//! Noticing the parent's death.

use std::io;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use crate::signals::SIGCONT;

/// The signal that [`ParentWatch`] asks for. It also comes when only the parent's thread that started this process
/// ends, so it is one that means nothing else to a process that runs. One that somebody stopped goes on.
pub const PARENT_SIGNAL: i32 = SIGCONT;

/// Watches the process that started this one.
#[derive(Debug)]
pub struct ParentWatch {
    parent: Option<Pid>,
}

impl ParentWatch {
    /// Watches from now on: [`PARENT_SIGNAL`], which the caller catches before, asks to look at
    /// [`ParentWatch::is_gone`].
    ///
    /// # Errors
    /// The kernel's.
    pub fn begin() -> io::Result<ParentWatch> {
        let parent = getppid();
        set_parent_process_death_signal(Some(Signal::CONT))?;
        Ok(ParentWatch { parent })
    }

    /// True if the parent has died, also if it did before the signal was asked for.
    pub fn is_gone(&self) -> bool {
        getppid() != self.parent
    }
}
