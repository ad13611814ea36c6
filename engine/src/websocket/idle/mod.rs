//! Connections that are opened, answer pings, and send nothing else: what a server has to hold beside its load.
//!
//! They have a process and a loop of their own, so that the load's threads know nothing of them. A bounded number is being
//! opened at once, as many as the shortest usual accept queue holds: a burst beyond it would measure how the kernel tries
//! again.

mod account;
mod connection;

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::sockopt;

pub use account::{IdleAccount, IdleState};
use connection::{Around, Connection};

use super::Socket;
use super::random::Random;
use crate::clock::{now_ns, timespec};
use crate::driver::Failure;
use crate::driver::socket::{Begun, Peer};
use crate::endpoint::Endpoint;
use crate::hold::Hold;
use crate::tls::TlsClient;

/// Connections whose handshake is under way. Python's servers have an accept queue of 100, others of 128 and more.
const UNDER_WAY: usize = 64;

/// After so many in a row that were not opened, no further one is tried: the server takes no more.
const FAILURES_IN_A_ROW: u32 = 100;

/// So long a server has to answer close frames. Then connections are reset, which leaves no local port behind.
const LEAVE_WITHIN_NS: u64 = 5_000_000_000;

const READ_BUFFER_BYTES: usize = 64 * 1024;
const EVENTS_PER_WAIT: usize = 256;
const INPUT_TOKEN: u64 = u64::MAX;
const LONGEST_SLEEP_NS: u64 = 3_600_000_000_000;

/// Connections to be opened and kept.
#[derive(Debug)]
pub struct IdleConnections {
    /// Where they go.
    pub endpoint: Endpoint,
    /// By which they are encrypted.
    pub tls: Option<Arc<TlsClient>>,
    /// How they are opened.
    pub socket: Arc<Socket>,
    /// How many.
    pub number: usize,
    /// So long the server has to answer a handshake.
    pub timeout_ns: u64,
}

