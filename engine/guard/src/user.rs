//! A user of the command's own: nobody else runs as it, and it owns nothing but what it was given.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fs::{FileType, Mode, fchown, fstat};
use rustix::process::{Gid, Resource, Rlimit, Uid, getegid, geteuid, getrlimit, setrlimit, umask};
use rustix::stdio::{stderr, stdout};
use rustix::thread::set_no_new_privs;

/// What the command makes is its own alone.
const UMASK: u32 = 0o077;

/// Who the command is. It takes the rights of root to make it so.
#[derive(Debug, Clone, Copy)]
pub struct CommandUser {
    /// Of the user.
    pub uid: u32,
    /// Of its only group.
    pub gid: u32,
    /// Threads and processes that it may have at once; `None`: as many as the guard.
    pub most_processes: Option<u64>,
}

impl CommandUser {
    /// Starts a command as this user. No program that it calls gives it other rights (sudo, ping).
    ///
    /// # Errors
    /// The kernel's; the rights for it are missing.
    pub(crate) fn start(self, command: &mut Command) -> io::Result<std::process::Child> {
        // A program may open /dev/stderr by its name.
        own_output(Uid::from_raw(self.uid), Gid::from_raw(self.gid))?;
        set_no_new_privs(true)?;
        let (limits, mask) = (getrlimit(Resource::Nproc), umask(Mode::from_raw_mode(UMASK)));
        let started = self.limit(&limits).and_then(|()| self.become_by(command).spawn());
        umask(mask);
        // Where root may not raise a limit again, it stays: the guard itself starts next to nothing.
        let _ = setrlimit(Resource::Nproc, limits);
        started
    }

    /// Gives the log back to whom it belongs.
    pub(crate) fn give_back(self) {
        // Where that fails it is gone already.
        let _ = own_output(geteuid(), getegid());
    }

    /// Kills all processes of this user at once, as only one of its own can.
    pub(crate) fn kill_all(self) -> io::Result<()> {
        let mut kill = Command::new("kill");
        kill.args(["-KILL", "--", "-1"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.become_by(&mut kill).status().map(drop)
    }

    /// Without other groups: the standard library drops them with the user.
    fn become_by(self, command: &mut Command) -> &mut Command {
        command.gid(self.gid).uid(self.uid)
    }

    fn limit(self, present: &Rlimit) -> io::Result<()> {
        let Some(most) = self.most_processes else { return Ok(()) };
        let most = Some(present.maximum.map_or(most, |maximum| most.min(maximum)));
        Ok(setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most })?)
    }
}

/// Makes a user the owner of the log. Devices stay whose they are.
fn own_output(uid: Uid, gid: Gid) -> io::Result<()> {
    for output in [stdout(), stderr()] {
        let kind = FileType::from_raw_mode(fstat(output)?.st_mode);
        if matches!(kind, FileType::RegularFile | FileType::Fifo) {
            fchown(output, Some(uid), Some(gid))?;
        }
    }
    Ok(())
}
