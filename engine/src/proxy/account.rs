//! A proxy's own account of what it did.

use serde::Serialize;

use super::Side;
use super::round_trip::RoundTrips;
use crate::record::Distribution;

/// What went in one direction, over all connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// Bytes handed on.
    pub bytes: u64,
    /// In so many chunks: each is what one read gave.
    pub chunks: u64,
    /// Chunks that were due before their receiver was connected or took them. They are not in the lateness.
    pub held_back_chunks: u64,
}

/// What a proxy did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Account {
    /// Connections accepted.
    pub connections: u64,
    /// Of these, those that were reset because the service could not be connected to.
    pub failed_connects: u64,
    /// From clients.
    pub to_service: Carried,
    /// To clients.
    pub to_clients: Carried,
    /// From the moment at which a chunk was due to the moment at which the kernel had taken it.
    pub lateness: Distribution,
    /// Those that have ended.
    pub round_trips: RoundTrips,
    /// Processor time of the proxy.
    pub cpu_seconds: f64,
}

impl Account {
    /// A chunk has left. `late_ns`: how late; `None` if it was its receiver that made it wait.
    pub(super) fn departed(&mut self, from: Side, bytes: usize, late_ns: Option<u64>) {
        let carried = match from {
            Side::Client => &mut self.to_service,
            Side::Service => &mut self.to_clients,
        };
        carried.bytes += bytes as u64;
        carried.chunks += 1;
        match late_ns {
            Some(late_ns) => self.lateness.record(late_ns),
            None => carried.held_back_chunks += 1,
        }
    }
}
