//! One connection at a time, by the number that its driver knows it by.

use std::collections::VecDeque;

use super::channel::MOST_WAITING_BYTES;
use super::multiplex::Multiplex;
use crate::driver::{Failure, Next};
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
    /// No more streams may be opened, as the server has said, some may be answered.
    Draining,
    /// It has ended without a word. What came before is heard.
    Broken,
}

pub(super) struct Connection<M> {
    /// The place of its link.
    pub link: usize,
    pub state: State,
    pub channel: Option<M>,
    /// It is to be opened although nobody waits for it.
    pub is_ahead: bool,
    /// Lanes whose request has no stream yet.
    pub asking: VecDeque<usize>,
    /// Streams whose answers are awaited.
    pub open_streams: usize,
    /// An answer has come on this socket.
    pub has_answered: bool,
    /// It has ended without a word, and that was between two answers, or not; as soon as it was asked.
    pub ended_between: Option<bool>,
    /// When the driver was told to connect.
    pub connects_ns: u64,
    /// When the last bytes came.
    pub heard_ns: u64,
    /// When it is driven next although nothing has come.
    pub wakes_ns: Option<u64>,
    /// What the peer is to hear before its socket is closed.
    pub farewell: Vec<u8>,
    out: SendBuffer,
    /// Bytes of this socket that were ever put into `out`.
    written: u64,
    /// Lanes whose request has not gone, and how much was written before it.
    unsent: VecDeque<(u64, usize)>,
}

impl<M: Multiplex> Connection<M> {
    /// One without a socket. `link`: the place of its link.
    pub(super) fn of(link: usize) -> Connection<M> {
        Connection {
            link,
            state: State::default(),
            channel: None,
            is_ahead: false,
            asking: VecDeque::new(),
            open_streams: 0,
            has_answered: false,
            ended_between: None,
            connects_ns: 0,
            heard_ns: 0,
            wakes_ns: None,
            farewell: Vec::new(),
            out: SendBuffer::default(),
            written: 0,
            unsent: VecDeque::new(),
        }
    }

    /// The socket is gone, and all that was on it.
    pub(super) fn forget_socket(&mut self) {
        let farewell = self.channel.take().map_or(Vec::new(), M::farewell);
        *self = Connection { farewell, ..Connection::of(self.link) };
    }

    /// The lane wants nothing here any more.
    pub(super) fn forget_lane(&mut self, lane: usize) {
        self.asking.retain(|&other| other != lane);
        self.unsent.retain(|&(_, other)| other != lane);
    }

    /// The lane's stream is opened; its request is written next.
    pub(super) fn has_opened(&mut self, lane: usize) {
        self.open_streams += 1;
        self.unsent.push_back((self.written, lane));
    }

    /// Reads what has come and writes what is to go. `Some`: the connection has ended, and why.
    pub(super) fn drive(&mut self) -> Option<Failure> {
        let before = self.out.left().len();
        let channel = self.channel.as_mut()?;
        let ended = channel.drive(self.out.end(), before);
        self.written += (self.out.left().len() - before) as u64;
        if self.state == State::Open && channel.is_leaving() {
            self.state = State::Draining;
        } else if self.state == State::Open && ended.is_some() {
            self.state = State::Broken;
        }
        ended
    }

    /// So many streams the server takes at once; `None`: none can be opened now.
    pub(super) fn room(&self) -> Option<usize> {
        self.channel.as_ref().filter(|_| self.state == State::Open).map(Multiplex::room)
    }

    /// It is open, and nothing is asked on it.
    pub(super) fn is_idle(&self) -> bool {
        self.state == State::Open && self.open_streams == 0 && self.asking.is_empty()
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
        has_room && self.channel.as_ref().is_some_and(Multiplex::is_blocked)
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

    /// What the driver does next. `is_wanted`: somebody waits for it.
    pub(super) fn next(&mut self, is_wanted: bool, now_ns: u64) -> Next {
        match self.state {
            State::Closed if !is_wanted && !self.is_ahead => Next::Close,
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
