//! One request and its answer.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use quinn_proto::{Connection, ReadError, ReadableError, StreamId};

use super::message::Message;

/// Streams that nobody wants any more.
pub(super) type Left = Rc<RefCell<Vec<StreamId>>>;

/// A stream whose answer is awaited. Dropped before its end, it is reset.
pub struct Stream {
    pub(super) id: StreamId,
    pub(super) message: Message,
    /// What has come and is not read.
    pub(super) bytes: Bytes,
    left: Left,
}

impl Stream {
    pub(super) fn new(id: StreamId, is_head: bool, left: &Left) -> Stream {
        Stream { id, message: Message::new(is_head), bytes: Bytes::new(), left: Rc::clone(left) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.left.borrow_mut().push(self.id);
    }
}

/// What was read of a stream.
pub(super) enum Read {
    Nothing,
    Piece(Bytes),
    End,
    Reset(u64),
}

/// What comes next on a stream.
pub(super) fn read(connection: &mut Connection, id: StreamId) -> Read {
    let mut stream = connection.recv_stream(id);
    let mut chunks = match stream.read(true) {
        Ok(chunks) => chunks,
        Err(ReadableError::ClosedStream | ReadableError::IllegalOrderedRead) => return Read::Nothing,
    };
    match chunks.next(usize::MAX) {
        Ok(Some(chunk)) => Read::Piece(chunk.bytes),
        Ok(None) => Read::End,
        Err(ReadError::Blocked) => Read::Nothing,
        Err(ReadError::Reset(code)) => Read::Reset(code.into_inner()),
    }
}
