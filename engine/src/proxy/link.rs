//! The simulated link between client and service: its round trip, its bandwidth, and how many bytes it holds.

use std::num::NonZeroU64;

use super::ProxySpec;
use crate::delay::{Delay, Draws};

/// Under way in one direction of a connection at most, bookkeeping included. Linux lets a TCP connection have as much
/// sent and not acknowledged (the largest send buffer, net.ipv4.tcp_wmem).
const ROOM_BYTES: u64 = 4 << 20;

/// With a bandwidth there is room for the bandwidth-delay product, but never for more than this: it is memory of the
/// proxy, for each connection and direction.
const MOST_ROOM_BYTES: u64 = 256 << 20;

/// The most that is read at once.
const MOST_CHUNK_BYTES: u64 = 64 << 10;

/// What a TCP segment carries over Ethernet: where bytes take their time, less is not told apart.
const SEGMENT_BYTES: u64 = 1448;

/// How long a larger chunk may take to pass.
const CHUNK_TAKES_NS: u64 = 100_000;

const SECOND_NS: u128 = 1_000_000_000;

/// The way of the bytes of one direction of a connection.
pub(super) struct Link {
    bytes_per_second: Option<NonZeroU64>,
    pub room_bytes: usize,
    pub chunk_bytes: usize,
}

impl Link {
    pub(super) fn new(spec: &ProxySpec) -> Link {
        let Some(rate) = spec.bytes_per_second.map(NonZeroU64::get) else {
            let (room_bytes, chunk_bytes) = (ROOM_BYTES as usize, MOST_CHUNK_BYTES as usize);
            return Link { bytes_per_second: None, room_bytes, chunk_bytes };
        };
        let within = |nanoseconds: u64| {
            let bytes = u128::from(rate) * u128::from(nanoseconds) / SECOND_NS;
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        Link {
            bytes_per_second: spec.bytes_per_second,
            // The bandwidth-delay product, so that a longer way does not make the link slower.
            room_bytes: within(spec.latency.typical_ns()).clamp(ROOM_BYTES, MOST_ROOM_BYTES) as usize,
            chunk_bytes: within(CHUNK_TAKES_NS).clamp(SEGMENT_BYTES, MOST_CHUNK_BYTES) as usize,
        }
    }

    /// How long so many bytes take to pass.
    pub(super) fn takes_ns(&self, bytes: usize) -> u64 {
        self.bytes_per_second.map_or(0, |rate| (bytes as u128 * SECOND_NS / u128::from(rate.get())) as u64)
    }
}

/// The latency of one round trip after the other, over all connections.
pub(super) struct Latencies {
    latency: Delay,
    seed: u64,
    begun: u64,
}

impl Latencies {
    pub(super) fn new(spec: &ProxySpec) -> Latencies {
        Latencies { latency: spec.latency.clone(), seed: spec.seed, begun: 0 }
    }

    /// The latency of the round trip that begins.
    pub(super) fn next_ns(&mut self) -> u64 {
        self.begun += 1;
        self.latency.sample_ns(Draws::new(self.seed, self.begun - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Endpoint;

    fn link(bytes_per_second: u64, latency_ns: u64) -> Link {
        Link::new(&ProxySpec {
            service: Endpoint::Unix("/nowhere".into()),
            latency: Delay::Constant(latency_ns),
            bytes_per_second: NonZeroU64::new(bytes_per_second),
            seed: 0,
        })
    }

    #[test]
    fn there_is_room_for_what_is_under_way_and_memory_has_an_end() {
        assert_eq!(link(1_000_000, 1_000_000).room_bytes, ROOM_BYTES as usize);
        assert_eq!(link(1_000_000_000, 100_000_000).room_bytes, 100_000_000);
        assert_eq!(link(100_000_000_000, 10_000_000_000).room_bytes, MOST_ROOM_BYTES as usize);
    }
}
