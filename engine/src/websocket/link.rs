//! One connection's place in a conversation, through all its sockets.

use std::collections::VecDeque;

use super::frame::{CONTROL_BYTES_LIMIT, FrameReader, Opcode, write};
use super::handshake::Handshake;
use crate::driver::Next;
use crate::send_buffer::SendBuffer;

/// More control frames within a second are a flood.
const MOST_CONTROLS_PER_SECOND: u32 = 1000;
const SECOND_NS: u64 = 1_000_000_000;

/// Messages that were awaited no longer, whose late answers are known as such.
const MOST_GIVEN_UP: usize = 1000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// There is no socket.
    #[default]
    Closed,
    /// The driver connects.
    Connecting,
    /// The handshake is under way.
    Opening,
    /// Messages may be sent.
    Open,
}

/// A message between its place in the buffer and its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    pub lane: usize,
    /// Empty where answers come in order.
    pub id: Vec<u8>,
    /// When the first of it has gone; 0: nothing has.
    pub sent_ns: u64,
}

/// What is in the buffer, frame by frame.
#[derive(Clone, Copy, Debug)]
struct Queued {
    /// Whose message it is; `None`: a control frame or the handshake.
    lane: Option<usize>,
    left: usize,
    /// Some of it has gone.
    is_begun: bool,
}

#[derive(Debug)]
pub(super) struct Link {
    pub state: State,
    /// Lanes that want a connection.
    pub waiting: Vec<usize>,
    /// It is to be opened although no lane waits for it.
    pub is_awaited: bool,
    /// In the order in which they go.
    pub in_flight: VecDeque<Asked>,
    pub handshake: Option<Box<Handshake>>,
    pub reader: FrameReader,
    /// When the message began that is not complete; 0: none is.
    pub begun_ns: u64,
    /// Something has come of a message or a frame that is not complete.
    pub is_unfinished: bool,
    /// When the driver was told to connect.
    pub connects_ns: u64,
    /// What the server is to hear when the socket is closed.
    pub farewell: Option<Vec<u8>>,
    given_up: VecDeque<Vec<u8>>,
    /// More were given up than are known.
    has_forgotten: bool,
    /// Control frames that came since, and since when.
    controls: (u32, u64),
    queue: VecDeque<Queued>,
    out: SendBuffer,
}

impl Link {
    /// `message_bytes_limit`: of a message of the server.
    pub(super) fn new(message_bytes_limit: u64) -> Link {
        Link {
            state: State::Closed,
            waiting: Vec::new(),
            is_awaited: false,
            in_flight: VecDeque::new(),
            handshake: None,
            reader: FrameReader::new(message_bytes_limit),
            begun_ns: 0,
            is_unfinished: false,
            connects_ns: 0,
            farewell: None,
            given_up: VecDeque::new(),
            has_forgotten: false,
            controls: (0, 0),
            queue: VecDeque::new(),
            out: SendBuffer::default(),
        }
    }

    /// There is a socket: the handshake begins.
    pub(super) fn begin(&mut self, handshake: Handshake, write: impl FnOnce(&str, &mut Vec<u8>)) {
        (self.state, self.farewell) = (State::Opening, None);
        let before = self.out.left().len();
        write(handshake.key(), self.out.end());
        self.queue.push_back(Queued { lane: None, left: self.out.left().len() - before, is_begun: false });
        self.handshake = Some(Box::new(handshake));
    }

    /// A lane's message takes its place in the buffer.
    #[inline]
    pub(super) fn ask(&mut self, asked: Asked, opcode: Opcode, text: &[u8], mask: [u8; 4]) {
        self.put(Some(asked.lane), opcode, text, mask);
        self.in_flight.push_back(asked);
    }

    /// Answers a ping. False if this connection has more control frames than anybody needs.
    pub(super) fn pong(&mut self, payload: &[u8], mask: [u8; 4], now_ns: u64) -> bool {
        self.put(None, Opcode::Pong, payload, mask);
        self.queue.len() <= self.in_flight.len() + MOST_CONTROLS_PER_SECOND as usize
            && self.takes_control(now_ns)
    }

