//! What happens between the session's lanes and the connections that carry their requests.

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};

use super::connection::State;
use super::conversation::{LaneStream, MultiplexConversation};
use super::failure::{self, Cause};
use super::multiplex::{Heard, Multiplex};
use super::request::{self, Encoded};
use crate::driver::{Failure, Next};
use crate::http1::response::{Coding, Head};
use crate::record::ErrorKind;

impl<M: Multiplex> MultiplexConversation<M> {
    /// Does what the session wants of a lane.
    pub(super) fn follow(&mut self, lane: usize, first: Next, now_ns: u64) {
        let link = lane / self.lanes;
        let mut next = first;
        loop {
            let number = self.links[link].current;
            let is_open = self.connections[number].state == State::Open;
            next = match next {
                Next::Wait => return,
                Next::Close => return self.leave(lane),
                Next::Send if is_open => return self.connections[number].asking.push_back(lane),
                // The connection that the lane had has begun to end.
                Next::Send => return self.ask_again(lane, number, &failure::closed(), now_ns),
                Next::Connect => {
                    self.leave(lane);
                    if !is_open {
                        return self.links[link].waiting.push(lane);
                    }
                    self.session.joined(lane, true, now_ns)
                }
            }
        }
    }

    /// The lane wants nothing of its connection any more; a stream whose answer was awaited is reset.
    pub(super) fn leave(&mut self, lane: usize) {
        let link = &mut self.links[lane / self.lanes];
        link.waiting.retain(|&other| other != lane);
        let mut number = link.current;
        if let Some(stream) = self.streams[lane].take() {
            number = stream.connection;
            self.connections[number].open_streams -= 1;
        }
        self.connections[number].forget_lane(lane);
    }

    /// Opens streams for lanes that have something to ask, as many as the server takes. True if any.
    pub(super) fn open_asked(&mut self, number: usize, now_ns: u64) -> bool {
        let mut has_opened = false;
        while let Some(lane) = self.next_asking(number) {
            if let Some(next) = self.session.drop_late(lane, now_ns) {
                self.follow(lane, next, now_ns);
                continue;
            }
            let encoded = match self.encode(lane) {
                Ok(encoded) => encoded,
                Err(error) => {
                    let explanation = format!("{} cannot say this request: {error}", M::NAME);
                    self.fail(lane, &Cause::Request.failure(explanation), now_ns);
                    continue;
                }
            };
            let waker = self.wakers[lane].clone();
            let connection = &mut self.connections[number];
            let Some(channel) = &mut connection.channel else { break };
            match channel.open(encoded, waker) {
                Some(stream) => {
                    connection.has_opened(lane);
                    self.stream_use.most = self.stream_use.most.max(connection.open_streams as u64);
                    // The first look tells the stream whom to wake.
                    self.links[connection.link].look_at(lane);
                    self.streams[lane] = Some(LaneStream { connection: number, opened_ns: now_ns, stream });
                    has_opened = true;
                }
                None => {
                    connection.asking.push_front(lane);
                    self.retire(number, now_ns);
                }
            }
        }
        has_opened
    }

