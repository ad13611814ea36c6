//! A connection's bytes, in clear or over TLS.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send, sockopt};
use rustls::ServerConnection;

/// A socket of a peer.
pub(super) struct Transport {
    socket: Socket,
    tls: Option<Box<ServerConnection>>,
}

impl Transport {
    pub(super) fn new(socket: OwnedFd, tls: Option<ServerConnection>) -> Transport {
        Transport { socket: Socket(socket), tls: tls.map(Box::new) }
    }

    /// Bytes of the peer; 0 at their end.
    ///
    /// # Errors
    /// `AGAIN` if there are none now; all others end the connection.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let Some(tls) = &mut self.tls else { return errno(self.socket.read(buffer)) };
        loop {
            match tls.reader().read(buffer) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The peer closed its socket without a farewell.
                Err(_) => return Ok(0),
            }
            let read = tls.read_tls(&mut self.socket);
            let processed = tls.process_new_packets();
            let flushed = flush(tls, &mut self.socket);
            if processed.is_err() {
                return Err(Errno::PROTO);
            }
            errno(read)?;
            match flushed {
                Ok(()) | Err(Errno::AGAIN) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes bytes to be sent, and says how many. They are in the kernel's hands when [`Transport::flush`] has succeeded.
    ///
    /// # Errors
    /// `AGAIN` if it takes none now; all others end the connection.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<usize, Errno> {
        let Some(tls) = &mut self.tls else { return errno(self.socket.write(bytes)) };
        flush(tls, &mut self.socket)?;
        let taken = errno(tls.writer().write(bytes))?;
        match flush(tls, &mut self.socket) {
            Ok(()) | Err(Errno::AGAIN) => Ok(taken),
            Err(error) => Err(error),
        }
    }

    /// Hands all that was written to the kernel.
    ///
    /// # Errors
    /// `AGAIN` if it does not take all now; all others end the connection.
    pub(super) fn flush(&mut self) -> Result<(), Errno> {
        match &mut self.tls {
            Some(tls) => flush(tls, &mut self.socket),
            None => Ok(()),
        }
    }

    /// Says farewell, where that is usual.
    pub(super) fn finish(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            let _ = flush(tls, &mut self.socket);
        }
    }

    /// The peer shall see a reset when the connection ends.
    pub(super) fn reset_at_end(&self) {
        let _ = sockopt::set_socket_linger(&self.socket.0, Some(Duration::ZERO));
    }
}

fn flush(tls: &mut ServerConnection, socket: &mut Socket) -> Result<(), Errno> {
    while tls.wants_write() {
        errno(tls.write_tls(socket))?;
    }
    Ok(())
}

fn errno<T>(result: io::Result<T>) -> Result<T, Errno> {
    result.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

struct Socket(OwnedFd);

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match recv(&self.0, &mut *buffer, RecvFlags::empty()) {
                Ok((bytes, _)) => return Ok(bytes),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match send(&self.0, bytes, SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                result => return Ok(result?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
