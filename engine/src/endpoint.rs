//! What a socket connects to.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use crate::plan::Address;

/// A resolved [`Address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// TCP over IPv4 or IPv6.
    Tcp(SocketAddr),
    /// A Unix stream socket.
    Unix(PathBuf),
}

impl Endpoint {
    /// Resolves an address; of several the first.
    ///
    /// # Errors
    /// What is wrong with the address, without naming its key.
    pub fn resolve(address: &Address) -> Result<Endpoint, String> {
        let text = match address {
            Address::Unix(path) => return Ok(Endpoint::Unix(path.clone())),
            Address::Network(text) => text,
        };
        let mut found = text
            .to_socket_addrs()
            .map_err(|error| format!("{text:?} is no \"host:port\" that can be resolved: {error}"))?;
        found.next().map(Endpoint::Tcp).ok_or_else(|| format!("{text:?} resolves to no address"))
    }
}
