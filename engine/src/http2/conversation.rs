//! A session whose requests share connections, as its driver sees it: bytes of connections outside, requests and answers of lanes inside.

use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::task::Waker;

use http::uri::Scheme;

use super::connection::{Connection, State};
use super::failure;
use super::link::Link;
use super::multiplex::{Multiplex, Unasked};
use super::request::Encoded;
use super::stream::waker;
use crate::driver::{Conversation, Failure, Next};
use crate::record::{ErrorKind, StreamUse};
use crate::schedule::Phase;
use crate::session::{Ended, Session};
use crate::timers::Timers;

/// Connections that links may have beside their current ones, while those before are answered. Where none is left, the
/// next one is opened when the last answer has come. No more than a thread has open files for beside its connections.
const SPARE: RangeInclusive<usize> = 4..=16;

/// The stream on which a lane awaits its answer.
pub(super) struct LaneStream<S> {
    /// The number of its connection.
    pub connection: usize,
    /// When it was opened.
    pub opened_ns: u64,
    pub stream: S,
}

/// A session whose lanes are streams: each of its links carries the same number.
pub struct MultiplexConversation<M: Multiplex> {
    shared: Arc<M::Shared>,
    /// Connections that are to be driven although nothing has come.
    timers: Timers,
    pub(super) session: Session,
    /// Lanes of a link.
    pub(super) lanes: usize,
    pub(super) scheme: Scheme,
    pub(super) links: Vec<Link>,
    /// By number.
    pub(super) connections: Vec<Connection<M>>,
    /// Numbers of connections that no link has.
    pub(super) spare: Vec<usize>,
    /// What the driver does next on other connections than the one it was told about.
    steps: VecDeque<(usize, Next)>,
    /// Connections on which more may be written, as what waited has gone, and since when.
    unsettled: VecDeque<(usize, u64)>,
    pub(super) stream_use: StreamUse,
    /// By lane, the stream whose answer it awaits.
    pub(super) streams: Vec<Option<LaneStream<M::Stream>>>,
    /// By lane.
    pub(super) wakers: Vec<Waker>,
    /// By place among the requests, those that are the same each time, as soon as they were sent once.
    pub(super) encoded: Vec<Option<Encoded>>,
}

impl<M: Multiplex> MultiplexConversation<M> {
    /// Puts the protocol around a session with so many `lanes` to a connection. `is_tls`: it is inside TLS.
    pub fn new(
        session: Session,
        lanes: usize,
        is_tls: bool,
        shared: Arc<M::Shared>,
    ) -> MultiplexConversation<M> {
        let links: Vec<Link> =
            (0..session.connections() / lanes).map(|current| Link { current, ..Link::default() }).collect();
        let spare = links.len().clamp(*SPARE.start(), *SPARE.end());
        let numbers = 0..links.len() + spare;
        let connection = |number| Connection::of(number % links.len().max(1));
        let mut streams = Vec::new();
        streams.resize_with(session.connections(), || None);
        let wakers = (0..session.connections()).map(|lane| waker(lane, &links[lane / lanes].ready)).collect();
        let scheme = if is_tls { Scheme::HTTPS } else { Scheme::HTTP };
        MultiplexConversation {
            shared,
            timers: Timers::default(),
            session,
            lanes,
            scheme,
            connections: numbers.clone().map(connection).collect(),
            spare: numbers.skip(links.len()).rev().collect(),
            steps: VecDeque::new(),
            unsettled: VecDeque::new(),
            links,
            stream_use: StreamUse { planned: lanes as u64, allowed: None, most: 0 },
            streams,
            wakers,
            encoded: Vec::new(),
        }
    }

    pub(super) fn lanes_of(&self, link: usize) -> Range<usize> {
        link * self.lanes..(link + 1) * self.lanes
    }

