//! Open loads: response times count from intended starts, and nothing is dropped silently.

use serde_json::{Value, json};

use super::server::{Reaction, World};
use super::*;
use crate::schedule::goodness::exponential_fits;

fn constant(rate: f64, connections: u32) -> Setup {
    Setup::of(json!({"kind": "constant", "rate_per_second": rate, "connections": connections}))
}

fn figures(distribution: &impl serde::Serialize) -> Value {
    serde_json::to_value(distribution).unwrap()
}

fn percentile(distribution: &impl serde::Serialize, name: &str) -> f64 {
    figures(distribution)["percentiles"][name].as_f64().unwrap()
}

fn waiting(ended: &Ended) -> (u64, u64, u64) {
    let waiting = ended.books.waiting.unwrap();
    (waiting.limit, waiting.peak, waiting.at_end)
}

#[test]
fn a_stall_is_in_the_response_times_in_full() {
    // For 200 ms in every 2 s nothing is answered: of 4,000 requests 400 come then, and wait for what is left of it.
    let stalls = |now_ns: u64| {
        let service_ns = 100_000;
        Reaction::Answer(match now_ns % (2 * SECOND) {
            phase_ns if phase_ns < 200 * MS => now_ns - phase_ns + 200 * MS + service_ns,
            _ => now_ns + service_ns,
        })
    };
    let setup = Setup { opens_ns: 2 * SECOND, closes_ns: Some(22 * SECOND), ..constant(2000.0, 64) };
    let ended = World::new(setup.session(), stalls).run(u64::MAX);
    assert_books_balance(&ended);
    let Ended { record, books, .. } = &ended;
    assert_eq!(books.offered, 40_000);
    for (name, expected) in [("50", 0.0001), ("95", 0.100), ("99", 0.180), ("99.9", 0.198)] {
        let seconds = percentile(&record.times().response, name);
        assert!((seconds / expected - 1.0).abs() < 0.01, "p{name}: {seconds}");
    }
    // Who looks at what is sent only sees 64 slow requests in a stall: one a connection.
    assert!(percentile(&record.times().service, "95") < 0.001);
    let (limit, peak, at_end) = waiting(&ended);
    assert_eq!((limit, at_end), (100_000, 0));
    // 64 of the 400 were sent.
    assert!(peak.abs_diff(400 - 64) <= 1, "{peak}");
}

#[test]
fn something_is_awaited_only_from_a_request_to_its_answer() {
    let mut session = Setup { starts_ns: 10 * MS, ..constant(100.0, 2) }.session();
    assert!(!session.is_awaiting());
    for number in [1, 0] {
        assert_eq!(session.start(number, 0), Next::Connect);
        assert!(session.is_awaiting(), "a connect");
        assert_eq!(session.connected(number, 0), Next::Wait);
        assert!(!session.is_awaiting());
    }
    for request in 1..=4 {
        let now_ns = request * 10 * MS;
        let (number, next) = session.due(now_ns).unwrap();
        assert_eq!(next, Next::Send);
        send(&mut session, number, now_ns);
        assert!(session.is_awaiting(), "on connection {number}");
        assert_eq!(session.received(number, ANSWER, false, now_ns + MS), Next::Wait);
        assert!(!session.is_awaiting());
    }
}

#[test]
fn a_server_that_is_too_slow_makes_requests_wait_longer_and_longer() {
    // One connection and 20 ms a request, asked for every 10 ms: request k ends at 20·(k + 1) and began at 10·k.
    let setup = Setup { opens_ns: 0, closes_ns: Some(SECOND), ..constant(100.0, 1) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 20 * MS)).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((ended.books.offered, ended.record.totals().answers), (100, 49));
    let response = figures(&ended.record.times().response);
    // The 51 others are in it as long as they had waited at the end: from 10 ms, of the last one, to 510 ms.
    assert_eq!((&response["count"], &response["max_seconds"]), (&json!(100), &json!(0.51)));
    let at_least = json!({"count": 51, "min_seconds": 0.01, "longest_other_seconds": 0.5});
    assert_eq!(response["at_least"], at_least);
    assert_eq!(figures(&ended.record.send_lag)["max_seconds"], 0.48);
    // The fiftieth is under way; it began at 490 ms.
    assert_eq!((ended.books.in_flight_at_end, waiting(&ended)), (51, (100_000, 50, 50)));
    assert_eq!(ended.oldest_intended_ns, Some(490 * MS));
}

