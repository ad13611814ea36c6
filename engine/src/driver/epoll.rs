//! The epoll driver: edge-triggered, one registration per socket, no further calls to keep interest up to date.
//!
//! Per answer: one `recv` and one `send`, and a share of one `epoll_wait`. A read that does not fill the buffer has
//! drained the socket; what comes later is a new edge.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use super::failure::transfer_error;
use super::pace::Pace;
use super::socket::{Begun, Peer, connect_result};
use super::starts::Starts;
use super::{Conversation, DATAGRAM_LENGTH_BYTES, DriverUse, Kept, Next, StopLine};
use crate::clock::{now_ns, timespec};
use crate::endpoint::Endpoint;
use crate::schedule::Phase;
use crate::wait::Wait;

const READ_BUFFER_BYTES: usize = 64 * 1024;
const EVENTS_PER_WAIT: usize = 256;

/// Reads in a row from one connection, before the others have their turn.
const READS_PER_EVENT: usize = 16;

const STOP_TOKEN: u64 = u64::MAX;

/// HUP and ERR come unasked.
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// Runs a conversation to its end on the calling thread.
///
/// # Errors
/// If epoll itself cannot be used; what happens on a connection is the conversation's.
pub(super) fn run<C: Conversation>(
    mut conversation: C,
    endpoint: &Endpoint,
    stop: &StopLine,
    wait: Wait,
    kept: &mut Kept,
) -> io::Result<(C::Outcome, DriverUse)> {
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&epoll, stop.wake_fd(), EventData::new_u64(STOP_TOKEN), EventFlags::IN)?;
    let mut connections = Vec::new();
    connections.resize_with(conversation.connections(), Connection::default);
    let starts = Starts::of(connections.len());
    let pace = Pace::new(&mut conversation, wait);
    let peer = Peer::new(endpoint)?;
    let peer = if C::IS_DATAGRAMS { peer.by_datagrams() } else { peer };
    let buffer = vec![0; READ_BUFFER_BYTES];
    let driver = Driver { conversation, peer, epoll, connections, starts, buffer, pace, kept };
    driver.run(stop)
}

#[derive(Default)]
struct Connection {
    socket: Option<OwnedFd>,
    is_connecting: bool,
}

struct Driver<'k, C> {
    conversation: C,
    peer: Peer,
    epoll: OwnedFd,
    connections: Vec<Connection>,
    starts: Starts,
    buffer: Vec<u8>,
    pace: Pace,
    kept: &'k mut Kept,
}

/// Whether a connection still has the socket that it had before a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Socket {
    Same,
    Gone,
}

