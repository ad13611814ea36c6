//! One connection: a client's socket, the one to the service, and what is under way between them.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::sockopt;

use super::Side;
use super::arrival::stamp;
use super::direction::{Departure, Direction};
use super::link::Link;
use super::round_trip::RoundTrip;
use super::worker::Shared;
use crate::clock::now_ns;
use crate::driver::socket::{Begun, connect_result};

/// Whether a connection goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    Ended,
}

/// The service's side.
enum Service {
    /// It is connected to at this moment.
    ConnectsAt(u64),
    Connecting(OwnedFd),
    Connected(OwnedFd),
}

pub(super) struct Connection {
    client: OwnedFd,
    service: Service,
    to_service: Direction,
    to_client: Direction,
    /// How long the current round trip takes longer than without the proxy.
    latency_ns: u64,
    round_trip: RoundTrip,
    /// The timer that is set.
    timer_ns: Option<u64>,
    /// When [`Connection::drive`] last looked.
    looked_ns: u64,
}

impl Connection {
    /// Across a network, a client connects within one round trip, and its first byte takes half of another one. The
    /// kernel has told this client already that it is connected; the service is connected to when that byte would
    /// arrive.
    pub(super) fn new(client: OwnedFd, shared: &mut Shared) -> Connection {
        let (now, latency_ns) = (now_ns(), shared.latencies.next_ns());
        Connection {
            client,
            service: Service::ConnectsAt(now + latency_ns + latency_ns / 2),
            to_service: Direction::new(Side::Client, true, now),
            to_client: Direction::new(Side::Service, false, now),
            latency_ns,
            round_trip: RoundTrip::begun(now),
            timer_ns: None,
            looked_ns: now,
        }
    }

    /// Something is under way.
    pub(super) fn is_busy(&self) -> bool {
        !self.to_service.is_empty() || !self.to_client.is_empty()
    }

    /// An edge of one of the sockets.
    pub(super) fn handle(
        &mut self,
        number: usize,
        side: Side,
        flags: EventFlags,
        shared: &mut Shared,
    ) -> State {
        if let (Side::Service, Service::Connecting(socket)) = (side, &self.service) {
            if !flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR) {
                return State::Open;
            }
            if connect_result(socket).is_err() {
                return self.refuse(shared);
            }
            self.connected();
        }
        let (incoming, outgoing) = match side {
            Side::Client => (&mut self.to_service, &mut self.to_client),
            Side::Service => (&mut self.to_client, &mut self.to_service),
        };
        let closes = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        if closes || flags.contains(EventFlags::IN) {
            incoming.sender_has_input(closes);
        }
        if closes || flags.contains(EventFlags::OUT) {
            outgoing.receiver_is_ready(now_ns());
        }
        self.drive(number, shared)
    }

    /// Does all that can be done now.
    pub(super) fn drive(&mut self, number: usize, shared: &mut Shared) -> State {
        self.looked_ns = now_ns();
        if let Service::ConnectsAt(at_ns) = self.service
            && at_ns <= self.looked_ns
            && self.connect(number, shared).is_err()
        {
            return self.refuse(shared);
        }
        self.read(Side::Client, shared);
        self.read(Side::Service, shared);
        self.looked_ns = now_ns();
        if self.depart(Side::Client, shared) == State::Ended
            || self.depart(Side::Service, shared) == State::Ended
        {
            return State::Ended;
        }
        if self.to_service.is_over() && self.to_client.is_over() { State::Ended } else { State::Open }
    }

    /// The timer to set, if it is not yet.
    pub(super) fn timer_to_set(&mut self, link: &Link) -> Option<u64> {
        let connects_ns = match self.service {
            Service::ConnectsAt(at_ns) => Some(at_ns),
            _ => None,
        };
        // What is left to read has its turn after the other connections.
        let is_connected = matches!(self.service, Service::Connected(_));
        let reads_on =
            self.to_service.wants_input(link) || (is_connected && self.to_client.wants_input(link));
        let next_ns = [connects_ns, self.to_service.next_ns(), self.to_client.next_ns()]
            .into_iter()
            .chain([reads_on.then_some(self.looked_ns)])
            .flatten()
            .min()?;
        let is_new = self.timer_ns.is_none_or(|timer_ns| timer_ns <= self.looked_ns || next_ns < timer_ns);
        is_new.then(|| {
            self.timer_ns = Some(next_ns);
            next_ns
        })
    }

    fn read(&mut self, side: Side, shared: &mut Shared) {
        let (socket, direction) = match (side, &self.service) {
            (Side::Client, _) => (&self.client, &mut self.to_service),
            (Side::Service, Service::Connected(socket)) => (socket, &mut self.to_client),
            (Side::Service, _) => return,
        };
        let (latency_ns, round_trip) = (&mut self.latency_ns, &mut self.round_trip);
        let Shared { receiver, link, latencies, account, .. } = shared;
        direction.read(socket, receiver, link, |arrived_ns| {
            if round_trip.arrived(side, arrived_ns, &mut account.round_trips) {
                *latency_ns = latencies.next_ns();
            }
            // Both halves together are the whole, also of an odd number.
            if side == Side::Client { *latency_ns / 2 } else { latency_ns.div_ceil(2) }
        });
    }

    /// Lets leave what `from` sent and is due.
    fn depart(&mut self, from: Side, shared: &mut Shared) -> State {
        let (socket, direction, back) = match (from, &self.service) {
            (Side::Client, Service::Connected(socket)) => (socket, &mut self.to_service, &mut self.to_client),
            (Side::Client, _) => return State::Open,
            (Side::Service, _) => (&self.client, &mut self.to_client, &mut self.to_service),
        };
        match direction.depart(socket, &mut shared.account, &mut self.round_trip) {
            Departure::Done => State::Open,
            Departure::Reset => {
                reset_at_end(socket);
                State::Ended
            }
            Departure::ReceiverGone => {
                direction.abandon();
                // What it sent before is still to come, and then its reset.
                back.sender_breaks();
                State::Open
            }
        }
    }

    fn connect(&mut self, number: usize, shared: &mut Shared) -> Result<(), Errno> {
        let Begun { socket, is_connected } =
            shared.service.begin_connect(0).map_err(|_| Errno::CONNREFUSED)?;
        stamp(&socket);
        self.round_trip.departed(Side::Client, self.looked_ns, self.looked_ns);
        shared.watch(&socket, number, Side::Service)?;
        self.service = Service::Connecting(socket);
        if is_connected {
            self.connected();
        }
        Ok(())
    }

    fn connected(&mut self) {
        let now = now_ns();
        self.service = match std::mem::replace(&mut self.service, Service::ConnectsAt(now)) {
            Service::Connecting(socket) => Service::Connected(socket),
            other => other,
        };
        self.to_service.receiver_is_ready(now);
    }

    /// The service cannot be connected to: the client's connection breaks as well.
    fn refuse(&mut self, shared: &mut Shared) -> State {
        shared.account.failed_connects += 1;
        reset_at_end(&self.client);
        State::Ended
    }
}

/// The peer shall see a reset when the socket is closed.
fn reset_at_end(socket: &OwnedFd) {
    let _ = sockopt::set_socket_linger(socket, Some(Duration::ZERO));
}