    /// A control frame has come. False if they are a flood.
    pub(super) fn takes_control(&mut self, now_ns: u64) -> bool {
        let (count, since_ns) = &mut self.controls;
        if now_ns.saturating_sub(*since_ns) >= SECOND_NS {
            (*count, *since_ns) = (0, now_ns);
        }
        *count += 1;
        *count <= MOST_CONTROLS_PER_SECOND
    }

    /// The server is to hear this code, or none, when the socket is closed; behind a part of a frame it hears nothing.
    pub(super) fn leave(&mut self, code: Option<u16>, mask: [u8; 4]) {
        if self.queue.front().is_some_and(|queued| queued.is_begun) {
            return;
        }
        let mut frame = Vec::with_capacity(CONTROL_BYTES_LIMIT);
        let code = code.map_or(Vec::new(), |code| code.to_be_bytes().to_vec());
        write(&mut frame, Opcode::Close, &code, mask);
        self.farewell = Some(frame);
    }

    fn put(&mut self, lane: Option<usize>, opcode: Opcode, payload: &[u8], mask: [u8; 4]) {
        let before = self.out.left().len();
        write(self.out.end(), opcode, payload, mask);
        self.queue.push_back(Queued { lane, left: self.out.left().len() - before, is_begun: false });
    }

    /// True if some of the lane's message waits to be sent.
    pub(super) fn has_unsent(&self, lane: usize) -> bool {
        self.queue.iter().any(|queued| queued.lane == Some(lane))
    }

    /// True if a message with this id went on this socket, and its answer has not come.
    #[inline]
    pub(super) fn awaits(&self, id: &[u8]) -> bool {
        self.in_flight.iter().any(|asked| asked.id == id)
            || self.given_up.iter().any(|given_up| given_up == id)
    }

    /// A lane's answer is awaited no longer. The connection goes on: all of the message has gone.
    pub(super) fn give_up(&mut self, lane: usize) {
        if let Some(place) = self.in_flight.iter().position(|asked| asked.lane == lane)
            && let Some(asked) = self.in_flight.remove(place)
        {
            self.given_up.push_back(asked.id);
            if self.given_up.len() > MOST_GIVEN_UP {
                self.given_up.pop_front();
                self.has_forgotten = true;
            }
        }
    }

    /// True if the answer with this id was awaited once, or may have been.
    pub(super) fn is_late(&mut self, id: &[u8]) -> bool {
        let place = self.given_up.iter().position(|given_up| given_up == id);
        place.is_some_and(|place| self.given_up.remove(place).is_some()) || self.has_forgotten
    }

    /// The socket is gone, and all that was on it. Lanes that wait still do.
    pub(super) fn forget_socket(&mut self) {
        self.state = State::Closed;
        self.handshake = None;
        self.reader.reset();
        (self.begun_ns, self.is_unfinished) = (0, false);
        self.in_flight.clear();
        self.given_up.clear();
        self.has_forgotten = false;
        self.controls = (0, 0);
        self.queue.clear();
        self.out.clear();
    }

    #[inline]
    pub(super) fn to_send(&self) -> &[u8] {
        self.out.left()
    }

    /// Bytes have gone; tells `sent` of each lane whose message has begun to go.
    #[inline]
    pub(super) fn handed_over(&mut self, bytes: usize, at_ns: u64, mut sent: impl FnMut(usize)) {
        self.out.handed_over(bytes);
        let mut left = bytes;
        while left > 0 {
            let Some(queued) = self.queue.front_mut() else { return };
            if !std::mem::replace(&mut queued.is_begun, true)
                && let Some(lane) = queued.lane
            {
                let asked = self.in_flight.iter_mut().rev().find(|asked| asked.lane == lane);
                if let Some(asked) = asked {
                    asked.sent_ns = at_ns;
                    sent(lane);
                }
            }
            let taken = left.min(queued.left);
            queued.left -= taken;
            left -= taken;
            if queued.left == 0 {
                self.queue.pop_front();
            }
        }
    }

    /// What the driver does next.
    #[inline]
    pub(super) fn next(&mut self, now_ns: u64) -> Next {
        match self.state {
            State::Closed if self.waiting.is_empty() && !self.is_awaited => Next::Close,
            State::Closed => {
                self.state = State::Connecting;
                self.connects_ns = now_ns;
                Next::Connect
            }
            State::Opening | State::Open if !self.to_send().is_empty() => Next::Send,
            State::Connecting | State::Opening | State::Open => Next::Wait,
        }
    }
}
