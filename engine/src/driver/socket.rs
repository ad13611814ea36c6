//! Sockets to the server.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use rustix::net::{
    AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt,
};

use super::Failure;
use crate::endpoint::Endpoint;

/// Where sockets connect to, as the kernel wants it.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    address: SocketAddrAny,
}

/// A connect that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    pub socket: OwnedFd,
    /// False: the socket becomes writable when the connect has ended.
    pub is_connected: bool,
}

impl Peer {
    /// # Errors
    /// If a Unix socket's path is too long.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Peer, Errno> {
        let address = match endpoint {
            Endpoint::Tcp(address) => address.as_any(),
            Endpoint::Unix(path) => SocketAddrUnix::new(path.as_path())?.as_any(),
        };
        Ok(Peer { address })
    }

    pub(crate) fn address(&self) -> &SocketAddrAny {
        &self.address
    }

    /// A socket that can be connected. `flags`: beside `CLOEXEC`.
    pub(crate) fn open(&self, flags: SocketFlags) -> Result<OwnedFd, Failure> {
        let family = self.address.address_family();
        let socket = socket_with(family, SocketType::STREAM, flags | SocketFlags::CLOEXEC, None)?;
        if family != AddressFamily::UNIX {
            // A request's last segment does not wait until the ones before are acknowledged.
            sockopt::set_tcp_nodelay(&socket, true)?;
        }
        Ok(socket)
    }

    /// Begins to connect, without waiting.
    pub(crate) fn begin_connect(&self) -> Result<Begun, Failure> {
        let socket = self.open(SocketFlags::NONBLOCK)?;
        match connect(&socket, &self.address) {
            Ok(()) => Ok(Begun { socket, is_connected: true }),
            Err(Errno::INPROGRESS) => Ok(Begun { socket, is_connected: false }),
            Err(error) => Err(error.into()),
        }
    }
}

/// How a connect has ended.
pub(crate) fn connect_result(socket: &OwnedFd) -> Result<(), Failure> {
    sockopt::socket_error(socket).and_then(|result| result).map_err(Failure::from)
}
