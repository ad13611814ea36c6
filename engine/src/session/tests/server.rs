//! A server and a network on a virtual clock.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::*;
use crate::dataset::mix;
use crate::driver::Failure;

/// What a server does with a request that comes at this time.
pub(super) enum Reaction {
    /// The answer's bytes are there at this time.
    Answer(u64),
    /// These bytes are there at this time; they are the last ones, or not.
    AnswerWith(u64, Vec<u8>, bool),
    /// The connection is reset at this time.
    Reset(u64),
}

/// A request as the server sees it.
pub(super) struct Asked<'a> {
    pub connection: usize,
    /// Which of the connection's sockets this is, from 1.
    pub socket: u64,
    pub text: &'a str,
    pub now_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Connected,
    Refused,
    Answered,
    Reset,
}

/// When, in which order, on which connection, and on which of its sockets something happens.
type Planned = (u64, u64, usize, u64, Event);

/// Drives a session as a driver would, with sockets that take no time.
pub(super) struct World<'r, C> {
    conversation: C,
    react: Box<dyn FnMut(Asked<'_>) -> Reaction + 'r>,
    network: Network,
    /// By connection: which of its sockets this is.
    sockets: Vec<u64>,
    events: BinaryHeap<Reverse<Planned>>,
    /// By the event's place in the order.
    answers: HashMap<u64, (Vec<u8>, bool)>,
    order: u64,
    pub connects: u64,
}

/// A conversation whose session the tests look into.
pub(super) trait Open: Conversation<Outcome = Ended> {
    fn inside(&self) -> &Session;
}

impl Open for Session {
    fn inside(&self) -> &Session {
        self
    }
}

impl Open for PipelinedConversation {
    fn inside(&self) -> &Session {
        self.session()
    }
}

/// The network between a session and its server.
#[derive(Clone, Copy, Default)]
pub(super) struct Network {
    pub connect_ns: u64,
    pub refuses: bool,
    /// Whatever happens is looked at less than so long after it did; 0: at once.
    pub late_ns: u64,
}

/// Runs a session, with pipelines around it if it has such, to its end, at the latest to `until_ns`.
pub(super) fn run<'r>(
    setup: Setup,
    network: Network,
    react: impl FnMut(Asked<'_>) -> Reaction + 'r,
    until_ns: u64,
) -> Ended {
    if setup.pipeline > 1 {
        World { network, ..World::serving(setup.pipelined(), react) }.run(until_ns)
    } else {
        World { network, ..World::serving(setup.session(), react) }.run(until_ns)
    }
}

impl<'r, C: Open> World<'r, C> {
    pub(super) fn new(conversation: C, mut react: impl FnMut(u64) -> Reaction + 'r) -> World<'r, C> {
        World::serving(conversation, move |asked| react(asked.now_ns))
    }

    pub(super) fn serving(conversation: C, react: impl FnMut(Asked<'_>) -> Reaction + 'r) -> World<'r, C> {
        World {
            sockets: vec![0; conversation.connections()],
            conversation,
            react: Box::new(react),
            network: Network::default(),
            events: BinaryHeap::new(),
            answers: HashMap::new(),
            order: 0,
            connects: 0,
        }
    }

    pub(super) fn connecting_in(mut self, connect_ns: u64) -> World<'r, C> {
        self.network.connect_ns = connect_ns;
        self
    }

