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
    let endpoint = Endpoint::Tcp(listener.local_addr().unwrap());
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
    let (lags_ns, _) = driver.run(conversation, &endpoint, &StopLine::new().unwrap(), Wait::Sleep).unwrap();
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
