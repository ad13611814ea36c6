//! A session over HTTP/2, as its driver sees it: bytes of connections outside, requests and answers of lanes inside.

use std::ops::Range;
use std::task::Waker;

use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::uri::Scheme;

use super::channel::Channel;
use super::failure::{self, Cause};
use super::link::{Link, State};
use super::request::{self, Encoded};
use super::scan::Unasked;
use super::stream::{Heard, Stream, waker};
use crate::driver::{Conversation, Failure, Next};
use crate::http1::response::{Coding, Head};
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::session::{Ended, Session};

/// A session whose lanes are streams of HTTP/2: each connection carries the same number.
pub struct Http2Conversation {
    session: Session,
    /// Lanes of a connection.
    lanes: usize,
    scheme: Scheme,
    links: Vec<Link>,
    /// By lane, the stream whose answer it awaits.
    streams: Vec<Option<Stream>>,
    /// By lane.
    wakers: Vec<Waker>,
    /// By place among the requests, those that are the same each time, as soon as they were sent once.
    encoded: Vec<Option<Encoded>>,
    /// Connections on which more may be written, as what waited has gone.
    unsettled: Vec<usize>,
}

impl Http2Conversation {
    /// Puts HTTP/2 around a session with so many `lanes` to a connection. `is_tls`: it is inside TLS.
    pub fn new(session: Session, lanes: usize, is_tls: bool) -> Http2Conversation {
        let connections = session.connections() / lanes;
        let mut links = Vec::new();
        links.resize_with(connections, Link::default);
        let mut streams = Vec::new();
        streams.resize_with(session.connections(), || None);
        let wakers = (0..session.connections()).map(|lane| waker(lane, &links[lane / lanes].ready)).collect();
        let scheme = if is_tls { Scheme::HTTPS } else { Scheme::HTTP };
        Http2Conversation {
            session,
            lanes,
            scheme,
            links,
            streams,
            wakers,
            encoded: Vec::new(),
            unsettled: Vec::new(),
        }
    }

    fn lanes_of(&self, number: usize) -> Range<usize> {
        number * self.lanes..(number + 1) * self.lanes
    }

    /// Does what the session wants of a lane.
    fn follow(&mut self, lane: usize, first: Next, now_ns: u64) {
        let number = lane / self.lanes;
        let mut next = first;
        loop {
            next = match next {
                Next::Wait => return,
                Next::Send => return self.links[number].asking.push_back(lane),
                Next::Close => return self.leave(lane),
                Next::Connect => {
                    self.leave(lane);
                    if self.links[number].state != State::Open {
                        return self.links[number].waiting.push(lane);
                    }
                    self.session.joined(lane, true, now_ns)
                }
            }
        }
    }

    /// The lane wants nothing of its connection any more; a stream whose answer was awaited is reset.
    fn leave(&mut self, lane: usize) {
        let link = &mut self.links[lane / self.lanes];
        link.forget_lane(lane);
        if self.streams[lane].take().is_some() {
            link.open_streams -= 1;
        }
    }

    /// Does all that can be done on a connection, and gives what the driver does next.
    fn settle(&mut self, number: usize, now_ns: u64) -> Next {
        loop {
            let has_opened = self.open_asked(number, now_ns);
            let link = &mut self.links[number];
            let ended = link.drive();
            if ended.is_some() && link.state == State::Open {
                link.state = State::Draining;
            }
            let ready = link.take_ready();
            let has_heard = !ready.is_empty();
            for lane in ready {
                self.hear(lane, now_ns);
            }
            if let Some(result) = ended {
                let why = |channel: &Channel| channel.why_ended(&result);
                let failure = self.links[number].channel.as_ref().map_or_else(failure::closed, why);
                self.lose(number, &failure, now_ns);
                break;
            }
            let has_greeted = self.greet(number, now_ns);
            if !(has_opened || has_heard || has_greeted) {
                break;
            }
        }
        let link = &self.links[number];
        if link.state == State::Draining && link.open_streams == 0 {
            self.lose(number, &failure::closed(), now_ns);
        }
        self.links[number].next(now_ns)
    }