    pub(super) fn refusing(mut self) -> World<'r, C> {
        self.network.refuses = true;
        self
    }

    /// Runs to the session's end, at the latest to `until_ns`.
    pub(super) fn run(mut self, until_ns: u64) -> Ended {
        for number in 0..self.conversation.connections() {
            let next = self.conversation.start(number, 0);
            self.perform(number, next, 0);
        }
        let (mut now_ns, mut under_way_ns) = (0, 0);
        while self.conversation.phase() != Phase::Over && now_ns < until_ns {
            let event_ns = self.events.peek().map_or(u64::MAX, |Reverse(event)| event.0);
            let since_ns = now_ns;
            now_ns = now_ns.max(event_ns.min(self.conversation.wake_ns()));
            now_ns = now_ns.saturating_add(mix(now_ns) % self.network.late_ns.max(1)).min(until_ns);
            under_way_ns += self.under_way_ns(since_ns, now_ns);
            self.conversation.advance(now_ns);
            while let Some((number, next)) = self.conversation.due(now_ns) {
                self.perform(number, next, now_ns);
            }
            while self.events.peek().is_some_and(|Reverse(event)| event.0 <= now_ns) {
                let Some(Reverse((_, order, number, socket, event))) = self.events.pop() else { break };
                if socket == self.sockets[number] {
                    self.happen(number, event, order, now_ns);
                }
            }
        }
        // With setup requests, a closed load's request begins when its connection is ready. Who looks late sees an arrival
        // behind its intended start.
        let begins_at_once = self.conversation.inside().set_up.is_none() && self.network.late_ns == 0;
        let ended = self.conversation.conclude(now_ns);
        if begins_at_once {
            assert_eq!(ended.record.under_way.within_ns(), under_way_ns, "Little's law is an identity");
        }
        ended
    }

    /// The requests under way between two moments at which something happens, times the part of it in the window.
    fn under_way_ns(&self, since_ns: u64, now_ns: u64) -> u128 {
        let Timeline { opens_ns, closes_ns, .. } = self.conversation.inside().timeline;
        let within = since_ns.max(opens_ns)..now_ns.min(closes_ns.unwrap_or(u64::MAX));
        let length_ns = within.end.saturating_sub(within.start);
        u128::from(length_ns) * u128::from(self.conversation.inside().quota.under_way())
    }

    fn happen(&mut self, number: usize, event: Event, order: u64, now_ns: u64) {
        let next = match event {
            Event::Connected => self.conversation.connected(number, now_ns),
            Event::Refused => {
                let failure = Failure { kind: ErrorKind::Refused, explanation: "".into(), cause: None };
                self.conversation.connect_failed(number, failure, now_ns)
            }
            Event::Answered => {
                let (bytes, closes) = self.answers.remove(&order).unwrap_or_else(|| (ANSWER.to_vec(), false));
                self.conversation.received(number, &bytes, closes, now_ns)
            }
            Event::Reset => self.conversation.broken(number, ErrorKind::Reset, now_ns),
        };
        self.perform(number, next, now_ns);
    }

    fn perform(&mut self, number: usize, next: Next, now_ns: u64) {
        match next {
            Next::Wait => {}
            Next::Close => self.sockets[number] += 1,
            Next::Connect => {
                self.sockets[number] += 1;
                self.connects += 1;
                let event = if self.network.refuses { Event::Refused } else { Event::Connected };
                self.plan(now_ns + self.network.connect_ns, number, event);
            }
            Next::Send => {
                let text = String::from_utf8(self.conversation.to_send(number).to_vec()).unwrap();
                let requests = text.matches("\r\n\r\n").count();
                self.conversation.handed_over(number, text.len(), now_ns);
                for _ in 0..requests {
                    let socket = self.sockets[number];
                    match (self.react)(Asked { connection: number, socket, text: &text, now_ns }) {
                        Reaction::Answer(at_ns) => self.plan(at_ns, number, Event::Answered),
                        Reaction::AnswerWith(at_ns, bytes, closes) => {
                            self.plan(at_ns, number, Event::Answered);
                            self.answers.insert(self.order, (bytes, closes));
                        }
                        Reaction::Reset(at_ns) => self.plan(at_ns, number, Event::Reset),
                    }
                }
            }
        }
    }

    fn plan(&mut self, at_ns: u64, number: usize, event: Event) {
        self.order += 1;
        self.events.push(Reverse((at_ns, self.order, number, self.sockets[number], event)));
    }
}
