//! A session with a pipeline, as its driver sees it.

use std::ops::Range;

use super::link::{Link, State};
use crate::driver::{Conversation, Failure, Next};
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::session::{Ended, Heard, Session};

/// A session whose lanes are the places in the pipelines of its connections: each has the same number.
#[derive(Debug)]
pub struct PipelinedConversation {
    session: Session,
    /// Lanes of a connection.
    lanes: usize,
    links: Vec<Link>,
}

impl PipelinedConversation {
    /// Puts pipelines around a session with so many `lanes` to a connection.
    pub fn new(session: Session, lanes: usize) -> PipelinedConversation {
        let mut links = Vec::new();
        links.resize_with(session.connections() / lanes, Link::default);
        PipelinedConversation { session, lanes, links }
    }

    #[cfg(test)]
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    fn lanes_of(&self, number: usize) -> Range<usize> {
        number * self.lanes..(number + 1) * self.lanes
    }

    /// Does what the session wants of a lane.
    #[inline]
    fn follow(&mut self, number: usize, lane: usize, first: Next, now_ns: u64) {
        let link = &mut self.links[number];
        let mut next = first;
        loop {
            next = match next {
                Next::Wait => return,
                Next::Close => return link.waiting.retain(|&other| other != lane),
                Next::Send if link.state == State::Open => {
                    return link.ask(lane, self.session.text(lane));
                }
                // The peer ends the connection, and was asked nothing yet.
                Next::Send => self.session.lane_lost(lane, ErrorKind::Closed, now_ns),
                Next::Connect if link.state == State::Open => self.session.joined(lane, true, now_ns),
                Next::Connect => {
                    link.waiting.retain(|&other| other != lane);
                    return link.waiting.push(lane);
                }
            }
        }
    }

    /// The connection is of no more use. `lane` knows it, and wants this; all else that was sent on it has failed.
    fn lose_beside(&mut self, number: usize, lane: usize, next: Next, kind: ErrorKind, now_ns: u64) {
        self.links[number].forget_socket();
        self.follow(number, lane, next, now_ns);
        self.lose(number, kind, now_ns);
    }

    /// The connection is of no more use: what was sent on it has failed.
    fn lose(&mut self, number: usize, kind: ErrorKind, now_ns: u64) {
        let link = &mut self.links[number];
        link.forget_socket();
        let waiting = std::mem::take(&mut link.waiting);
        for lane in self.lanes_of(number) {
            if !waiting.contains(&lane) {
                let next = self.session.lane_lost(lane, kind, now_ns);
                self.follow(number, lane, next, now_ns);
            }
        }
        self.links[number].waiting.extend(waiting);
    }

    /// The peer has ended the connection. `failure`: why, where that is known.
    fn lose_to_peer(&mut self, number: usize, kind: ErrorKind, failure: Option<&Failure>, now_ns: u64) {
        let link = &self.links[number];
        let first = link.in_order.front().map(|first| first.lane);
        let is_being_answered = first.is_some_and(|lane| self.session.is_being_answered(lane));
        if link.has_answered && !is_being_answered && kind.is_by_peer() {
            let kind = self.session.closed_between();
            return self.lose(number, kind, now_ns);
        }
        match (first, failure) {
            (Some(_), Some(failure)) => self.session.explain(failure, now_ns),
            (Some(lane), None) => self.session.explain_unfinished(lane, kind, now_ns),
            (None, _) => {}
        }
        self.lose(number, kind, now_ns);
    }

    /// Takes the answers in `bytes`, one after the other.
    fn take_answers(&mut self, number: usize, bytes: &[u8], now_ns: u64) {
        let mut input = bytes;
        while !input.is_empty() && self.session.phase() != Phase::Over {
            let link = &mut self.links[number];
            let Some(first) = link.in_order.front().copied() else {
                // Nothing was asked: any of the lanes, which all rest, may say so.
                self.session.unasked(number * self.lanes, input, now_ns);
                return self.lose(number, ErrorKind::Closed, now_ns);
            };
            let more_may_follow = link.is_second_begun();
            match self.session.answer_bytes(first.lane, &mut input, more_may_follow, now_ns) {
                Heard::Part => return,
                Heard::Answer { next, stays } => {
                    if !stays {
                        return self.lose_beside(number, first.lane, next, ErrorKind::Closed, now_ns);
                    }
                    link.first_is_answered();
                    self.follow(number, first.lane, next, now_ns);
                }
                Heard::Garbage(next) => {
                    return self.lose_beside(number, first.lane, next, ErrorKind::Protocol, now_ns);
                }
            }
        }
    }
}

impl Conversation for PipelinedConversation {
    type Outcome = Ended;

