//! One connection's HTTP/3, without its socket.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, Method};
use quinn_proto::{
    Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, StreamEvent, StreamId, VarInt,
    WriteError,
};

use super::client::{PEER, QuicClient};
use super::control::{Control, ServerStream};
use super::failure::{self, Cause, Fault};
use super::frame::{DATA, HEADERS, SETTINGS};
use super::message::Said;
use super::stream::{Left, Read, Stream, read};
use super::{qpack, varint};
use crate::clock::now_ns;
use crate::driver::{DATAGRAM_LENGTH_BYTES, Failure};
use crate::http1::response::HEAD_BYTES_LIMIT;
use crate::http2::{Encoded, Heard, Multiplex, Unasked};
use crate::tls::TlsClient;

/// What may wait to be sent, bytes. Beyond that no datagram is made.
const MOST_WAITING_BYTES: usize = 256 * 1024;

/// The setting of the longest head (RFC 9114, section 7.2.4.1).
const MAX_FIELD_SECTION_SIZE: u64 = 6;

/// A stream whose answer is awaited.
struct Awaiting {
    waker: Waker,
    /// What of the request the server's windows have no room for yet.
    unsent: Bytes,
    has_finished: bool,
}

/// One connection's state: datagrams in, datagrams out.
pub struct Channel {
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    /// A moment by both clocks.
    moment: (Instant, u64),
    is_connected: bool,
    has_said_settings: bool,
    /// The stream that is opened next. It is asked for ahead, as nothing else tells whether the server allows one.
    next: Option<StreamId>,
    /// How many were in use at most when it allowed no further one; 0: it always did.
    allowed: usize,
    streams: BTreeMap<StreamId, Awaiting>,
    left: Left,
    server_streams: BTreeMap<StreamId, ServerStream>,
    control: Control,
    /// Why the connection is of no use.
    ended: Option<Failure>,
    /// With which the client ends the connection.
    code: u32,
    is_blocked: bool,
    tls: Arc<TlsClient>,
    datagram: Vec<u8>,
}

