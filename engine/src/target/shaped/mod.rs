//! The target with delays, faults and stalls, and its own account of them.

mod answers;
mod peer;
mod shape;
mod transport;

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;

use answers::Answers;
use peer::Peer;
use shape::Shape;
use transport::Transport;

use super::answer::AnswerSpec;
use super::faults::{Fate, FaultCounts, Faults};
use super::plain::READ_BUFFER_BYTES;
use super::request::RequestReader;
use super::serve::{PeerState, Service};
use crate::clock::now_ns;
use crate::delay::Draws;
use crate::record::Distribution;
use crate::timers::Timers;
use crate::tls::ServerTls;

/// What becomes of a request: a pure function of the seed and the request's number.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    delay_ns: u64,
    fate: Fate,
    shape: Shape,
}

/// Of so many milliseconds the account of answers is kept at most.
const ACCOUNTED_MS: usize = 60_000;
const NS_PER_MS: u64 = 1_000_000;

/// What a shaped target did.
pub(super) struct Tally {
    /// Answers handed to the kernel whole.
    pub served: u64,
    pub faults: FaultCounts,
    /// From a request complete in hand to its answer handed to the kernel.
    pub delay: Distribution,
    /// How many answers were handed over in each millisecond since the start, a minute at most; `None` without stalls.
    pub answers_each_ms: Option<Vec<u32>>,
    starts_ns: u64,
}

impl Tally {
    fn new(faults: &Faults, starts_ns: u64) -> Tally {
        Tally {
            served: 0,
            faults: FaultCounts::default(),
            delay: Distribution::new(),
            answers_each_ms: faults.stalls.map(|_| Vec::new()),
            starts_ns,
        }
    }

    fn fault(&mut self, fate: Fate) {
        self.faults.add(fate);
    }

    fn answered(&mut self, complete_ns: u64, now_ns: u64) {
        self.served += 1;
        self.delay.record(now_ns - complete_ns);
        if let Some(counts) = &mut self.answers_each_ms {
            let millisecond = ((now_ns - self.starts_ns) / NS_PER_MS) as usize;
            if millisecond < ACCOUNTED_MS {
                if millisecond >= counts.len() {
                    counts.resize(millisecond + 1, 0);
                }
                counts[millisecond] += 1;
            }
        }
    }
}

/// What all connections share.
pub(super) struct Worker<'a> {
    faults: &'a Faults,
    tls: Option<&'a ServerTls>,
    /// Readable when the server is to end, so that a stall can be cut short.
    end: BorrowedFd<'a>,
    starts_ns: u64,
    /// Requests that were complete.
    requests: u64,
    answers: Answers,
    reader: RequestReader,
    buffer: Vec<u8>,
    timers: Timers,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        spec: AnswerSpec,
        faults: &'a Faults,
        tls: Option<&'a ServerTls>,
        end: BorrowedFd<'a>,
    ) -> Worker<'a> {
        let starts_ns = now_ns();
        Worker {
            faults,
            tls,
            end,
            starts_ns,
            requests: 0,
            answers: Answers::new(spec),
            reader: RequestReader::default(),
            buffer: vec![0; READ_BUFFER_BYTES],
            timers: Timers::default(),
            tally: Tally::new(faults, starts_ns),
        }
    }

    pub(super) fn into_tally(mut self) -> Tally {
        self.tally.faults.stalls =
            self.faults.stalls.map_or(0, |stalls| stalls.begun(now_ns() - self.starts_ns));
        self.tally
    }

    fn draw(faults: &Faults, request: u64, has_body: bool) -> Drawn {
        let draws = Draws::new(faults.seed, request);
        let fate = match faults.fate(draws) {
            Fate::CutBody | Fate::WrongLength if !has_body => Fate::Right,
            fate => fate,
        };
        let shape = match (fate, faults.slow_body_ns) {
            (Fate::Reset, _) => Shape::Reset,
            (Fate::CutBody, _) => Shape::Cut,
            (Fate::Pause40Ms, _) => Shape::Pause,
            (_, Some(length_ns)) => Shape::Slow(length_ns),
            _ => Shape::Whole,
        };
        Drawn { delay_ns: faults.delay.as_ref().map_or(0, |delay| delay.sample_ns(draws)), fate, shape }
    }

    /// All that a connection allows now.
    fn drive(&mut self, peer: &mut Peer) -> PeerState {
        loop {
            if peer.give_out(&mut self.answers, &mut self.tally) == PeerState::Ended {
                return PeerState::Ended;
            }
            if !peer.wants_input() {
                return PeerState::Open;
            }
            match peer.transport.read(&mut self.buffer) {
                Ok(0) => peer.end_input(),
                Ok(bytes) => {
                    let (faults, requests) = (self.faults, &mut self.requests);
                    let has_body = self.answers.have_body();
                    peer.take_in(&self.buffer[..bytes], &mut self.reader, || {
                        *requests += 1;
                        Worker::draw(faults, *requests - 1, has_body)
                    });
                }
                Err(Errno::AGAIN) => return PeerState::Open,
                Err(_) => return PeerState::Ended,
            }
        }
    }
}

impl Service for Worker<'_> {
    type Peer = Peer;

    fn open(&mut self, socket: OwnedFd) -> Option<Peer> {
        let tls = match self.tls {
            Some(tls) => Some(tls.accept().ok()?),
            None => None,
        };
        Some(Peer::new(Transport::new(socket, tls)))
    }

    fn handle(&mut self, number: usize, peer: &mut Peer, _: EventFlags) -> PeerState {
        let state = self.drive(peer);
        if state == PeerState::Open
            && let Some(at_ns) = peer.timer_to_set()
        {
            self.timers.add(at_ns, number);
        }
        state
    }

    fn before_event(&mut self) {
        if let Some(stalls) = self.faults.stalls {
            stalls.hold(self.starts_ns, self.end);
        }
    }

    fn wake_ns(&self) -> Option<u64> {
        self.timers.earliest_ns()
    }

    fn due(&mut self, now_ns: u64) -> Option<usize> {
        self.timers.due(now_ns)
    }
}
