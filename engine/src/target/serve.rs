//! The loop around a target's connections.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

use crate::clock::{now_ns, timespec};
use crate::signals::Signals;

const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;
const EVENTS_PER_WAIT: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeerState {
    Open,
    Ended,
}

/// What is done on connections. The numbers of connections that have ended are used again.
pub(super) trait Service {
    /// A connection.
    type Peer;

    /// A connection was accepted; `None` closes it.
    fn open(&mut self, socket: OwnedFd) -> Option<Self::Peer>;

    /// Does all that a connection allows, after an edge of its socket or when its time has come.
    fn handle(&mut self, number: usize, peer: &mut Self::Peer, flags: EventFlags) -> PeerState;

    /// Called before each event; may take its time.
    #[inline]
    fn before_event(&mut self) {}

    /// The next moment at which [`Service::due`] has something.
    #[inline]
    fn wake_ns(&self) -> Option<u64> {
        None
    }

    /// A connection whose time has come, one after the other. It may have ended since, or be another one.
    #[inline]
    fn due(&mut self, _now_ns: u64) -> Option<usize> {
        None
    }
}

/// Serves until one of the signals comes; gives the number of accepted connections.
pub(super) fn serve<S: Service>(service: &mut S, listener: &OwnedFd, signals: &Signals) -> io::Result<u64> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    epoll::add(&epoll, signals.wake_fd(), EventData::new_u64(SIGNALS), EventFlags::IN)?;
    let mut peers = Peers::default();
    let mut events = Vec::with_capacity(EVENTS_PER_WAIT);
    loop {
        events.clear();
        let wait = service.wake_ns().map(|wake_ns| timespec(wake_ns.saturating_sub(now_ns())));
        match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for &Event { data, flags, .. } in &events {
            service.before_event();
            match data.u64() {
                SIGNALS => return Ok(peers.accepted),
                LISTENER => peers.accept_all(listener, &epoll, service)?,
                number => peers.handle(number as usize, flags, service),
            }
        }
        if wait.is_some() {
            service.before_event();
            while let Some(number) = service.due(now_ns()) {
                peers.handle(number, EventFlags::empty(), service);
            }
        }
    }
}

/// Open connections by number.
struct Peers<P> {
    by_number: Vec<Option<P>>,
    free: Vec<usize>,
    accepted: u64,
}

impl<P> Default for Peers<P> {
    fn default() -> Peers<P> {
        Peers { by_number: Vec::new(), free: Vec::new(), accepted: 0 }
    }
}

impl<P> Peers<P> {
    fn accept_all<S: Service<Peer = P>>(
        &mut self,
        listener: &OwnedFd,
        epoll: &OwnedFd,
        service: &mut S,
    ) -> io::Result<()> {
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
            epoll::add(epoll, socket.as_fd(), EventData::new_u64(number as u64), interest)?;
            match service.open(socket) {
                Some(peer) => self.by_number[number] = Some(peer),
                None => self.free.push(number),
            }
        }
    }

    #[inline]
    fn handle<S: Service<Peer = P>>(&mut self, number: usize, flags: EventFlags, service: &mut S) {
        let Some(peer) = &mut self.by_number[number] else { return };
        if service.handle(number, peer, flags) == PeerState::Ended {
            self.by_number[number] = None;
            self.free.push(number);
        }
    }
}
