//! A session whose requests are messages, as its driver sees it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Socket;
use super::broadcast::Copies;
use super::failure::{self, Cause};
use super::frame::{Came, FrameReader, Opcode};
use super::handshake::Handshake;
use super::link::{Asked, Link, State};
use super::random::Random;
use crate::driver::{Conversation, Failure, Next};
use crate::http1::response::Head;
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::session::{Ended, Session};
use crate::variables::value_at;

/// What every answer begins with, as the session sees it.
pub(super) const HEAD: Head<'static> = Head {
    status: 101,
    content_type: None,
    location: None,
    coding: None,
    bytes: b"",
    reusable: true,
    has_two_framings: false,
};

/// A session whose lanes are the messages in flight: each connection has the same number.
#[derive(Debug)]
pub struct WebSocketConversation {
    pub(super) session: Session,
    /// Lanes of a connection.
    pub(super) lanes: usize,
    pub(super) socket: Arc<Socket>,
    pub(super) links: Vec<Link>,
    /// Of messages that go to all connections.
    pub(super) copies: Copies,
    random: Random,
}

impl WebSocketConversation {
    /// Puts WebSockets around a session with so many `lanes` to a connection.
    pub fn new(session: Session, lanes: usize, socket: Arc<Socket>) -> WebSocketConversation {
        let mut links = Vec::new();
        links.resize_with(session.connections() / lanes, || Link::new(socket.message_bytes_limit));
        let random = Random::new();
        WebSocketConversation { session, lanes, socket, links, copies: Copies::default(), random }
    }

    pub(super) fn lanes_of(&self, number: usize) -> Range<usize> {
        number * self.lanes..(number + 1) * self.lanes
    }

    /// Does what the session wants of a lane.
    #[inline]
    pub(super) fn follow(&mut self, number: usize, lane: usize, first: Next, now_ns: u64) {
        let mut next = first;
        loop {
            let link = &mut self.links[number];
            next = match next {
                Next::Wait => return,
                Next::Close => {
                    self.copies.forget_held(lane);
                    return link.waiting.retain(|&other| other != lane);
                }
                Next::Send if link.state == State::Open => match self.ask(number, lane) {
                    Ok(()) => return,
                    Err(failure) => {
                        self.session.explain(&failure, now_ns);
                        self.session.lane_failed(lane, failure.kind, now_ns)
                    }
                },
                Next::Send => self.session.lane_lost(lane, ErrorKind::Closed, now_ns),
                Next::Connect if link.state == State::Open => self.session.joined(lane, true, now_ns),
                Next::Connect => {
                    link.waiting.retain(|&other| other != lane);
                    return link.waiting.push(lane);
                }
            }
        }
    }

    /// A lane's message is to go.
    #[inline]
    fn ask(&mut self, number: usize, lane: usize) -> Result<(), Failure> {
        if self.holds_back(lane) {
            return Ok(());
        }
        let asked = self.session.asked(lane);
        let id = match &self.socket.id {
            None => Vec::new(),
            Some(names) => match id_of(asked.text, names) {
                Some(id) if self.links[number].awaits(&id) || self.copies.awaits(&id) => {
                    let id = failure::begin(&String::from_utf8_lossy(&id));
                    return Err(Cause::SameId.failure(format!("two messages have the id {id}")));
                }
                Some(id) => id.into_owned(),
                None => return Err(Cause::NoId.failure("a message has no id to find its answer by")),
            },
        };
        let opcode = self.socket.opcode(asked.place);
        let asked_now = Asked { lane, id, sent_ns: 0 };
        let id = asked_now.id.clone();
        self.links[number].ask(asked_now, opcode, asked.text, self.random.mask());
        self.await_copies(lane, &id);
        Ok(())
    }

    /// The connection is of no more use. `lane` knows it, and wants this; all else that was sent on it has failed.
    fn lose_beside(&mut self, number: usize, lane: usize, next: Next, kind: ErrorKind, now_ns: u64) {
        self.links[number].forget_socket();
        self.follow(number, lane, next, now_ns);
        self.lose(number, kind, now_ns);
    }

