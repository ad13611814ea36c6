//! The io_uring driver.
//!
//! One call per turn submits all that is to be sent and takes all that has come. Every connection has one receive
//! request that goes on until the connection ends, into buffers that all share; a send that succeeds completes silently.
//! What is to be asked of the kernel is noted per connection while completions are handled, and becomes requests only
//! right before the call: no request can refer to a socket that was replaced in the meantime. What completes late for a
//! closed socket bears an earlier generation in its tag.
//!
//! Times: what came in one call has come when that call returned, with one clock read for all. What is sent in one call
//! was handed over right before it. A call that sends for many connections takes some microseconds for each, so that
//! service times then contain the wait for the sends before; epoll's contain the same wait in front of its reads.

mod memory;
mod outbox;
mod probe;
mod ring;
mod setup;
mod tag;

use std::io;
use std::iter;
use std::os::fd::OwnedFd;

use io_uring::IoUring;
use rustix::io::Errno;
use rustix::net::SocketFlags;

use super::failure::transfer_error;
use super::pace::{DriverUse, Pace};
use super::socket::Peer;
use super::starts::Starts;
use super::{Conversation, Failure, Kept, Next, StopLine};
use crate::clock::now_ns;
use crate::endpoint::Endpoint;
use crate::schedule::Phase;
use crate::wait::Wait;
use memory::Buffers;
use outbox::Outbox;
pub(super) use probe::probe;
use ring::{Completion, Ring};
use tag::{Operation, Tag, next_generation};

/// Most requests that one connection makes in one call.
const REQUESTS_PER_CONNECTION: usize = 3;

/// Runs a conversation to its end on the calling thread.
///
/// # Errors
/// If io_uring itself cannot be used; what happens on a connection is the conversation's.
pub(super) fn run<C: Conversation>(
    conversation: C,
    endpoint: &Endpoint,
    stop: &StopLine,
    wait: Wait,
    kept: &mut Kept,
) -> io::Result<(C::Outcome, DriverUse)> {
    let buffers = Buffers::for_answers(conversation.connections(), conversation.most_body_bytes());
    run_in(setup::create()?, buffers, conversation, endpoint, stop, wait, kept)
}

fn run_in<C: Conversation>(
    mut io_uring: IoUring,
    buffers: Buffers,
    mut conversation: C,
    endpoint: &Endpoint,
    stop: &StopLine,
    wait: Wait,
    kept: &mut Kept,
) -> io::Result<(C::Outcome, DriverUse)> {
    let peer = Peer::new(endpoint)?;
    let connections = conversation.connections();
    let ring = Ring::new(&mut io_uring, connections as u32, buffers, peer.addresses())?;
    let pace = Pace::new(&mut conversation, wait);
    let mut driver = Driver {
        conversation,
        peer,
        ring,
        pace,
        connections: vec![Connection::default(); connections],
        starts: Starts::of(connections),
        noted: Vec::with_capacity(connections),
        outbox: Outbox::new(connections),
        sockets: iter::repeat_with(|| None).take(connections).collect(),
        kept,
    };
    driver.ring.watch(Tag::STOP, stop.wake_fd());
    driver.run(stop)
}

/// One connection's socket.
#[derive(Clone, Debug, Default)]
struct Connection {
    generation: u32,
    state: State,
    is_noted: bool,
    /// To be asked of the kernel in the next call.
    wants: Wants,
    is_receiving: bool,
}

/// Where a socket stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Closed,
    Connecting,
    Open,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wants {
    connect: bool,
    receive: bool,
    send: bool,
}

struct Driver<'r, C> {
    conversation: C,
    peer: Peer,
    ring: Ring<'r>,
    pace: Pace,
    connections: Vec<Connection>,
    starts: Starts,
    /// Connections that may want something.
    noted: Vec<u32>,
    outbox: Outbox,
    /// By connection, where it may outlive the run. The ring has its own hold of each.
    sockets: Vec<Option<OwnedFd>>,
    kept: &'r mut Kept,
}