impl Channel {
    /// Does what QUIC has to tell.
    fn go_on(&mut self) {
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => self.is_connected = true,
                Event::ConnectionLost { reason } => {
                    let failure = failure::of_connection(&reason, &self.tls);
                    self.ended.get_or_insert(failure);
                }
                Event::Stream(StreamEvent::Readable { id }) => match self.server_streams.contains_key(&id) {
                    true => self.hear_server(id),
                    false => self.wake(id),
                },
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    while let Some(id) = self.connection.streams().accept(Dir::Uni) {
                        self.server_streams.insert(id, ServerStream::default());
                        self.hear_server(id);
                    }
                }
                Event::Stream(StreamEvent::Writable { id }) => self.send_rest(id),
                // It wants no more of the request. What it answers is heard.
                Event::Stream(StreamEvent::Stopped { id, .. }) => {
                    if let Some(awaiting) = self.streams.get_mut(&id) {
                        (awaiting.unsent, awaiting.has_finished) = (Bytes::new(), true);
                    }
                }
                _ => {}
            }
        }
        if self.is_connected {
            self.say_settings();
            self.next = self.next.or_else(|| self.connection.streams().open(Dir::Bi));
        }
    }

    fn wake(&self, id: StreamId) {
        if let Some(awaiting) = self.streams.get(&id) {
            awaiting.waker.wake_by_ref();
        }
    }

    fn say_settings(&mut self) {
        if self.has_said_settings {
            return;
        }
        let Some(id) = self.connection.streams().open(Dir::Uni) else { return };
        let mut settings = Vec::new();
        varint::put(MAX_FIELD_SECTION_SIZE, &mut settings);
        varint::put(HEAD_BYTES_LIMIT as u64, &mut settings);
        let mut bytes = vec![0];
        put_frame(SETTINGS, &settings, &mut bytes);
        // A server that has no room for a dozen bytes is told nothing.
        let _ = self.connection.send_stream(id).write(&bytes);
        self.has_said_settings = true;
    }

    /// Takes what has come on one of the server's own streams.
    fn hear_server(&mut self, id: StreamId) {
        loop {
            let read = read(&mut self.connection, id);
            let Some(stream) = self.server_streams.get_mut(&id) else { return };
            let had = self.control.goaway;
            let heard = match read {
                Read::Nothing => return,
                Read::Piece(bytes) => stream.take(bytes, &mut self.control).map(|()| true),
                Read::End | Read::Reset(_) => stream.end().map(|()| false),
            };
            let goes_on = match heard {
                Ok(goes_on) => goes_on && !stream.is_ignored(),
                Err(fault) => {
                    self.end_by(fault);
                    false
                }
            };
            if self.control.goaway != had {
                // Those that are not processed are asked elsewhere.
                self.streams.values().for_each(|awaiting| awaiting.waker.wake_by_ref());
            }
            if !goes_on {
                let code = VarInt::from_u32(failure::STREAM_CREATION_ERROR);
                let _ = self.connection.recv_stream(id).stop(code);
                self.server_streams.remove(&id);
                return;
            }
        }
    }

    /// The server has broken a rule. True if the connection ends by it.
    fn end_by(&mut self, fault: Fault) -> bool {
        let Some(code) = fault.ends_connection else { return false };
        if self.ended.is_none() {
            (self.ended, self.code) = (Some(fault.failure), code);
        }
        true
    }

    /// Sends what of a request has not gone, as far as the server's windows allow.
    fn send_rest(&mut self, id: StreamId) {
        let Some(awaiting) = self.streams.get_mut(&id) else { return };
        if awaiting.has_finished {
            return;
        }
        let mut stream = self.connection.send_stream(id);
        while !awaiting.unsent.is_empty() {
            match stream.write(&awaiting.unsent) {
                Ok(bytes) => drop(awaiting.unsent.split_to(bytes)),
                Err(WriteError::Blocked) => return,
                Err(WriteError::Stopped(_) | WriteError::ClosedStream) => awaiting.unsent.clear(),
            }
        }
        // It fails if the server has stopped it.
        let _ = stream.finish();
        awaiting.has_finished = true;
    }

    /// Resets the streams that nobody wants any more.
    fn reset_left(&mut self) {
        for id in self.left.take() {
            let Some(awaiting) = self.streams.remove(&id) else { continue };
            let code = VarInt::from_u32(failure::REQUEST_CANCELLED);
            if !awaiting.has_finished {
                let _ = self.connection.send_stream(id).reset(code);
            }
            let _ = self.connection.recv_stream(id).stop(code);
        }
    }

    /// The server does nothing with this stream's request.
    fn is_left_out(&self, id: StreamId) -> bool {
        self.control.goaway.is_some_and(|number| u64::from(VarInt::from(id)) >= number)
    }

    /// Appends the datagrams that are to go, each behind its length.
    fn transmit(&mut self, now: Instant, out: &mut Vec<u8>, waiting: usize) {
        let begin = out.len();
        loop {
            self.is_blocked = waiting + out.len() - begin >= MOST_WAITING_BYTES;
            self.datagram.clear();
            if self.is_blocked || self.connection.poll_transmit(now, 1, &mut self.datagram).is_none() {
                return;
            }
            let length = u16::try_from(self.datagram.len()).expect("no path carries longer datagrams");
            out.extend(length.to_be_bytes());
            out.extend_from_slice(&self.datagram);
        }
    }
}

fn put_frame(kind: u64, payload: &[u8], out: &mut Vec<u8>) {
    varint::put(kind, out);
    varint::put(payload.len() as u64, out);
    out.extend_from_slice(payload);
}

impl Multiplex for Channel {
    type Stream = Stream;
    type Shared = QuicClient;

    const NAME: &'static str = "HTTP/3";
    const UNCOUNTED_BYTES: Option<usize> = Some(DATAGRAM_LENGTH_BYTES);

    fn begin(shared: &QuicClient, _streams: usize) -> Result<Channel, Failure> {
        let (endpoint, handle, connection) = shared.connect()?;
        Ok(Channel {
            endpoint,
            handle,
            connection,
            moment: (Instant::now(), now_ns()),
            is_connected: false,
            has_said_settings: false,
            next: None,
            allowed: 0,
            streams: BTreeMap::new(),
            left: Left::default(),
            server_streams: BTreeMap::new(),
            control: Control::default(),
            ended: None,
            code: failure::NO_ERROR,
            is_blocked: false,
            tls: Arc::clone(&shared.tls),
            datagram: Vec::new(),
        })
    }

