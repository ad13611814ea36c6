//! The two ends of a connection without a socket.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What has come and is not read, and what is written and has not gone.
#[derive(Debug, Default)]
struct Buffers {
    input: Vec<u8>,
    read: usize,
    has_ended: bool,
    output: Vec<u8>,
}

/// The end that the driver's bytes go through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe(Rc<RefCell<Buffers>>);

impl Pipe {
    /// Bytes have come from the peer.
    pub(crate) fn put(&self, bytes: &[u8]) {
        self.0.borrow_mut().input.extend_from_slice(bytes);
    }

    /// Nothing more comes from the peer.
    pub(crate) fn end(&self) {
        self.0.borrow_mut().has_ended = true;
    }

    /// Moves what is to go to the peer behind `out`.
    pub(crate) fn take(&self, out: &mut Vec<u8>) {
        let output = &mut self.0.borrow_mut().output;
        if out.is_empty() {
            std::mem::swap(out, output);
        } else {
            out.append(output);
        }
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut buffers = self.0.borrow_mut();
        let bytes = (buffers.input.len() - buffers.read).min(buffer.remaining());
        if bytes == 0 {
            // Whoever puts bytes in polls again.
            return if buffers.has_ended { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        buffer.put_slice(&buffers.input[buffers.read..buffers.read + bytes]);
        buffers.read += bytes;
        if buffers.read == buffers.input.len() {
            buffers.input.clear();
            buffers.read = 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.borrow_mut().output.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