    /// Opens the connection's lanes as soon as the server's SETTINGS have come. True if that was now.
    fn greet(&mut self, number: usize, now_ns: u64) -> bool {
        let link = &mut self.links[number];
        let has_room = link.channel.as_ref().is_some_and(|channel| channel.room() > 0);
        if link.state != State::Greeting || !has_room {
            return false;
        }
        link.state = State::Open;
        for (place, lane) in std::mem::take(&mut link.waiting).into_iter().enumerate() {
            let next = match place {
                0 => self.session.connected(lane, now_ns),
                _ => self.session.joined(lane, false, now_ns),
            };
            self.follow(lane, next, now_ns);
        }
        true
    }

    /// Opens streams for lanes that have something to ask, as many as the server takes. True if any.
    fn open_asked(&mut self, number: usize, now_ns: u64) -> bool {
        let mut has_opened = false;
        while let Some(lane) = self.next_asking(number) {
            if let Some(next) = self.session.drop_late(lane, now_ns) {
                self.follow(lane, next, now_ns);
                continue;
            }
            let encoded = match self.encode(lane) {
                Ok(encoded) => encoded,
                Err(error) => {
                    let explanation = format!("HTTP/2 cannot say this request: {error}");
                    self.fail(lane, &Cause::Request.failure(explanation), now_ns);
                    continue;
                }
            };
            let waker = self.wakers[lane].clone();
            let link = &mut self.links[number];
            let Some(channel) = &mut link.channel else { break };
            match channel.open(encoded, waker) {
                Ok(mut stream) => {
                    stream.opened_ns = now_ns;
                    self.streams[lane] = Some(stream);
                    link.has_opened(lane);
                    has_opened = true;
                }
                Err(_) => {
                    // The server takes no more on this connection, which is its right: nobody asked yet.
                    link.state = State::Draining;
                    let left = std::mem::take(&mut link.asking);
                    for lane in std::iter::once(lane).chain(left) {
                        let next = self.session.broken(lane, ErrorKind::Closed, now_ns);
                        self.follow(lane, next, now_ns);
                    }
                }
            }
        }
        has_opened
    }

    /// Takes a lane that has something to ask, if a stream can be opened for it.
    fn next_asking(&mut self, number: usize) -> Option<usize> {
        let link = &mut self.links[number];
        let room = link.channel.as_ref()?.room();
        if link.state != State::Open || link.open_streams >= room {
            return None;
        }
        link.asking.pop_front()
    }

    /// The request that a lane is to send.
    fn encode(&mut self, lane: usize) -> Result<Encoded, String> {
        let asked = self.session.asked(lane);
        if !asked.is_fixed {
            return request::encode(asked.text, &self.scheme);
        }
        if self.encoded.len() <= asked.place {
            self.encoded.resize(asked.place + 1, None);
        }
        if let Some(encoded) = &self.encoded[asked.place] {
            return Ok(encoded.clone());
        }
        let encoded = request::encode(asked.text, &self.scheme)?;
        self.encoded[asked.place] = Some(encoded.clone());
        Ok(encoded)
    }

