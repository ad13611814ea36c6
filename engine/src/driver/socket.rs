//! TCP sockets to the server.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt};

use super::ConnectFailure;

/// A connect that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub socket: OwnedFd,
    /// False: the socket becomes writable when the connect has ended.
    pub is_connected: bool,
}

/// Begins to connect, without waiting.
pub(super) fn begin_connect(address: &SocketAddr) -> Result<Begun, ConnectFailure> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket =
        socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP)).map_err(ConnectFailure::from)?;
    sockopt::set_tcp_nodelay(&socket, true).map_err(ConnectFailure::from)?;
    match connect(&socket, address) {
        Ok(()) => Ok(Begun { socket, is_connected: true }),
        Err(Errno::INPROGRESS) => Ok(Begun { socket, is_connected: false }),
        Err(error) => Err(error.into()),
    }
}

/// How a connect has ended.
pub(super) fn connect_result(socket: &OwnedFd) -> Result<(), ConnectFailure> {
    sockopt::socket_error(socket).and_then(|result| result).map_err(ConnectFailure::from)
}