    /// The connection is of no more use: what was sent on it has failed.
    fn lose(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        let link = &mut self.links[number];
        link.forget_socket();
        let waiting = std::mem::take(&mut link.waiting);
        for lane in self.lanes_of(number) {
            if !waiting.contains(&lane) {
                let next = self.session.lane_lost(lane, kind, now_ns);
                self.follow(number, lane, next, now_ns);
            }
        }
        self.links[number].waiting.extend(waiting);
        self.lose_copies(number, kind, now_ns);
    }

    /// The same for a reason, which is shown if a message fails by it, or was nobody's right.
    fn lose_because(&mut self, number: usize, failure: &Failure, now_ns: u64) {
        if !self.links[number].in_flight.is_empty() || failure.kind == ErrorKind::Protocol {
            self.session.explain(failure, now_ns);
        }
        self.lose(number, failure.kind, now_ns);
    }

    /// The handshake has failed.
    fn not_opened(&mut self, number: usize, failure: &Failure, now_ns: u64) {
        let link = &mut self.links[number];
        link.forget_socket();
        link.is_awaited = false;
        for lane in std::mem::take(&mut link.waiting) {
            let next = self.session.connect_failed(lane, failure.clone(), now_ns);
            self.follow(number, lane, next, now_ns);
        }
    }

    /// The socket has ended. `is_read`: all that the peer sent was read, and no close frame was among it.
    fn lose_to_peer(&mut self, number: usize, kind: ErrorKind, is_read: bool, now_ns: u64) {
        let link = &self.links[number];
        if link.state == State::Opening {
            let how = if link.handshake.as_ref().is_some_and(|handshake| handshake.has_begun()) {
                "within"
            } else {
                "before"
            };
            let words = format!("the connection ended {how} the answer to the handshake");
            return self.not_opened(number, &Cause::HandshakeClosed.failure_of(kind, words), now_ns);
        }
        if !is_read {
            let explanation = "the connection broke; what the server sent last may be unread".into();
            return self.lose_because(number, &Failure { kind, explanation, cause: None }, now_ns);
        }
        let words = match link.reader.unfinished() {
            Some(words) => format!("the connection ended without a close frame: {words}"),
            None => "the connection ended without a close frame".to_owned(),
        };
        self.lose_because(number, &Cause::NoClose.failure_of(kind, words), now_ns);
    }

    /// Takes what comes of the handshake. True if the connection is open.
    fn take_handshake(&mut self, number: usize, input: &mut &[u8], now_ns: u64) -> bool {
        let link = &mut self.links[number];
        let Some(handshake) = &mut link.handshake else { return false };
        match handshake.take(input, &self.socket.opening) {
            Ok(false) => return false,
            Ok(true) => (link.state, link.handshake) = (State::Open, None),
            Err(failure) => {
                self.not_opened(number, &failure, now_ns);
                return false;
            }
        }
        for lane in self.lanes_of(number) {
            self.session.awaits(lane, None);
        }
        let link = &mut self.links[number];
        if std::mem::take(&mut link.is_awaited) && link.waiting.is_empty() {
            self.session.has_connected(link.connects_ns, now_ns);
        }
        for (place, lane) in std::mem::take(&mut self.links[number].waiting).into_iter().enumerate() {
            let next = match place {
                0 => self.session.connected(lane, now_ns),
                _ => self.session.joined(lane, false, now_ns),
            };
            self.follow(number, lane, next, now_ns);
        }
        self.release(now_ns);
        true
    }

    /// Takes the frames in `bytes`, one after the other.
    fn take_frames(&mut self, number: usize, bytes: &[u8], now_ns: u64) {
        let mut input = bytes;
        let idle = FrameReader::new(self.socket.message_bytes_limit);
        let mut reader = std::mem::replace(&mut self.links[number].reader, idle);
        while self.links[number].state == State::Open && self.session.phase() != Phase::Over {
            match reader.next(&mut input) {
                Ok(None) => break,
                Ok(Some(Came::Message(kind, payload))) => self.take_message(number, kind, payload, now_ns),
                Ok(Some(Came::Ping(payload))) => {
                    let mask = self.random.mask();
                    if !self.links[number].pong(payload, mask, now_ns) {
                        return self.flooded(number, now_ns);
                    }
                }
                Ok(Some(Came::Pong)) => {
                    if !self.links[number].takes_control(now_ns) {
                        return self.flooded(number, now_ns);
                    }
                }
                Ok(Some(Came::Close(code, reason))) => {
                    let failure = failure::of_close(code, reason);
                    let mask = self.random.mask();
                    self.links[number].leave(code, mask);
                    return self.lose_because(number, &failure, now_ns);
                }
                Err(breach) => {
                    let mask = self.random.mask();
                    self.links[number].leave(Some(failure::code_for(breach)), mask);
                    return self.lose_because(number, &failure::of_breach(breach), now_ns);
                }
            }
        }
        let link = &mut self.links[number];
        if link.state == State::Open {
            if link.begun_ns == 0 && reader.is_within_message() {
                link.begun_ns = now_ns;
            }
            let is_unfinished = reader.is_unfinished();
            let was_unfinished = std::mem::replace(&mut link.is_unfinished, is_unfinished);
            link.reader = reader;
            if is_unfinished != was_unfinished {
                let failure: Option<fn() -> Failure> = is_unfinished.then_some(failure::unfinished);
                self.lanes_of(number).for_each(|lane| self.session.awaits(lane, failure));
            }
        }
    }

