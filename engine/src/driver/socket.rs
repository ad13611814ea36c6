//! Sockets to the server.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::IpBindAddressNoPort;
use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use rustix::net::{
    AddressFamily, SocketAddrAny, SocketAddrUnix, SocketFlags, SocketType, bind, connect, socket_with,
    sockopt,
};

use super::Failure;
use crate::endpoint::Endpoint;

/// What the kernel keeps for a socket of datagrams until they are read: as much as a stream's window is. What comes
/// beyond is lost, for which the server would have to slow down. The system may allow less.
const DATAGRAMS_KEPT_BYTES: usize = 1024 * 1024;

/// Where sockets connect to, and from, as the kernel wants it.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Connections take them in turn, by their numbers.
    routes: Vec<Ends>,
    kind: SocketType,
}

#[derive(Clone, Debug)]
struct Ends {
    to: SocketAddrAny,
    /// With port 0; `None`: the kernel chooses.
    from: Option<SocketAddr>,
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
        let routes = match endpoint {
            Endpoint::Tcp(routes) => {
                let ends = routes.iter().map(|route| Ends {
                    to: route.to.as_any(),
                    from: route.from.map(|address| SocketAddr::new(address, 0)),
                });
                ends.collect()
            }
            Endpoint::Unix(path) => {
                vec![Ends { to: SocketAddrUnix::new(path.as_path())?.as_any(), from: None }]
            }
        };
        Ok(Peer { routes, kind: SocketType::STREAM })
    }

    /// The same, by UDP.
    pub(crate) fn by_datagrams(self) -> Peer {
        Peer { kind: SocketType::DGRAM, ..self }
    }

    /// The address at each place: see [`Peer::place`].
    pub(crate) fn addresses(&self) -> impl Iterator<Item = &SocketAddrAny> {
        self.routes.iter().map(|ends| &ends.to)
    }

    /// The place of a connection's address.
    pub(crate) fn place(&self, number: usize) -> usize {
        number % self.routes.len()
    }

    /// A socket that can be connected for connection `number`. `flags`: beside `CLOEXEC`.
    pub(crate) fn open(&self, number: usize, flags: SocketFlags) -> Result<OwnedFd, Failure> {
        let Ends { to, from } = &self.routes[self.place(number)];
        let family = to.address_family();
        let socket = socket_with(family, self.kind, flags | SocketFlags::CLOEXEC, None)?;
        if family != AddressFamily::UNIX && self.kind == SocketType::STREAM {
            // A request's last segment does not wait until the ones before are acknowledged.
            sockopt::set_tcp_nodelay(&socket, true)?;
        }
        if self.kind == SocketType::DGRAM {
            let _ = sockopt::set_socket_recv_buffer_size(&socket, DATAGRAMS_KEPT_BYTES);
        }
        if let Some(from) = from {
            // The port is chosen with the destination, by the connect. Without it, it is one that nobody has.
            let _ = setsockopt(&socket, IpBindAddressNoPort, &true);
            bind(&socket, from)?;
        }
        Ok(socket)
    }

    /// Begins to connect connection `number`, without waiting.
    pub(crate) fn begin_connect(&self, number: usize) -> Result<Begun, Failure> {
        let socket = self.open(number, SocketFlags::NONBLOCK)?;
        match connect(&socket, &self.routes[self.place(number)].to) {
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::endpoint::Route;

    #[test]
    fn connections_take_the_routes_in_turn() {
        let listeners = [0, 0].map(|port| TcpListener::bind(("127.0.0.1", port)).unwrap());
        let [first, second] = [0, 1].map(|place: usize| listeners[place].local_addr().unwrap());
        let route = |to, from: Option<[u8; 4]>| Route { to, from: from.map(Into::into) };
        let routes = vec![route(first, None), route(second, Some([127, 0, 0, 2]))];
        let peer = Peer::new(&Endpoint::Tcp(routes)).unwrap();
        let _sockets: Vec<Begun> = (0..4).map(|number| peer.begin_connect(number).unwrap()).collect();
        for (listener, source) in listeners.iter().zip(["127.0.0.1", "127.0.0.2"]) {
            for _ in 0..2 {
                assert_eq!(listener.accept().unwrap().1.ip().to_string(), source);
            }
        }
    }
}
