//! TCP sockets to the server.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt};

use crate::record::ErrorKind;

/// A connect that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub socket: OwnedFd,
    /// False: the socket becomes writable when the connect has ended.
    pub is_connected: bool,
}

/// Begins to connect, without waiting.
pub(super) fn begin_connect(address: &SocketAddr) -> Result<Begun, ErrorKind> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP)).map_err(connect_error)?;
    sockopt::set_tcp_nodelay(&socket, true).map_err(connect_error)?;
    match connect(&socket, address) {
        Ok(()) => Ok(Begun { socket, is_connected: true }),
        Err(Errno::INPROGRESS) => Ok(Begun { socket, is_connected: false }),
        Err(error) => Err(connect_error(error)),
    }
}

/// How a connect has ended.
pub(super) fn connect_result(socket: &OwnedFd) -> Result<(), ErrorKind> {
    sockopt::socket_error(socket).and_then(|result| result).map_err(connect_error)
}

/// The kind of an error on an open connection.
pub(super) fn transfer_error(error: Errno) -> ErrorKind {
    match error {
        Errno::CONNRESET | Errno::PIPE => ErrorKind::Reset,
        _ => ErrorKind::Closed,
    }
}

fn connect_error(error: Errno) -> ErrorKind {
    match error {
        Errno::CONNREFUSED => ErrorKind::Refused,
        _ => ErrorKind::Connect,
    }
}