impl IdleConnections {
    /// Opens the connections, and keeps them until standard input ends. Each line `count` of it is answered with an
    /// account.
    ///
    /// # Errors
    /// If epoll cannot be used, or standard input says something else. What happens on a connection is in the account.
    pub fn keep(
        self,
        input: &mut Hold,
        mut tell: impl FnMut(IdleState, &IdleAccount, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut keeper = Keeper::new(self)?;
        let mut is_opening = true;
        let mut goes_on = true;
        while goes_on {
            keeper.open_some();
            if is_opening && keeper.are_all_tried() {
                is_opening = false;
                tell(IdleState::Opened, &keeper.account, keeper.elapsed_ns())?;
            }
            if keeper.turn()? || input.has_line() {
                match input.next_line()?.as_deref() {
                    Some(b"count") => tell(IdleState::Counted, &keeper.account, keeper.elapsed_ns())?,
                    Some(_) => return Err(io::Error::other("standard input: only `count` is a word here")),
                    None => goes_on = false,
                }
            }
        }
        tell(IdleState::Ended, &keeper.account, keeper.elapsed_ns())?;
        keeper.leave()
    }
}

struct Keeper {
    plan: IdleConnections,
    peer: Peer,
    epoll: OwnedFd,
    /// By number; `None`: not opened yet, or gone.
    connections: Vec<Option<Connection>>,
    /// Those whose handshake may be under way: when it began, and whose it is.
    begun: VecDeque<(u64, usize)>,
    under_way: usize,
    failures_in_a_row: u32,
    began_ns: u64,
    random: Random,
    buffer: Vec<u8>,
    plain: Vec<u8>,
    events: Vec<Event>,
    account: IdleAccount,
}

impl Keeper {
    fn new(plan: IdleConnections) -> io::Result<Keeper> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, io::stdin(), EventData::new_u64(INPUT_TOKEN), EventFlags::IN)?;
        Ok(Keeper {
            peer: Peer::new(&plan.endpoint)?,
            epoll,
            connections: Vec::with_capacity(plan.number),
            begun: VecDeque::new(),
            under_way: 0,
            failures_in_a_row: 0,
            began_ns: now_ns(),
            random: Random::new(),
            buffer: vec![0; READ_BUFFER_BYTES],
            plain: Vec::new(),
            events: Vec::with_capacity(EVENTS_PER_WAIT),
            account: IdleAccount { asked: plan.number as u64, ..IdleAccount::default() },
            plan,
        })
    }

    fn elapsed_ns(&self) -> u64 {
        now_ns().saturating_sub(self.began_ns)
    }

    fn is_given_up(&self) -> bool {
        self.failures_in_a_row >= FAILURES_IN_A_ROW
    }

    fn are_all_tried(&self) -> bool {
        self.under_way == 0 && (self.connections.len() == self.plan.number || self.is_given_up())
    }

    /// Begins to open further connections, as many as may be under way.
    fn open_some(&mut self) {
        while self.under_way < UNDER_WAY && self.connections.len() < self.plan.number && !self.is_given_up() {
            let number = self.connections.len();
            self.under_way += 1;
            self.connections.push(None);
            match self.begin(number) {
                Ok(connection) => {
                    self.begun.push_back((now_ns(), number));
                    self.connections[number] = Some(connection);
                }
                Err(failure) => self.ends(number, failure),
            }
        }
    }

    fn begin(&mut self, number: usize) -> Result<Connection, Failure> {
        // One that is connected is writable at once, as one that will be is later.
        let Begun { socket, .. } = self.peer.begin_connect(number)?;
        let interest = EventFlags::IN | EventFlags::OUT;
        epoll::add(&self.epoll, &socket, EventData::new_u64(number as u64), interest)?;
        Ok(Connection::new(socket, self.plan.socket.message_bytes_limit))
    }

    /// Waits for something to happen, and does what follows. True if standard input says something, or has ended.
    fn turn(&mut self) -> io::Result<bool> {
        let now = now_ns();
        let wait_ns = self
            .begun
            .front()
            .map_or(LONGEST_SLEEP_NS, |&(since_ns, _)| (since_ns + self.plan.timeout_ns).saturating_sub(now));
        self.wait(wait_ns)?;
        let mut is_input = false;
        for Event { data, flags } in std::mem::take(&mut self.events) {
            match data.u64() {
                INPUT_TOKEN => is_input = true,
                number => self.handle(number as usize, flags),
            }
        }
        self.give_up_late();
        Ok(is_input)
    }

    fn wait(&mut self, wait_ns: u64) -> io::Result<()> {
        self.events.reserve(EVENTS_PER_WAIT);
        let room = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, room, Some(&timespec(wait_ns))) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn handle(&mut self, number: usize, flags: EventFlags) {
        let Some(connection) = &mut self.connections[number] else { return };
        let (was_opening, had_unsent) = (connection.is_opening(), connection.has_unsent());
        let mut around = Around {
            socket: &self.plan.socket,
            tls: self.plan.tls.as_deref(),
            random: &mut self.random,
            buffer: &mut self.buffer,
            plain: &mut self.plain,
            account: &mut self.account,
        };
        let is_readable = flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR);
        let went_on = connection.go_on(is_readable, &mut around);
        let has_unsent = connection.has_unsent();
        let is_same = was_opening == connection.is_opening();
        let changed = if has_unsent == had_unsent {
            Ok(())
        } else {
            let interest = if has_unsent { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
            epoll::modify(&self.epoll, &connection.socket, EventData::new_u64(number as u64), interest)
        };
        if !is_same {
            self.under_way -= 1;
            self.failures_in_a_row = 0;
            self.account.opening_seconds = crate::clock::seconds(self.elapsed_ns());
            // Those in front that are through need no deadline.
            while self.begun.front().is_some_and(|&(_, number)| !self.is_under_way(number)) {
                self.begun.pop_front();
            }
        }
        if let Err(failure) = went_on.and_then(|()| changed.map_err(Failure::from)) {
            self.ends(number, failure);
        }
    }

    fn is_under_way(&self, number: usize) -> bool {
        self.connections[number].as_ref().is_some_and(Connection::is_opening)
    }

    /// A connection is of no more use, or could not be begun.
    fn ends(&mut self, number: usize, failure: Failure) {
        let was_open = self.connections[number].take().is_some_and(|connection| connection.is_open());
        let after_ns = self.elapsed_ns();
        if !was_open {
            self.under_way -= 1;
            self.failures_in_a_row += 1;
            self.account.opening_seconds = crate::clock::seconds(after_ns);
        }
        self.account.ends(was_open, failure, after_ns);
    }

    fn give_up_late(&mut self) {
        let now = now_ns();
        while let Some(&(since_ns, number)) = self.begun.front() {
            match &self.connections[number] {
                Some(connection) if connection.is_opening() => {
                    if now < since_ns + self.plan.timeout_ns {
                        return;
                    }
                    let failure = connection.too_late();
                    self.ends(number, failure);
                }
                _ => {}
            }
            self.begun.pop_front();
        }
    }

    /// Says on each connection that it goes, and waits until the server has closed it.
    fn leave(mut self) -> io::Result<()> {
        for connection in &mut self.connections {
            match connection {
                Some(open) if open.is_open() => open.leave(&mut self.random),
                other => *other = None,
            }
        }
        let until_ns = now_ns() + LEAVE_WITHIN_NS;
        epoll::delete(&self.epoll, io::stdin())?;
        let mut left = self.connections.iter().flatten().count();
        while left > 0 && now_ns() < until_ns {
            self.wait(until_ns.saturating_sub(now_ns()))?;
            for Event { data, flags } in std::mem::take(&mut self.events) {
                let number = data.u64() as usize;
                self.handle(number, flags);
                left -= usize::from(self.connections[number].is_none());
            }
        }
        for connection in self.connections.iter().flatten() {
            let _ = sockopt::set_socket_linger(&connection.socket, Some(Duration::ZERO));
        }
        Ok(())
    }
}
