//! What carries the requests of a connection that shares it among them: the seam between the conversation, which knows
//! lanes, and a protocol, which knows frames: HTTP/2 or HTTP/3. Nothing here is of a crate of theirs.

use std::task::Waker;

use bytes::Bytes;
use http::HeaderMap;

use super::request::Encoded;
use crate::driver::Failure;

/// Answers that nobody asked for.
pub struct Unasked {
    pub streams: u64,
    /// The first of them.
    pub failure: Failure,
}

/// What came for a stream.
pub enum Heard {
    Nothing,
    Head(http::response::Parts),
    Piece(Bytes),
    End,
    Failed(Failure),
    /// The server says that it did nothing with the request.
    Unprocessed(Failure),
}

/// One connection's state, without its socket: bytes in, bytes out, streams in between.
pub trait Multiplex: Sized {
    /// One request and its answer. Dropped before its end, it is reset.
    type Stream;

    /// What all connections of a run share.
    type Shared;

    /// The protocol's name.
    const NAME: &'static str;

    /// What is between bytes in and out goes as datagrams, of whose bytes so many each are the driver's alone; `None`: it
    /// goes as one stream of bytes.
    const UNCOUNTED_BYTES: Option<usize> = None;

    /// A connection that begins. `streams`: so many may be reset and still be answered. Err: it cannot.
    fn begin(shared: &Self::Shared, streams: usize) -> Result<Self, Failure>;

    /// Bytes have come. `Some`: there are answers among them that nobody asked for.
    fn take_in(&mut self, bytes: &[u8]) -> Option<Unasked>;

    /// No more bytes come.
    fn end_input(&mut self);

    /// Reads what has come, and writes what is to go behind `out`, of which so many bytes are `waiting`. `Some`: the
    /// connection has ended, and why.
    fn drive(&mut self, out: &mut Vec<u8>, waiting: usize) -> Option<Failure>;

    /// So many streams the server takes at once; 0 until it has said so.
    fn room(&self) -> usize;

    /// False if none of these can be opened right now, although fewer are open.
    fn has_free(&self) -> bool {
        true
    }

    /// True if no more streams may be opened, although the connection is well: the server has said so, or their numbers
    /// have run out.
    fn is_leaving(&mut self) -> bool;

    /// Opens a stream for a request. There is room for it. `None`: the server takes no more on this connection.
    fn open(&mut self, request: Encoded, waker: Waker) -> Option<Self::Stream>;

    /// The next thing that came for a stream; to be called until it is nothing, or the end. What comes later wakes the
    /// waker that it was opened with.
    fn hear(&mut self, stream: &mut Self::Stream) -> Heard;

    /// What came behind a stream's body; empty: nothing did. To be asked at the end.
    fn trailer(&mut self, stream: &mut Self::Stream) -> HeaderMap;

    /// More is to go than may wait: nothing is taken in until some of it has gone.
    fn is_blocked(&self) -> bool;

    /// Why the connection is of no use, whatever ended it.
    fn fault(&self) -> Option<Failure>;

    /// Why no answer came in time on a stream, as far as that can be told.
    fn why_late(&self, stream: &Self::Stream) -> Option<Failure>;

    /// Why no stream was free for a request in time.
    fn why_without_stream(&self) -> Failure;

    /// When it is to be driven although nothing has come; `None`: not at all.
    fn wake_ns(&mut self) -> Option<u64> {
        None
    }

    /// Streams may be opened from now on. `is_in_window`: that counts.
    fn has_greeted(&self, _shared: &Self::Shared, _is_in_window: bool) {}

    /// What the peer is to hear before the socket is closed; empty: nothing.
    fn farewell(self) -> Vec<u8> {
        Vec::new()
    }
}
