//! One connection's HTTP/2, without its socket.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, Connection, SendRequest};

use super::pipe::Pipe;
use super::request::Encoded;
use super::stream::Stream;
use crate::http1::response::HEAD_BYTES_LIMIT;

/// What a stream may send before its window is opened again, bytes. Windows are opened as bytes are read, so this holds a
/// server up only if it fills it within one round trip.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;

/// The same for all streams of a connection: they never wait for each other here.
const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024 * 1024;

/// One connection's state: frames in, frames out.
pub(super) struct Channel {
    pipe: Pipe,
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
            // Until the server's SETTINGS say how many it takes: see [`Channel::room`].
            .initial_max_send_streams(0);
        let mut handshake = pin!(builder.handshake::<_, Bytes>(pipe.clone()));
        let mut context = Context::from_waker(Waker::noop());
        match handshake.as_mut().poll(&mut context) {
            Poll::Ready(Ok((sender, connection))) => Ok(Channel { pipe, connection, sender }),
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => unreachable!("it only writes, and a pipe takes everything"),
        }
    }

    /// Bytes have come.
    pub(super) fn take_in(&self, bytes: &[u8]) {
        self.pipe.put(bytes);
    }

    /// No more bytes come.
    pub(super) fn end_input(&self) {
        self.pipe.end();
    }

    /// Reads what has come, and writes what is to go behind `out`. `Some`: the connection has ended.
    pub(super) fn drive(&mut self, out: &mut Vec<u8>) -> Option<Result<(), h2::Error>> {
        let mut context = Context::from_waker(Waker::noop());
        let ended = Pin::new(&mut self.connection).poll(&mut context);
        self.pipe.take(out);
        match ended {
            Poll::Pending => None,
            Poll::Ready(result) => Some(result),
        }
    }

    /// So many streams the server takes at once; 0 until its SETTINGS have come.
    pub(super) fn room(&self) -> usize {
        self.sender.current_max_send_streams()
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
}
