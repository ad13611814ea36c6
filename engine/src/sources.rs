//! The source addresses of connections to one server.
//!
//! A connect takes a local port that is free for its source and its destination. Linux looks for it at every second port
//! of `net.ipv4.ip_local_port_range` first, from a place that moves on with each connect, and at the others when all of
//! those are taken (`__inet_hash_connect` in net/ipv4/inet_hashtables.c). Up to half of the range, a connect finds its
//! port at once; beyond it, each one goes through all of that half, which takes about a millisecond. From another source
//! address all ports are free again. So that the kernel may take one that another source uses, the source is bound
//! without a port (`IP_BIND_ADDRESS_NO_PORT`, ip(7)).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};

/// Of Linux, where the kernel does not say.
const USUAL_RANGE: (u64, u64) = (32_768, 60_999);

/// More than a machine has files for.
const MOST_OF_LOOPBACK: u8 = 254;

/// From one source to one destination, how many connections find a port at once.
pub(crate) fn ports_at_once() -> u64 {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let mut bounds = text.split_whitespace().map_while(|bound| bound.parse().ok());
    let (low, high) = bounds.next().zip(bounds.next()).unwrap_or(USUAL_RANGE);
    u64::saturating_sub(high + 1, low).div_ceil(2).max(1)
}

/// How many source addresses so many connections to one server need.
pub(crate) fn needed_sources(connections: u64, ports_each: u64) -> usize {
    connections.div_ceil(ports_each).max(1) as usize
}

/// Up to `wanted` source addresses for connections to `to`. The first is left to the kernel.
pub(crate) fn sources(to: IpAddr, wanted: usize) -> Vec<Option<IpAddr>> {
    let others: Vec<IpAddr> = match to {
        _ if wanted <= 1 => Vec::new(),
        IpAddr::V4(to) if to.is_loopback() => {
            (2..=MOST_OF_LOOPBACK).map(|last| Ipv4Addr::new(127, 0, 0, last).into()).collect()
        }
        _ => beside_the_chosen(to),
    };
    let usable = others.into_iter().filter(|&from| UdpSocket::bind((from, 0)).is_ok());
    std::iter::once(None).chain(usable.map(Some)).take(wanted).collect()
}

/// The addresses of the same family on the interface through which the kernel reaches `to`, but for the one that it
/// chooses. Those of other interfaces may be refused on the way back.
fn beside_the_chosen(to: IpAddr) -> Vec<IpAddr> {
    // Nothing is sent.
    let any: IpAddr = if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let chosen = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((to, 9))?;
        socket.local_addr()
    });
    let (Ok(chosen), Ok(addresses)) = (chosen, getifaddrs()) else { return Vec::new() };
    let addresses: Vec<(String, IpAddr)> =
        addresses.filter_map(|each| Some((each.interface_name.clone(), ip_of(&each)?))).collect();
    beside(chosen.ip(), &addresses)
}

/// Of these addresses by interface, those that can stand in for `chosen`.
fn beside(chosen: IpAddr, addresses: &[(String, IpAddr)]) -> Vec<IpAddr> {
    let of_interface = addresses.iter().find(|(_, ip)| *ip == chosen).map(|(interface, _)| interface);
    let stands_in = |ip: IpAddr| {
        let is_local = matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local());
        ip != chosen && ip.is_ipv4() == chosen.is_ipv4() && !is_local
    };
    let same = addresses.iter().filter(|(interface, ip)| Some(interface) == of_interface && stands_in(*ip));
    same.map(|(_, ip)| *ip).collect()
}

fn ip_of(address: &InterfaceAddress) -> Option<IpAddr> {
    let storage = address.address.as_ref()?;
    let v4 = storage.as_sockaddr_in().map(|address| address.ip().into());
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| address.ip().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_needed_for_each_begun_half_of_the_range() {
        let needed: Vec<usize> = [0, 1, 14_116, 14_117, 28_232, 28_233, 1_000_000]
            .map(|connections| needed_sources(connections, 14_116))
            .into();
        assert_eq!(needed, [1, 1, 1, 2, 2, 3, 71]);
    }

    #[test]
    fn loopback_has_as_many_sources_as_are_wanted() {
        let of_loopback = |wanted| sources("127.0.0.1".parse().unwrap(), wanted);
        assert_eq!(of_loopback(1), [None]);
        assert_eq!(of_loopback(3), [None, Some([127, 0, 0, 2].into()), Some([127, 0, 0, 3].into())]);
        assert_eq!(of_loopback(1000).len(), 254);
    }

    #[test]
    fn loopback_of_ipv6_has_one() {
        assert_eq!(sources("::1".parse().unwrap(), 3), [None]);
    }

    #[test]
    fn elsewhere_they_are_of_the_interface_and_the_family_that_the_kernel_chose() {
        let address = |text: &str| -> IpAddr { text.parse().unwrap() };
        let on = |interface: &str, text: &str| (interface.to_owned(), address(text));
        let addresses = [
            on("lo", "127.0.0.1"),
            on("eth0", "192.0.2.2"),
            on("eth0", "192.0.2.3"),
            on("eth0", "2001:db8::2"),
            on("eth0", "2001:db8::3"),
            on("eth0", "fe80::1"),
            on("eth1", "198.51.100.2"),
        ];
        let beside = |chosen: &str| beside(address(chosen), &addresses);
        assert_eq!(beside("192.0.2.2"), [address("192.0.2.3")]);
        assert_eq!(beside("2001:db8::3"), [address("2001:db8::2")]);
        assert_eq!(beside("198.51.100.2"), Vec::<IpAddr>::new());
        assert_eq!(beside("203.0.113.1"), Vec::<IpAddr>::new());
    }
}
