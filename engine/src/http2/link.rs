//! One connection's place in a conversation, through all its sockets.

use std::collections::VecDeque;

use super::channel::{Channel, MOST_WAITING_BYTES};
use super::stream::Ready;
use crate::driver::Next;
use crate::send_buffer::SendBuffer;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// There is no socket.
    #[default]
    Closed,
    /// The driver connects.
    Connecting,
    /// The server's SETTINGS are awaited.
    Greeting,
    /// Streams may be opened.
    Open,
    /// No more streams may be opened, some may be answered.
    Draining,
}

#[derive(Default)]
pub(super) struct Link {
    pub state: State,
    pub channel: Option<Channel>,
    /// Lanes that want a connection.
    pub waiting: Vec<usize>,
    /// Lanes whose request has no stream yet.
    pub asking: VecDeque<usize>,
    /// Streams whose answers are awaited.
    pub open_streams: usize,
    /// Lanes for which something has come.
    pub ready: Ready,
    /// When the driver was told to connect.
    pub connects_ns: u64,
    /// When the last bytes came.
    pub heard_ns: u64,
    /// What came first was HTTP/1.
    pub is_http1: bool,
    out: SendBuffer,
    /// Bytes of this socket that were ever put into `out`.
    written: u64,
    /// Lanes whose request has not gone, and how much was written before it.
    unsent: VecDeque<(u64, usize)>,
}

impl Link {
    /// The socket is gone, and all that was on it. Lanes that wait still do.
    pub(super) fn forget_socket(&mut self) {
        self.state = State::Closed;
        self.channel = None;
        self.asking.clear();
        self.open_streams = 0;
        self.ready.lock().expect("nobody panics while holding it").clear();
        self.is_http1 = false;
        self.out.clear();
        self.written = 0;
        self.unsent.clear();
    }

    /// The lane wants nothing here any more.
    pub(super) fn forget_lane(&mut self, lane: usize) {
        self.waiting.retain(|&other| other != lane);
        self.asking.retain(|&other| other != lane);
        self.unsent.retain(|&(_, other)| other != lane);
    }

    /// The lane's stream is opened; its request is written next.
    pub(super) fn has_opened(&mut self, lane: usize) {
        self.open_streams += 1;
        self.unsent.push_back((self.written, lane));
        // The first look tells the stream whom to wake.
        self.ready.lock().expect("nobody panics while holding it").push(lane);
    }

    /// Reads what has come and writes what is to go. `Some`: the connection has ended.
    pub(super) fn drive(&mut self) -> Option<Result<(), h2::Error>> {
        let before = self.out.left().len();
        let ended = self.channel.as_mut()?.drive(self.out.end(), before);
        self.written += (self.out.left().len() - before) as u64;
        ended
    }

    pub(super) fn take_ready(&self) -> Vec<usize> {
        std::mem::take(&mut self.ready.lock().expect("nobody panics while holding it"))
    }

    pub(super) fn to_send(&self) -> &[u8] {
        self.out.left()
    }

    pub(super) fn handed_over(&mut self, bytes: usize) {
        self.out.handed_over(bytes);
    }

    /// What waited because too much had to go may be written now.
    pub(super) fn goes_on(&self) -> bool {
        let has_room = self.to_send().len() <= MOST_WAITING_BYTES / 2;
        has_room && self.channel.as_ref().is_some_and(Channel::is_blocked)
    }

    /// The next lane whose request has begun to go.
    pub(super) fn next_sent(&mut self) -> Option<usize> {
        let gone = self.written - self.to_send().len() as u64;
        let (before, lane) = *self.unsent.front()?;
        if before >= gone {
            return None;
        }
        self.unsent.pop_front();
        Some(lane)
    }

    /// What the driver does next.
    pub(super) fn next(&mut self, now_ns: u64) -> Next {
        match self.state {
            State::Closed if self.waiting.is_empty() => Next::Close,
            State::Closed => {
                self.state = State::Connecting;
                self.connects_ns = now_ns;
                Next::Connect
            }
            State::Connecting => Next::Wait,
            _ if self.to_send().is_empty() => Next::Wait,
            _ => Next::Send,
        }
    }
}