    /// Does all that can be done on a connection, and on those that take its place. Gives what the driver does next on the
    /// first.
    fn settle(&mut self, number: usize, now_ns: u64) -> Next {
        let link = self.connections[number].link;
        let mut other = number;
        self.go_on(number, now_ns);
        while self.links[link].current != other {
            other = self.links[link].current;
            self.go_on(other, now_ns);
            let next = if other == number { Next::Wait } else { self.next(other, now_ns) };
            if next != Next::Wait {
                self.steps.push_back((other, next));
            }
        }
        self.next(number, now_ns)
    }

    fn next(&mut self, number: usize, now_ns: u64) -> Next {
        let connection = &mut self.connections[number];
        if let Some(wake_ns) = connection.channel.as_mut().and_then(Multiplex::wake_ns)
            && connection.wakes_ns.is_none_or(|before_ns| wake_ns < before_ns)
        {
            connection.wakes_ns = Some(wake_ns);
            self.timers.add(wake_ns, number);
        }
        let link = &self.links[connection.link];
        connection.next(link.current == number && !link.waiting.is_empty(), now_ns)
    }

    /// Does all that can be done on a connection.
    fn go_on(&mut self, number: usize, now_ns: u64) {
        let link = self.connections[number].link;
        loop {
            let has_opened = self.open_asked(number, now_ns);
            let ended = self.connections[number].drive();
            let ready = self.links[link].take_ready();
            let has_heard = !ready.is_empty();
            for lane in ready {
                self.hear(lane, now_ns);
            }
            if self.connections[number].state == State::Draining {
                self.retire(number, now_ns);
            }
            if let Some(failure) = ended {
                return self.lose(number, &failure, now_ns);
            }
            let has_greeted = self.greet(number, now_ns);
            if !(has_opened || has_heard || has_greeted) {
                break;
            }
        }
        if self.connections[number].is_idle() && !self.links[link].waiting.is_empty() {
            // No answer comes that those which it has refused could wait for.
            self.retire(number, now_ns);
        }
        let connection = &self.connections[number];
        if connection.state == State::Draining && connection.open_streams == 0 {
            self.lose(number, &failure::closed(), now_ns);
        }
    }

    /// Opens the link's lanes as soon as the server's SETTINGS have come. True if that was now.
    fn greet(&mut self, number: usize, now_ns: u64) -> bool {
        let connection = &mut self.connections[number];
        let has_room = connection.channel.as_ref().is_some_and(|channel| channel.room() > 0);
        if connection.state != State::Greeting || !has_room {
            return false;
        }
        connection.state = State::Open;
        if let Some(channel) = &connection.channel {
            channel.has_greeted(&self.shared, self.session.phase() == Phase::Window);
        }
        self.session.has_connected(connection.connects_ns, now_ns);
        for lane in std::mem::take(&mut self.links[connection.link].waiting) {
            let next = self.session.joined(lane, false, now_ns);
            self.follow(lane, next, now_ns);
        }
        true
    }
}

impl<M: Multiplex> Conversation for MultiplexConversation<M> {
    type Outcome = Ended;

    const IS_DATAGRAMS: bool = M::UNCOUNTED_BYTES.is_some();

    fn connections(&self) -> usize {
        self.connections.len()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        self.session.most_body_bytes()
    }

    fn phase(&self) -> Phase {
        self.session.phase()
    }

    fn wake_ns(&self) -> u64 {
        if self.unsettled.is_empty() && self.steps.is_empty() {
            self.session.wake_ns().min(self.timers.earliest_ns().unwrap_or(u64::MAX))
        } else {
            0
        }
    }

    fn is_paced(&self) -> bool {
        self.session.is_paced()
    }

    fn is_awaiting(&mut self) -> bool {
        self.session.is_awaiting()
    }

