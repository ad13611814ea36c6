//! Runs a command and ends its whole process tree when the lifeline ends.
//!
//! The guard is a child subreaper: whatever process of the tree loses its parent becomes the guard's child, so that
//! nothing leaves the tree by detaching itself.
//!
//! It is a package of its own, with few dependencies: it is compiled in seconds, and programs run below it while the
//! engine is still being compiled.

pub mod control_group;
pub mod covers;
pub mod parent;
pub mod places;
pub mod processors;
mod root;
pub mod signals;
mod tree;
pub mod user;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};

use control_group::ControlGroups;
use covers::Covers;
use parent::{PARENT_SIGNAL, ParentWatch};
use places::Places;
use signals::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, Signals};
use user::CommandUser;

/// Between two looks at a tree that is being killed.
const KILL_INTERVAL: Duration = Duration::from_millis(2);

/// A killed process that is not gone by then cannot be ended by anyone: it hangs in the kernel.
const KILL_PATIENCE: Duration = Duration::from_secs(30);

/// What to guard, and how.
#[derive(Debug)]
pub struct GuardPlan {
    /// Processors of the command; empty: those of the guard.
    pub cpus: Vec<u32>,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Files and host names that the command alone sees.
    pub places: Places,
    /// Folders that the command alone does not find as they are.
    pub covers: Covers,
    /// Who the command is; `None`: who the guard is.
    pub user: Option<CommandUser>,
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// Why there is nothing to guard.
#[derive(Debug)]
pub enum GuardError {
    /// The processors do not exist or may not be used.
    Processors(io::Error),
    /// The command cannot be given files or host names of its own.
    Places(io::Error),
    /// The command, which is named, cannot be started.
    Start(OsString, io::Error),
    /// The kernel refuses what a guard needs.
    System(io::Error),
}

impl fmt::Display for GuardError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuardError::Processors(error) => write!(formatter, "--cpus: {error}"),
            GuardError::Start(program, error) => {
                write!(formatter, "{} cannot be started: {error}", program.display())
            }
            GuardError::Places(error) | GuardError::System(error) => write!(formatter, "{error}"),
        }
    }
}

impl std::error::Error for GuardError {}

impl From<io::Error> for GuardError {
    fn from(error: io::Error) -> GuardError {
        GuardError::System(error)
    }
}

/// Exit status of a guard that had to use SIGKILL on the command after its lifeline had ended.
pub const KILLED_STATUS: u8 = 137;

/// Runs the command to its end, or until the lifeline ends, the parent dies or the guard is told to stop, and leaves
/// no process of its tree. Gives the guard's exit status.
///
/// # Errors
/// If nothing was started.
pub fn guard(plan: &GuardPlan, lifeline: BorrowedFd<'_>) -> Result<u8, GuardError> {
    // First: it is for a process with a single thread, and of another user namespace the rest knows nothing.
    places::enter(&plan.places).map_err(GuardError::Places)?;
    covers::enter(&plan.covers).map_err(GuardError::Places)?;
    let signals = Signals::catch(&[SIGCHLD, SIGTERM, SIGINT, SIGHUP, PARENT_SIGNAL])?;
    let parent = ParentWatch::begin()?;
    set_child_subreaper(Some(getpid())).map_err(io::Error::from)?;
    let (command, groups) = start(plan)?;
    let user = plan.user;
    let mut guard = Guard {
        lifeline,
        signals,
        parent,
        command,
        groups,
        user,
        status: None,
        has_children: true,
        lifeline_ended: false,
    };
    guard.watch()?;
    let was_stopped = guard.status.is_none();
    let ended = guard.end_tree(plan.grace);
    if let Some(user) = plan.user {
        user.give_back();
    }
    let needed_kill = ended?;
    Ok(match guard.status {
        _ if was_stopped && needed_kill => KILLED_STATUS,
        Some(status) => exit_status(status),
        None => KILLED_STATUS,
    })
}

struct Guard<'l> {
    lifeline: BorrowedFd<'l>,
    signals: Signals,
    parent: ParentWatch,
    command: Pid,
    groups: ControlGroups,
    user: Option<CommandUser>,
    /// How the command has ended.
    status: Option<WaitStatus>,
    /// Whether anything is left of the tree: who loses its parent becomes a child of the guard, so that what has no
    /// children has no descendants. To look through /proc is no proof, since processes come and go meanwhile.
    has_children: bool,
    lifeline_ended: bool,
}

