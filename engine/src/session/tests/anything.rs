//! Sessions as state machines: whatever a server does, and whenever, the books balance.

use std::time::{SystemTime, UNIX_EPOCH};

use super::server::{Asked, Network, Reaction, run};
use super::*;
use crate::dataset::mix;

const RUNS: u64 = 400;

/// What a server may send for one request; the last bytes are cut, doubled or joined to others by chance.
const PIECES: [&[u8]; 14] = [
    ANSWER,
    ANSWER,
    ANSWER,
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
    b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
    b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nless",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"\x00\x00\x00\x04",
    b"",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = mix(self.0);
        (self.0 >> 8) % bound
    }

    fn is(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut piece = || PIECES[self.below(PIECES.len() as u64) as usize].to_vec();
        let (mut bytes, more) = (piece(), piece());
        if self.is(6) {
            bytes.extend(more);
        }
        if self.is(8) {
            let length = self.below(bytes.len() as u64 + 1) as usize;
            bytes.truncate(length);
        }
        bytes
    }

    fn setup(&mut self) -> Setup {
        let connections = 1 + self.below(12);
        let rate = (20 + self.below(3000)) as f64;
        let load = match self.below(4) {
            0 => json!({"kind": "closed", "connections": connections}),
            1 => json!({"kind": "closed", "connections": connections, "think_time_seconds": 0.003}),
            2 => json!({"kind": "constant", "rate_per_second": rate, "connections": connections,
                        "waiting_limit": self.below(50)}),
            _ => json!({"kind": "poisson", "rate_per_second": rate, "connections": connections}),
        };
        let is_open = load["kind"] != "closed";
        let is_plain = !is_open && load["think_time_seconds"].is_null();
        let requests_per_connection = self.is(3).then(|| 1 + self.below(6) as u32);
        let pipeline =
            if is_plain && requests_per_connection.is_none() { 1 + self.below(5) as usize } else { 1 };
        let share = self.is(4).then(|| self.below(500));
        Setup {
            requests_per_connection,
            pipeline,
            share,
            deadline_ns: (is_open && self.is(2)).then(|| (1 + self.below(100)) * MS),
            drain_ns: self.below(2) * 400 * MS,
            closes_ns: share.is_none().then(|| (101 + self.below(900)) * MS),
            requests: json!([{"path": "/", "name": "a"}, {"path": "/b", "name": "b", "weight": 2}]),
            ..Setup::of(load)
        }
    }
}

fn balances(seed: u64, has_journeys: bool) {
    let mut random = Random(mix(seed));
    let (mut setup, connect_ns, refuses) = (random.setup(), random.below(5 * MS), random.is(12));
    if has_journeys && setup.pipeline == 1 {
        setup.requests = json!([
            {"path": "/", "name": "a", "journey": "a", "think_seconds": "uniform:0ms:40ms"},
            {"path": "/", "name": "b", "journey": "a"},
            {"path": "/b", "name": "c", "weight": 2}
        ]);
    }
    // In some runs everything is rough, in others hardly anything.
    let (calm, slow) = (1 + random.below(60), 1 + random.below(20));
    let react = move |asked: Asked<'_>| {
        let now_ns = asked.now_ns;
        let after_ns = now_ns + random.below(slow * MS);
        match random.below(calm + 3) {
            0 => Reaction::Reset(after_ns),
            1 => Reaction::Answer(now_ns + 3 * SECOND),
            2 => Reaction::AnswerWith(after_ns, random.bytes(), random.is(3)),
            _ => Reaction::Answer(after_ns),
        }
    };
    let late_ns = if seed.is_multiple_of(3) { mix(!seed) % (2 * MS) } else { 0 };
    let ended = run(setup, Network { connect_ns, refuses, late_ns }, react, 20 * SECOND);
    assert_books_balance(&ended);
    let failed: u64 = errors(&ended).iter().map(|(_, count)| count).sum();
    let wrong = ended.record.totals().answers - ended.record.totals().verified;
    assert_eq!(failed, ended.record.counters.failures + wrong);
}

/// Each run of the tests tries other seeds; one that fails names itself.
#[test]
fn the_books_balance_whatever_a_server_does() {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let first = mix(since_1970.as_nanos() as u64);
    for (seed, has_journeys) in (0..RUNS).map(|number| (first.wrapping_add(number), number % 2 == 0)) {
        if std::panic::catch_unwind(|| balances(seed, has_journeys)).is_err() {
            panic!("`balances({seed}, {has_journeys})` does not hold");
        }
    }
}

/// Requests that waited when a window opened that closed at once.
#[test]
fn the_books_of_an_empty_window_balance() {
    for seed in [5_045_421_542_669_791_856, 10_143_660_205_850_454_016] {
        balances(seed, false);
    }
}