    /// Takes a lane that has something to ask, if a stream can be opened for it.
    fn next_asking(&mut self, number: usize) -> Option<usize> {
        let connection = &mut self.connections[number];
        let room = connection.room()?;
        if room < usize::MAX {
            let allowed = self.stream_use.allowed.unwrap_or(u64::MAX);
            self.stream_use.allowed = Some(allowed.min(room as u64));
        }
        let has_free = connection.channel.as_ref().is_some_and(Multiplex::has_free);
        if connection.open_streams < room && has_free { connection.asking.pop_front() } else { None }
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
    pub(super) fn hear(&mut self, lane: usize, now_ns: u64) {
        while let Some(LaneStream { connection: number, stream, .. }) = &mut self.streams[lane] {
            let number = *number;
            let connection = &mut self.connections[number];
            let Some(channel) = &mut connection.channel else { return };
            match channel.hear(stream) {
                Heard::Nothing => return,
                Heard::Head(head) => {
                    let value = |name| head.headers.get(name).map(|value| value.as_bytes());
                    let status = head.status.as_u16();
                    let is_kept = self.session.keeps_head(lane, status);
                    let lines = if is_kept { lines(&head.headers) } else { Vec::new() };
                    let head = Head {
                        status,
                        content_type: value(CONTENT_TYPE),
                        location: value(LOCATION),
                        coding: coding(&head.headers),
                        bytes: &lines,
                        reusable: true,
                        has_two_framings: false,
                    };
                    self.session.answer_head(lane, &head, now_ns);
                }
                Heard::Piece(piece) => self.session.answer_piece(lane, &piece, now_ns),
                Heard::End => {
                    if self.session.keeps_trailer(lane) {
                        for (name, value) in &channel.trailer(stream) {
                            self.session.answer_trailer(lane, name.as_str(), value.as_bytes());
                        }
                    }
                    self.streams[lane] = None;
                    connection.open_streams -= 1;
                    connection.has_answered = true;
                    let next = self.session.answer_ends(lane, now_ns);
                    self.follow(lane, next, now_ns);
                    self.admit_refused(lane / self.lanes, now_ns);
                }
                Heard::Failed(failure) => {
                    let kind = self.kind_at_end(number, &failure);
                    self.leave(lane);
                    self.fail(lane, &Failure { kind, ..failure }, now_ns);
                }
                Heard::Unprocessed(failure) => {
                    self.leave(lane);
                    self.ask_again(lane, number, &failure::unprocessed(failure), now_ns);
                }
            }
        }
    }

    pub(super) fn fail(&mut self, lane: usize, failure: &Failure, now_ns: u64) {
        if failure.kind != ErrorKind::UnannouncedClose {
            self.session.explain(failure, now_ns);
        }
        let next = self.session.lane_failed(lane, failure.kind, now_ns);
        self.follow(lane, next, now_ns);
    }

    /// How a failure on a connection is counted: one without a word of HTTP/2 or HTTP/3, where answers have come and
    /// none has begun, is a close between answers.
    pub(super) fn kind_at_end(&mut self, number: usize, failure: &Failure) -> ErrorKind {
        let connection = &self.connections[number];
        let has_word =
            failure.cause.is_some_and(|cause| cause.starts_with("http2") || cause.starts_with("http3"));
        if has_word || !failure.kind.is_by_peer() || !matches!(connection.state, State::Open | State::Broken)
        {
            return failure.kind;
        }
        let is_between = connection.ended_between.unwrap_or_else(|| {
            let is_on_it = |stream: &LaneStream<M::Stream>| stream.connection == number;
            let mut on_it = self
                .lanes_of(connection.link)
                .filter(|&lane| self.streams[lane].as_ref().is_some_and(is_on_it));
            connection.has_answered && !on_it.any(|lane| self.session.is_being_answered(lane))
        });
        let was_known = self.connections[number].ended_between.replace(is_between).is_some();
        match is_between {
            true if was_known => ErrorKind::UnannouncedClose,
            true => self.session.closed_between(),
            false => failure.kind,
        }
    }

    /// Shows why a lane's request has timed out, where frames tell.
    pub(super) fn explain_late(&mut self, lane: usize, now_ns: u64) {
        let (link, stream) = (&self.links[lane / self.lanes], &self.streams[lane]);
        let number = stream.as_ref().map_or(link.current, |stream| stream.connection);
        let connection = &self.connections[number];
        let Some(channel) = &connection.channel else { return };
        let failure = match stream {
            // Where streams are few, it waited for one for most of its time.
            Some(LaneStream { opened_ns, .. })
                if channel.room() < self.lanes && now_ns - opened_ns < self.session.timeout_ns() / 2 =>
            {
                Some(channel.why_without_stream())
            }
            Some(LaneStream { stream, .. }) => channel.why_late(stream),
            None if connection.asking.contains(&lane) => Some(channel.why_without_stream()),
            None if connection.state == State::Greeting && link.waiting.contains(&lane) => {
                Some(channel.why_without_stream())
            }
            None => None,
        };
        if let Some(failure) = failure {
            self.session.explain(&failure, now_ns);
        }
    }

    /// The connection of this number did not process a lane's request. It waits for the next connection or the next answer,
    /// or has failed.
    pub(super) fn ask_again(&mut self, lane: usize, number: usize, failure: &Failure, now_ns: u64) {
        let has_answered = self.connections[number].has_answered;
        if self.session.ask_again(lane, has_answered, now_ns) {
            self.links[lane / self.lanes].waiting.push(lane);
        } else {
            self.fail(lane, failure, now_ns);
        }
    }

    /// An answer has come: what the open connection has refused is asked again.
    fn admit_refused(&mut self, link: usize, now_ns: u64) {
        let link = &mut self.links[link];
        if self.connections[link.current].state == State::Open {
            for lane in std::mem::take(&mut link.waiting) {
                let next = self.session.joined(lane, true, now_ns);
                self.follow(lane, next, now_ns);
            }
        }
    }
}

/// How an answer with these headers is coded.
fn coding(headers: &HeaderMap) -> Option<Coding> {
    let values = headers.get_all(CONTENT_ENCODING).iter().map(|value| Coding::of(value.as_bytes()));
    values.fold(None, Coding::and)
}

/// Headers, as HTTP/1.1 writes them.
fn lines(headers: &HeaderMap) -> Vec<u8> {
    let parts =
        headers.iter().flat_map(|(name, value)| [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
    parts.flatten().copied().collect()
}
