//! An open load over HTTP/2 beside a server that leaves after 1,000 requests, as nginx does.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use h2::server::SendResponse;

use super::http2::{Peer, answer, arriving, conversation, sent};
use super::*;
use crate::http2::Http2Conversation;

/// Requests that a connection takes.
const MOST: usize = 1000;

/// One request in so many is slow.
const SLOW: usize = 200;

const STEP_NS: u64 = MS / 4;

/// It answers after a millisecond, and slow requests after 300.
#[derive(Default)]
struct Leaving {
    /// By the link's number: a connection's other end, and the requests that came on it.
    peers: BTreeMap<usize, (Peer, usize)>,
    /// Connections that will be open.
    connecting: VecDeque<(u64, usize)>,
    /// Answers, by when they are due and the connection's number.
    answers: Vec<(u64, usize, SendResponse<Bytes>)>,
    asked: usize,
}

impl Leaving {
    /// Does as the link's driver would.
    fn follow(&mut self, link: &mut Http2Conversation, number: usize, next: Next, now_ns: u64) {
        match next {
            Next::Connect => self.connecting.push_back((now_ns + MS, number)),
            Next::Close => {
                self.peers.remove(&number);
            }
            Next::Send => self.hears(number, &sent(link, number, now_ns), now_ns),
            Next::Wait => {}
        }
    }

    fn hears(&mut self, number: usize, bytes: &[u8], now_ns: u64) {
        let (peer, count) = self.peers.get_mut(&number).unwrap();
        for (_, respond) in peer.hears(bytes) {
            self.asked += 1;
            *count += 1;
            let takes_ns = if self.asked.is_multiple_of(SLOW) { 300 * MS } else { MS };
            self.answers.push((now_ns + takes_ns, number, respond));
            if *count == MOST {
                peer.leave();
            }
        }
    }

    /// All that happens at a time.
    fn turn(&mut self, link: &mut Http2Conversation, now_ns: u64) {
        while self.connecting.front().is_some_and(|&(at_ns, _)| at_ns <= now_ns) {
            let (_, number) = self.connecting.pop_front().unwrap();
            self.peers.insert(number, (Peer::new(), 0));
            let next = link.connected(number, now_ns);
            self.follow(link, number, next, now_ns);
        }
        for (_, _, mut respond) in self.answers.extract_if(.., |(at_ns, ..)| *at_ns <= now_ns) {
            answer(&mut respond, b"ok");
        }
        for number in self.peers.keys().copied().collect::<Vec<_>>() {
            while let Some((peer, _)) = self.peers.get_mut(&number) {
                let says = peer.says();
                if says.is_empty() {
                    break;
                }
                let next = link.received(number, &says, false, now_ns);
                self.follow(link, number, next, now_ns);
            }
        }
        while let Some((number, next)) = link.due(now_ns) {
            self.follow(link, number, next, now_ns);
        }
    }
}

#[test]
fn an_open_load_has_the_times_of_a_server_that_leaves() {
    let load = json!({"kind": "constant", "rate_per_second": 500.0, "connections": 1});
    let closes_ns = 6 * SECOND;
    let mut link = conversation(Setup { lanes: 10, closes_ns: Some(closes_ns), ..arriving(load) });
    let mut server = Leaving::default();
    let next = link.start(0, 0);
    server.follow(&mut link, 0, next, 0);
    for now_ns in (0..closes_ns).step_by(STEP_NS as usize) {
        server.turn(&mut link, now_ns);
    }
    let ended = link.conclude(closes_ns);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), []);
    assert!(ended.record.totals().verified > 2900 && ended.record.counters.connects >= 2);
    let response = serde_json::to_value(ended.record.times().response).unwrap();
    // A millisecond, and the steps of the clock. Were the next connection opened behind the last answer, it were 286 ms.
    let p99 = response["percentiles"]["99"].as_f64().unwrap();
    assert!((0.001..0.002).contains(&p99), "{p99}");
    assert!(response["max_seconds"].as_f64().unwrap() < 0.302, "{response}");
}