impl<C: Conversation> Driver<'_, C> {
    fn run(mut self, stop: &StopLine) -> io::Result<(C::Outcome, DriverUse)> {
        let mut events = Vec::with_capacity(EVENTS_PER_WAIT);
        loop {
            let now = now_ns();
            self.conversation.advance(now);
            while let Some((number, next)) = self.conversation.due(now) {
                self.perform(number, next);
            }
            self.pace.follow(self.conversation.phase());
            if stop.is_pulled() || self.conversation.phase() == Phase::Over {
                let used = self.pace.window_use();
                (0..self.connections.len()).for_each(|number| self.leave(number));
                return Ok((self.conversation.conclude(now), used));
            }
            let has_started = self.start_some();
            events.clear();
            let sleep_ns = if has_started { 0 } else { self.pace.sleep_ns(&mut self.conversation, now) };
            let wait = timespec(sleep_ns);
            match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&wait)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if sleep_ns == 0 && events.is_empty() && !has_started {
                self.pace.has_spun(now, now_ns());
            }
            for &Event { data, flags, .. } in &events {
                if data.u64() != STOP_TOKEN {
                    self.handle(data.u64() as usize, flags);
                }
            }
        }
    }

    /// Starts the next connections, as many as one turn does. False if all have been.
    #[inline]
    fn start_some(&mut self) -> bool {
        let starting = self.starts.next_turn();
        for number in starting.clone() {
            let next = self.conversation.start(number, now_ns());
            self.perform(number, next);
        }
        !starting.is_empty()
    }

    fn handle(&mut self, number: usize, flags: EventFlags) {
        if self.connections[number].is_connecting {
            if self.finish_connect(number) == Socket::Gone {
                return;
            }
        } else if flags.contains(EventFlags::OUT) && self.perform(number, Next::Send) == Socket::Gone {
            return;
        }
        if flags.intersects(EventFlags::IN | EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR) {
            self.read(number, flags.contains(EventFlags::RDHUP));
        }
    }

    /// `peer_closes`: the end of what can be read is already there.
    fn read(&mut self, number: usize, peer_closes: bool) {
        for _ in 0..READS_PER_EVENT {
            let Some(socket) = &self.connections[number].socket else { return };
            let received = recv(socket, self.buffer.as_mut_slice(), RecvFlags::empty());
            let now = now_ns();
            let (is_drained, next) = match received {
                Ok((0, _)) if !C::IS_DATAGRAMS => (true, self.conversation.peer_closed(number, now)),
                Ok((bytes, _)) => {
                    let is_drained = !C::IS_DATAGRAMS && bytes < self.buffer.len();
                    let is_last = is_drained && peer_closes;
                    let next = self.conversation.received(number, &self.buffer[..bytes], is_last, now);
                    // Where the peer closes, the end itself is still to be read.
                    (is_drained && !peer_closes, next)
                }
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => continue,
                Err(error) => (true, self.broken(number, error, now)),
            };
            if self.perform(number, next) == Socket::Gone || is_drained {
                return;
            }
        }
        self.rearm(number);
    }

    /// Does what the conversation asks for, until it waits.
    fn perform(&mut self, number: usize, first: Next) -> Socket {
        let mut next = first;
        let mut socket = Socket::Same;
        loop {
            next = match next {
                Next::Wait => return socket,
                Next::Send => self.send(number),
                Next::Close => {
                    self.close(number);
                    return Socket::Gone;
                }
                Next::Connect => {
                    socket = Socket::Gone;
                    self.connect(number)
                }
            };
        }
    }

    fn send(&mut self, number: usize) -> Next {
        let Some(socket) = &self.connections[number].socket else { return Next::Wait };
        loop {
            let bytes = self.conversation.to_send(number);
            if bytes.is_empty() {
                return Next::Wait;
            }
            let now = now_ns();
            if C::IS_DATAGRAMS {
                match send_datagram(socket, bytes) {
                    Ok(sent) => self.conversation.handed_over(number, sent, now),
                    Err(Errno::AGAIN) => return Next::Wait,
                    Err(Errno::INTR) => {}
                    Err(error) => return self.broken(number, error, now),
                }
                continue;
            }
            match send(socket, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => self.conversation.handed_over(number, sent, now),
                Err(Errno::AGAIN) => return Next::Wait,
                Err(Errno::INTR) => {}
                Err(error) => return self.conversation.broken(number, transfer_error(error), now),
            }
        }
    }

    fn broken(&mut self, number: usize, error: Errno, now: u64) -> Next {
        match C::IS_DATAGRAMS {
            // What a connect tells of streams comes here.
            true => self.conversation.broken_because(number, error.into(), now),
            false => self.conversation.broken(number, transfer_error(error), now),
        }
    }

    /// Keeps a connection's socket for the next run, or closes it.
    fn leave(&mut self, number: usize) {
        if self.conversation.is_kept(number)
            && let Some(socket) = self.connections[number].socket.take()
        {
            return self.kept.put(number, socket);
        }
        self.close(number);
    }

    /// Closes a connection's socket, if it has one.
    fn close(&mut self, number: usize) {
        let Connection { socket, is_connecting } = std::mem::take(&mut self.connections[number]);
        if let (Some(socket), false) = (socket, is_connecting) {
            let farewell = self.conversation.farewell(number);
            if !farewell.is_empty() {
                // Whether it arrives is up to the peer: the socket is closed either way.
                let _ = send(&socket, &farewell, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
            }
        }
    }

    fn connect(&mut self, number: usize) -> Next {
        self.close(number);
        let kept = self.kept.take(number, false);
        let is_older = kept.is_some();
        let begun = match kept {
            Some(socket) => Ok(Begun { socket, is_connected: true }),
            None => self.peer.begin_connect(number),
        };
        let begun = begun.and_then(|begun| {
            epoll::add(&self.epoll, &begun.socket, EventData::new_u64(number as u64), INTEREST)?;
            Ok(begun)
        });
        match begun {
            Ok(Begun { socket, is_connected }) => {
                self.connections[number] = Connection { socket: Some(socket), is_connecting: !is_connected };
                match (is_older, is_connected) {
                    (true, _) => self.conversation.taken_over(number, now_ns()),
                    (false, true) => self.conversation.connected(number, now_ns()),
                    (false, false) => Next::Wait,
                }
            }
            Err(failure) => self.conversation.connect_failed(number, failure, now_ns()),
        }
    }

    fn finish_connect(&mut self, number: usize) -> Socket {
        let connection = &mut self.connections[number];
        let Some(socket) = &connection.socket else { return Socket::Gone };
        let result = connect_result(socket);
        connection.is_connecting = false;
        let next = match result {
            Ok(()) => self.conversation.connected(number, now_ns()),
            Err(failure) => self.conversation.connect_failed(number, failure, now_ns()),
        };
        self.perform(number, next)
    }

    /// Makes the kernel report again what has not been read.
    fn rearm(&mut self, number: usize) {
        if let Some(socket) = &self.connections[number].socket {
            // It fails only without memory, and then the connection ends by its timeout.
            let _ = epoll::modify(&self.epoll, socket, EventData::new_u64(number as u64), INTEREST);
        }
    }
}

/// Sends the first of some datagrams. Gives its length, with what says so.
fn send_datagram(socket: &OwnedFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    let (length, rest) =
        bytes.split_first_chunk::<DATAGRAM_LENGTH_BYTES>().expect("datagrams have their length");
    let length = usize::from(u16::from_be_bytes(*length));
    send(socket, &rest[..length], SendFlags::NOSIGNAL)?;
    Ok(DATAGRAM_LENGTH_BYTES + length)
}