#[test]
fn beyond_the_limit_requests_are_counted_as_overflow() {
    let mut setup = Setup { opens_ns: 0, closes_ns: Some(SECOND), ..constant(100.0, 1) };
    setup.load["waiting_limit"] = json!(10);
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 20 * MS)).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(waiting(&ended), (10, 10, 10));
    assert_eq!(errors(&ended), [error("overflow", 100 - 49 - 11)]);
    let setup = Setup { opens_ns: 0, closes_ns: Some(SECOND), ..constant(100.0, 4) };
    let never = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 10 * SECOND)).run(u64::MAX);
    assert_books_balance(&never);
    assert_eq!((never.books.in_flight_at_end, never.record.totals().sent), (100, 4));
}

#[test]
fn what_came_while_nobody_looked_did_not_wait_for_a_connection_that_was_free() {
    for (connections, peak) in [(16, 0), (4, 6)] {
        let setup = Setup {
            starts_ns: 100 * MS,
            opens_ns: 100 * MS,
            closes_ns: Some(200 * MS),
            ..constant(100.0, connections)
        };
        let mut session = setup.session();
        for number in 0..connections as usize {
            assert_eq!(session.start(number, 0), Next::Connect);
            assert_eq!(session.connected(number, 0), Next::Wait);
        }
        // All ten arrivals of the window have come when the thread gets its processor back.
        let ended = session.conclude(250 * MS);
        assert_books_balance(&ended);
        assert_eq!(waiting(&ended), (100_000, peak, 10));
    }
}

#[test]
fn connections_are_opened_before_the_first_request_and_used_in_turn() {
    let mut session = Setup { starts_ns: 100 * MS, ..constant(100.0, 4) }.session();
    for number in 0..4 {
        assert_eq!(session.start(number, 0), Next::Connect);
        assert_eq!(session.connected(number, 0), Next::Wait);
    }
    let mut order = Vec::new();
    for arrival in 0..8_u64 {
        let now_ns = 100 * MS + arrival * 10 * MS;
        assert_eq!(session.wake_ns(), now_ns);
        let (number, next) = session.due(now_ns).unwrap();
        assert_eq!((next, session.due(now_ns)), (Next::Send, None));
        send(&mut session, number, now_ns);
        assert_eq!(session.received(number, ANSWER, false, now_ns + MS), Next::Wait);
        order.push(number);
    }
    assert_eq!(order, [0, 1, 2, 3, 0, 1, 2, 3]);
    let record = session.conclude(180 * MS).record;
    assert_eq!(figures(&record.times().response)["max_seconds"], 0.001);
}

#[test]
fn a_closed_connection_is_reopened_for_a_request_and_that_time_counts() {
    let mut session = Setup { starts_ns: 100 * MS, ..constant(100.0, 1) }.session();
    session.start(0, 0);
    assert_eq!(session.connected(0, MS), Next::Wait);
    assert_eq!(session.peer_closed(0, 50 * MS), Next::Close, "an idle connection's end is no error");
    assert_eq!(session.due(99 * MS), None);
    assert_eq!(session.due(100 * MS), Some((0, Next::Connect)));
    connect_and_send(&mut session, 0, 103 * MS);
    assert_eq!(session.received(0, ANSWER, false, 104 * MS), Next::Wait);
    let ended = session.conclude(105 * MS);
    assert_books_balance(&ended);
    assert_eq!(
        (ended.record.counters.failures, figures(&ended.record.times().response)["max_seconds"].clone()),
        (0, json!(0.004))
    );
}

#[test]
fn with_one_request_a_connection_every_connect_counts() {
    let setup = Setup {
        opens_ns: 0,
        closes_ns: Some(SECOND),
        requests_per_connection: Some(1),
        ..constant(100.0, 8)
    };
    let world = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + MS)).connecting_in(2 * MS);
    let ended = world.run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.record.counters.connects), (100, 100));
    assert_eq!(figures(&ended.record.times().response)["min_seconds"], 0.003);
    assert_eq!(figures(&ended.record.times().service)["max_seconds"], 0.001);
}

