//! Requests that are too late to be of use are not sent.

use super::server::{Reaction, World};
use super::*;

/// 1,000 requests a second over 4 connections in the second from 100 ms on; they are of use for 50 ms.
fn a_second() -> Setup {
    let load = json!({"kind": "constant", "rate_per_second": 1000.0, "connections": 4});
    Setup {
        closes_ns: Some(1100 * MS),
        drain_ns: SECOND,
        deadline_ns: Some(50 * MS),
        requests: json!([{"name": "a", "path": "/a"}, {"name": "b", "path": "/b", "weight": 3}]),
        ..Setup::of(load)
    }
}

/// Answers within 100 µs, but for a stall of 200 ms.
fn stalls(now_ns: u64) -> Reaction {
    let stalls = 500 * MS..700 * MS;
    Reaction::Answer(if stalls.contains(&now_ns) { stalls.end } else { now_ns } + 100_000)
}

#[test]
fn what_a_stall_makes_too_late_is_an_error_and_is_not_sent() {
    let mut sent = 0;
    let react = |now_ns| {
        sent += u64::from(now_ns >= 100 * MS);
        stalls(now_ns)
    };
    let ended = World::new(a_second().session(), react).run(u64::MAX);
    assert_books_balance(&ended);
    // From the stall's begin on, four wait for its end on their connections, those of 500 to 503 ms. The others wait behind
    // them until 700.1 ms, and all but those of the last 50 ms are too late then.
    let late = (504..=650).count() as u64;
    assert_eq!(errors(&ended), [error("deadline", late)]);
    assert_eq!((ended.record.cohort.answers, ended.record.cohort.failures), (1000 - late, late));
    assert_eq!(sent, 1000 - late);
    let times = serde_json::to_value(ended.record.times().response).unwrap();
    assert_eq!((&times["count"], &times["at_least"]["count"]), (&json!(1000), &json!(late)));
    assert!(times["at_least"]["min_seconds"].as_f64().unwrap() > 0.05, "{times}");
    // They count as the requests that they would have been.
    let shares = serde_json::to_value(ended.record.shares()).unwrap();
    let ends =
        |kind: usize| shares[kind]["answers"].as_u64().unwrap() + shares[kind]["failures"].as_u64().unwrap();
    assert_eq!((ends(0), ends(1)), (250, 750));
}

#[test]
fn without_a_deadline_all_are_sent_and_with_a_long_one_too() {
    for deadline_ns in [None, Some(210 * MS)] {
        let ended = World::new(Setup { deadline_ns, ..a_second() }.session(), stalls).run(u64::MAX);
        assert_books_balance(&ended);
        assert_eq!((errors(&ended), ended.record.cohort.answers), (vec![], 1000));
    }
}

#[test]
fn what_waits_at_the_windows_end_is_too_late_there_or_in_the_drain() {
    // From 1,000 ms on nothing is answered: four are sent, 96 wait at the end; those of the first 50 ms are too late then.
    let react = |now_ns| match now_ns {
        0..1_000_000_000 => Reaction::Answer(now_ns),
        _ => Reaction::Answer(now_ns + 300 * MS),
    };
    let ended = World::new(a_second().session(), react).run(u64::MAX);
    assert_books_balance(&ended);
    let window: u64 = errors(&ended).iter().map(|(_, count)| count).sum();
    assert_eq!((window, ended.books.in_flight_at_end), (46, 54));
    assert_eq!((ended.record.cohort.answers, ended.record.cohort.failures), (904, 96));
    // Without a drain the others have no end.
    let ended = World::new(Setup { drain_ns: 0, ..a_second() }.session(), react).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.cohort.censored), (vec![error("deadline", 46)], 54));
}

#[test]
fn a_connect_that_takes_too_long_makes_its_request_too_late() {
    let load = json!({"kind": "constant", "rate_per_second": 10.0, "connections": 4});
    let setup = Setup {
        requests_per_connection: Some(1),
        closes_ns: Some(1100 * MS),
        drain_ns: SECOND,
        deadline_ns: Some(50 * MS),
        ..Setup::of(load)
    };
    let ended = World::new(setup.session(), Reaction::Answer).connecting_in(60 * MS).run(u64::MAX);
    assert_books_balance(&ended);
    // The connection is there then, and the next request, which has it at once, is in time.
    assert_eq!((errors(&ended), ended.record.cohort.failures), (vec![error("deadline", 5)], 5));
    assert_eq!((ended.record.cohort.answers, ended.record.totals().sent), (5, 5));
}
