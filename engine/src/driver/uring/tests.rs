//! Rings that are far too small, by every kind of work that this kernel knows.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use rustix::net::addr::SocketAddrArg;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

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
        let nowhere = [SocketAddr::from((Ipv4Addr::LOCALHOST, 1)).as_any()];
        let buffers = Buffers { count: CONNECTIONS as u16, bytes: 64 };
        let mut ring = Ring::new(&mut io_uring, CONNECTIONS as u32, buffers, nowhere.iter()).unwrap();
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

/// On every connection one request after the other, each when the last one was answered. A request is one byte, which
/// names the connection, and each byte of the answer depends on it and on its own place.
struct Rounds {
    answer_bytes: usize,
    /// By connection.
    names: Vec<u8>,
    /// By connection: bytes to send now, bytes of the current answer that have come, and whole answers.
    unsent: Vec<usize>,
    received: Vec<usize>,
    answered: Vec<usize>,
}

impl Rounds {
    fn of(answer_bytes: usize) -> Rounds {
        let names = (0..CONNECTIONS as u8).collect();
        let none = vec![0; CONNECTIONS];
        Rounds { answer_bytes, names, unsent: none.clone(), received: none.clone(), answered: none }
    }
}

/// What the connection of this name is answered, from this place on.
fn answer(name: u8, from: usize) -> impl Iterator<Item = u8> {
    (from..).map(move |place| name ^ (place % 251) as u8)
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

    fn connect_failed(&mut self, _number: usize, failure: Failure, _now_ns: u64) -> Next {
        panic!("{failure:?}");
    }

    fn to_send(&mut self, number: usize) -> &[u8] {
        &self.names[number..number + self.unsent[number]]
    }

    fn handed_over(&mut self, number: usize, bytes: usize, _at_ns: u64) {
        self.unsent[number] -= bytes;
    }

    fn received(&mut self, number: usize, bytes: &[u8], _peer_closes: bool, _now_ns: u64) -> Next {
        let is_next =
            bytes.iter().copied().eq(answer(self.names[number], self.received[number]).take(bytes.len()));
        assert!(is_next, "connection {number}: other bytes than those at {}", self.received[number]);
        self.received[number] += bytes.len();
        assert!(self.received[number] <= self.answer_bytes, "connection {number}: more than was sent");
        if self.received[number] < self.answer_bytes {
            return Next::Wait;
        }
        self.received[number] = 0;
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
fn answer_together(listener: &TcpListener, answer_bytes: usize) {
    let mut streams: Vec<TcpStream> =
        listener.incoming().take(CONNECTIONS).map(|stream| stream.unwrap()).collect();
    for stream in &streams {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
    }
    for _ in 0..ROUNDS {
        let mut names = vec![0; CONNECTIONS];
        for (stream, name) in streams.iter_mut().zip(&mut names) {
            stream.read_exact(std::slice::from_mut(name)).unwrap();
        }
        for (stream, &name) in streams.iter_mut().zip(&names) {
            let bytes: Vec<u8> = answer(name, 0).take(answer_bytes).collect();
            stream.write_all(&bytes).unwrap();
        }
    }
}

/// Whole answers by connection, and how often no buffer was left.
fn run_rounds(io_uring: IoUring, wait: Wait, buffers: Buffers, answer_bytes: usize) -> (Vec<usize>, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::from(listener.local_addr().unwrap());
    let server = thread::spawn(move || answer_together(&listener, answer_bytes));
    let stop = StopLine::new().unwrap();
    let before = ring::WITHOUT_BUFFER.get();
    let (answered, _) =
        run_in(io_uring, buffers, Rounds::of(answer_bytes), &endpoint, &stop, wait, &mut Kept::default())
            .unwrap();
    server.join().unwrap();
    (answered, ring::WITHOUT_BUFFER.get() - before)
}

#[test]
fn a_run_in_a_tiny_ring_loses_nothing() {
    for ((work, io_uring), wait) in tiny_rings().zip([Wait::Sleep, Wait::Awake].into_iter().cycle()) {
        let (answered, without_buffer) = run_rounds(io_uring, wait, Buffers { count: 64, bytes: 64 }, 1);
        assert_eq!(answered, vec![ROUNDS; CONNECTIONS], "{work:?}, {wait:?}");
        assert_eq!(without_buffer, 0, "{work:?}: a buffer for each connection, and none was left");
    }
}

#[test]
fn a_run_with_too_few_buffers_loses_no_byte_and_stalls_no_connection() {
    for ((work, io_uring), wait) in tiny_rings().zip([Wait::Sleep, Wait::Awake].into_iter().cycle()) {
        let (answered, without_buffer) = run_rounds(io_uring, wait, Buffers { count: 2, bytes: 256 }, 5000);
        assert_eq!(answered, vec![ROUNDS; CONNECTIONS], "{work:?}, {wait:?}");
        assert!(
            without_buffer >= CONNECTIONS as u64,
            "{work:?}: only {without_buffer} times no buffer was left"
        );
    }
}

/// How many connections the longer of two ends has, at most as many as files may be open.
const MANY: u64 = 16_000;

/// Ends of the same number of connections; the fastest counts.
const ENDS: usize = 3;

/// Processor time of the end of a thread on whose connections answers are awaited, in nanoseconds. They share one socket.
fn end_ns(connections: usize) -> u64 {
    let mut kept = Kept::default();
    let mut io_uring = setup::create().unwrap();
    let endpoint = Endpoint::from(SocketAddr::from((Ipv4Addr::LOCALHOST, 1)));
    let peer = Peer::new(&endpoint).unwrap();
    let buffers = Buffers { count: 8, bytes: 64 };
    let mut ring = Ring::new(&mut io_uring, connections as u32, buffers, peer.addresses()).unwrap();
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let ours = ours.into();
    for number in 0..connections as u32 {
        ring.install(number, &ours).unwrap();
        ring.receive(Tag { operation: Operation::Receive, generation: 0, number });
    }
    ring.enter(0).unwrap();
    let mut conversation = Rounds::of(1);
    let awaiting = Connection { state: State::Open, is_receiving: true, ..Connection::default() };
    let mut driver = Driver {
        pace: Pace::new(&mut conversation, Wait::Sleep),
        conversation,
        peer,
        ring,
        connections: vec![awaiting; connections],
        starts: Starts::of(0),
        noted: Vec::new(),
        outbox: Outbox::new(connections),
        sockets: iter::repeat_with(|| None).take(connections).collect(),
        kept: &mut kept,
    };
    let processor_ns = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    };
    let before_ns = processor_ns();
    driver.end();
    drop(driver);
    drop(io_uring);
    processor_ns() - before_ns
}

#[test]
fn the_end_takes_no_longer_for_each_connection_if_there_are_more() {
    if probe(1).is_err() {
        println!("skipped: no io_uring here");
        return;
    }
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    let many = most.unwrap_or(MANY).min(MANY) as usize;
    let fastest_ns = |connections| (0..ENDS).map(|_| end_ns(connections)).min().unwrap();
    let (some_ns, many_ns) = (fastest_ns(many / 4), fastest_ns(many));
    // Four times as many: four times as long, and sixteen times where each is looked for past all others.
    assert!(many_ns < 8 * some_ns, "{many} connections: {many_ns} ns, a quarter of them: {some_ns} ns");
}
