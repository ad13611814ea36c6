//! Connections that outlive a run: the next one on the same thread takes them over, as they are.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::{RecvFlags, recv};

/// One thread's sockets, by connection.
#[derive(Debug, Default)]
pub struct Kept {
    sockets: Vec<Option<OwnedFd>>,
    /// False: no socket outlives the run.
    keeps: bool,
}

impl Kept {
    /// A thread whose run is followed by others.
    pub fn between_runs() -> Kept {
        Kept { sockets: Vec::new(), keeps: true }
    }

    /// Closes those that the peer has closed, or on which bytes have come that nobody asked for. Gives how many are left,
    /// and how many were closed.
    pub fn close_lost(&mut self) -> (u64, u64) {
        let before = self.count();
        self.sockets.iter_mut().for_each(|socket| drop(socket.take_if(|socket| !is_at_rest(socket))));
        (self.count(), before - self.count())
    }

    fn count(&self) -> u64 {
        self.sockets.iter().flatten().count() as u64
    }

    /// The connection's socket, if the run before has left one that is still at rest. `waits`: as its driver needs it.
    pub(super) fn take(&mut self, number: usize, waits: bool) -> Option<OwnedFd> {
        let socket = self.sockets.get_mut(number)?.take().filter(is_at_rest)?;
        ioctl_fionbio(&socket, !waits).ok()?;
        Some(socket)
    }

    /// False: whatever is left is closed.
    pub(super) fn keeps(&self) -> bool {
        self.keeps
    }

    /// Leaves it to the next run, if there is one.
    pub(super) fn put(&mut self, number: usize, socket: OwnedFd) {
        if self.keeps {
            if self.sockets.len() <= number {
                self.sockets.resize_with(number + 1, || None);
            }
            self.sockets[number] = Some(socket);
        }
    }
}

/// Nothing has come, and nothing is at its end.
fn is_at_rest(socket: &OwnedFd) -> bool {
    let looked = recv(socket, &mut [0; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    looked.is_err_and(|error| error == Errno::AGAIN)
}
