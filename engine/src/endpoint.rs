//! The addresses that sockets connect to, and those that they connect from.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use crate::plan::Address;
use crate::record::Routes;
use crate::sources::{needed_sources, ports_at_once, sources};

/// Where sockets connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// TCP over IPv4 or IPv6. Connections take these routes in turn, by their numbers; there is one at least.
    Tcp(Vec<Route>),
    /// A Unix stream socket.
    Unix(PathBuf),
}

/// Both ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The server's.
    pub to: SocketAddr,
    /// The client's, with a port that the kernel chooses; `None`: it chooses the address as well.
    pub from: Option<IpAddr>,
}

impl From<SocketAddr> for Endpoint {
    fn from(to: SocketAddr) -> Endpoint {
        Endpoint::Tcp(vec![Route { to, from: None }])
    }
}

impl Endpoint {
    /// The endpoint at an address. A name is none: one of several addresses has to be chosen by whoever knows the name.
    ///
    /// # Errors
    /// What is wrong with the address, without naming its key.
    pub fn at(address: &Address) -> Result<Endpoint, String> {
        match address {
            Address::Unix(path) => Ok(Endpoint::Unix(path.clone())),
            Address::Network(text) => text.parse::<SocketAddr>().map(Endpoint::from).map_err(|_| {
                format!("{text:?} is no \"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/path\": names are not looked up")
            }),
        }
    }

    /// The same and these addresses for so many connections, from as many source addresses as those need and this host
    /// has. `None` for a Unix socket.
    pub fn shared_by(self, connections: u64, others: &[SocketAddr]) -> (Endpoint, Option<Routes>) {
        let Endpoint::Tcp(first) = self else { return (self, None) };
        let addresses: Vec<SocketAddr> =
            first.iter().map(|route| route.to).chain(others.iter().copied()).collect();
        let (of_each, ports_each) = (connections.div_ceil(addresses.len() as u64), ports_at_once());
        let wanted = needed_sources(of_each, ports_each);
        let by_address: Vec<Vec<Option<IpAddr>>> =
            addresses.iter().map(|to| sources(to.ip(), wanted)).collect();
        let turn = |place: usize| {
            let addresses = addresses.iter().zip(&by_address);
            addresses.map(move |(&to, from)| Route { to, from: from[place % from.len()] })
        };
        let sizes = || by_address.iter().map(Vec::len);
        let (fewest, most) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(1));
        let routes = Routes {
            addresses: addresses.iter().map(SocketAddr::to_string).collect(),
            source_addresses: most as u64,
            connections_each: of_each.div_ceil(fewest as u64),
            ports_each,
        };
        (Endpoint::Tcp((0..most).flat_map(turn).collect()), Some(routes))
    }

    /// The same for a thread whose first connection has this number among those of all threads.
    #[must_use]
    pub fn from_connection(&self, number: u64) -> Endpoint {
        let mut endpoint = self.clone();
        if let Endpoint::Tcp(routes) = &mut endpoint {
            let first = number % routes.len() as u64;
            routes.rotate_left(first as usize);
        }
        endpoint
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    fn ends(endpoint: &Endpoint) -> Vec<(String, Option<String>)> {
        let Endpoint::Tcp(routes) = endpoint else { return Vec::new() };
        let text = |route: &Route| (route.to.to_string(), route.from.map(|from| from.to_string()));
        routes.iter().map(text).collect()
    }

    fn route(to: &str, from: Option<&str>) -> (String, Option<String>) {
        (to.to_owned(), from.map(str::to_owned))
    }

    #[test]
    fn names_are_refused() {
        let at = |text: &str| Endpoint::at(&Address::try_from(text.to_owned()).unwrap());
        assert_eq!(at("127.0.0.1:80"), Ok(address("127.0.0.1:80").into()));
        assert_eq!(at("[::1]:80"), Ok(address("[::1]:80").into()));
        assert_eq!(at("unix:/run/app.sock"), Ok(Endpoint::Unix("/run/app.sock".into())));
        for text in ["localhost:80", "127.0.0.1", "127.0.0.1:99999"] {
            assert!(at(text).unwrap_err().contains("names are not looked up"), "{text}");
        }
    }

    #[test]
    fn few_connections_leave_the_source_to_the_kernel() {
        let ports = ports_at_once();
        let (endpoint, routes) = Endpoint::from(address("127.0.0.1:80")).shared_by(ports, &[]);
        assert_eq!(ends(&endpoint), [route("127.0.0.1:80", None)]);
        let routes = routes.unwrap();
        assert_eq!((routes.source_addresses, routes.connections_each), (1, ports));
        assert!(!routes.are_crowded());
    }

    #[test]
    fn more_connections_to_loopback_have_more_sources() {
        let ports = ports_at_once();
        let (endpoint, routes) = Endpoint::from(address("127.0.0.1:80")).shared_by(2 * ports + 1, &[]);
        let [second, third] = ["127.0.0.2", "127.0.0.3"].map(|from| route("127.0.0.1:80", Some(from)));
        assert_eq!(ends(&endpoint), [route("127.0.0.1:80", None), second.clone(), third.clone()]);
        assert!(!routes.unwrap().are_crowded());
        let of_second_thread = endpoint.from_connection(ports + 1 - ports % 3);
        assert_eq!(ends(&of_second_thread), [second, third, route("127.0.0.1:80", None)]);
    }

    #[test]
    fn where_there_is_no_other_source_the_routes_are_crowded() {
        let ports = ports_at_once();
        let (endpoint, routes) = Endpoint::from(address("[::1]:80")).shared_by(ports + 1, &[]);
        assert_eq!(ends(&endpoint), [route("[::1]:80", None)]);
        let routes = routes.unwrap();
        assert_eq!((routes.connections_each, routes.are_crowded()), (ports + 1, true));
    }

    #[test]
    fn connections_take_turns_over_several_addresses() {
        let others = [address("[::1]:80")];
        let few = Endpoint::from(address("127.0.0.1:80")).shared_by(5, &others);
        let turn = [route("127.0.0.1:80", None), route("[::1]:80", None)];
        assert_eq!(ends(&few.0), turn);
        let routes = few.1.unwrap();
        assert_eq!(
            (routes.addresses, routes.connections_each),
            (vec!["127.0.0.1:80".to_owned(), "[::1]:80".to_owned()], 3)
        );
        // Each address has its own ports.
        let many = Endpoint::from(address("127.0.0.1:80")).shared_by(2 * ports_at_once() + 2, &others);
        let second_turn = [route("127.0.0.1:80", Some("127.0.0.2")), route("[::1]:80", None)];
        assert_eq!(ends(&many.0), [turn, second_turn].concat());
        assert!(many.1.unwrap().are_crowded());
    }

    #[test]
    fn a_unix_socket_has_no_routes() {
        let endpoint = Endpoint::Unix("/run/app.sock".into());
        assert_eq!(endpoint.clone().shared_by(1_000_000, &[]), (endpoint.clone(), None));
        assert_eq!(endpoint.from_connection(7), endpoint);
    }
}
