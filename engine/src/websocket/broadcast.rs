//! Messages that the server sends on to every connection: a message is answered when the last one has its copy.
//!
//! Each message is awaited by all connections of the load: it is held back until all are open, and fails when one of them
//! ends before its copy has come.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::conversation::{HEAD, WebSocketConversation};
use super::failure::{self, Cause};
use super::frame::Opcode;
use super::link::{Link, State};
use crate::driver::Next;
use crate::plan::Broadcast;
use crate::record::ErrorKind;

/// Messages that were awaited no longer, whose late copies are known as such.
const MOST_GIVEN_UP: usize = 1000;

/// A message whose copies are awaited.
#[derive(Debug)]
struct Awaited {
    lane: usize,
    /// A bit for each connection that has none.
    missing: Vec<u64>,
    left: usize,
    /// All copies are the message itself.
    is_echo: bool,
    /// Of the first copy.
    digest: Option<u64>,
}

impl Awaited {
    fn is_missing(&self, number: usize) -> bool {
        self.missing[number / 64] >> (number % 64) & 1 == 1
    }

    fn takes(&mut self, number: usize) {
        self.missing[number / 64] &= !(1 << (number % 64));
        self.left -= 1;
    }
}

/// What the connections of a load await of each other's messages.
#[derive(Debug, Default)]
pub(super) struct Copies {
    by_id: HashMap<Vec<u8>, Awaited>,
    /// Lanes whose message waits until all connections are open.
    held: Vec<usize>,
    given_up: VecDeque<Vec<u8>>,
    /// More were given up than are known.
    has_forgotten: bool,
    /// Connections that have something to send, besides the one that the driver speaks of.
    pub steps: VecDeque<usize>,
}

impl Copies {
    pub(super) fn awaits(&self, id: &[u8]) -> bool {
        self.by_id.contains_key(id) || self.given_up.iter().any(|given_up| given_up == id)
    }

    /// The lane has nothing to send any more.
    pub(super) fn forget_held(&mut self, lane: usize) {
        self.held.retain(|&other| other != lane);
    }

    fn is_late(&self, id: &[u8]) -> bool {
        self.has_forgotten || self.given_up.iter().any(|given_up| given_up == id)
    }

    /// So many connections have not got it; copies that still come are late.
    fn give_up(&mut self, id: Vec<u8>) -> Option<usize> {
        let left = self.by_id.remove(&id)?.left;
        self.given_up.push_back(id);
        if self.given_up.len() > MOST_GIVEN_UP {
            self.given_up.pop_front();
            self.has_forgotten = true;
        }
        Some(left)
    }
}

impl WebSocketConversation {
    /// True if the lane's message waits until all connections are open.
    pub(super) fn holds_back(&mut self, lane: usize) -> bool {
        let is_open = |link: &Link| link.state == State::Open;
        if self.socket.broadcast.is_none() || self.links.iter().all(is_open) {
            return false;
        }
        self.copies.held.push(lane);
        for (number, link) in self.links.iter_mut().enumerate() {
            if link.state == State::Closed && !std::mem::replace(&mut link.is_awaited, true) {
                self.copies.steps.push_back(number);
            }
        }
        true
    }

    /// A connection is open: if it was the last one, what was held back goes.
    pub(super) fn release(&mut self, now_ns: u64) {
        if self.links.iter().all(|link| link.state == State::Open) {
            for lane in std::mem::take(&mut self.copies.held) {
                self.follow(lane / self.lanes, lane, Next::Send, now_ns);
                self.copies.steps.push_back(lane / self.lanes);
            }
        }
    }

    /// A lane's message is asked, whose copies are awaited.
    pub(super) fn await_copies(&mut self, lane: usize, id: &[u8]) {
        let Some(broadcast) = self.socket.broadcast else { return };
        let (connections, sender) = (self.links.len(), lane / self.lanes);
        let mut missing = vec![u64::MAX; connections.div_ceil(64)];
        let mut left = connections;
        if broadcast == Broadcast::Others {
            missing[sender / 64] &= !(1 << (sender % 64));
            left -= 1;
        }
        let awaited = Awaited { lane, missing, left, is_echo: true, digest: None };
        self.copies.by_id.insert(id.to_vec(), awaited);
    }