    fn flooded(&mut self, number: usize, now_ns: u64) {
        let mask = self.random.mask();
        self.links[number].leave(Some(1008), mask);
        let failure = Cause::Flood.failure("more than 1000 control frames within a second");
        self.lose_because(number, &failure, now_ns);
    }

    /// A whole message has come.
    #[inline]
    fn take_message(&mut self, number: usize, kind: Opcode, payload: &[u8], now_ns: u64) {
        let link = &mut self.links[number];
        let begun_ns = match std::mem::take(&mut link.begun_ns) {
            0 => now_ns,
            begun_ns => begun_ns,
        };
        let id = self.socket.id.as_ref().map(|names| id_of(payload, names).unwrap_or_default());
        let id = id.as_deref();
        if self.socket.broadcast.is_some() {
            return self.take_copy(number, id.unwrap_or_default(), (kind, payload), begun_ns, now_ns);
        }
        let place = link.in_flight.iter().position(|asked| id.is_none_or(|id| asked.id == id));
        let asked = place
            .filter(|&place| link.in_flight[place].sent_ns > 0)
            .and_then(|place| link.in_flight.remove(place));
        let Some(Asked { lane, sent_ns, .. }) = asked else {
            return self.unasked(number, id, now_ns);
        };
        let asked = self.session.asked(lane);
        let is_echo = asked.text == payload && self.socket.opcode(asked.place) == kind;
        let begun_ns = begun_ns.max(sent_ns);
        let next = self.session.answer_message(lane, &HEAD, payload, is_echo, begun_ns, now_ns);
        self.follow(number, lane, next, now_ns);
    }

    /// A message that answers none. `id`: it has this one, where messages have ids.
    #[cold]
    pub(super) fn unasked(&mut self, number: usize, id: Option<&[u8]>, now_ns: u64) {
        let failure = match id {
            None => Cause::Unasked.failure("a message came where none was awaited"),
            Some([]) => Cause::UnknownId.failure("a message came without an id"),
            Some(id) if self.links[number].is_late(id) => return,
            Some(id) => {
                let id = failure::begin(&String::from_utf8_lossy(id));
                Cause::UnknownId
                    .failure(format!("a message came with the id {id}, which none has that is awaited"))
            }
        };
        self.session.unasked_streams(1, &failure, now_ns);
    }
}

/// What stands at the pointer with these names, as JSON that is the same however a text or a number is spelled.
pub(super) fn id_of<'m>(message: &'m [u8], names: &[String]) -> Option<Cow<'m, [u8]>> {
    let text = std::str::from_utf8(message).ok()?;
    let value = value_at(text.trim(), names)?;
    let spelled_anew = match value.as_bytes() {
        [b'"', ..] if value.contains('\\') => {
            serde_json::from_str::<String>(value).and_then(|text| serde_json::to_vec(&text)).ok()
        }
        [b'-' | b'0'..=b'9', ..] if value.contains(['.', 'e', 'E']) => {
            // Without an exponent, and without a fraction that is 0.
            value
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(|number| number.to_string().into())
        }
        _ => None,
    };
    Some(spelled_anew.map_or(Cow::Borrowed(value.as_bytes()), Cow::Owned))
}

impl Conversation for WebSocketConversation {
    type Outcome = Ended;

    fn connections(&self) -> usize {
        self.links.len()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        self.session.most_body_bytes()
    }