#[test]
fn a_dead_server_fails_every_request_at_its_own_time() {
    let setup = Setup { opens_ns: 500 * MS, closes_ns: Some(1500 * MS), ..constant(200.0, 3) };
    let ended = World::new(setup.session(), |_| unreachable!()).refusing().run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("refused", 200)]);
}

#[test]
fn broken_connections_fail_their_request_only() {
    let mut number = 0;
    let setup = Setup { closes_ns: Some(1100 * MS), ..constant(1000.0, 8) };
    let react = |now_ns| {
        number += 1;
        if number % 10 == 0 { Reaction::Reset(now_ns + MS) } else { Reaction::Answer(now_ns + MS) }
    };
    let ended = World::new(setup.session(), react).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("unannounced_close", 100)]);
    assert_eq!((ended.record.totals().answers, ended.books.offered), (900, 1000));
}

#[test]
fn requests_of_the_warm_up_are_carried_over() {
    // 50 ms a request: at the opening 5 of the warm-up's are under way, all answered in the window.
    let setup = Setup { closes_ns: Some(300 * MS), ..constant(100.0, 16) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 50 * MS)).run(u64::MAX);
    assert_books_balance(&ended);
    let Ended { books, record, .. } = &ended;
    assert_eq!((books.in_flight_at_start, books.offered, books.in_flight_at_end), (5, 20, 5));
    assert_eq!((record.totals().answers, record.totals().sent), (20, 20));
}

#[test]
fn a_number_of_requests_ends_an_open_load_too() {
    let setup = Setup { share: Some(25), ..constant(1000.0, 4) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + MS)).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.books.in_flight_at_end), (25, 0));
}

#[test]
fn recorded_starts_are_the_planned_process() {
    let run = |load: Value, thread: ThreadShare| {
        let setup = Setup { closes_ns: Some(5100 * MS), record_intended: 100_000, thread, ..Setup::of(load) };
        let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + MS)).run(u64::MAX);
        assert_books_balance(&ended);
        ended.record
    };
    let thread = |thread| ThreadShare { thread, threads: 2 };
    let recorded = |load: Value| {
        let mut record = run(load.clone(), thread(0));
        record.merge(run(load, thread(1)));
        record.intended_starts().to_vec()
    };
    let even = recorded(json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 32}));
    let expected: Vec<u64> = (0..10_000).map(|number| 100 * MS + number * 500_000).collect();
    assert_eq!(even, expected);
    let random = recorded(json!({"kind": "poisson", "rate_per_second": 2000.0, "connections": 32}));
    assert!(random.len().abs_diff(10_000) < 400, "{}", random.len());
    assert!(exponential_fits(&random, 2000.0));
    assert!(!exponential_fits(&even, 2000.0));
}

#[test]
fn a_ramp_brings_its_integral() {
    let load = json!({"kind": "ramp", "from_per_second": 0.0, "to_per_second": 1000.0, "connections": 16});
    let setup = Setup { closes_ns: Some(4100 * MS), ..Setup::of(load) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + MS)).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((ended.books.offered, ended.books.in_flight_at_start), (2000, 0));
}

#[test]
fn slow_answers_do_not_skew_the_mix() {
    let requests =
        json!([{"name": "a", "path": "/a", "weight": 1}, {"name": "b", "path": "/b", "weight": 3}]);
    let mut number = 0;
    let setup = Setup { requests, closes_ns: Some(2100 * MS), ..constant(400.0, 64) };
    let react = |now_ns| {
        number += 1;
        Reaction::Answer(now_ns + if number % 4 == 1 { 90 * MS } else { MS })
    };
    let record = World::new(setup.session(), react).run(u64::MAX).record;
    let sent: Vec<u64> = record.by_kind().iter().map(|counts| counts.sent).collect();
    assert!(sent[0].abs_diff(200) <= 1 && sent[1].abs_diff(600) <= 1, "{sent:?}");
}
