//! Opens connections, and counts those that fail to open.

use super::slot::State;
use super::{Next, Session};
use crate::record::ErrorKind;
use crate::schedule::Phase;

impl Session {
    /// Connects anew, for the requests that the connection has, or ahead of any.
    pub(super) fn connect(&mut self, number: usize, state: State, now_ns: u64) -> Next {
        if self.phase == Phase::Window && !self.takes_port() {
            return self.give_up(number, now_ns);
        }
        let slot = &mut self.slots[number];
        slot.state = state;
        slot.is_connected = false;
        slot.connect_ns = now_ns;
        slot.if_late = None;
        Next::Connect
    }

    /// False if the plan gives local ports and none is left.
    fn takes_port(&mut self) -> bool {
        match &mut self.local_ports {
            None => true,
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
        }
    }

    /// The step of what has a connection now. `is_older`: the connection was there before.
    pub(super) fn has_connection(&mut self, number: usize, is_older: bool, now_ns: u64) -> Next {
        let slot = &mut self.slots[number];
        slot.is_connected = true;
        slot.is_reused = is_older || slot.state == State::Opening;
        slot.is_kept = false;
        slot.answers_before = slot.answers;
        slot.left_on_socket = self.socket_limit;
        if self.set_up.is_some() {
            return self.begin_set_up(number, now_ns);
        }
        let slot = &mut self.slots[number];
        if slot.state == State::Opening {
            return self.free(number, now_ns);
        }
        if let Some(next) = self.drop_late(number, now_ns) {
            return next;
        }
        self.slots[number].state = State::Requesting;
        Next::Send
    }

    /// No local port is left: the request has failed, and the connection is not opened again. wrk does the same:
    /// it counts the error, and nothing makes it try again.
    #[cold]
    fn give_up(&mut self, number: usize, now_ns: u64) -> Next {
        self.take_up_step(number);
        let slot = &mut self.slots[number];
        slot.is_connected = false;
        let request = slot.current.request;
        let explanation = b"no local port is left of those that the plan gives";
        self.record.examples.add(ErrorKind::Connect, None, explanation, now_ns);
        self.request_failed(number, request, ErrorKind::Connect, now_ns);
        self.rest(number)
    }
}
