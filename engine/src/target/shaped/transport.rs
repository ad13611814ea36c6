//! A connection's bytes, in clear or over TLS.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};

/// A socket of a peer.
pub(super) struct Transport {
    socket: OwnedFd,
}

impl Transport {
    pub(super) fn new(socket: OwnedFd) -> Transport {
        Transport { socket }
    }

    /// Bytes of the peer; 0 at their end.
    ///
    /// # Errors
    /// `AGAIN` if there are none now; all others end the connection.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        loop {
            match recv(&self.socket, &mut *buffer, RecvFlags::empty()) {
                Ok((bytes, _)) => return Ok(bytes),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Hands bytes to the kernel, and says how many it took.
    ///
    /// # Errors
    /// `AGAIN` if it takes none now; all others end the connection.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        loop {
            match send(&self.socket, bytes, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                result => return result,
            }
        }
    }

    /// The peer shall see a reset when the connection ends.
    pub(super) fn reset_at_end(&self) {
        let _ = sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
    }
}
