//! Where the server is, as a plan writes it.

use std::path::PathBuf;

use serde::Deserialize;

const UNIX_PREFIX: &str = "unix:";

/// The server's address.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub enum Address {
    /// `host:port`, an IPv6 address in brackets; a name is refused when the run is prepared.
    Network(String),
    /// `unix:/absolute/path`.
    Unix(PathBuf),
}

impl Address {
    /// What the Host header says if the plan does not: the address, or `localhost` behind a Unix socket.
    pub fn default_host(&self) -> &str {
        match self {
            Address::Network(text) => text,
            Address::Unix(_) => "localhost",
        }
    }

    /// The host without port and brackets: the name that a certificate must hold if the plan gives none.
    pub fn host_name(&self) -> &str {
        let host = self.default_host();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        name.trim_start_matches('[').trim_end_matches(']')
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Address, String> {
        match text.strip_prefix(UNIX_PREFIX) {
            None => Ok(Address::Network(text)),
            Some(path) if path.len() > 1 && path.starts_with('/') => Ok(Address::Unix(path.into())),
            Some(_) => Err(format!("{text:?} is not like \"unix:/absolute/path\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_addresses() {
        for (text, host, name) in [
            ("127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1"),
            ("[::1]:8080", "[::1]:8080", "::1"),
            ("example.org:443", "example.org:443", "example.org"),
            ("unix:/run/app.sock", "localhost", "localhost"),
        ] {
            let address = Address::try_from(text.to_owned()).unwrap();
            assert_eq!((address.default_host(), address.host_name()), (host, name));
        }
        for text in ["unix:", "unix:/", "unix:run/app.sock"] {
            assert!(Address::try_from(text.to_owned()).unwrap_err().contains("unix:/absolute/path"));
        }
    }
}
