//! The crate h2's own server on a blocking stream: polled in turns with reads that wait a millisecond at most.

use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::{self, SendResponse};
use http::Request;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

struct Blocking<S>(S);

impl<S: Read + Unpin> AsyncRead for Blocking<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 16_384];
        let room = into.remaining().min(bytes.len());
        match self.0.read(&mut bytes[..room]) {
            Ok(count) => {
                into.put_slice(&bytes[..count]);
                Poll::Ready(Ok(()))
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl<S: Write + Unpin> AsyncWrite for Blocking<S> {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(self.0.write_all(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// How long a read of the stream should wait.
pub const TURN: Duration = Duration::from_millis(1);

pub type Asked = (Request<RecvStream>, SendResponse<Bytes>);

/// Serves a connection to its end. `react` gets each request, in the order in which they came.
pub fn serve_http2<S: Read + Write + Unpin>(
    stream: S,
    builder: &server::Builder,
    mut react: impl FnMut(Request<RecvStream>, SendResponse<Bytes>),
) {
    serve_http2_in_turns(stream, builder, |asked| {
        if let Some((request, respond)) = asked {
            react(request, respond);
        }
        false
    });
}

/// The same. `react` is called without a request, too, at each turn, and says GOAWAY by returning true.
pub fn serve_http2_in_turns<S: Read + Write + Unpin>(
    stream: S,
    builder: &server::Builder,
    mut react: impl FnMut(Option<Asked>) -> bool,
) {
    let mut context = Context::from_waker(Waker::noop());
    let mut handshake = builder.handshake::<_, Bytes>(Blocking(stream));
    let mut connection = loop {
        match Pin::new(&mut handshake).poll(&mut context) {
            Poll::Ready(Ok(connection)) => break connection,
            Poll::Ready(Err(_)) => return,
            Poll::Pending => {}
        }
    };
    loop {
        let asked = match connection.poll_accept(&mut context) {
            Poll::Ready(Some(Ok(asked))) => Some(asked),
            Poll::Ready(_) => return,
            Poll::Pending => None,
        };
        if react(asked) {
            connection.graceful_shutdown();
        }
    }
}