impl Guard<'_> {
    /// Returns when the command has ended or is to be ended.
    fn watch(&mut self) -> io::Result<()> {
        loop {
            self.reap();
            if self.status.is_some() || self.lifeline_ended || self.parent.is_gone() {
                return Ok(());
            }
            if self.sleep(None)? {
                return Ok(());
            }
        }
    }

    /// Ends what is left: SIGTERM, a time of grace, SIGKILL. True if the command needed SIGKILL.
    fn end_tree(&mut self, grace: Duration) -> io::Result<bool> {
        let deadline = Instant::now() + grace;
        if self.status.is_none() {
            terminate(self.command);
        }
        self.wait_until(deadline, |guard| guard.status.is_some())?;
        if self.status.is_some() {
            // What the command left behind has had no word yet; it gets what is left of the grace.
            self.reap();
            tree::descendants()?.into_iter().for_each(terminate);
            self.wait_until(deadline, |guard| !guard.has_children)?;
        }
        let needed_kill = self.status.is_none();
        self.kill_all()?;
        Ok(needed_kill)
    }

    fn kill_all(&mut self) -> io::Result<()> {
        let patience_ends = Instant::now() + KILL_PATIENCE;
        loop {
            self.reap();
            if !self.has_children {
                return Ok(());
            }
            // What forks all the time is not always found; then the next look finds it.
            let left = tree::descendants()?;
            if Instant::now() > patience_ends {
                return Err(io::Error::other(format!("processes {left:?} cannot be killed")));
            }
            // All at once first: what forks faster than it is killed one by one would never end.
            if !self.groups.kill() {
                self.user.map_or(Ok(()), CommandUser::kill_all)?;
            }
            for process in left {
                // It may be gone by now.
                let _ = kill_process(process, Signal::KILL);
            }
            self.sleep(Some(KILL_INTERVAL))?;
        }
    }

    /// Reaps and sleeps until the condition holds or the time has come.
    fn wait_until(&mut self, deadline: Instant, holds: impl Fn(&Guard<'_>) -> bool) -> io::Result<()> {
        loop {
            self.reap();
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || holds(self) {
                return Ok(());
            }
            self.sleep(Some(left.min(20 * KILL_INTERVAL)))?;
        }
    }

    /// Takes the status of every child that has ended, also of those that became children by losing their parent.
    fn reap(&mut self) {
        let end = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command && self.status.is_none() => {
                    self.status = Some(status);
                }
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        self.has_children = !matches!(end, Err(Errno::CHILD));
    }

    /// Sleeps until a signal or the lifeline's end, at most this long. True if a signal asks to stop.
    fn sleep(&mut self, longest: Option<Duration>) -> io::Result<bool> {
        // A span that does not fit is longer than anybody waits.
        let longest = longest.and_then(|span| Timespec::try_from(span).ok());
        let wake = PollFd::from_borrowed_fd(self.signals.wake_fd(), PollFlags::IN);
        let lifeline = PollFd::from_borrowed_fd(self.lifeline, PollFlags::IN);
        let mut polled = [wake, lifeline];
        // An ended lifeline stays readable.
        let watched = if self.lifeline_ended { 1 } else { 2 };
        match poll(&mut polled[..watched], longest.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !polled[1].revents().is_empty() {
            self.lifeline_ended = has_ended(self.lifeline);
        }
        let stops = |signal: &i32| matches!(*signal, SIGTERM | SIGINT | SIGHUP);
        Ok(self.signals.take().iter().any(stops))
    }
}

/// Reads and forgets what was written; true at the end.
fn has_ended(lifeline: BorrowedFd<'_>) -> bool {
    let mut ignored = [0_u8; 512];
    match rustix::io::read(lifeline, &mut ignored) {
        Ok(0) => true,
        Ok(_) | Err(Errno::AGAIN | Errno::INTR) => false,
        Err(_) => true,
    }
}

/// Starts the command in control groups of its own, where they may be made.
///
/// Only one that runs as a user of its own is held to its processors by them: any other could leave them, and what the
/// guard's own user starts may be moved later.
fn start(plan: &GuardPlan) -> Result<(Pid, ControlGroups), GuardError> {
    // The command inherits groups and binding; the guard itself is to take no time on the command's processors.
    let own = processors::allowed()?;
    if !plan.cpus.is_empty() {
        processors::bind(&plan.cpus).map_err(GuardError::Processors)?;
    }
    let groups = ControlGroups::join(if plan.user.is_some() { &plan.cpus } else { &[] });
    let mut command = Command::new(&plan.program);
    command.args(&plan.arguments).stdin(Stdio::null()).process_group(0);
    let started = match plan.user {
        Some(user) => user.start(&mut command),
        None => command.spawn(),
    };
    let left = groups.leave();
    processors::restore(&own)?;
    let mut started = started.map_err(|error| GuardError::Start(plan.program.clone(), error))?;
    if let Err(error) = left {
        // A guard that stays in them would be killed with the command.
        started.kill()?;
        return Err(error.into());
    }
    Ok((Pid::from_child(&started), groups))
}

fn terminate(process: Pid) {
    // It may be gone by now.
    let _ = kill_process(process, Signal::TERM);
}

fn exit_status(status: WaitStatus) -> u8 {
    let code = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    code as u8
}
