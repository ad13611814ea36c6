//! Bytes of a socket, and when they arrived.
//!
//! A sleeping thread reads bytes some tens of microseconds after they arrived, and later if others have its processor.
//! The kernel stamps them on arrival (SO_TIMESTAMPNS, socket(7)), and delays count from there: what the proxy's own
//! wake-up takes is not added to them. Unix sockets have no stamps; their bytes count from when they are read.

use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use rustix::io::Errno;

use crate::clock::{now_ns, real_time_ns};

/// Asks the kernel for stamps of what arrives at a socket. Accepted sockets inherit it from their listener; one that
/// connects has to be asked for itself.
pub(super) fn stamp(socket: &OwnedFd) {
    // Without stamps, delays count from when bytes are read.
    let _ = setsockopt(socket, sockopt::ReceiveTimestampns, &true);
}

/// Reads from all sockets, into one buffer.
pub(super) struct Receiver {
    buffer: Vec<u8>,
    control: Vec<u8>,
}

/// What one read gave.
pub(super) struct Received<'a> {
    /// None at the end of what the peer sends.
    pub bytes: &'a [u8],
    /// When the last of them arrived.
    pub arrived_ns: u64,
    /// There was room for more: the socket is empty now.
    pub is_drained: bool,
}

impl Receiver {
    pub(super) fn new(most_bytes: usize) -> Receiver {
        Receiver { buffer: vec![0; most_bytes], control: nix::cmsg_space!(TimeSpec) }
    }

    /// Reads once. `after_ns`: the bytes arrived after this moment.
    ///
    /// # Errors
    /// `AGAIN` if there is nothing to read; all others end the connection.
    pub(super) fn receive(&mut self, socket: &OwnedFd, after_ns: u64) -> Result<Received<'_>, Errno> {
        let (bytes, stamp) = self.read(socket)?;
        let now = now_ns();
        let age_ns = stamp.map_or(0, |stamp_ns| real_time_ns().saturating_sub(stamp_ns));
        Ok(Received {
            bytes: &self.buffer[..bytes],
            // Also if somebody has set the clock meanwhile.
            arrived_ns: now.saturating_sub(age_ns).clamp(after_ns.min(now), now),
            is_drained: bytes < self.buffer.len(),
        })
    }

    fn read(&mut self, socket: &OwnedFd) -> Result<(usize, Option<u64>), Errno> {
        loop {
            let mut buffers = [IoSliceMut::new(&mut self.buffer)];
            let control = Some(self.control.as_mut_slice());
            match recvmsg::<()>(socket.as_raw_fd(), &mut buffers, control, MsgFlags::empty()) {
                Ok(message) => {
                    let stamps = message.cmsgs().map(|messages| messages.filter_map(moment).last());
                    return Ok((message.bytes, stamps.unwrap_or(None)));
                }
                Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(Errno::from_raw_os_error(error as i32)),
            }
        }
    }
}

/// Real time in nanoseconds.
fn moment(message: ControlMessageOwned) -> Option<u64> {
    match message {
        ControlMessageOwned::ScmTimestampns(at) => {
            Some(at.tv_sec() as u64 * 1_000_000_000 + at.tv_nsec() as u64)
        }
        _ => None,
    }
}
