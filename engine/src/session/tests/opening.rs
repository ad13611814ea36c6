//! A window that opens when that is decided, at the latest when the timeline says.

use super::server::{Network, Reaction, run};
use super::*;

/// Runs a load of answers after 7 ms, whose opening is decided when the server sees a request at `decided_ns`.
fn opened(load: Value, decided_ns: u64) -> (Ended, Option<u64>) {
    let opening = Arc::<Opening>::default();
    let own = Arc::clone(&opening);
    let setup = Setup {
        opens_ns: 3 * SECOND,
        closes_ns: Some(4 * SECOND),
        opening: Some(opening),
        record_intended: 10_000,
        ..Setup::of(load)
    };
    let mut decided = None;
    let react = |asked: server::Asked<'_>| {
        if asked.now_ns >= decided_ns && decided.is_none() {
            decided = Some(own.decide(asked.now_ns + 20 * MS));
        }
        Reaction::Answer(asked.now_ns + 7 * MS)
    };
    (run(setup, Network::default(), react, 10 * SECOND), decided)
}

fn closed() -> Value {
    json!({"kind": "closed", "connections": 4})
}

fn open() -> Value {
    json!({"kind": "constant", "rate_per_second": 200.0, "connections": 4})
}

#[test]
fn the_window_opens_at_the_moment_that_was_decided() {
    for load in [closed(), open()] {
        let (ended, decided) = opened(load, 700 * MS);
        let opens_ns = decided.unwrap();
        assert!((720 * MS..740 * MS).contains(&opens_ns), "{opens_ns}");
        assert_eq!(ended.at_ns, opens_ns + SECOND);
        assert_books_balance(&ended);
        assert!(ended.record.intended_starts().iter().all(|&at_ns| at_ns >= opens_ns));
    }
    let (ended, decided) = opened(open(), 700 * MS);
    let offsets: Vec<u64> =
        ended.record.intended_starts().iter().map(|at_ns| at_ns - decided.unwrap()).collect();
    assert_eq!(offsets, (0..200).map(|number| number * 5 * MS).collect::<Vec<_>>());
}

#[test]
fn without_a_decision_it_opens_at_the_latest_moment() {
    for load in [closed(), open()] {
        let (ended, decided) = opened(load, 9 * SECOND);
        assert_eq!((decided, ended.at_ns), (None, 4 * SECOND));
        assert_books_balance(&ended);
    }
}

#[test]
fn a_decision_too_late_is_none() {
    let (ended, decided) = opened(closed(), 2995 * MS);
    assert!(decided.unwrap() > 3 * SECOND);
    assert_eq!(ended.at_ns, 4 * SECOND);
}
