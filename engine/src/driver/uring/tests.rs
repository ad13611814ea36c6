//! Rings that are far too small, by every kind of work that this kernel knows.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use rustix::net::addr::SocketAddrArg;

use super::setup::{Sizes, WORK, Work, build};
use super::*;
use crate::record::ErrorKind;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 50;

/// Few completions beside the connections that complete together.
const TINY: Sizes = Sizes { submissions: 4, completions: 8 };

/// Tiny rings, none where io_uring is not to be had.
fn tiny_rings() -> impl Iterator<Item = (Work, IoUring)> {
    let can = probe(1).inspect_err(|error| println!("skipped: no io_uring here: {error}")).is_ok();
    let made = WORK.into_iter().filter_map(|work| Some((work, build(work, TINY).ok()?)));
    made.filter(move |_| can)
}

#[test]
fn completions_beyond_the_ring_are_kept_and_taken() {
    for (work, mut io_uring) in tiny_rings() {
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 1)).as_any();
        let buffers = Buffers::for_connections(CONNECTIONS);
        let mut ring = Ring::new(&mut io_uring, CONNECTIONS as u32, buffers, &nowhere).unwrap();
        let mut peers = Vec::new();
        for number in 0..CONNECTIONS as u32 {
            let (ours, theirs) = UnixStream::pair().unwrap();
            ring.install(number, &ours.into()).unwrap();
            ring.receive(Tag { operation: Operation::Receive, generation: 0, number });
            peers.push(theirs);
        }
        ring.enter(0).unwrap();
        for (number, peer) in peers.iter_mut().enumerate() {
            peer.write_all(&[number as u8]).unwrap();
        }
        let mut numbers = HashSet::new();
        let mut has_overflown = false;
        let patience_ns = now_ns() + 20_000_000_000;
        while numbers.len() < CONNECTIONS {
            assert!(now_ns() < patience_ns, "{work:?}: only {numbers:?} came");
            ring.enter(10_000_000).unwrap();
            has_overflown |= ring.has_overflown();
            while let Some(Completion { tag, result, filled, .. }) = ring.next_completion() {
                let filled = filled.unwrap();
                assert_eq!((result, ring.bytes(&filled)), (Ok(1), &[tag.number as u8][..]));
                ring.recycle(filled);
                assert!(numbers.insert(tag.number), "{work:?}: {} came twice", tag.number);
            }
        }
        assert!(has_overflown, "{work:?}: the ring was not too small");
    }
}

/// On every connection one byte after the other, each when the last one was answered.
struct Rounds {
    /// By connection: bytes to send now, and answers that have come.
    unsent: Vec<usize>,
    answered: Vec<usize>,
}

impl Conversation for Rounds {
    type Outcome = Vec<usize>;

    fn connections(&self) -> usize {
        CONNECTIONS
    }

    fn phase(&self) -> Phase {
        let is_over = self.answered.iter().all(|&answered| answered == ROUNDS);
        if is_over { Phase::Over } else { Phase::Window }
    }

    fn wake_ns(&self) -> u64 {
        now_ns() + 1_000_000_000
    }

    fn is_paced(&self) -> bool {
        false
    }

    fn is_awaiting(&mut self) -> bool {
        true
    }

    fn advance(&mut self, _now_ns: u64) {}

    fn start(&mut self, _number: usize, _now_ns: u64) -> Next {
        Next::Connect
    }

    fn due(&mut self, _now_ns: u64) -> Option<(usize, Next)> {
        None
    }

    fn connected(&mut self, number: usize, _now_ns: u64) -> Next {
        self.unsent[number] = 1;
        Next::Send
    }

    fn connect_failed(&mut self, _number: usize, failure: ConnectFailure, _now_ns: u64) -> Next {
        panic!("{failure:?}");
    }

    fn to_send(&mut self, number: usize) -> &[u8] {
        &b"?"[..self.unsent[number]]
    }

    fn handed_over(&mut self, number: usize, bytes: usize, _at_ns: u64) {
        self.unsent[number] -= bytes;
    }

    fn received(&mut self, number: usize, bytes: &[u8], _peer_closes: bool, _now_ns: u64) -> Next {
        assert_eq!(bytes, b"!");
        self.answered[number] += 1;
        if self.answered[number] == ROUNDS {
            return Next::Wait;
        }
        self.unsent[number] = 1;
        Next::Send
    }

    fn peer_closed(&mut self, number: usize, _now_ns: u64) -> Next {
        assert_eq!(self.answered[number], ROUNDS);
        Next::Close
    }

    fn broken(&mut self, _number: usize, kind: ErrorKind, _now_ns: u64) -> Next {
        panic!("the connection broke: {kind:?}");
    }

    fn conclude(self, _now_ns: u64) -> Vec<usize> {
        self.answered
    }
}

/// Answers all connections at once, when all have asked.
fn answer_together(listener: &TcpListener) {
    let mut streams: Vec<TcpStream> =
        listener.incoming().take(CONNECTIONS).map(|stream| stream.unwrap()).collect();
    for stream in &streams {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
    }
    for _ in 0..ROUNDS {
        streams.iter_mut().for_each(|stream| stream.read_exact(&mut [0]).unwrap());
        streams.iter_mut().for_each(|stream| stream.write_all(b"!").unwrap());
    }
}

#[test]
fn a_run_in_a_tiny_ring_loses_nothing() {
    for ((work, io_uring), wait) in tiny_rings().zip([Wait::Sleep, Wait::Awake].into_iter().cycle()) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
        let server = thread::spawn(move || answer_together(&listener));
        let conversation = Rounds { unsent: vec![0; CONNECTIONS], answered: vec![0; CONNECTIONS] };
        let stop = StopLine::new().unwrap();
        let (answered, _) = run_in(io_uring, conversation, &endpoint, &stop, wait).unwrap();
        server.join().unwrap();
        assert_eq!(answered, vec![ROUNDS; CONNECTIONS], "{work:?}, {wait:?}");
    }
}