    /// A copy has come, or what is none.
    pub(super) fn take_copy(
        &mut self,
        number: usize,
        id: &[u8],
        (kind, payload): (Opcode, &[u8]),
        begun_ns: u64,
        now_ns: u64,
    ) {
        let Some(awaited) = self.copies.by_id.get_mut(id) else {
            if !self.copies.is_late(id) {
                self.unasked(number, Some(id), now_ns);
            }
            return;
        };
        let lane = awaited.lane;
        let sender = lane / self.lanes;
        let in_flight = &self.links[sender].in_flight;
        let sent_ns = in_flight.iter().find(|asked| asked.lane == lane).map_or(0, |asked| asked.sent_ns);
        if sent_ns == 0 || !awaited.is_missing(number) {
            let id = failure::begin(&String::from_utf8_lossy(id));
            let words = format!("a connection got the message with the id {id} that was not to, or had it");
            return self.session.unasked_streams(1, &Cause::SecondCopy.failure(words), now_ns);
        }
        awaited.takes(number);
        self.session.copy_came(sent_ns, now_ns);
        let mut hasher = DefaultHasher::new();
        (kind as u8, payload).hash(&mut hasher);
        let digest = hasher.finish();
        let is_same = *awaited.digest.get_or_insert(digest) == digest;
        let asked = self.session.asked(lane);
        awaited.is_echo &= asked.text == payload && self.socket.opcode(asked.place) == kind;
        let is_echo = awaited.is_echo;
        if is_same && awaited.left > 0 {
            return;
        }
        self.copies.by_id.remove(id);
        self.links[sender].in_flight.retain(|asked| asked.lane != lane);
        let next = if is_same {
            let begun_ns = begun_ns.max(sent_ns);
            self.session.answer_message(lane, &HEAD, payload, is_echo, begun_ns, now_ns)
        } else {
            let id = failure::begin(&String::from_utf8_lossy(id));
            let words = format!("connections got different messages with the id {id}");
            self.session.explain(&Cause::CopiesDiffer.failure(words), now_ns);
            self.session.lane_failed(lane, ErrorKind::Protocol, now_ns)
        };
        self.follow(sender, lane, next, now_ns);
        self.copies.steps.push_back(sender);
    }

    /// A lane's message has timed out: how many connections have not got it is shown.
    pub(super) fn give_up_copies(&mut self, lane: usize, now_ns: u64) {
        let in_flight = &self.links[lane / self.lanes].in_flight;
        let Some(asked) = in_flight.iter().find(|asked| asked.lane == lane) else {
            return self.copies.forget_held(lane);
        };
        let id = asked.id.clone();
        let words = failure::begin(&String::from_utf8_lossy(&id));
        if let Some(left) = self.copies.give_up(id) {
            let of = self.links.len();
            let words =
                format!("{left} of {of} connections did not get the message with the id {words} in time");
            self.session.explain(&Cause::NoCopy.failure(words), now_ns);
        }
    }

    /// A connection has ended: what it has not got fails, whoever sent it.
    pub(super) fn lose_copies(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        let (lanes, mut failed) = (self.lanes_of(number), Vec::new());
        self.copies.held.retain(|lane| !lanes.contains(lane));
        self.copies.by_id.retain(|_, awaited| {
            let is_own = lanes.contains(&awaited.lane);
            if !is_own && awaited.is_missing(number) {
                failed.push(awaited.lane);
            }
            !is_own && !awaited.is_missing(number)
        });
        for lane in failed {
            let sender = lane / self.lanes;
            self.links[sender].in_flight.retain(|asked| asked.lane != lane);
            let words = "a connection ended before it got a message of another";
            self.session.explain(&Cause::NoCopy.failure_of(kind, words), now_ns);
            let next = self.session.lane_failed(lane, kind, now_ns);
            self.follow(sender, lane, next, now_ns);
            self.copies.steps.push_back(sender);
        }
    }
}
