//! A round trip to the service: a client's bytes, and what the service sends until the client sends again.

use serde::Serialize;

use super::Side;
use crate::clock::seconds;

/// The round trips of all connections that have ended. One ends when the client sends after the service did, or closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(into = "InSeconds")]
pub struct RoundTrips {
    /// How many have ended.
    pub count: u64,
    /// In all of them, from when the first bytes were handed on to when the last bytes of the answer arrived.
    pub service_ns: u64,
    /// In all of them, what the proxy took beside that, its latency included.
    pub proxy_ns: u64,
}

/// They as they are told.
#[derive(Serialize)]
struct InSeconds {
    count: u64,
    service_seconds: f64,
    proxy_seconds: f64,
}

impl From<RoundTrips> for InSeconds {
    fn from(RoundTrips { count, service_ns, proxy_ns }: RoundTrips) -> InSeconds {
        InSeconds { count, service_seconds: seconds(service_ns), proxy_seconds: seconds(proxy_ns) }
    }
}

/// The round trip of a connection that is under way. The first one begins with the connection.
pub(super) struct RoundTrip {
    last_sender: Side,
    asked_ns: u64,
    handed_on_ns: Option<u64>,
    answered_ns: u64,
    handed_back_ns: u64,
}

impl RoundTrip {
    pub(super) fn begun(now: u64) -> RoundTrip {
        RoundTrip {
            last_sender: Side::Client,
            asked_ns: now,
            handed_on_ns: None,
            answered_ns: now,
            handed_back_ns: now,
        }
    }

    /// Bytes of a side, or its end, have arrived. True if a round trip begins with them; the one before has ended.
    #[inline]
    pub(super) fn arrived(&mut self, from: Side, at_ns: u64, all: &mut RoundTrips) -> bool {
        let begins = from == Side::Client && self.last_sender == Side::Service;
        self.last_sender = from;
        if begins {
            self.end(all);
            *self = RoundTrip::begun(at_ns);
        }
        if from == Side::Service {
            self.answered_ns = at_ns;
        }
        begins
    }

    /// Bytes of a side have been handed on, or the service is connected to: it began at `began_ns`.
    #[inline]
    pub(super) fn departed(&mut self, from: Side, began_ns: u64, ended_ns: u64) {
        match from {
            Side::Client => _ = self.handed_on_ns.get_or_insert(began_ns),
            Side::Service => self.handed_back_ns = ended_ns,
        }
    }

    fn end(&self, all: &mut RoundTrips) {
        let service_ns = self.handed_on_ns.map_or(0, |began_ns| self.answered_ns.saturating_sub(began_ns));
        all.count += 1;
        all.service_ns += service_ns;
        all.proxy_ns += self.handed_back_ns.saturating_sub(self.asked_ns + service_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_trip_is_from_the_first_bytes_to_the_last_ones_of_the_answer() {
        let (mut trip, mut all) = (RoundTrip::begun(100), RoundTrips::default());
        trip.departed(Side::Client, 110, 111);
        assert!(!trip.arrived(Side::Client, 120, &mut all));
        trip.departed(Side::Client, 130, 131);
        for at_ns in [300, 400] {
            assert!(!trip.arrived(Side::Service, at_ns, &mut all));
            trip.departed(Side::Service, at_ns + 4, at_ns + 5);
        }
        assert_eq!(all, RoundTrips::default());
        assert!(trip.arrived(Side::Client, 1000, &mut all));
        assert_eq!(all, RoundTrips { count: 1, service_ns: 290, proxy_ns: 15 });
        trip.departed(Side::Client, 1010, 1011);
        trip.arrived(Side::Service, 1020, &mut all);
        trip.departed(Side::Service, 1030, 1031);
        // The client closes.
        assert!(trip.arrived(Side::Client, 5000, &mut all));
        assert_eq!(all, RoundTrips { count: 2, service_ns: 300, proxy_ns: 36 });
    }
}