    fn connections(&self) -> usize {
        self.links.len()
    }

    fn most_body_bytes(&self) -> Option<u64> {
        self.session.most_body_bytes()
    }

    #[inline]
    fn phase(&self) -> Phase {
        self.session.phase()
    }

    #[inline]
    fn wake_ns(&self) -> u64 {
        self.session.wake_ns()
    }

    fn is_paced(&self) -> bool {
        self.session.is_paced()
    }

    #[inline]
    fn is_awaiting(&mut self) -> bool {
        self.session.is_awaiting()
    }

    #[inline]
    fn advance(&mut self, now_ns: u64) {
        self.session.advance(now_ns);
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        for lane in self.lanes_of(number) {
            let next = self.session.start(lane, now_ns);
            self.follow(number, lane, next, now_ns);
        }
        self.links[number].next(now_ns)
    }

    #[inline]
    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        let (lane, next) = self.session.due(now_ns)?;
        let number = lane / self.lanes;
        let timeout_ns = self.session.timeout_ns();
        let link = &mut self.links[number];
        if link.in_order.iter().any(|asked| asked.lane == lane) {
            // It is awaited no longer, and the answers behind its own cannot come before it.
            self.lose_beside(number, lane, next, ErrorKind::Timeout, now_ns);
        } else {
            if link.state == State::Connecting && now_ns >= link.connects_ns + timeout_ns {
                // Those that wait for it have deadlines of their own.
                link.forget_socket();
            }
            self.follow(number, lane, next, now_ns);
        }
        Some((number, self.links[number].next(now_ns)))
    }

    fn connected(&mut self, number: usize, now_ns: u64) -> Next {
        self.links[number].state = State::Open;
        for (place, lane) in std::mem::take(&mut self.links[number].waiting).into_iter().enumerate() {
            let next = match place {
                0 => self.session.connected(lane, now_ns),
                _ => self.session.joined(lane, false, now_ns),
            };
            self.follow(number, lane, next, now_ns);
        }
        self.links[number].next(now_ns)
    }

    fn connect_failed(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        let link = &mut self.links[number];
        link.forget_socket();
        for lane in std::mem::take(&mut link.waiting) {
            let next = self.session.connect_failed(lane, failure.clone(), now_ns);
            self.follow(number, lane, next, now_ns);
        }
        self.links[number].next(now_ns)
    }

    #[inline]
    fn to_send(&mut self, number: usize) -> &[u8] {
        self.links[number].to_send()
    }

    #[inline]
    fn handed_over(&mut self, number: usize, bytes: usize, at_ns: u64) {
        self.session.count_bytes(bytes, 0);
        self.links[number]
            .handed_over(bytes, |lane, of_request| self.session.has_sent(lane, of_request, at_ns));
    }

    #[inline]
    fn received(&mut self, number: usize, bytes: &[u8], peer_closes: bool, now_ns: u64) -> Next {
        self.session.advance(now_ns);
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        self.session.count_bytes(0, bytes.len());
        if peer_closes {
            self.links[number].state = State::Ending;
        }
        self.take_answers(number, bytes, now_ns);
        if self.session.phase() == Phase::Over {
            return Next::Close;
        }
        let link = &self.links[number];
        // Answers that are missing do not come any more; the end of what can be read will say so.
        if link.state == State::Ending && link.in_order.is_empty() {
            self.lose_to_peer(number, ErrorKind::Closed, None, now_ns);
        }
        self.links[number].next(now_ns)
    }

    fn peer_closed(&mut self, number: usize, now_ns: u64) -> Next {
        let first = self.links[number].in_order.front().copied();
        match first.and_then(|first| Some((first.lane, self.session.whole_at_close(first.lane, now_ns)?))) {
            Some((lane, next)) => self.lose_beside(number, lane, next, ErrorKind::Closed, now_ns),
            None => self.lose_to_peer(number, ErrorKind::Closed, None, now_ns),
        }
        self.links[number].next(now_ns)
    }

    fn broken(&mut self, number: usize, kind: ErrorKind, now_ns: u64) -> Next {
        self.lose_to_peer(number, kind, None, now_ns);
        self.links[number].next(now_ns)
    }

    fn broken_because(&mut self, number: usize, failure: Failure, now_ns: u64) -> Next {
        self.lose_to_peer(number, failure.kind, Some(&failure), now_ns);
        self.links[number].next(now_ns)
    }

    fn awaits(&mut self, number: usize, failure: Option<fn() -> Failure>) {
        self.lanes_of(number).for_each(|lane| self.session.awaits(lane, failure));
    }

    fn conclude(self, now_ns: u64) -> Ended {
        self.session.conclude(now_ns)
    }
}
