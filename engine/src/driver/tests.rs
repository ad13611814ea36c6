//! Drivers with real sockets and a conversation that is no HTTP.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::*;
use crate::clock::now_ns;
use crate::endpoint::Endpoint;
use crate::plan::DriverChoice;
use crate::record::ErrorKind;
use crate::schedule::Phase;
use crate::wait::Wait;

/// Sends messages on one connection, each at its time, whether or not the peer takes them.
struct Flood {
    /// Of message n every byte is n.
    message: Vec<u8>,
    left: usize,
    messages: usize,
    /// When the first message is due, and how far apart they are.
    begins_ns: u64,
    every_ns: u64,
    due: usize,
    is_connected: bool,
    /// The peer has said that it has read all.
    is_read: bool,
    lags_ns: Vec<u64>,
}

impl Flood {
    fn sent(&self) -> usize {
        self.lags_ns.len()
    }

    fn due_at(&self, message: usize) -> u64 {
        self.begins_ns + message as u64 * self.every_ns
    }
}

impl Conversation for Flood {
    type Outcome = Vec<u64>;

    fn connections(&self) -> usize {
        1
    }

    fn phase(&self) -> Phase {
        if self.is_read { Phase::Over } else { Phase::Window }
    }

    fn wake_ns(&self) -> u64 {
        if self.is_connected && self.due < self.messages {
            self.due_at(self.due)
        } else {
            now_ns() + 1_000_000_000
        }
    }

    fn is_paced(&self) -> bool {
        true
    }

    fn is_awaiting(&mut self) -> bool {
        !self.is_read
    }

    fn advance(&mut self, _now_ns: u64) {}

    fn start(&mut self, _number: usize, _now_ns: u64) -> Next {
        Next::Connect
    }

    fn due(&mut self, now_ns: u64) -> Option<(usize, Next)> {
        if !self.is_connected || self.due == self.messages || now_ns < self.due_at(self.due) {
            return None;
        }
        self.due += 1;
        Some((0, Next::Send))
    }

    fn connected(&mut self, _number: usize, now_ns: u64) -> Next {
        self.is_connected = true;
        self.begins_ns = now_ns + 1_000_000;
        Next::Wait
    }

    fn connect_failed(&mut self, _number: usize, failure: Failure, _now_ns: u64) -> Next {
        panic!("{failure:?}");
    }

    fn to_send(&mut self, _number: usize) -> &[u8] {
        if self.left == 0 && self.sent() < self.due {
            self.left = self.message.len();
            self.message.fill(self.lags_ns.len() as u8);
        }
        &self.message[self.message.len() - self.left..]
    }

    fn handed_over(&mut self, _number: usize, bytes: usize, at_ns: u64) {
        if self.left == self.message.len() {
            self.lags_ns.push(at_ns - self.due_at(self.sent()));
        }
        self.left -= bytes;
    }

    fn received(&mut self, _number: usize, _bytes: &[u8], _peer_closes: bool, _now_ns: u64) -> Next {
        self.is_read = true;
        Next::Close
    }

    fn peer_closed(&mut self, _number: usize, _now_ns: u64) -> Next {
        panic!("the peer has closed");
    }

    fn broken(&mut self, _number: usize, kind: ErrorKind, _now_ns: u64) -> Next {
        panic!("the connection broke: {kind:?}");
    }

    fn conclude(self, _now_ns: u64) -> Vec<u64> {
        self.lags_ns
    }
}

/// Sends that many messages of that many bytes to a peer that reads after a pause; gives by how much each was late,
/// and what was read.
fn flood(
    driver: Driver,
    messages: usize,
    bytes: usize,
    every_ns: u64,
    pause: Duration,
) -> (Vec<u64>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = Endpoint::from(listener.local_addr().unwrap());
    let server: JoinHandle<Vec<u8>> = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        thread::sleep(pause);
        let mut received = vec![0; messages * bytes];
        stream.read_exact(&mut received).unwrap();
        stream.write_all(b"!").unwrap();
        received
    });
    let conversation = Flood {
        message: vec![0; bytes],
        left: 0,
        messages,
        begins_ns: now_ns(),
        every_ns,
        due: 0,
        is_connected: false,
        is_read: false,
        lags_ns: Vec::new(),
    };
    let (lags_ns, _) = driver
        .run(conversation, &endpoint, &StopLine::new().unwrap(), Wait::Sleep, &mut Kept::default())
        .unwrap();
    (lags_ns, server.join().unwrap())
}

fn drivers() -> impl Iterator<Item = Driver> {
    let best = choose(DriverChoice::Auto, 1, 0).unwrap().0;
    [Driver::Epoll].into_iter().chain((best != Driver::Epoll).then_some(best))
}

