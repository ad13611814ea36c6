//! One request and its answer.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{Reason, RecvStream, SendStream};
use http::HeaderMap;

/// Lanes for which something has come, in this order.
pub(super) type Ready = Arc<Mutex<Vec<usize>>>;

/// Notes that something has come for a lane.
struct LaneWaker {
    lane: usize,
    ready: Ready,
}

impl Wake for LaneWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ready.lock().expect("nobody panics while holding it").push(self.lane);
    }
}

/// What notes that something has come for this lane.
pub(super) fn waker(lane: usize, ready: &Ready) -> Waker {
    Waker::from(Arc::new(LaneWaker { lane, ready: Arc::clone(ready) }))
}

/// A stream whose answer is awaited. Dropped before its end, it is reset.
pub(super) struct Stream {
    awaited: Awaited,
    /// What of the request's body the peer's window has no room for goes on as it opens.
    request: SendStream<Bytes>,
    waker: Waker,
    /// When it was opened.
    pub opened_ns: u64,
}

/// The stream on which a lane awaits its answer.
pub(super) struct LaneStream {
    /// The number of its connection.
    pub connection: usize,
    pub stream: Stream,
}

enum Awaited {
    Head(ResponseFuture),
    Body(RecvStream),
}

/// What came for a stream.
pub(super) enum Heard {
    Nothing,
    Head(http::response::Parts),
    Piece(Bytes),
    End,
    Failed(h2::Error),
    /// The server says that it did nothing with the request.
    Unprocessed(h2::Error),
}

impl Stream {
    pub(super) fn new(answer: ResponseFuture, request: SendStream<Bytes>, waker: Waker) -> Stream {
        Stream { awaited: Awaited::Head(answer), request, waker, opened_ns: 0 }
    }

    pub(super) fn number(&self) -> u32 {
        self.request.stream_id().as_u32()
    }

    /// The next thing that came; to be called until it is nothing, or the end.
    pub(super) fn hear(&mut self) -> Heard {
        let mut context = Context::from_waker(&self.waker);
        match &mut self.awaited {
            Awaited::Head(answer) => match std::pin::Pin::new(answer).poll(&mut context) {
                Poll::Pending => Heard::Nothing,
                Poll::Ready(Err(error)) if is_unprocessed(&error) => Heard::Unprocessed(error),
                Poll::Ready(Err(error)) => Heard::Failed(error),
                Poll::Ready(Ok(answer)) => {
                    let (head, body) = answer.into_parts();
                    self.awaited = Awaited::Body(body);
                    Heard::Head(head)
                }
            },
            Awaited::Body(body) => match body.poll_data(&mut context) {
                Poll::Pending => Heard::Nothing,
                Poll::Ready(Some(Err(error))) => Heard::Failed(error),
                Poll::Ready(Some(Ok(piece))) => match body.flow_control().release_capacity(piece.len()) {
                    Ok(()) => Heard::Piece(piece),
                    Err(error) => Heard::Failed(error),
                },
                // Behind it there may be a trailer: see [`Stream::trailer`].
                Poll::Ready(None) => Heard::End,
            },
        }
    }

    /// What came behind the body; empty: nothing did. To be asked at the end.
    pub(super) fn trailer(&mut self) -> HeaderMap {
        let mut context = Context::from_waker(Waker::noop());
        match &mut self.awaited {
            Awaited::Body(body) => match body.poll_trailers(&mut context) {
                Poll::Ready(Ok(Some(fields))) => fields,
                _ => HeaderMap::new(),
            },
            Awaited::Head(_) => HeaderMap::new(),
        }
    }
}

/// Why a stream has failed is that the server did nothing with its request: a GOAWAY names an earlier one as the last
/// (RFC 9113, section 6.8), or it was refused (section 8.7).
fn is_unprocessed(error: &h2::Error) -> bool {
    error.is_remote() && (error.is_go_away() || error.reason() == Some(Reason::REFUSED_STREAM))
}
