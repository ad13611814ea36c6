//! The loop of a proxy: chunks leave when they are due, and sockets are read when they have something.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use rustix::thread::sched_yield;

use super::account::Account;
use super::arrival::Receiver;
use super::connection::{Connection, State};
use super::link::{Latencies, Link};
use super::{ProxySpec, Side};
use crate::clock::{now_ns, seconds, thread_cpu_ns, timespec};
use crate::driver::socket::Peer;
use crate::events::{Event as Said, emit};
use crate::signals::{SIGUSR1, Signals};
use crate::timers::Timers;

const LISTENER: u64 = u64::MAX;
const SIGNALS: u64 = u64::MAX - 1;
pub(super) const EVENTS_PER_WAIT: usize = 256;

/// HUP and ERR come unasked.
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// How long before a chunk is due the thread is awake: a timer is late by some tens of microseconds.
pub(super) const AWAKE_NS: u64 = 60_000;

/// How long what is under way may take to leave, after the signal that ends the proxy.
pub(super) const LEAVING_NS: u64 = 2_000_000_000;

/// How often is looked whether it has.
const LOOK_NS: u64 = 1_000_000;

/// What all connections share.
pub(super) struct Shared {
    pub service: Peer,
    pub link: Link,
    pub latencies: Latencies,
    pub receiver: Receiver,
    pub account: Account,
    epoll: OwnedFd,
}

impl Shared {
    /// Reports edges of a connection's socket from now on.
    pub(super) fn watch(&self, socket: &OwnedFd, number: usize, side: Side) -> Result<(), Errno> {
        let token = (number as u64) << 1 | (side == Side::Service) as u64;
        epoll::add(&self.epoll, socket.as_fd(), EventData::new_u64(token), INTEREST)
    }
}

/// All connections of a proxy.
pub(super) struct Worker<'a> {
    listener: &'a OwnedFd,
    signals: &'a mut Signals,
    shared: Shared,
    connections: Vec<Option<Connection>>,
    /// Numbers to use again.
    free: Vec<usize>,
    /// Numbers that may still have events in hand.
    ended: Vec<usize>,
    timers: Timers,
    /// Set by the signal that ends the proxy.
    leaves_until_ns: Option<u64>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        listener: &'a OwnedFd,
        signals: &'a mut Signals,
        service: Peer,
        spec: ProxySpec,
    ) -> io::Result<Worker<'a>> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        epoll::add(&epoll, signals.wake_fd(), EventData::new_u64(SIGNALS), EventFlags::IN)?;
        let link = Link::new(&spec);
        let shared = Shared {
            service,
            receiver: Receiver::new(link.chunk_bytes),
            link,
            latencies: Latencies::new(&spec),
            account: Account::default(),
            epoll,
        };
        Ok(Worker {
            listener,
            signals,
            shared,
            connections: Vec::new(),
            free: Vec::new(),
            ended: Vec::new(),
            timers: Timers::default(),
            leaves_until_ns: None,
        })
    }

    /// Carries bytes until a signal comes and what is under way then has left.
    pub(super) fn run(mut self) -> io::Result<Account> {
        let mut events = Vec::with_capacity(EVENTS_PER_WAIT);
        loop {
            let now = now_ns();
            while let Some(number) = self.timers.due(now) {
                self.drive(number);
            }
            let sleep_ns = self.sleep_ns();
            let wait = sleep_ns.map(timespec);
            events.clear();
            match epoll::wait(&self.shared.epoll, rustix::buffer::spare_capacity(&mut events), wait.as_ref())
            {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if self.has_ended(events.is_empty()) {
                let mut account = self.shared.account;
                account.cpu_seconds = seconds(thread_cpu_ns());
                return Ok(account);
            }
            if events.is_empty() && sleep_ns == Some(0) {
                // The load engine may be on this processor.
                sched_yield();
            }
            for &Event { data, flags, .. } in &events {
                match data.u64() {
                    LISTENER => self.accept_all(),
                    SIGNALS => self.obey()?,
                    token => self.handle(token, flags),
                }
            }
            self.free.append(&mut self.ended);
        }
    }

    /// How long to sleep; `None`: until something happens.
    fn sleep_ns(&self) -> Option<u64> {
        let now = now_ns();
        let due_ns = self.timers.earliest_ns().map(|due_ns| due_ns.saturating_sub(now + AWAKE_NS));
        match self.leaves_until_ns {
            None => due_ns,
            Some(_) if self.is_busy() => Some(due_ns.unwrap_or(LOOK_NS).min(LOOK_NS)),
            Some(_) => Some(0),
        }
    }

    /// Nothing is left to do after the signal, or the time for it is over. `is_quiet`: nothing has happened just now.
    fn has_ended(&self, is_quiet: bool) -> bool {
        self.leaves_until_ns.is_some_and(|until_ns| now_ns() >= until_ns || (is_quiet && !self.is_busy()))
    }

    fn is_busy(&self) -> bool {
        self.connections.iter().flatten().any(Connection::is_busy)
    }

    fn obey(&mut self) -> io::Result<()> {
        for signal in self.signals.take() {
            if signal == SIGUSR1 {
                let (at_seconds, round_trips) = (seconds(now_ns()), &self.shared.account.round_trips);
                emit(&Said::Proxying { at_seconds, round_trips })?;
            } else {
                self.leaves_until_ns.get_or_insert(now_ns() + LEAVING_NS);
            }
        }
        Ok(())
    }

    fn accept_all(&mut self) {
        loop {
            let client = match accept_with(self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => client,
                Err(Errno::AGAIN) => return,
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    // The listener stays readable; without a pause this would spin.
                    std::thread::sleep(Duration::from_millis(5));
                    return;
                }
                // The client gave up before it was accepted.
                Err(_) => continue,
            };
            self.shared.account.connections += 1;
            let number = self.free.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            if self.shared.watch(&client, number, Side::Client).is_err() {
                self.shared.account.failed_connects += 1;
                self.free.push(number);
                continue;
            }
            self.connections[number] = Some(Connection::new(client, &mut self.shared));
            self.drive(number);
        }
    }

    fn handle(&mut self, token: u64, flags: EventFlags) {
        let (number, side) =
            ((token >> 1) as usize, if token & 1 == 0 { Side::Client } else { Side::Service });
        if let Some(connection) = &mut self.connections[number] {
            let state = connection.handle(number, side, flags, &mut self.shared);
            self.follow(number, state);
        }
    }

    /// Lets a connection do what it can do now. It may have ended since, or be another one.
    fn drive(&mut self, number: usize) {
        if let Some(connection) = &mut self.connections[number] {
            let state = connection.drive(number, &mut self.shared);
            self.follow(number, state);
        }
    }

    fn follow(&mut self, number: usize, state: State) {
        if state == State::Ended {
            self.connections[number] = None;
            self.ended.push(number);
        } else if let Some(connection) = &mut self.connections[number]
            && let Some(at_ns) = connection.timer_to_set(&self.shared.link)
        {
            self.timers.add(at_ns, number);
        }
    }
}