    fn take_in(&mut self, bytes: &[u8]) -> Option<Unasked> {
        let mut answer = Vec::new();
        let event =
            self.endpoint.handle(Instant::now(), PEER, None, None, BytesMut::from(bytes), &mut answer);
        if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
            self.connection.handle_event(event);
            self.go_on();
        }
        None
    }

    /// Datagrams have no end.
    fn end_input(&mut self) {}

    fn drive(&mut self, out: &mut Vec<u8>, waiting: usize) -> Option<Failure> {
        let now = Instant::now();
        self.reset_left();
        if self.connection.poll_timeout().is_some_and(|timeout| timeout <= now) {
            self.connection.handle_timeout(now);
            self.go_on();
        }
        if self.ended.is_none() {
            self.transmit(now, out, waiting);
        }
        self.ended.clone()
    }

    fn room(&self) -> usize {
        match self.next {
            Some(_) => usize::MAX,
            None => self.allowed,
        }
    }

    /// Streams that have ended count until the server allows others in their place (RFC 9000, section 4.6).
    fn has_free(&self) -> bool {
        self.next.is_some()
    }

    fn is_leaving(&mut self) -> bool {
        self.control.goaway.is_some()
    }

    fn open(&mut self, request: Encoded, waker: Waker) -> Option<Stream> {
        let id = self.next.take()?;
        let Encoded { head, body } = request;
        let mut bytes = Vec::with_capacity(256 + body.len());
        put_frame(HEADERS, &qpack::encode(&head), &mut bytes);
        if !body.is_empty() {
            put_frame(DATA, &body, &mut bytes);
        }
        self.streams.insert(id, Awaiting { waker, unsent: bytes.into(), has_finished: false });
        self.send_rest(id);
        self.next = self.connection.streams().open(Dir::Bi);
        if self.next.is_none() {
            self.allowed = self.allowed.max(self.streams.len() - self.left.borrow().len());
        }
        Some(Stream::new(id, head.method() == Method::HEAD, &self.left))
    }

    fn hear(&mut self, stream: &mut Stream) -> Heard {
        loop {
            match stream.message.take(&mut stream.bytes) {
                Ok(Some(Said::Head(head))) => return Heard::Head(*head),
                Ok(Some(Said::Piece(piece))) => return Heard::Piece(piece),
                Ok(None) => {}
                Err(fault) => {
                    let failure = fault.failure.clone();
                    self.end_by(fault);
                    return Heard::Failed(failure);
                }
            }
            match read(&mut self.connection, stream.id) {
                Read::Piece(bytes) => stream.bytes = bytes,
                Read::End => {
                    return match stream.message.end() {
                        Ok(()) => Heard::End,
                        Err(fault) => {
                            let failure = fault.failure.clone();
                            self.end_by(fault);
                            Heard::Failed(failure)
                        }
                    };
                }
                Read::Reset(code) => {
                    let (failure, is_unprocessed) = failure::of_reset(code);
                    return match is_unprocessed {
                        true => Heard::Unprocessed(failure),
                        false => Heard::Failed(failure),
                    };
                }
                Read::Nothing if self.is_left_out(stream.id) => {
                    let what = "GOAWAY: the server ends the connection and left the request out";
                    return Heard::Unprocessed(Cause::GoAway.failure(what));
                }
                Read::Nothing => return Heard::Nothing,
            }
        }
    }

    fn trailer(&mut self, stream: &mut Stream) -> HeaderMap {
        std::mem::take(&mut stream.message.trailer)
    }

    fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    fn fault(&self) -> Option<Failure> {
        None
    }

    fn why_late(&self, stream: &Stream) -> Option<Failure> {
        if self.connection.stats().frame_rx.handshake_done == 0 {
            let what =
                "the server did not confirm the handshake of QUIC: its first flight came, and then nothing";
            return Some(Cause::NoHandshake.failure(what));
        }
        let what = "the answer has begun, and its end did not come";
        stream.message.has_begun().then(|| Cause::NoEnd.failure(what))
    }

    fn why_without_stream(&self) -> Failure {
        if !self.is_connected {
            return Cause::NoHandshake.failure("the server did not finish the handshake of QUIC");
        }
        let open = self.streams.len();
        Cause::NoStream.failure(format!("the server allowed no stream beside the {open} that were in use"))
    }

    fn wake_ns(&mut self) -> Option<u64> {
        let (moment, moment_ns) = self.moment;
        let timeout = self.connection.poll_timeout()?;
        Some(moment_ns + timeout.saturating_duration_since(moment).as_nanos() as u64)
    }

    fn has_greeted(&self, shared: &QuicClient, is_in_window: bool) {
        shared.tls.has_agreed_over_quic(is_in_window);
    }

    fn farewell(mut self) -> Vec<u8> {
        let now = Instant::now();
        if !self.connection.is_closed() {
            self.connection.close(now, VarInt::from_u32(self.code), Bytes::new());
        }
        self.datagram.clear();
        let _ = self.connection.poll_transmit(now, 1, &mut self.datagram);
        self.datagram
    }
}