    #[inline]
    fn phase(&self) -> Phase {
        self.session.phase()
    }

    #[inline]
    fn wake_ns(&self) -> u64 {
        if self.copies.steps.is_empty() { self.session.wake_ns() } else { 0 }
    }

    fn is_paced(&self) -> bool {
        self.session.is_paced()
    }

    #[inline]
    fn is_awaiting(&mut self) -> bool {
        self.session.is_awaiting()
    }

    #[inline]
    fn advance(&mut self, now_ns: u64) {
        self.session.advance(now_ns);
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        for lane in self.lanes_of(number) {
            let next = self.session.start(lane, now_ns);
            self.follow(number, lane, next, now_ns);
        }
        self.links[number].next(now_ns)
    }

    #[inline]
    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if let Some(number) = self.copies.steps.pop_front() {
            return Some((number, self.links[number].next(now_ns)));
        }
        let (lane, next) = self.session.due(now_ns)?;
        let number = lane / self.lanes;
        self.give_up_copies(lane, now_ns);
        let timeout_ns = self.session.timeout_ns();
        let link = &mut self.links[number];
        if !link.in_flight.iter().any(|asked| asked.lane == lane) {
            let is_opening = matches!(link.state, State::Connecting | State::Opening);
            if is_opening && now_ns >= link.connects_ns + timeout_ns {
                // Those that wait for it have deadlines of their own.
                link.forget_socket();
            }
            self.follow(number, lane, next, now_ns);
        } else if self.socket.id.is_some() && !link.is_unfinished && !link.has_unsent(lane) {
            link.give_up(lane);
            self.follow(number, lane, next, now_ns);
        } else {
            // It is awaited no longer, and the answers behind its own cannot be told from it, or cannot come. Or the
            // server does not read: another message behind this one would wait as it does, and fill memory.
            self.lose_beside(number, lane, next, ErrorKind::Timeout, now_ns);
        }
        Some((number, self.links[number].next(now_ns)))
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        let opening = &self.socket.opening;
        let handshake = Handshake::new(self.random.nonce());
        self.links[number].begin(handshake, |key, out| opening.write(key, out));
        for lane in self.lanes_of(number) {
            self.session.awaits(lane, Some(failure::no_handshake));
        }
        self.links[number].next(now_ns)
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.not_opened(number, &failure, now_ns);
        self.links[number].next(now_ns)
    }

    #[inline]
    fn to_send(&mut self, number: usize) -> &[u8] {
        self.links[number].to_send()
    }

    #[inline]
    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        self.session.count_bytes(bytes, 0);
        self.links[number].handed_over(bytes, at_ns, |lane| self.session.has_sent_all(lane, at_ns));
    }

    #[inline]
    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        self.session.count_bytes(0, bytes.len());
        let mut input = bytes;
        let is_open = match self.links[number].state {
            State::Opening => self.take_handshake(number, &mut input, now_ns),
            state => state == State::Open,
        };
        if is_open && !input.is_empty() {
            self.take_frames(number, input, now_ns);
        }
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        if peer_closes && matches!(self.links[number].state, State::Opening | State::Open) {
            self.lose_to_peer(number, ErrorKind::Closed, true, now_ns);
        }
        self.links[number].next(now_ns)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        self.lose_to_peer(number, ErrorKind::Closed, true, now_ns);
        self.links[number].next(now_ns)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        self.lose_to_peer(number, kind, false, now_ns);
        self.links[number].next(now_ns)
    }

    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        match self.links[number].state {
            State::Opening => self.not_opened(number, &failure, now_ns),
            _ => self.lose_because(number, &failure, now_ns),
        }
        self.links[number].next(now_ns)
    }

    fn awaits(&mut self, number: usize, failure: Option<fn() -> Failure>) {
        self.lanes_of(number).for_each(|lane| self.session.awaits(lane, failure));
    }

    fn farewell(&mut self, number: usize) -> Vec<u8> {
        let mask = self.random.mask();
        let link = &mut self.links[number];
        // Behind a part of a frame nothing can be said.
        if link.state == State::Open && link.to_send().is_empty() && link.farewell.is_none() {
            link.leave(Some(1000), mask);
        }
        link.farewell.take().unwrap_or_default()
    }

    fn conclude(self, now_ns: u64) -> Ended {
        self.session.conclude(now_ns)
    }
}