impl<C: Conversation> Driver<'_, C> {
    fn run(mut self, stop: &StopLine) -> io::Result<(C::Outcome, DriverUse)> {
        loop {
            let now = now_ns();
            self.conversation.advance(now);
            while let Some((number, next)) = self.conversation.due(now) {
                self.perform(number, next, now);
            }
            self.pace.follow(self.conversation.phase());
            if stop.is_pulled() || self.conversation.phase() == Phase::Over {
                let used = self.pace.window_use();
                self.end();
                return Ok((self.conversation.conclude(now), used));
            }
            let has_started = self.start_some();
            self.turn(if has_started { now_ns() } else { now }, has_started)?;
        }
    }

    /// Starts the next connections, as many as one turn does. False if all have been.
    #[inline]
    fn start_some(&mut self) -> bool {
        let starting = self.starts.next_turn();
        for number in starting.clone() {
            let now = now_ns();
            let next = self.conversation.start(number, now);
            self.perform(number, next, now);
        }
        !starting.is_empty()
    }

    /// Ends whatever is under way. The kernel's lists have the latest requests in front, so the last connections come first.
    fn end(&mut self) {
        for number in (0..self.connections.len()).rev() {
            let is_kept = self.connections[number].state == State::Open
                && !self.outbox.is_behind(number as u32)
                && self.conversation.is_kept(number);
            self.abandon(number);
            if let Some(socket) = self.sockets[number].take_if(|_| is_kept) {
                self.kept.put(number, socket);
            }
            if self.ring.room() < REQUESTS_PER_CONNECTION {
                self.ring.drain();
            }
        }
        self.ring.drain();
    }

    /// One call, and what came of it. `now`: shortly before. `has_started`: connections, so that more may be to start.
    fn turn(&mut self, now: u64, has_started: bool) -> io::Result<()> {
        let has_overflown = self.ring.has_overflown();
        let has_requests = !self.noted.is_empty();
        if !has_overflown {
            self.request(now);
        }
        let may_sleep = self.noted.is_empty() && !has_overflown && !has_started;
        let sleep_ns = if may_sleep { self.pace.sleep_ns(&mut self.conversation, now) } else { 0 };
        self.ring.enter(sleep_ns)?;
        let now_after = now_ns();
        // A call that sends is work, whether or not something came of it at once.
        let mut is_idle = may_sleep && sleep_ns == 0 && !has_requests;
        while let Some(completion) = self.ring.next_completion() {
            self.handle(completion, now_after);
            is_idle = false;
        }
        if is_idle {
            self.pace.has_spun(now, now_after);
        }
        Ok(())
    }

    /// Turns what connections want into requests, as many as one call takes.
    fn request(&mut self, now: u64) {
        let mut kept = 0;
        for place in 0..self.noted.len() {
            let number = self.noted[place];
            let is_done = self.ring.room() >= REQUESTS_PER_CONNECTION && self.request_for(number, now);
            self.connections[number as usize].is_noted = !is_done;
            if !is_done {
                self.noted[kept] = number;
                kept += 1;
            }
        }
        self.noted.truncate(kept);
    }

    /// False if there is more to do in the next call.
    #[inline]
    fn request_for(&mut self, number: u32, now: u64) -> bool {
        let connection = &mut self.connections[number as usize];
        let generation = connection.generation;
        let tag = |operation| Tag { operation, generation, number };
        if std::mem::take(&mut connection.wants.connect) {
            self.ring.connect(tag(Operation::Connect), self.peer.place(number as usize));
        }
        if std::mem::take(&mut connection.wants.receive) {
            connection.is_receiving = true;
            self.ring.receive(tag(Operation::Receive));
        }
        if !connection.wants.send {
            return true;
        }
        let is_sent = self.outbox.send(&mut self.conversation, &mut self.ring, number, generation, now);
        self.connections[number as usize].wants.send = !is_sent;
        is_sent
    }

    /// Does what the conversation asks for, until it waits.
    fn perform(&mut self, number: usize, first: Next, now: u64) {
        let mut next = first;
        loop {
            next = match next {
                Next::Wait => return,
                Next::Send => return self.note(number, |wants| wants.send = true),
                Next::Close => {
                    self.close(number);
                    return self.ring.uninstall(number as u32);
                }
                Next::Connect => match self.connect(number, now) {
                    Ok(next) => next,
                    Err(failure) => self.conversation.connect_failed(number, failure, now),
                },
            };
        }
    }

    #[inline]
    fn note(&mut self, number: usize, want: impl FnOnce(&mut Wants)) {
        let connection = &mut self.connections[number];
        if connection.state == State::Closed {
            return;
        }
        want(&mut connection.wants);
        if !connection.is_noted {
            connection.is_noted = true;
            self.noted.push(number as u32);
        }
    }

    fn connect(&mut self, number: usize, now: u64) -> Result<Next, Failure> {
        self.close(number);
        let kept = self.kept.take(number, true);
        let is_older = kept.is_some();
        let opened = kept.map_or_else(|| self.peer.open(number, SocketFlags::empty()), Ok);
        let installed = opened.and_then(|socket| {
            self.ring.install(number as u32, &socket).map_err(|error| {
                let errno = Errno::from_io_error(&error).unwrap_or(Errno::NOMEM);
                Failure::from(errno)
            })?;
            self.sockets[number] = self.kept.keeps().then_some(socket);
            Ok(())
        });
        if let Err(failure) = installed {
            self.ring.uninstall(number as u32);
            return Err(failure);
        }
        if is_older {
            self.connections[number].state = State::Open;
            self.note(number, |wants| wants.receive = true);
            return Ok(self.conversation.taken_over(number, now));
        }
        self.connections[number].state = State::Connecting;
        self.note(number, |wants| wants.connect = true);
        Ok(Next::Wait)
    }

    /// Asks for a farewell to be sent, if the connection is open and has one; true if so.
    fn bid_farewell(&mut self, number: usize) -> bool {
        let connection = &self.connections[number];
        if connection.state != State::Open {
            return false;
        }
        let tag =
            Tag { operation: Operation::Farewell, generation: connection.generation, number: number as u32 };
        let farewell = self.conversation.farewell(number);
        // In the middle of other bytes nobody would understand it.
        let is_sent = !farewell.is_empty() && !self.outbox.is_behind(number as u32);
        if is_sent {
            self.ring.send_farewell(tag, farewell.into_boxed_slice());
        }
        is_sent
    }

    /// Forgets a connection's socket and cancels what it still does. Its file stays until it is replaced or uninstalled.
    fn close(&mut self, number: usize) {
        if self.abandon(number) {
            // The farewell refers to the file that goes now.
            self.ring.flush();
        }
        self.sockets[number] = None;
    }

    /// The same, but a farewell may not be submitted yet; true if so.
    fn abandon(&mut self, number: usize) -> bool {
        let has_farewell = self.bid_farewell(number);
        let connection = &mut self.connections[number];
        let tag = |operation| Tag { operation, generation: connection.generation, number: number as u32 };
        if connection.state == State::Connecting && !connection.wants.connect {
            self.ring.cancel(tag(Operation::Connect));
        }
        if connection.is_receiving {
            self.ring.cancel(tag(Operation::Receive));
        }
        if self.outbox.forget(number as u32) {
            self.ring.cancel(tag(Operation::SendPatiently));
        }
        connection.generation = next_generation(connection.generation);
        connection.state = State::Closed;
        connection.wants = Wants::default();
        connection.is_receiving = false;
        has_farewell
    }

    #[inline]
    fn handle(&mut self, completion: Completion, now: u64) {
        let Completion { tag, result, filled, goes_on } = completion;
        let number = tag.number as usize;
        let is_current = match tag.operation {
            Operation::Ignored | Operation::Stop | Operation::Farewell => false,
            _ => self.connections.get(number).is_some_and(|it| it.generation == tag.generation),
        };
        if is_current {
            let next = match (tag.operation, result) {
                (Operation::Receive, result) => {
                    self.keep_receiving(number, goes_on, result);
                    match (result, &filled) {
                        (Ok(0), _) => self.conversation.peer_closed(number, now),
                        (Ok(_), Some(filled)) => {
                            self.conversation.received(number, self.ring.bytes(filled), false, now)
                        }
                        // Buffers ran out: the next request finds those that were handed back since.
                        (Err(Errno::NOBUFS), _) | (Ok(_), None) => Next::Wait,
                        (Err(error), _) => self.conversation.broken(number, transfer_error(error), now),
                    }
                }
                (Operation::Connect, Ok(_)) => {
                    self.connections[number].state = State::Open;
                    self.note(number, |wants| wants.receive = true);
                    self.conversation.connected(number, now)
                }
                (Operation::Connect, Err(error)) => {
                    self.connections[number].state = State::Closed;
                    self.sockets[number] = None;
                    self.ring.uninstall(tag.number);
                    self.conversation.connect_failed(number, error.into(), now)
                }
                (_, result) => self.sent(tag, result, now),
            };
            self.perform(number, next, now);
        }
        if let Some(filled) = filled {
            self.ring.recycle(filled);
        }
    }

    /// After a receive has completed: where it does not go on by itself, another one is asked for.
    #[inline]
    fn keep_receiving(&mut self, number: usize, goes_on: bool, result: Result<u32, Errno>) {
        if goes_on {
            return;
        }
        self.connections[number].is_receiving = false;
        if matches!(result, Ok(1..) | Err(Errno::NOBUFS)) {
            self.note(number, |wants| wants.receive = true);
        }
    }

    /// A send fell short, or one that waited for the peer has ended.
    #[cold]
    fn sent(&mut self, tag: Tag, result: Result<u32, Errno>, now: u64) -> Next {
        match self.outbox.completed(&self.ring, tag, result) {
            // There is a rest, or more may be left to send.
            Ok(()) => Next::Send,
            Err(kind) => self.conversation.broken(tag.number as usize, kind, now),
        }
    }
}

#[cfg(test)]
mod tests;