#[test]
fn messages_that_find_the_socket_full_arrive_whole_and_in_order() {
    const MESSAGES: usize = 1000;
    for driver in drivers() {
        // Both ways of sending: at once, and patiently.
        for bytes in [10_000, 20_000] {
            // While the peer pauses, they pile up.
            let (_, received) = flood(driver, MESSAGES, bytes, 1000, Duration::from_millis(100));
            let message = |number: usize| &received[number * bytes..][..bytes];
            let mixed =
                (0..MESSAGES).find(|&number| message(number).iter().any(|&byte| byte != number as u8));
            assert_eq!(mixed, None, "{driver:?}, {bytes}");
        }
    }
}

/// How late they leave is the machine's affair here, and the benches'.
#[test]
fn paced_messages_all_leave() {
    for driver in drivers() {
        let (lags_ns, received) = flood(driver, 4000, 100, 50_000, Duration::ZERO);
        assert_eq!((lags_ns.len(), received.len()), (4000, 400_000), "{driver:?}");
    }
}

/// Connections that keep the thread busy for a millisecond when they start, and then do nothing. The window is open from
/// the beginning.
struct SlowStarts {
    connections: usize,
    ends_ns: u64,
    now_ns: u64,
    started: usize,
}

impl Conversation for SlowStarts {
    type Outcome = usize;

    fn connections(&self) -> usize {
        self.connections
    }

    fn phase(&self) -> Phase {
        if self.now_ns >= self.ends_ns { Phase::Over } else { Phase::Window }
    }

    fn wake_ns(&self) -> u64 {
        self.ends_ns
    }

    fn is_paced(&self) -> bool {
        false
    }

    fn is_awaiting(&mut self) -> bool {
        false
    }

    fn advance(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }

    fn start(&mut self, number: usize, now_ns: u64) -> Next {
        assert_eq!(number, self.started);
        self.started += 1;
        while crate::clock::now_ns() < now_ns + 1_000_000 {}
        Next::Wait
    }

    fn due(&mut self, _now_ns: u64) -> Option<(usize, Next)> {
        None
    }

    fn connected(&mut self, _number: usize, _now_ns: u64) -> Next {
        unreachable!()
    }

    fn connect_failed(&mut self, _number: usize, _failure: Failure, _now_ns: u64) -> Next {
        unreachable!()
    }

    fn to_send(&mut self, _number: usize) -> &[u8] {
        &[]
    }

    fn handed_over(&mut self, _number: usize, _bytes: usize, _at_ns: u64) {}

    fn received(&mut self, _number: usize, _bytes: &[u8], _peer_closes: bool, _now_ns: u64) -> Next {
        unreachable!()
    }

    fn peer_closed(&mut self, _number: usize, _now_ns: u64) -> Next {
        unreachable!()
    }

    fn broken(&mut self, _number: usize, _kind: ErrorKind, _now_ns: u64) -> Next {
        unreachable!()
    }

    fn conclude(self, _now_ns: u64) -> usize {
        self.started
    }
}

/// Runs 20 s worth of slow starts until their window ends or the line is pulled. Gives how many there were, the thread's
/// use and the seconds that it took.
fn start_slowly(driver: Driver, window: Duration, stop: &StopLine) -> (usize, DriverUse, f64) {
    let began_ns = now_ns();
    let ends_ns = began_ns + window.as_nanos() as u64;
    let conversation = SlowStarts { connections: 20_000, ends_ns, now_ns: began_ns, started: 0 };
    let nowhere = Endpoint::Unix("/nowhere".into());
    let (started, used) =
        driver.run(conversation, &nowhere, stop, Wait::Sleep, &mut Kept::default()).unwrap();
    (started, used, (now_ns() - began_ns) as f64 / 1e9)
}

#[test]
fn the_windows_end_awaits_no_connection_that_has_not_started() {
    for driver in drivers() {
        let stop = StopLine::new().unwrap();
        let (started, used, seconds) = start_slowly(driver, Duration::from_millis(300), &stop);
        assert!((1..10_000).contains(&started) && seconds < 10.0, "{driver:?}: {started}, {seconds}");
        // The time that starts take is the thread's.
        assert!(used.cpu_ns as f64 > 0.05 * seconds * 1e9 && used.spinning_ns == 0, "{driver:?}: {used:?}");
    }
}

#[test]
fn the_stop_line_awaits_no_connection_that_has_not_started() {
    for driver in drivers() {
        let stop = StopLine::new().unwrap();
        let (started, seconds) = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                stop.pull();
            });
            let (started, _, seconds) = start_slowly(driver, Duration::from_secs(60), &stop);
            (started, seconds)
        });
        assert!((1..10_000).contains(&started) && seconds < 10.0, "{driver:?}: {started}, {seconds}");
    }
}