    /// Takes what has come for a lane.
    fn hear(&mut self, lane: usize, now_ns: u64) {
        while let Some(stream) = &mut self.streams[lane] {
            match stream.hear() {
                Heard::Nothing => return,
                Heard::Head(head) => {
                    let value = |name| head.headers.get(name).map(|value| value.as_bytes());
                    let head = Head {
                        status: head.status.as_u16(),
                        content_type: value(CONTENT_TYPE),
                        location: value(LOCATION),
                        coding: value(CONTENT_ENCODING).and_then(Coding::of),
                        bytes: b"",
                        reusable: true,
                        has_two_framings: false,
                    };
                    self.session.answer_head(lane, &head, now_ns);
                }
                Heard::Piece(piece) => self.session.answer_piece(lane, &piece),
                Heard::End => {
                    if self.session.keeps_trailer(lane) {
                        for (name, value) in &stream.trailer() {
                            self.session.answer_trailer(lane, name.as_str(), value.as_bytes());
                        }
                    }
                    let (number, link) = (stream.number(), &mut self.links[lane / self.lanes]);
                    self.streams[lane] = None;
                    link.open_streams -= 1;
                    if let Some(failure) =
                        link.channel.as_mut().and_then(|channel| channel.fault_at_end(number))
                    {
                        self.fail(lane, &failure, now_ns);
                        return;
                    }
                    let next = self.session.answer_ends(lane, now_ns);
                    self.follow(lane, next, now_ns);
                }
                Heard::Failed(error) => {
                    let why = |channel: &Channel| channel.why_failed(stream.number(), &error);
                    let channel = self.links[lane / self.lanes].channel.as_ref();
                    let failure = channel.map_or_else(failure::closed, why);
                    self.leave(lane);
                    self.fail(lane, &failure, now_ns);
                }
            }
        }
    }

    fn fail(&mut self, lane: usize, failure: &Failure, now_ns: u64) {
        self.session.explain(failure, now_ns);
        let next = self.session.lane_failed(lane, failure.kind, now_ns);
        self.follow(lane, next, now_ns);
    }

    /// The connection is of no more use.
    fn lose(&mut self, number: usize, failure: &Failure, now_ns: u64) {
        let link = &mut self.links[number];
        let was_ready = matches!(link.state, State::Open | State::Draining);
        let failure = match link.is_http1 {
            true => {
                &Cause::Http1.failure("what came begins with HTTP/1: the server does not speak HTTP/2 here")
            }
            false => failure,
        };
        let is_asked = link.open_streams > 0;
        link.forget_socket();
        let waiting = link.waiting.clone();
        if was_ready && is_asked {
            self.session.explain(failure, now_ns);
        }
        for lane in self.lanes_of(number) {
            self.streams[lane] = None;
            let is_waiting = waiting.contains(&lane);
            if is_waiting && was_ready {
                // It waits for the next connection, and has seen nothing of this one.
                continue;
            }
            let next = if is_waiting {
                self.session.connect_failed(lane, failure.clone(), now_ns)
            } else {
                self.session.broken(lane, failure.kind, now_ns)
            };
            self.links[number].forget_lane(lane);
            self.follow(lane, next, now_ns);
        }
    }

    /// Shows why a lane's request has timed out, where frames tell.
    fn explain_late(&mut self, lane: usize, now_ns: u64) {
        let link = &self.links[lane / self.lanes];
        let Some(channel) = &link.channel else { return };
        let failure = match &self.streams[lane] {
            // Where streams are few, it waited for one for most of its time.
            Some(stream)
                if channel.room() < self.lanes
                    && now_ns - stream.opened_ns < self.session.timeout_ns() / 2 =>
            {
                Some(channel.why_without_stream())
            }
            Some(stream) => channel.why_late(stream.number()),
            None if link.asking.contains(&lane) => Some(channel.why_without_stream()),
            None if link.state == State::Greeting && link.waiting.contains(&lane) => {
                Some(channel.why_without_stream())
            }
            None => None,
        };
        if let Some(failure) = failure {
            self.session.explain(&failure, now_ns);
        }
    }

    /// A lane's request has timed out: if all of its connection was silent, another one is needed.
    fn replace_if_silent(&mut self, number: usize, was_asked: bool, now_ns: u64) {
        let link = &mut self.links[number];
        let timeout_ns = self.session.timeout_ns();
        match link.state {
            State::Connecting | State::Greeting if now_ns >= link.connects_ns + timeout_ns => {
                // Those that wait for it have deadlines of their own.
                link.forget_socket();
            }
            State::Open | State::Draining if was_asked && now_ns >= link.heard_ns + timeout_ns => {
                let silence = "nothing came on the connection within the timeout";
                self.lose(number, &failure::failure(ErrorKind::Timeout, silence), now_ns);
            }
            _ => {}
        }
    }
}

