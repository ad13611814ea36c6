//! What a path does to datagrams: they are late, lost, there twice, and some are nobody's.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use quinn_proto::{Connection, StreamId};
use serde_json::json;

use super::peer::{Behaviour, HONEST, serve};
use super::{HEAD, hello, plan, says};
use crate::common::Summary;

/// What happens to each datagram, whichever way it goes.
#[derive(Clone, Copy)]
struct Path {
    delay: Duration,
    /// Of so many, one is lost; 0: none is.
    one_lost_of: usize,
    /// Each comes twice, and one that is nobody's behind it.
    twice: bool,
}

/// One way of a path, which ends with its sender.
struct Way {
    path: Path,
    seen: usize,
    lost: Arc<AtomicUsize>,
    under_way: Sender<(Instant, Vec<u8>)>,
}

impl Way {
    fn new(path: Path, lost: &Arc<AtomicUsize>, send: impl Fn(&[u8]) + Send + 'static) -> Way {
        let (under_way, comes) = channel::<(Instant, Vec<u8>)>();
        thread::spawn(move || {
            for (due, bytes) in comes {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                send(&bytes);
                if path.twice {
                    send(&bytes);
                    let nobodys: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x55).collect();
                    send(&nobodys);
                }
            }
        });
        Way { path, seen: 0, lost: Arc::clone(lost), under_way }
    }

    fn carry(&mut self, bytes: &[u8]) {
        self.seen += 1;
        if self.path.one_lost_of > 0 && self.seen.is_multiple_of(self.path.one_lost_of) {
            self.lost.fetch_add(1, Relaxed);
        } else {
            let _ = self.under_way.send((Instant::now() + self.path.delay, bytes.to_vec()));
        }
    }
}

/// A path to a server: its address, and how many datagrams it has lost.
fn path_to(server: SocketAddr, path: Path) -> (SocketAddr, Arc<AtomicUsize>) {
    let front = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
    let (address, lost) = (front.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&lost);
    thread::spawn(move || {
        let mut ways: HashMap<SocketAddr, Way> = HashMap::new();
        let mut bytes = [0; 2048];
        while let Ok((length, from)) = front.recv_from(&mut bytes) {
            let there = ways.entry(from).or_insert_with(|| {
                let back = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
                back.connect(server).unwrap();
                let (answers, front) = (Arc::clone(&back), Arc::clone(&front));
                let mut here = Way::new(path, &counted, move |bytes| {
                    let _ = front.send_to(bytes, from);
                });
                thread::spawn(move || {
                    let mut bytes = [0; 2048];
                    while let Ok(length) = answers.recv(&mut bytes) {
                        here.carry(&bytes[..length]);
                    }
                });
                Way::new(path, &counted, move |bytes| {
                    let _ = back.send(bytes);
                })
            });
            there.carry(&bytes[..length]);
        }
    });
    (address, lost)
}

const REQUESTS: u64 = 1_000;

/// Runs a load over a path, and gives how often the server was asked as well.
fn over(path: Path, answers: fn(&mut Connection, StreamId, usize) -> bool) -> (Summary, usize) {
    let (address, lost) = path_to(serve(Behaviour { answers, ..HONEST }), path);
    let load = plan(address, 5).requests(REQUESTS).with("timeout_seconds", json!(30));
    let summary = load.run();
    summary.assert_books_balance();
    assert_eq!(
        (summary.count("verified"), summary.errors()),
        (REQUESTS, vec![]),
        "{}",
        summary.0["examples"]
    );
    assert_eq!(summary.0["mix"][0]["sent"].as_u64(), Some(REQUESTS));
    (summary, lost.load(Relaxed))
}

#[test]
fn what_is_lost_is_late_and_no_answer_is_lost_or_counted_twice() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let answers: fn(&mut Connection, StreamId, usize) -> bool = |connection, id, _| {
        ASKED.fetch_add(1, Relaxed);
        says(connection, id, &hello(HEAD));
        false
    };
    let far = Path { delay: Duration::from_millis(10), one_lost_of: 0, twice: false };
    let (whole, lost) = over(far, answers);
    assert_eq!((lost, ASKED.swap(0, Relaxed) as u64), (0, REQUESTS));
    let (lossy, lost) = over(Path { one_lost_of: 100, ..far }, answers);
    assert_eq!(ASKED.load(Relaxed) as u64, REQUESTS);
    assert!(lost >= 3, "{lost}");
    let seconds = |summary: &Summary, key: &str| summary.0["response_time"][key].as_f64().unwrap();
    // There and back takes 20 ms at least. What is lost is sent again only when that is noticed: once more as long.
    assert!(seconds(&whole, "min_seconds") >= 0.020 && seconds(&lossy, "min_seconds") >= 0.020);
    assert!(seconds(&lossy, "max_seconds") >= 0.040, "{}", seconds(&lossy, "max_seconds"));
}

#[test]
fn datagrams_that_come_twice_and_such_as_are_nobodys_change_nothing() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let path = Path { delay: Duration::ZERO, one_lost_of: 0, twice: true };
    over(path, |connection, id, _| {
        ASKED.fetch_add(1, Relaxed);
        says(connection, id, &hello(HEAD));
        false
    });
    assert_eq!(ASKED.load(Relaxed) as u64, REQUESTS);
}
