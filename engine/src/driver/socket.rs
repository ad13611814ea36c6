//! Sockets to the server.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt,
};

use super::ConnectFailure;
use crate::endpoint::Endpoint;

/// A connect that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub socket: OwnedFd,
    /// False: the socket becomes writable when the connect has ended.
    pub is_connected: bool,
}

/// Begins to connect, without waiting.
pub(super) fn begin_connect(endpoint: &Endpoint) -> Result<Begun, ConnectFailure> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let (socket, result) = match endpoint {
        Endpoint::Tcp(address) => {
            let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
            let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
            sockopt::set_tcp_nodelay(&socket, true)?;
            let result = connect(&socket, address);
            (socket, result)
        }
        Endpoint::Unix(path) => {
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            let result = SocketAddrUnix::new(path.as_path()).and_then(|address| connect(&socket, &address));
            (socket, result)
        }
    };
    match result {
        Ok(()) => Ok(Begun { socket, is_connected: true }),
        Err(Errno::INPROGRESS) => Ok(Begun { socket, is_connected: false }),
        Err(error) => Err(error.into()),
    }
}

/// How a connect has ended.
pub(super) fn connect_result(socket: &OwnedFd) -> Result<(), ConnectFailure> {
    sockopt::socket_error(socket).and_then(|result| result).map_err(ConnectFailure::from)
}
