//! How connections end while lanes want something of them.

use super::connection::State;
use super::conversation::MultiplexConversation;
use super::failure;
use super::multiplex::Multiplex;
use crate::driver::{Conversation, Failure};
use crate::record::ErrorKind;

impl<M: Multiplex> MultiplexConversation<M> {
    /// No more streams may be opened on a connection. Its link asks on another one, which is opened ahead if the server
    /// has answered on this one: else it may end the next one as soon, without having been asked anything.
    pub(super) fn retire(&mut self, number: usize, now_ns: u64) {
        let connection = &mut self.connections[number];
        connection.state = State::Draining;
        let (has_answered, asking) = (connection.has_answered, std::mem::take(&mut connection.asking));
        let (place, link) = (connection.link, &mut self.links[connection.link]);
        if link.current == number
            && let Some(successor) = self.spare.pop()
        {
            link.current = successor;
            self.connections[successor].link = place;
            self.connections[successor].is_ahead = has_answered;
        }
        for lane in asking {
            self.ask_again(lane, number, &failure::closed(), now_ns);
        }
    }

    /// The connection is of no more use.
    pub(super) fn lose(&mut self, number: usize, failure: &Failure, now_ns: u64) {
        let connection = &self.connections[number];
        let (place, state, is_asked) = (connection.link, connection.state, connection.open_streams > 0);
        let kind = self.kind_at_end(number, failure);
        let connection = &mut self.connections[number];
        let was_ready = matches!(state, State::Open | State::Draining | State::Broken);
        connection.forget_socket();
        let link = &mut self.links[place];
        let is_current = link.current == number;
        // What waits behind a connection that was ready has seen nothing of it, and waits for the next one.
        let waiting = if is_current && !was_ready { std::mem::take(&mut link.waiting) } else { Vec::new() };
        if !is_current {
            self.spare.push(number);
        }
        if was_ready && is_asked && kind != ErrorKind::UnannouncedClose {
            self.session.explain(failure, now_ns);
        }
        for lane in self.lanes_of(place) {
            let stream = self.streams[lane].take_if(|stream| stream.connection == number);
            let is_on_another = self.streams[lane].is_some() || self.links[place].waiting.contains(&lane);
            if stream.is_none() && (!is_current || is_on_another) {
                continue;
            }
            let next = if waiting.contains(&lane) {
                self.session.connect_failed(lane, failure.clone(), now_ns)
            } else {
                self.session.lane_lost(lane, kind, now_ns)
            };
            self.follow(lane, next, now_ns);
        }
    }

    /// A lane's request has timed out: if all of its connection was silent, another one is needed.
    pub(super) fn replace_if_silent(&mut self, number: usize, was_asked: bool, now_ns: u64) {
        let connection = &mut self.connections[number];
        let timeout_ns = self.session.timeout_ns();
        match connection.state {
            State::Connecting | State::Greeting if now_ns >= connection.connects_ns + timeout_ns => {
                // Those that wait for it have deadlines of their own.
                connection.forget_socket();
            }
            State::Open | State::Draining if was_asked && now_ns >= connection.heard_ns + timeout_ns => {
                let silence = "nothing came on the connection within the timeout";
                self.lose(number, &failure::failure(ErrorKind::Timeout, silence), now_ns);
            }
            _ => {}
        }
    }
}
