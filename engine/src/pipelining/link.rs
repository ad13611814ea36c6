//! One connection's place in a conversation, through all its sockets.

use std::collections::VecDeque;

use crate::driver::Next;
use crate::send_buffer::SendBuffer;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// There is no socket.
    #[default]
    Closed,
    /// The driver connects.
    Connecting,
    /// Requests may be sent.
    Open,
    /// The peer sends nothing more, so no request is sent; what came of answers may not be taken yet.
    Ending,
}

/// A request between its place in the buffer and the end of its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub lane: usize,
    pub bytes: usize,
    pub left_bytes: usize,
}

impl Asked {
    /// Some of it has gone.
    pub(super) fn is_begun(&self) -> bool {
        self.left_bytes < self.bytes
    }
}

#[derive(Debug, Default)]
pub(super) struct Link {
    pub state: State,
    /// Lanes that want a connection.
    pub waiting: Vec<usize>,
    /// Requests in the order in which they go, and their answers come.
    pub in_order: VecDeque<Asked>,
    /// So many of `in_order` have gone whole.
    gone_whole: usize,
    /// This socket has carried an answer.
    pub has_answered: bool,
    /// When the driver was told to connect.
    pub connects_ns: u64,
    out: SendBuffer,
}

impl Link {
    /// The lane's request takes its place in the pipeline.
    #[inline]
    pub(super) fn ask(&mut self, lane: usize, text: &[u8]) {
        self.out.end().extend_from_slice(text);
        self.in_order.push_back(Asked { lane, bytes: text.len(), left_bytes: text.len() });
    }

    /// The answer to the first request has come.
    #[inline]
    pub(super) fn first_is_answered(&mut self) {
        self.in_order.pop_front();
        self.has_answered = true;
        self.gone_whole = self.gone_whole.saturating_sub(1);
    }

    /// Bytes behind the first answer may belong to a second one.
    #[inline]
    pub(super) fn is_second_begun(&self) -> bool {
        self.in_order.get(1).is_some_and(Asked::is_begun)
    }

    /// The socket is gone, and all that was on it. Lanes that wait still do.
    pub(super) fn forget_socket(&mut self) {
        self.state = State::Closed;
        self.in_order.clear();
        self.gone_whole = 0;
        self.has_answered = false;
        self.out.clear();
    }

    #[inline]
    pub(super) fn to_send(&self) -> &[u8] {
        self.out.left()
    }

    /// Bytes have gone; tells `sent` of each lane how many were its request's.
    #[inline]
    pub(super) fn handed_over(&mut self, bytes: usize, mut sent: impl FnMut(usize, usize)) {
        self.out.handed_over(bytes);
        let mut left = bytes;
        while let Some(asked) = self.in_order.get_mut(self.gone_whole).filter(|_| left > 0) {
            let taken = left.min(asked.left_bytes);
            asked.left_bytes -= taken;
            left -= taken;
            sent(asked.lane, taken);
            if asked.left_bytes > 0 {
                return;
            }
            self.gone_whole += 1;
        }
    }

    /// What the driver does next.
    #[inline]
    pub(super) fn next(&mut self, now_ns: u64) -> Next {
        match self.state {
            State::Closed if self.waiting.is_empty() => Next::Close,
            State::Closed => {
                self.state = State::Connecting;
                self.connects_ns = now_ns;
                Next::Connect
            }
            State::Open if !self.to_send().is_empty() => Next::Send,
            State::Connecting | State::Open | State::Ending => Next::Wait,
        }
    }
}