    fn advance(&mut self, now_ns: u64) {
        self.session.advance(now_ns);
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        if number >= self.links.len() {
            return Next::Wait;
        }
        for lane in self.lanes_of(number) {
            let next = self.session.start(lane, now_ns);
            self.follow(lane, next, now_ns);
        }
        self.settle(number, now_ns)
    }

    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if let Some(step) = self.steps.pop_front() {
            return Some(step);
        }
        // Each has one turn, so that others have theirs.
        if let Some(&(number, since_ns)) = self.unsettled.front()
            && since_ns < now_ns
        {
            self.unsettled.pop_front();
            return Some((number, self.settle(number, now_ns)));
        }
        while let Some(number) = self.timers.due(now_ns) {
            let connection = &mut self.connections[number];
            connection.wakes_ns = None;
            if connection.channel.is_some() {
                return Some((number, self.settle(number, now_ns)));
            }
        }
        let failures = self.session.failures();
        let (lane, next) = self.session.due(now_ns)?;
        if self.session.failures() > failures {
            self.explain_late(lane, now_ns);
        }
        let (link, stream) = (&self.links[lane / self.lanes], &self.streams[lane]);
        let number = stream.as_ref().map_or(link.current, |stream| stream.connection);
        let (was_asked, was_waiting) = (stream.is_some(), link.waiting.contains(&lane));
        if was_asked {
            self.leave(lane);
        }
        self.follow(lane, next, now_ns);
        // A call whose deadline has passed says nothing of its connection.
        if matches!(next, Next::Connect | Next::Close) && (was_asked || was_waiting) {
            self.replace_if_silent(number, was_asked, now_ns);
        }
        Some((number, self.settle(number, now_ns)))
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let connection = &mut self.connections[number];
        connection.heard_ns = now_ns;
        match M::begin(&self.shared, self.lanes) {
            Ok(channel) => {
                connection.channel = Some(channel);
                connection.state = State::Greeting;
            }
            Err(failure) => self.lose(number, &failure, now_ns),
        }
        self.settle(number, now_ns)
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        if self.connections[number].state == State::Closed {
            return Next::Close;
        }
        self.lose(number, &failure, now_ns);
        self.settle(number, now_ns)
    }

    fn to_send(&mut self, number: usize) -> &[u8] {
        self.connections[number].to_send()
    }

    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        self.session.count_bytes(bytes - M::UNCOUNTED_BYTES.unwrap_or(0), 0);
        let connection = &mut self.connections[number];
        connection.handed_over(bytes);
        while let Some(lane) = connection.next_sent() {
            self.session.has_sent_all(lane, at_ns);
        }
        if connection.goes_on() && self.unsettled.iter().all(|&(other, _)| other != number) {
            self.unsettled.push_back((number, at_ns));
        }
    }

    fn received(&mut self, number: usize, bytes: &[u8], _peer_closes: bool, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        self.session.count_bytes(0, bytes.len());
        let connection = &mut self.connections[number];
        let Some(channel) = &mut connection.channel else { return Next::Close };
        connection.heard_ns = now_ns;
        let unasked = channel.take_in(bytes);
        let fault = channel.fault();
        if let Some(Unasked { streams, failure }) = unasked {
            self.session.unasked_streams(streams, &failure, now_ns);
        }
        if let Some(failure) = fault {
            self.lose(number, &failure, now_ns);
        }
        self.settle(number, now_ns)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let Some(channel) = &mut self.connections[number].channel else { return Next::Close };
        channel.end_input();
        self.settle(number, now_ns)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.broken_because(number, failure::failure(kind, "the connection broke"), now_ns)
    }

    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let connection = &self.connections[number];
        if connection.channel.is_none() {
            return Next::Close;
        }
        if failure.kind == ErrorKind::Tls && connection.is_idle() {
            self.session.unasked_streams(1, &failure, now_ns);
        }
        self.lose(number, &failure, now_ns);
        self.settle(number, now_ns)
    }

    fn awaits(&mut self, number: usize, failure: Option<fn() -> Failure>) {
        let link = self.connections[number].link;
        if self.links[link].current == number {
            self.lanes_of(link).for_each(|lane| self.session.awaits(lane, failure));
        }
    }

    fn farewell(&mut self, number: usize) -> Vec<u8> {
        let connection = &mut self.connections[number];
        match connection.channel.take() {
            Some(channel) => channel.farewell(),
            None => std::mem::take(&mut connection.farewell),
        }
    }

    fn conclude(mut self, now_ns: u64) -> Ended {
        self.session.has_used(self.stream_use);
        self.session.conclude(now_ns)
    }
}
