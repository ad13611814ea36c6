//! One request and its answer.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{RecvStream, SendStream};
use http::HeaderMap;

use super::multiplex::Heard;

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
pub struct Stream {
    awaited: Awaited,
    /// What of the request's body the peer's window has no room for goes on as it opens.
    request: SendStream<Bytes>,
    waker: Waker,
}

enum Awaited {
    Head(ResponseFuture),
    Body(RecvStream),
}

impl Stream {
    pub(super) fn new(answer: ResponseFuture, request: SendStream<Bytes>, waker: Waker) -> Stream {
        Stream { awaited: Awaited::Head(answer), request, waker }
    }

    pub(super) fn number(&self) -> u32 {
        self.request.stream_id().as_u32()
    }

    /// The next thing that came; to be called until it is nothing, or the end.
    pub(super) fn hear(&mut self) -> Result<Heard, h2::Error> {
        let mut context = Context::from_waker(&self.waker);
        match &mut self.awaited {
            Awaited::Head(answer) => match std::pin::Pin::new(answer).poll(&mut context) {
                Poll::Pending => Ok(Heard::Nothing),
                Poll::Ready(Err(error)) => Err(error),
                Poll::Ready(Ok(answer)) => {
                    let (head, body) = answer.into_parts();
                    self.awaited = Awaited::Body(body);
                    Ok(Heard::Head(head))
                }
            },
            Awaited::Body(body) => match body.poll_data(&mut context) {
                Poll::Pending => Ok(Heard::Nothing),
                Poll::Ready(Some(Err(error))) => Err(error),
                Poll::Ready(Some(Ok(piece))) => match body.flow_control().release_capacity(piece.len()) {
                    Ok(()) => Ok(Heard::Piece(piece)),
                    Err(error) => Err(error),
                },
                // Behind it there may be a trailer: see [`Stream::trailer`].
                Poll::Ready(None) => Ok(Heard::End),
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
