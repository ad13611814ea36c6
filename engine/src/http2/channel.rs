//! One connection's HTTP/2, without its socket.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, Connection, SendRequest};

use super::pipe::Pipe;
use super::request::Encoded;
use super::scan::{Scan, Unasked};
use super::stream::Stream;
use crate::driver::Failure;
use crate::http1::response::HEAD_BYTES_LIMIT;

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
pub(super) struct Channel {
    pipe: Pipe,
    scan: Scan,
    connection: Connection<Pipe, Bytes>,
    sender: SendRequest<Bytes>,
}

impl Channel {
    /// A connection that begins. `streams`: so many may be reset and still be answered.
    pub(super) fn new(streams: usize) -> Result<Channel, h2::Error> {
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
                Ok(Channel { pipe, scan: Scan::default(), connection, sender })
            }
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => unreachable!("it only writes, and a pipe takes everything"),
        }
    }

    /// Bytes have come. `Some`: there are answers among them that nobody asked for.
    pub(super) fn take_in(&mut self, bytes: &[u8]) -> Option<Unasked> {
        self.pipe.put(bytes);
        self.scan.receives(bytes)
    }

    /// No more bytes come.
    pub(super) fn end_input(&self) {
        self.pipe.end();
    }

    /// Reads what has come, and writes what is to go behind `out`, of which so many bytes are `waiting`. `Some`: the
    /// connection has ended.
    pub(super) fn drive(&mut self, out: &mut Vec<u8>, waiting: usize) -> Option<Result<(), h2::Error>> {
        let mut context = Context::from_waker(Waker::noop());
        self.pipe.allow(MOST_WAITING_BYTES.saturating_sub(waiting));
        let ended = Pin::new(&mut self.connection).poll(&mut context);
        let before = out.len();
        self.pipe.take(out);
        self.scan.sends(&out[before..]);
        match ended {
            Poll::Pending => None,
            Poll::Ready(result) => Some(result),
        }
    }

    /// So many streams the server takes at once; 0 until its SETTINGS have come.
    pub(super) fn room(&self) -> usize {
        self.sender.current_max_send_streams()
    }

    /// True if no more streams may be opened, although the connection is well: the server has said so, or their numbers
    /// have run out.
    pub(super) fn is_leaving(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        match self.sender.poll_ready(&mut context) {
            Poll::Ready(Err(error)) => !error.is_io() && !error.is_library(),
            Poll::Ready(Ok(())) | Poll::Pending => false,
        }
    }

    /// Opens a stream for a request. There is room for it.
    pub(super) fn open(&mut self, request: Encoded, waker: Waker) -> Result<Stream, h2::Error> {
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(Err(error)) = self.sender.poll_ready(&mut context) {
            return Err(error);
        }
        let Encoded { head, body } = request;
        let (answer, mut sender) = self.sender.send_request(head, body.is_empty())?;
        if !body.is_empty() {
            sender.send_data(body, true)?;
        }
        Ok(Stream::new(answer, sender, waker))
    }

    /// More is to go than may wait: nothing is taken in until some of it has gone.
    pub(super) fn is_blocked(&self) -> bool {
        self.pipe.is_full()
    }

    /// The server sends on and on, and reads nothing.
    pub(super) fn is_overrun(&self) -> bool {
        self.is_blocked() && self.pipe.unread_bytes() > MOST_UNREAD_BYTES
    }

    /// Why the connection has ended.
    pub(super) fn why_ended(&self, result: &Result<(), h2::Error>) -> Failure {
        self.scan.why_ended(result.as_ref(), &self.pipe.last())
    }

    /// Why a stream has failed.
    pub(super) fn why_failed(&self, stream: u32, error: &h2::Error) -> Failure {
        self.scan.why(error, Some(stream), &self.pipe.last())
    }

    /// Why a stream whose end has come is no answer.
    pub(super) fn fault_at_end(&mut self, stream: u32) -> Option<Failure> {
        self.scan.fault_at_end(stream)
    }

    /// Why no answer came in time on a stream, as far as that can be told.
    pub(super) fn why_late(&self, stream: u32) -> Option<Failure> {
        self.scan.why_late(stream, self.is_blocked())
    }

    /// Why no stream was free for a request in time.
    pub(super) fn why_without_stream(&self) -> Failure {
        self.scan.why_without_stream()
    }
}
