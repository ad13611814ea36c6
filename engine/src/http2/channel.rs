//! One connection's HTTP/2, without its socket.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::Reason;
use h2::client::{Builder, Connection, SendRequest};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;

use super::failure::{self, Cause};
use super::multiplex::{Heard, Multiplex, Unasked};
use super::pipe::Pipe;
use super::request::Encoded;
use super::scan::Scan;
use super::stream::Stream;
use crate::driver::Failure;
use crate::http1::response::{HEAD_BYTES_LIMIT, LARGEST_BODY_BYTES};

/// What a stream may send before its window is opened again, bytes. Windows are opened as bytes are read, so this holds a
/// server up only if it fills it within one round trip.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;

/// The same for all streams of a connection: they never wait for each other here.
const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024 * 1024;

/// What may wait to be sent, besides bodies that wait for a window. Beyond that no frame is taken in. Bytes.
pub(super) const MOST_WAITING_BYTES: usize = 1024 * 1024;

/// What may come in the meantime. A server that sends more, and reads nothing, would have to be heard without end.
const MOST_UNREAD_BYTES: usize = 4 * 1024 * 1024;

/// One connection's state: frames in, frames out.
pub struct Channel {
    pipe: Pipe,
    scan: Scan,
    connection: Connection<Pipe, Bytes>,
    sender: SendRequest<Bytes>,
    has_heard: bool,
    /// What came first was HTTP/1.
    is_http1: bool,
}

impl Multiplex for Channel {
    type Stream = Stream;
    type Shared = ();

    const NAME: &'static str = "HTTP/2";

    fn begin((): &(), streams: usize) -> Result<Channel, Failure> {
        let pipe = Pipe::default();
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(HEAD_BYTES_LIMIT as u32)
            .max_concurrent_reset_streams(streams)
            // Each of a server's faults is told, however many there are.
            .max_local_error_reset_streams(None)
            // Until the server's SETTINGS say how many it takes: see [`Channel::room`].
            .initial_max_send_streams(0);
        let mut handshake = pin!(builder.handshake::<_, Bytes>(pipe.clone()));
        let mut context = Context::from_waker(Waker::noop());
        match handshake.as_mut().poll(&mut context) {
            Poll::Ready(Ok((sender, connection))) => {
                let scan = Scan::default();
                Ok(Channel { pipe, scan, connection, sender, has_heard: false, is_http1: false })
            }
            Poll::Ready(Err(error)) => Err(failure::of_error(&error)),
            Poll::Pending => unreachable!("it only writes, and a pipe takes everything"),
        }
    }

    fn take_in(&mut self, bytes: &[u8]) -> Option<Unasked> {
        self.is_http1 |= !self.has_heard && bytes.starts_with(b"HTTP/1.");
        self.has_heard = true;
        self.pipe.put(bytes);
        let unasked = self.scan.receives(&self.pipe.last());
        let (places, part_bytes) = self.scan.held_back();
        self.pipe.hold_back(places, part_bytes);
        unasked
    }

    fn end_input(&mut self) {
        self.pipe.end();
    }

    fn drive(&mut self, out: &mut Vec<u8>, waiting: usize) -> Option<Failure> {
        let mut context = Context::from_waker(Waker::noop());
        self.pipe.allow(MOST_WAITING_BYTES.saturating_sub(waiting));
        let ended = Pin::new(&mut self.connection).poll(&mut context);
        let before = out.len();
        self.pipe.take(out);
        self.scan.sends(&out[before..]);
        if waiting < MOST_WAITING_BYTES {
            self.scan.return_window(out);
        }
        match ended {
            Poll::Pending => None,
            Poll::Ready(result) => Some(self.scan.why_ended(result.as_ref(), &self.pipe.last())),
        }
    }

    fn room(&self) -> usize {
        self.sender.current_max_send_streams()
    }

    fn is_leaving(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        match self.sender.poll_ready(&mut context) {
            Poll::Ready(Err(error)) => !error.is_io() && !error.is_library(),
            Poll::Ready(Ok(())) | Poll::Pending => false,
        }
    }

    fn open(&mut self, request: Encoded, waker: Waker) -> Option<Stream> {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(Err(_)) = self.sender.poll_ready(&mut context) {
            return None;
        }
        let Encoded { head, body } = request;
        let (answer, mut sender) = self.sender.send_request(head, body.is_empty()).ok()?;
        if !body.is_empty() {
            sender.send_data(body, true).ok()?;
        }
        Some(Stream::new(answer, sender, waker))
    }

    fn hear(&mut self, stream: &mut Stream) -> Heard {
        match stream.hear() {
            Ok(Heard::End) => match self.scan.fault_at_end(stream.number()) {
                Some(failure) => Heard::Failed(failure),
                None => Heard::End,
            },
            Ok(Heard::Head(head)) => match endless(&head.headers) {
                Some(failure) => Heard::Failed(failure),
                None => Heard::Head(head),
            },
            Ok(heard) => heard,
            Err(error) => {
                let failure = self.scan.why(&error, Some(stream.number()), &self.pipe.last());
                if is_unprocessed(&error) { Heard::Unprocessed(failure) } else { Heard::Failed(failure) }
            }
        }
    }

    fn trailer(&mut self, stream: &mut Stream) -> HeaderMap {
        stream.trailer()
    }

    fn is_blocked(&self) -> bool {
        self.pipe.is_full()
    }

    fn fault(&self) -> Option<Failure> {
        if self.is_http1 {
            let what = "what came begins with HTTP/1: the server does not speak HTTP/2 here";
            return Some(Cause::Http1.failure(what));
        }
        if let Some(failure) = self.scan.fault() {
            return Some(failure);
        }
        let is_overrun = self.is_blocked() && self.pipe.unread_bytes() > MOST_UNREAD_BYTES;
        let what = "frames come and come, and the server does not read what it is sent";
        is_overrun.then(|| Cause::Unread.failure(what))
    }

    fn why_late(&self, stream: &Stream) -> Option<Failure> {
        self.scan.why_late(stream.number(), self.is_blocked())
    }

    fn why_without_stream(&self) -> Failure {
        self.scan.why_without_stream()
    }
}

/// Of a head whose body would not end: h2 takes a Content-Length of 19 digits, whatever it is.
fn endless(headers: &HeaderMap) -> Option<Failure> {
    let length: u64 = headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()?;
    let why = || format!("a Content-Length of {length}, which is no number below 2^63");
    (length > LARGEST_BODY_BYTES).then(|| Cause::ContentLength.failure(why()))
}

/// Why a stream has failed is that the server did nothing with its request: a GOAWAY names an earlier one as the last
/// (RFC 9113, section 6.8), or it was refused (section 8.7).
fn is_unprocessed(error: &h2::Error) -> bool {
    error.is_remote() && (error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM))
}
