//! One direction of a connection: what arrived waits until it is due, and leaves in its order.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, send, shutdown};

use super::Side;
use super::account::Account;
use super::arrival::Receiver;
use super::link::Link;
use super::round_trip::RoundTrip;
use crate::clock::now_ns;

/// What a chunk takes in memory beside its bytes.
const CHUNK_BYTES: usize = 64;

/// Reads in a row, before other connections have their turn.
const MOST_READS: usize = 16;

enum Payload {
    /// As they were read: never joined with others.
    Bytes(Box<[u8]>),
    /// The sender sends nothing more.
    End,
    /// The sender broke the connection.
    Reset,
}

struct Chunk {
    due_ns: u64,
    payload: Payload,
}

/// What came of letting chunks leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Departure {
    /// All that is due has left, or waits for its receiver.
    Done,
    /// The sender's reset is due.
    Reset,
    /// The receiver takes nothing any more.
    ReceiverGone,
}

pub(super) struct Direction {
    from: Side,
    under_way: VecDeque<Chunk>,
    /// What they take in memory.
    taken_bytes: usize,
    /// Bytes of the first chunk that have left.
    sent_bytes: usize,
    /// There may be something to read.
    is_readable: bool,
    /// The sender closes: after what can be read now comes the end.
    closes: bool,
    /// What the sender's end is carried over as: it broke off instead of closing.
    breaks: bool,
    /// The end has been read.
    is_read: bool,
    /// The end has left.
    is_over: bool,
    /// The receiver is not connected yet, or takes no more at the moment.
    is_blocked: bool,
    /// When the receiver last began to take bytes again.
    free_since_ns: u64,
    /// What is not read yet arrived after this.
    read_until_ns: u64,
    /// When the last chunk will have passed the link.
    link_free_ns: u64,
    last_due_ns: u64,
}

impl Direction {
    /// To a receiver that is not connected yet if `is_blocked`.
    pub(super) fn new(from: Side, is_blocked: bool, now: u64) -> Direction {
        Direction {
            from,
            under_way: VecDeque::new(),
            taken_bytes: 0,
            sent_bytes: 0,
            is_readable: true,
            closes: false,
            breaks: false,
            is_read: false,
            is_over: false,
            is_blocked,
            free_since_ns: now,
            read_until_ns: now,
            link_free_ns: 0,
            last_due_ns: 0,
        }
    }

    /// The end has left: nothing follows.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// An edge of the sender's socket.
    pub(super) fn sender_has_input(&mut self, closes: bool) {
        self.is_readable = true;
        self.closes |= closes;
    }

    /// An edge of the receiver's socket, or it is connected.
    pub(super) fn receiver_is_ready(&mut self, now: u64) {
        if self.is_blocked {
            self.is_blocked = false;
            self.free_since_ns = now;
        }
    }

    /// The sender broke the connection, and is to be read to its end.
    pub(super) fn sender_breaks(&mut self) {
        self.breaks = true;
        self.is_readable = true;
    }

    /// Drops what is under way: nobody takes it.
    pub(super) fn abandon(&mut self) {
        self.under_way.clear();
        self.is_read = true;
        self.is_over = true;
    }

    /// There may be something to read, and there is room for it.
    pub(super) fn wants_input(&self, link: &Link) -> bool {
        self.is_readable && !self.is_read && self.taken_bytes < link.room_bytes
    }

    /// The next moment at which something is due.
    pub(super) fn next_ns(&self) -> Option<u64> {
        if self.is_blocked { None } else { self.under_way.front().map(|chunk| chunk.due_ns) }
    }

    /// Reads what there is. `delay_ns` gives how long each chunk takes over the link, by when it arrived.
    pub(super) fn read(
        &mut self,
        socket: &OwnedFd,
        receiver: &mut Receiver,
        link: &Link,
        mut delay_ns: impl FnMut(u64) -> u64,
    ) {
        for _ in 0..MOST_READS {
            if !self.wants_input(link) {
                break;
            }
            match receiver.receive(socket, self.read_until_ns) {
                Ok(received) if received.bytes.is_empty() => {
                    let payload = if self.breaks { Payload::Reset } else { Payload::End };
                    self.end(payload, received.arrived_ns + delay_ns(received.arrived_ns));
                }
                Ok(received) => {
                    self.is_readable = self.closes || !received.is_drained;
                    self.add(received.bytes, received.arrived_ns, link, delay_ns(received.arrived_ns));
                }
                Err(Errno::AGAIN) => self.is_readable = false,
                Err(_) => {
                    let now = now_ns();
                    self.end(Payload::Reset, now + delay_ns(now));
                }
            }
        }
        // What is read later was not there yet, or there was no room for it: that wait is the receiver's.
        if !self.is_readable || self.taken_bytes >= link.room_bytes {
            self.read_until_ns = now_ns();
        }
    }

    fn add(&mut self, bytes: &[u8], arrived_ns: u64, link: &Link, delay_ns: u64) {
        self.link_free_ns = self.link_free_ns.max(arrived_ns) + link.takes_ns(bytes.len());
        self.taken_bytes += bytes.len() + CHUNK_BYTES;
        self.push(Payload::Bytes(bytes.into()), self.link_free_ns + delay_ns);
    }

    fn end(&mut self, payload: Payload, due_ns: u64) {
        self.is_read = true;
        self.push(payload, due_ns);
    }

    fn push(&mut self, payload: Payload, due_ns: u64) {
        self.last_due_ns = self.last_due_ns.max(due_ns);
        self.under_way.push_back(Chunk { due_ns: self.last_due_ns, payload });
    }

    /// Lets leave what is due.
    pub(super) fn depart(
        &mut self,
        to: &OwnedFd,
        account: &mut Account,
        round_trip: &mut RoundTrip,
    ) -> Departure {
        while !self.is_blocked {
            let Some(Chunk { due_ns, payload }) = self.under_way.front() else { break };
            let began_ns = now_ns();
            if *due_ns > began_ns {
                break;
            }
            match payload {
                Payload::Reset => return Departure::Reset,
                Payload::End => {
                    // A receiver that is gone shows when it is read.
                    let _ = shutdown(to, Shutdown::Write);
                    self.is_over = true;
                    self.under_way.pop_front();
                }
                Payload::Bytes(bytes) => match send(to, &bytes[self.sent_bytes..], SendFlags::NOSIGNAL) {
                    Ok(sent) if self.sent_bytes + sent < bytes.len() => self.sent_bytes += sent,
                    Ok(_) => {
                        let waited = *due_ns < self.free_since_ns;
                        let ended_ns = now_ns();
                        let late_ns = (!waited).then(|| ended_ns - due_ns);
                        round_trip.departed(self.from, began_ns, ended_ns);
                        account.departed(self.from, bytes.len(), late_ns);
                        self.taken_bytes -= bytes.len() + CHUNK_BYTES;
                        self.sent_bytes = 0;
                        self.under_way.pop_front();
                    }
                    Err(Errno::AGAIN) => self.is_blocked = true,
                    Err(Errno::INTR) => {}
                    Err(_) => return Departure::ReceiverGone,
                },
            }
        }
        Departure::Done
    }
}