impl Conversation for Http2Conversation {
    type Outcome = Ended;

    fn connections(&self) -> usize {
        self.links.len()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        self.session.most_body_bytes()
    }

    fn phase(&self) -> Phase {
        self.session.phase()
    }

    fn wake_ns(&self) -> u64 {
        if self.unsettled.is_empty() { self.session.wake_ns() } else { 0 }
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
        for lane in self.lanes_of(number) {
            let next = self.session.start(lane, now_ns);
            self.follow(lane, next, now_ns);
        }
        self.settle(number, now_ns)
    }

    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if let Some(number) = self.unsettled.pop() {
            return Some((number, self.settle(number, now_ns)));
        }
        let (lane, next) = self.session.due(now_ns)?;
        let number = lane / self.lanes;
        self.explain_late(lane, now_ns);
        let was_asked = self.streams[lane].is_some();
        let was_waiting = self.links[number].waiting.contains(&lane);
        self.follow(lane, next, now_ns);
        if was_asked || was_waiting {
            self.replace_if_silent(number, was_asked, now_ns);
        }
        Some((number, self.settle(number, now_ns)))
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let link = &mut self.links[number];
        link.heard_ns = now_ns;
        match Channel::new(self.lanes) {
            Ok(channel) => {
                link.channel = Some(channel);
                link.state = State::Greeting;
            }
            Err(error) => self.lose(number, &failure::of_error(&error), now_ns),
        }
        self.settle(number, now_ns)
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.lose(number, &failure, now_ns);
        self.settle(number, now_ns)
    }

    fn to_send(&mut self, number: usize) -> &[u8] {
        self.links[number].to_send()
    }

    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        self.session.count_bytes(bytes, 0);
        let link = &mut self.links[number];
        link.handed_over(bytes);
        while let Some(lane) = link.next_sent() {
            self.session.has_sent_all(lane, at_ns);
        }
        if link.goes_on() && !self.unsettled.contains(&number) {
            self.unsettled.push(number);
        }
    }

    fn received(&mut self, number: usize, bytes: &[u8], _peer_closes: bool, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        self.session.count_bytes(0, bytes.len());
        let link = &mut self.links[number];
        let Some(channel) = &mut link.channel else { return Next::Close };
        link.is_http1 |= link.state == State::Greeting && bytes.starts_with(b"HTTP/1.");
        link.heard_ns = now_ns;
        let unasked = channel.take_in(bytes);
        let is_overrun = channel.is_overrun();
        if let Some(Unasked { streams, failure }) = unasked {
            self.session.unasked_streams(streams, &failure, now_ns);
        }
        if is_overrun {
            let why = "frames come and come, and the server does not read what it is sent";
            self.lose(number, &Cause::Unread.failure(why), now_ns);
        }
        self.settle(number, now_ns)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let Some(channel) = &mut self.links[number].channel else { return Next::Close };
        channel.end_input();
        self.settle(number, now_ns)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.broken_because(number, failure::failure(kind, "the connection broke"), now_ns)
    }

    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        let link = &self.links[number];
        if failure.kind == ErrorKind::Tls && link.state == State::Open && link.open_streams == 0 {
            self.session.unasked_streams(1, &failure, now_ns);
        }
        self.lose(number, &failure, now_ns);
        self.settle(number, now_ns)
    }

    fn awaits(&mut self, number: usize, failure: Option<fn() -> Failure>) {
        self.lanes_of(number).for_each(|lane| self.session.awaits(lane, failure));
    }

    fn conclude(self, now_ns: u64) -> Ended {
        self.session.conclude(now_ns)
    }
}
