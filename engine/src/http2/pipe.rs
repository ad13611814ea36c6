//! The two ends of a connection without a socket.

use std::cell::{Ref, RefCell};
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What has come and is not read, and what is written and has not gone.
#[derive(Debug)]
struct Buffers {
    input: Vec<u8>,
    read: usize,
    /// Up to here it may be read.
    readable: usize,
    /// Where the bytes that came last begin.
    last: usize,
    has_ended: bool,
    output: Vec<u8>,
    /// So many more bytes may be written.
    room: usize,
    is_full: bool,
}

/// The end that the driver's bytes go through.
#[derive(Clone, Debug)]
pub(crate) struct Pipe(Rc<RefCell<Buffers>>);

/// It takes everything until [`Pipe::allow`] is called.
impl Default for Pipe {
    fn default() -> Pipe {
        Pipe(Rc::new(RefCell::new(Buffers {
            input: Vec::new(),
            read: 0,
            readable: 0,
            last: 0,
            has_ended: false,
            output: Vec::new(),
            room: usize::MAX,
            is_full: false,
        })))
    }
}

impl Pipe {
    /// Bytes have come from the peer.
    pub(crate) fn put(&self, bytes: &[u8]) {
        let buffers = &mut *self.0.borrow_mut();
        // Moves no byte more than once for each one that is read.
        if buffers.read * 2 >= buffers.input.len() {
            buffers.input.drain(..buffers.read);
            buffers.readable -= buffers.read;
            buffers.read = 0;
        }
        buffers.last = buffers.readable;
        buffers.input.extend_from_slice(bytes);
        buffers.readable = buffers.input.len();
    }

    /// Of what was put last, takes these ranges out again, which are in order, and keeps the last `part` bytes until more
    /// is put.
    pub(crate) fn hold_back(&self, ranges: &[Range<usize>], part: usize) {
        let buffers = &mut *self.0.borrow_mut();
        let (last, end) = (buffers.last, buffers.input.len());
        let mut to = ranges.first().map_or(end, |first| last + first.start);
        for (place, range) in ranges.iter().enumerate() {
            let until = ranges.get(place + 1).map_or(end, |next| last + next.start);
            buffers.input.copy_within(last + range.end..until, to);
            to += until - (last + range.end);
        }
        buffers.input.truncate(to);
        buffers.readable = to - part;
    }

    /// What was put last, whether it is read or not. It begins with what was kept of what was put before.
    pub(crate) fn last(&self) -> Ref<'_, [u8]> {
        Ref::map(self.0.borrow(), |buffers| &buffers.input[buffers.last..])
    }

    /// What has come and is not read.
    pub(crate) fn unread_bytes(&self) -> usize {
        let buffers = self.0.borrow();
        buffers.input.len() - buffers.read
    }

    /// Nothing more comes from the peer.
    pub(crate) fn end(&self) {
        let buffers = &mut *self.0.borrow_mut();
        buffers.readable = buffers.input.len();
        buffers.has_ended = true;
    }

    /// No more than so many bytes are written until this is called again. Who had to wait is to be polled again.
    pub(crate) fn allow(&self, bytes: usize) {
        let mut buffers = self.0.borrow_mut();
        buffers.room = bytes;
        buffers.is_full = false;
    }

    /// More was to be written than was allowed.
    pub(crate) fn is_full(&self) -> bool {
        self.0.borrow().is_full
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
        let bytes = (buffers.readable - buffers.read).min(buffer.remaining());
        if bytes == 0 {
            // Whoever puts bytes in polls again.
            return if buffers.has_ended { Poll::Ready(Ok(())) } else { Poll::Pending };
        }
        buffer.put_slice(&buffers.input[buffers.read..buffers.read + bytes]);
        buffers.read += bytes;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let buffers = &mut *self.0.borrow_mut();
        let taken = bytes.len().min(buffers.room);
        if taken < bytes.len() {
            buffers.is_full = true;
        }
        if taken == 0 && !bytes.is_empty() {
            return Poll::Pending;
        }
        buffers.room -= taken;
        buffers.output.extend_from_slice(&bytes[..taken]);
        Poll::Ready(Ok(taken))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    #[test]
    fn no_more_is_written_than_is_allowed() {
        let pipe = Pipe::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut write = |bytes: &[u8]| Pin::new(&mut pipe.clone()).poll_write(&mut context, bytes);
        pipe.allow(10);
        assert!(matches!(write(&[1; 7]), Poll::Ready(Ok(7))) && !pipe.is_full());
        assert!(matches!(write(&[2; 7]), Poll::Ready(Ok(3))) && pipe.is_full());
        assert!(write(&[2; 4]).is_pending());
        let mut out = Vec::new();
        pipe.take(&mut out);
        assert_eq!(out, [1, 1, 1, 1, 1, 1, 1, 2, 2, 2]);
        pipe.allow(10);
        assert!(matches!(write(&[2; 4]), Poll::Ready(Ok(4))) && !pipe.is_full());
    }

    #[test]
    fn what_is_held_back_is_not_read() {
        let pipe = Pipe::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut read = || {
            let mut bytes = [0; 100];
            let mut buffer = ReadBuf::new(&mut bytes);
            let _ = Pin::new(&mut pipe.clone()).poll_read(&mut context, &mut buffer);
            String::from_utf8(buffer.filled().to_vec()).unwrap()
        };
        pipe.put(b"first..second,,,,third half");
        pipe.hold_back(&[5..7, 13..15, 15..17], 5);
        assert_eq!((read().as_str(), read().as_str()), ("firstsecondthird", ""));
        pipe.put(b" a frame");
        assert_eq!(&*pipe.last(), b" half a frame");
        pipe.hold_back(std::slice::from_ref(&(0..1)), 0);
        assert_eq!(read(), "half a frame");
        pipe.put(b"gone");
        pipe.hold_back(std::slice::from_ref(&(0..4)), 0);
        pipe.put(b"an end");
        pipe.hold_back(&[], 6);
        assert_eq!((read().as_str(), pipe.unread_bytes()), ("", 6));
        pipe.end();
        assert_eq!(read(), "an end");
    }

    #[test]
    fn what_was_read_is_not_kept() {
        let pipe = Pipe::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut bytes = [0; 900];
        for round in 0..1000_u32 {
            pipe.put(&[round as u8; 1000]);
            assert_eq!((pipe.last().len(), pipe.last()[0]), (1000, round as u8));
            let mut buffer = ReadBuf::new(&mut bytes);
            let is_read = round % 10 == 0
                || Pin::new(&mut pipe.clone()).poll_read(&mut context, &mut buffer).is_ready();
            assert!(is_read);
            if round % 2 == 0 {
                while pipe.unread_bytes() > 0 {
                    let mut buffer = ReadBuf::new(&mut bytes);
                    assert!(Pin::new(&mut pipe.clone()).poll_read(&mut context, &mut buffer).is_ready());
                }
            }
        }
        assert!(pipe.0.borrow().input.capacity() < 20_000);
    }
}
