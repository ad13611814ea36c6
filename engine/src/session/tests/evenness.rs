//! How evenly answers spread over connections, on servers that choose whom they serve.

use serde_json::{Value, json};

use super::server::{Asked, Network, Reaction, World};
use super::*;

/// 8 connections, a window of a second.
fn setup() -> Setup {
    Setup { closes_ns: Some(1100 * MS), ..Setup::closed(8) }
}

fn spread(ended: &Ended) -> Value {
    serde_json::to_value(ended.record.evenness.conclude()).unwrap()
}

fn index(ended: &Ended, name: &str) -> f64 {
    spread(ended)[name].as_f64().unwrap()
}

fn run<'r>(setup: Setup, react: impl FnMut(Asked<'_>) -> Reaction + 'r) -> Ended {
    let ended = server::run(setup, Network::default(), react, u64::MAX);
    assert_books_balance(&ended);
    ended
}

/// One request after the other, each for `service_ns`.
fn in_turn(service_ns: u64) -> impl FnMut(Asked<'_>) -> Reaction {
    let mut free_ns = 0;
    move |asked| {
        free_ns = asked.now_ns.max(free_ns) + service_ns;
        Reaction::Answer(free_ns)
    }
}

#[test]
fn a_server_that_takes_requests_as_they_come_is_even() {
    let ended = run(setup(), in_turn(MS / 10));
    let told = spread(&ended);
    assert_eq!((&told["connections"], &told["without"]), (&json!(8), &json!(0)));
    assert_eq!((&told["least"], &told["most"]), (&json!(1250), &json!(1250)));
    assert_eq!((&told["evenness"], &told["slice_seconds"]), (&json!(1.0), &json!(0.01)));
    // A hundred answers in a slice: 12 or 13 for each connection.
    assert!((1.05..1.1).contains(&index(&ended, "evenness_in_slices")), "{told}");
}

#[test]
fn one_connection_after_the_other_is_even_over_the_window_and_in_no_slice() {
    // In turns of 50 ms, whoever has it is answered every 0.1 ms, and all others wait for theirs.
    let turn_ns = 50 * MS;
    let ended = run(setup(), |asked| {
        let turn = asked.now_ns / turn_ns;
        let wait = (asked.connection as u64 + 8 - turn % 8) % 8;
        let is_last = (asked.now_ns + MS / 10) / turn_ns > turn;
        Reaction::Answer(match (wait, is_last) {
            (0, false) => asked.now_ns + MS / 10,
            (0, true) => (turn + 8) * turn_ns,
            (wait, _) => (turn + wait) * turn_ns,
        })
    });
    assert!(index(&ended, "evenness") > 0.9, "{}", spread(&ended));
    assert!(index(&ended, "evenness_in_slices") < 0.13, "{}", spread(&ended));
}

#[test]
fn a_server_that_prefers_some_for_the_whole_window_is_uneven_in_both() {
    let ended = run(setup(), |asked| {
        Reaction::Answer(asked.now_ns + if asked.connection < 2 { MS / 10 } else { 10 * SECOND })
    });
    let told = spread(&ended);
    assert_eq!((&told["least"], &told["without"]), (&json!(0), &json!(6)));
    assert!((index(&ended, "evenness") - 0.25).abs() < 1e-3, "{told}");
    assert!((index(&ended, "evenness_in_slices") - 0.25).abs() < 1e-2, "{told}");
}

#[test]
fn answers_of_the_warm_up_are_left_out() {
    // Connection 0 is answered in the warm-up only, the others in the window only.
    let ended = run(setup(), |asked| match (asked.connection, asked.now_ns < 99 * MS) {
        (0, true) => Reaction::Answer(asked.now_ns + MS),
        (0, false) => Reaction::Answer(10 * SECOND),
        _ => Reaction::Answer(asked.now_ns.max(200 * MS) + MS),
    });
    let told = spread(&ended);
    assert_eq!((&told["without"], &told["least"], &told["most"]), (&json!(1), &json!(0), &json!(899)));
}

#[test]
fn an_interrupted_warm_up_has_no_evenness() {
    let session = setup().session();
    let ended = World::new(session, |now_ns| Reaction::Answer(now_ns + MS)).run(50 * MS);
    assert_eq!((&spread(&ended)["without"], &spread(&ended)["evenness"]), (&json!(8), &Value::Null));
}

#[test]
fn few_answers_are_even_as_far_as_they_go() {
    let ended = run(setup(), in_turn(30 * MS));
    let told = spread(&ended);
    assert_eq!((&told["least"], &told["most"]), (&json!(4), &json!(5)));
    assert!(index(&ended, "evenness") > 0.98 && told["evenness_in_slices"].is_null(), "{told}");
}

#[test]
fn a_place_counts_through_all_its_sockets() {
    let ended = run(Setup { requests_per_connection: Some(1), ..setup() }, in_turn(MS));
    let told = spread(&ended);
    assert_eq!((&told["connections"], &told["least"], &told["most"]), (&json!(8), &json!(125), &json!(125)));
    assert!(ended.record.counters.connects.abs_diff(1000) <= 8);
}

#[test]
fn pipelines_and_think_times_have_no_slices_and_every_answer_counts() {
    let thinking =
        Setup { load: json!({"kind": "closed", "connections": 8, "think_time_seconds": 0.02}), ..setup() };
    for setup in [Setup { pipeline: 4, ..setup() }, thinking] {
        let ended = run(setup, in_turn(MS / 10));
        let told = spread(&ended);
        assert!(told["evenness_in_slices"].is_null() && index(&ended, "evenness") > 0.99, "{told}");
        let all = ended.record.totals().answers;
        assert!(told["least"].as_u64().unwrap() * 8 <= all && told["most"].as_u64().unwrap() * 8 >= all);
    }
}

#[test]
fn an_open_load_has_its_connections_in_turn_whatever_the_server_does() {
    let load = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 8});
    let ended = run(Setup { load, ..setup() }, |asked| {
        Reaction::Answer(asked.now_ns + if asked.connection == 3 { MS } else { MS / 10 })
    });
    let told = spread(&ended);
    assert!(index(&ended, "evenness") > 0.99 && told["evenness_in_slices"].is_null(), "{told}");
}

#[test]
fn slices_wake_nobody() {
    let mut session = setup().session();
    session.start(0, 100 * MS);
    session.start(1, 100 * MS);
    connect_and_send(&mut session, 0, 100 * MS);
    assert_eq!(session.wake_ns(), 1100 * MS);
    session.advance(555 * MS);
    assert_eq!(session.wake_ns(), 1100 * MS);
}
