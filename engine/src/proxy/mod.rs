//! A proxy that puts latency before a service: a round trip through it takes so much longer than without it.
//!
//! Half of the latency is added in each direction: a chunk of bytes that arrived at t leaves at t + latency / 2. Chunks
//! leave in their order and as they were read, never joined. One thread serves all connections.

mod account;
mod arrival;
mod connection;
mod datagrams;
mod direction;
mod link;
mod round_trip;
mod worker;

use std::io;
use std::num::NonZeroU64;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::set_current_timer_slack;

pub use account::{Account, Carried};
pub use datagrams::{CarriedDatagrams, DatagramAccount, DatagramProxy, DatagramSpec};
pub use round_trip::RoundTrips;
use worker::Worker;

use crate::delay::Delay;
use crate::driver::socket::Peer;
use crate::endpoint::Endpoint;
use crate::listen::{Listen, Listener};
use crate::signals::Signals;

/// What a proxy does.
#[derive(Clone, Debug)]
pub struct ProxySpec {
    /// Where connections are carried on to.
    pub service: Endpoint,
    /// How much longer a round trip takes. It is drawn when a round trip begins: when the client sends after the service
    /// did.
    pub latency: Delay,
    /// Of each connection, in each direction.
    pub bytes_per_second: Option<NonZeroU64>,
    /// Of the draws.
    pub seed: u64,
}

/// A proxy that listens.
pub struct Proxy {
    listener: Listener,
    service: Peer,
    spec: ProxySpec,
}

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Client,
    Service,
}

impl Proxy {
    /// Listens at `listen`. The service is connected to when a client has connected.
    ///
    /// # Errors
    /// If it cannot, or the path of the service's Unix socket is too long.
    pub fn bind(listen: &Listen, spec: ProxySpec) -> io::Result<Proxy> {
        let listener = Listener::bind(listen)?;
        arrival::stamp(&listener.socket);
        Ok(Proxy { listener, service: Peer::new(&spec.service)?, spec })
    }

    /// Where the proxy listens, with the real port.
    pub fn address(&self) -> &Listen {
        &self.listener.address
    }

    /// Carries bytes until one of the signals comes and what is under way then has left. At SIGUSR1 it goes on, and
    /// tells its round trips so far.
    ///
    /// # Errors
    /// If epoll cannot be used, or nobody reads what it tells.
    pub fn serve(self, signals: &mut Signals) -> io::Result<Account> {
        // Two files per connection; where the limit stays low, the rest waits in the backlog.
        let limit = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
        // The kernel's usual 50 µs would be in every delay.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        Worker::new(&self.listener.socket, signals, self.service, self.spec)?.run()
    }
}
