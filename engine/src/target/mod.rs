//! A calibrated HTTP server: one thread, answers rendered before they are asked for, and counts that tests and
//! calibration take as the truth.

mod answer;
mod peer;
mod request;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, ipproto, listen, socket_with, sockopt,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

pub use answer::AnswerSpec;
use answer::RenderedAnswers;
use peer::{Peer, PeerState, Worker};

use crate::signals::Signals;

const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;

/// The kernel caps it at net.core.somaxconn.
const BACKLOG: i32 = 65_535;

/// A server that listens.
pub struct Target {
    listener: TcpListener,
    answers: RenderedAnswers,
}

/// The truth about what a target did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Served {
    /// Requests whose answer was handed to the kernel whole.
    pub requests: u64,
    /// Connections accepted.
    pub connections: u64,
}

impl Target {
    /// Listens at `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// If the address cannot be listened at.
    pub fn bind(address: SocketAddr, answer: &AnswerSpec) -> io::Result<Target> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        // Accepted sockets inherit it.
        sockopt::set_tcp_nodelay(&socket, true)?;
        bind(&socket, &address)?;
        listen(&socket, BACKLOG)?;
        Ok(Target { listener: TcpListener::from(socket), answers: RenderedAnswers::new(answer) })
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("a listening socket has an address")
    }

    /// Serves until one of the signals comes.
    ///
    /// # Errors
    /// If epoll cannot be used.
    pub fn serve(self, signals: Signals) -> io::Result<Served> {
        // One file per connection; where the limit stays low, the rest waits in the backlog.
        let limit = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &self.listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        epoll::add(&epoll, signals.wake_fd(), EventData::new_u64(SIGNALS), EventFlags::IN)?;
        let mut peers = Peers::default();
        let mut worker = Worker::new(self.answers);
        let mut events = Vec::with_capacity(256);
        loop {
            events.clear();
            match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for &Event { data, flags, .. } in &events {
                match data.u64() {
                    SIGNALS => return Ok(Served { requests: worker.served(), connections: peers.accepted }),
                    LISTENER => peers.accept_all(&self.listener, &epoll)?,
                    number => peers.handle(number as usize, flags, &mut worker),
                }
            }
        }
    }
}

/// Open connections by number.
#[derive(Default)]
struct Peers {
    by_number: Vec<Option<Peer>>,
    free: Vec<usize>,
    accepted: u64,
}

impl Peers {
    fn accept_all(&mut self, listener: &TcpListener, epoll: &OwnedFd) -> io::Result<()> {
        loop {
            let socket = match accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(socket) => socket,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    // The listener stays readable; without a pause this would spin.
                    std::thread::sleep(Duration::from_millis(5));
                    return Ok(());
                }
                // The peer gave up before it was accepted.
                Err(_) => continue,
            };
            self.accepted += 1;
            let number = self.free.pop().unwrap_or_else(|| {
                self.by_number.push(None);
                self.by_number.len() - 1
            });
            let interest = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            epoll::add(epoll, &socket, EventData::new_u64(number as u64), interest)?;
            self.by_number[number] = Some(Peer::new(socket));
        }
    }

    fn handle(&mut self, number: usize, flags: EventFlags, worker: &mut Worker) {
        let Some(peer) = &mut self.by_number[number] else { return };
        if worker.handle(peer, flags) == PeerState::Ended {
            self.by_number[number] = None;
            self.free.push(number);
        }
    }
}
