//! The address that a socket connects to.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use crate::plan::Address;

/// How long an address is tried, where there are others.
const PATIENCE: Duration = Duration::from_secs(2);

/// A resolved [`Address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// TCP over IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix stream socket.
    Unix(PathBuf),
}

impl Endpoint {
    /// Resolves an address; of several the first that takes a connection, as `localhost` often has two and a server one of
    /// them. If none does, it is the first: every connect will say why.
    ///
    /// # Errors
    /// What is wrong with the address, without naming its key.
    pub fn resolve(address: &Address) -> Result<Endpoint, String> {
        let text = match address {
            Address::Unix(path) => return Ok(Endpoint::Unix(path.clone())),
            Address::Network(text) => text,
        };
        let found: Vec<SocketAddr> = text
            .to_socket_addrs()
            .map_err(|error| format!("{text:?} is no \"host:port\" that can be resolved: {error}"))?
            .collect();
        first_reachable(&found).map(Endpoint::Tcp).ok_or_else(|| format!("{text:?} resolves to no address"))
    }
}

/// A single address is not tried: a server may count its connections.
fn first_reachable(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    if let [_, _, ..] = addresses {
        let takes = |address: &&SocketAddr| TcpStream::connect_timeout(address, PATIENCE).is_ok();
        if let Some(address) = addresses.iter().find(takes) {
            return Some(*address);
        }
    }
    addresses.first().copied()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn of_several_addresses_it_is_the_first_that_takes_a_connection() {
        let bind = || TcpListener::bind("127.0.0.1:0").unwrap();
        let (refusing, listening, other) = (bind().local_addr().unwrap(), bind(), bind());
        let [first, second] = [&listening, &other].map(|listener| listener.local_addr().unwrap());
        assert_eq!(first_reachable(&[refusing, first, second]), Some(first));
        assert_eq!(first_reachable(&[second, first]), Some(second));
        assert_eq!(first_reachable(&[refusing, refusing]), Some(refusing));
        assert_eq!(first_reachable(&[]), None);
    }

    #[test]
    fn a_single_address_is_not_tried() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(first_reachable(&[address]), Some(address));
        assert!(listener.accept().is_err(), "nobody has connected");
    }
}
