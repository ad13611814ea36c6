//! Requests under way: the mean over the window is exact. [`World`] compares it with a count of its own in all its runs.

use serde_json::{Value, json};

use super::server::{Asked, Network, Reaction, World, run};
use super::*;

fn under_way(ended: &Ended, window_seconds: f64) -> Value {
    serde_json::to_value(ended.record.under_way.written(window_seconds)).unwrap()
}

#[test]
fn in_a_closed_load_it_is_the_connections() {
    for pipeline in [1, 4] {
        let setup = Setup { closes_ns: Some(1100 * MS), pipeline, ..Setup::closed(5) };
        // Slow answers, so that the edges of the window weigh.
        let react = |asked: Asked<'_>| Reaction::Answer(asked.now_ns + 333 * MS);
        let ended = run(setup, Network::default(), react, u64::MAX);
        let under_way = under_way(&ended, 1.0);
        assert_eq!(under_way["mean_requests"], 5.0 * pipeline as f64);
        assert_eq!(under_way["at_start_seconds"], 0.1 * 5.0 * pipeline as f64);
    }
}

#[test]
fn requests_that_time_out_are_under_way_until_then() {
    let setup = Setup { closes_ns: Some(2600 * MS), ..Setup::closed(2) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 100 * SECOND)).run(u64::MAX);
    let under_way = under_way(&ended, 2.5);
    assert_eq!((&under_way["mean_requests"], &under_way["ended_seconds"]), (&json!(2.0), &json!(4.0)));
}

#[test]
fn in_an_open_load_those_that_wait_are_under_way() {
    let load = json!({"kind": "constant", "rate_per_second": 100.0, "connections": 1});
    let setup = Setup { closes_ns: Some(1100 * MS), ..Setup::of(load) };
    // The first of the warm-up is never answered: all others wait behind it, and none is answered in the window.
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 100 * SECOND)).run(u64::MAX);
    let under_way = under_way(&ended, 1.0);
    // Ten of the warm-up (0, 10, …, 90 ms), and a hundred that come one after the other. The first one times out when 90 of
    // them are there; its successor takes its place.
    let before = (1..=10).map(|nth| f64::from(nth) * 0.01).sum::<f64>();
    assert!((under_way["at_start_seconds"].as_f64().unwrap() - before).abs() < 1e-9, "{under_way}");
    let mean = 10.0 - 0.1 + (0..100).map(|nth| 1.0 - 0.01 * f64::from(nth)).sum::<f64>();
    assert!((under_way["mean_requests"].as_f64().unwrap() - mean).abs() < 1e-9, "{under_way}");
}

#[test]
fn what_overflows_never_was_under_way() {
    let load = json!({"kind": "constant", "rate_per_second": 100.0, "connections": 1, "waiting_limit": 1});
    let mut session = Setup { closes_ns: Some(1100 * MS), ..Setup::of(load) }.session();
    assert_eq!(session.start(0, 0), Next::Connect);
    connect_and_send(&mut session, 0, 0);
    // The thread stands still until 150 ms. Of those that were due meanwhile, the first waits and the others overflow.
    while session.due(150 * MS).is_some() {}
    assert_eq!(session.due(1100 * MS), None);
    let ended = session.conclude(1100 * MS);
    let under_way = under_way(&ended, 1.0);
    assert_eq!(under_way["at_start_seconds"], 0.1 + 0.09, "{under_way}");
}
