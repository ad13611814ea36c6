//! The cohort of an open load: each request that is intended in the window comes to one end, though it be after it.

use serde_json::{Value, json};

use super::server::{Asked, Network, Reaction, World, run};
use super::*;

/// 2,000 requests a second; the window is the 2 s from 100 ms on.
fn two_seconds(drain_ns: u64) -> Setup {
    let load = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 64});
    Setup { closes_ns: Some(2100 * MS), drain_ns, ..Setup::of(load) }
}

/// Answers at once, but for a stall of 600 ms that begins 200 ms before the window's end: the last 400 of 4,000 requests
/// fall into it, and the one that comes t ms after its begin takes 600 - t ms.
fn stalls_at_the_end(now_ns: u64) -> Reaction {
    let stalls = 1900 * MS..2500 * MS;
    Reaction::Answer(if stalls.contains(&now_ns) { stalls.end } else { now_ns } + 100_000)
}

fn response(ended: &Ended) -> Value {
    assert_books_balance(ended);
    serde_json::to_value(ended.record.times().response).unwrap()
}

fn assert_near(response: &Value, percentile: &str, expected: f64) {
    let seconds = response["percentiles"][percentile].as_f64().unwrap();
    assert!((seconds / expected - 1.0).abs() < 0.01, "p{percentile}: {seconds}, not {expected}");
}

#[test]
fn a_stall_into_the_windows_end_is_measured_in_full() {
    let ended = World::new(two_seconds(2 * SECOND).session(), stalls_at_the_end).run(u64::MAX);
    let response = response(&ended);
    assert_eq!((&response["count"], &response["at_least"]), (&json!(4000), &Value::Null));
    assert_near(&response, "50", 0.0001);
    assert_near(&response, "95", 0.500);
    assert_near(&response, "99", 0.580);
    assert_eq!(ended.record.cohort, Cohort { answers: 4000, failures: 0, censored: 0 });
    // What the window saw is as it was: goodput and books are of what came in it.
    assert_eq!((ended.record.totals().answers, ended.record.totals().verified), (3600, 3600));
    assert_eq!((ended.books.in_flight_at_end, ended.books.waiting.unwrap().at_end), (400, 336));
    assert_eq!((ended.at_ns, ended.oldest_intended_ns), (2100 * MS, Some(1900 * MS)));
    // The drain ends with the last answer: 64 at the stall's end, and the 336 that waited behind them.
    assert!(ended.drained_ns > 400 * MS && ended.drained_ns < 402 * MS, "{}", ended.drained_ns);
}

#[test]
fn what_outlasts_the_drain_is_censored_at_its_age() {
    for (drain_ns, lowest, p95, p99) in [(100 * MS, 0.1005, 0.2, 0.28), (0, 0.0005, 0.1, 0.18)] {
        let ended = World::new(two_seconds(drain_ns).session(), stalls_at_the_end).run(u64::MAX);
        let response = response(&ended);
        assert_eq!(ended.record.cohort, Cohort { answers: 3600, failures: 0, censored: 400 });
        assert_eq!((ended.at_ns, ended.drained_ns), (2100 * MS, drain_ns));
        assert_eq!((&response["count"], &response["at_least"]["count"]), (&json!(4000), &json!(400)));
        assert_eq!(response["at_least"]["min_seconds"], lowest);
        assert_eq!(response["at_least"]["longest_other_seconds"], 0.0001);
        assert_near(&response, "50", 0.0001);
        assert_near(&response, "95", p95);
        assert_near(&response, "99", p99);
        // Of those, 64 were sent.
        let service = serde_json::to_value(ended.record.times().service).unwrap();
        assert_eq!((&service["count"], &service["at_least"]["count"]), (&json!(3664), &json!(64)));
    }
}

#[test]
fn the_warm_ups_requests_are_in_no_time_of_the_window() {
    // The last 50 ms of the warm-up stall until 50 ms into the window, which is quick but for them.
    let stalls = 50 * MS..100 * MS;
    let react = |now_ns| Reaction::Answer(if stalls.contains(&now_ns) { 150 * MS } else { now_ns } + 100_000);
    let ended = World::new(
        Setup { closes_ns: Some(1100 * MS), drain_ns: SECOND, ..open(1000.0, 500) }.session(),
        react,
    )
    .run(u64::MAX);
    let response = response(&ended);
    assert_eq!((&response["count"], &response["max_seconds"]), (&json!(1000), &json!(0.0001)));
    // They did end in it.
    assert_eq!((ended.books.in_flight_at_start, ended.record.totals().answers), (50, 1050));
}

#[test]
fn time_outs_took_at_least_so_long() {
    // One in 50 is never answered; a request times out after a second.
    let mut number = 0;
    let react = |now_ns| {
        number += 1;
        Reaction::Answer(now_ns + if number % 50 == 0 { 100 * SECOND } else { MS })
    };
    let setup = Setup { closes_ns: Some(3100 * MS), drain_ns: 2 * SECOND, ..open(1000.0, 200) };
    let ended = World::new(setup.session(), react).run(u64::MAX);
    let response = response(&ended);
    assert_eq!(ended.record.cohort, Cohort { answers: 2940, failures: 60, censored: 0 });
    assert_eq!((&response["count"], &response["at_least"]["count"]), (&json!(3000), &json!(60)));
    assert_near(&response, "95", 0.001);
    assert_near(&response, "99", 1.0);
    // Two of the warm-up and 40 of the window timed out in the window; it is their errors that it counts.
    assert_eq!(errors(&ended), [error("timeout", 42)]);
}

#[test]
fn time_outs_of_a_closed_load_count_likewise_and_nothing_is_drained() {
    let mut number = 0;
    let react = |now_ns| {
        number += 1;
        Reaction::Answer(now_ns + if number == 5 { 100 * SECOND } else { 10 * MS })
    };
    let ended =
        World::new(Setup { closes_ns: Some(2100 * MS), ..Setup::closed(1) }.session(), react).run(u64::MAX);
    let response = response(&ended);
    let at_least = json!({"count": 1, "min_seconds": 1.0, "longest_other_seconds": 0.01});
    assert_eq!((&response["at_least"], ended.drained_ns), (&at_least, 0));
    assert_eq!(response["count"], ended.record.totals().answers + 1);
}

#[test]
fn failures_in_the_drain_are_the_cohorts_and_not_the_windows() {
    let setup = Setup { closes_ns: Some(1100 * MS), drain_ns: SECOND, ..open(100.0, 20) };
    let ended = World::new(setup.session(), |now_ns| match now_ns {
        0..1_000_000_000 => Reaction::Answer(now_ns + MS),
        _ => Reaction::Reset(now_ns + 500 * MS),
    })
    .run(u64::MAX);
    let response = response(&ended);
    assert_eq!(ended.record.cohort, Cohort { answers: 90, failures: 10, censored: 0 });
    assert_eq!((response["count"].as_u64(), errors(&ended)), (Some(90), vec![]));
    assert_eq!((ended.record.counters.failures, ended.books.in_flight_at_end), (0, 10));
}

#[test]
fn nothing_arrives_in_the_drain() {
    let mut last_ns = 0;
    let setup = Setup { closes_ns: Some(1100 * MS), drain_ns: SECOND, ..open(100.0, 40) };
    let react = |now_ns| {
        last_ns = now_ns;
        Reaction::Answer(now_ns + 300 * MS)
    };
    let ended = World::new(setup.session(), react).run(u64::MAX);
    assert_eq!(response(&ended)["count"], 100);
    assert_eq!((last_ns, ended.drained_ns), (1090 * MS, 290 * MS));
}

#[test]
fn what_nobody_looked_at_in_time_is_sent_in_the_drain() {
    let mut session =
        Setup { starts_ns: MS, opens_ns: MS, closes_ns: Some(1001 * MS), drain_ns: SECOND, ..open(10.0, 4) }
            .session();
    for number in 0..4 {
        session.start(number, 0);
        assert_eq!(session.connected(number, 0), Next::Wait);
    }
    // The thread was elsewhere: ten have arrived, and there are four connections.
    let now_ns = SECOND + 2 * MS;
    session.advance(now_ns);
    for _ in 0..4 {
        let (number, next) = session.due(now_ns).unwrap();
        assert_eq!(next, Next::Send);
        send(&mut session, number, now_ns);
    }
    assert_eq!(session.due(now_ns), None);
    assert_eq!(session.received(0, ANSWER, false, now_ns + MS), Next::Send);
    let ended = session.conclude(now_ns + 2 * MS);
    assert_eq!(response(&ended)["max_seconds"], 1.002);
    assert_eq!((ended.books.offered, ended.record.totals().sent), (10, 0));
    assert_eq!(ended.record.cohort, Cohort { answers: 1, failures: 0, censored: 9 });
}

#[test]
fn by_kind_those_who_wait_count_as_what_they_would_have_been() {
    let requests = json!([{"name": "a", "path": "/a"}, {"name": "b", "path": "/b", "weight": 3}]);
    let setup = Setup { requests, opens_ns: 0, closes_ns: Some(SECOND), ..open(100.0, 4) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 10 * SECOND)).run(u64::MAX);
    assert_eq!(response(&ended)["at_least"]["count"], 100);
    let shares = serde_json::to_value(ended.record.shares()).unwrap();
    let count = |kind: usize| shares[kind]["response_time"]["at_least"]["count"].as_u64().unwrap();
    assert_eq!((count(0), count(1)), (25, 75));
}

fn open(rate: f64, connections: u32) -> Setup {
    Setup::of(json!({"kind": "constant", "rate_per_second": rate, "connections": connections}))
}

/// A closed load of three connections that is answered within 60 ms; its window closes 40 ms before the last answers.
fn a_second_of_closed_load(pipeline: usize, think: &str, drain_ns: u64) -> Setup {
    let load =
        json!({"kind": "closed", "connections": 3, "think_time_seconds": think.parse::<f64>().unwrap()});
    Setup { opens_ns: 0, closes_ns: Some(1100 * MS), pipeline, drain_ns, ..Setup::of(load) }
}

#[test]
fn a_closed_loads_drain_awaits_what_is_under_way_and_changes_no_figure() {
    for (pipeline, think) in [(1, "0"), (4, "0"), (1, "0.023")] {
        let mut last_ns = 0;
        let [cut, drained] = [0, SECOND].map(|drain_ns| {
            let react = |asked: Asked<'_>| {
                last_ns = asked.now_ns.max(last_ns);
                Reaction::Answer(asked.now_ns + 60 * MS)
            };
            let setup = a_second_of_closed_load(pipeline, think, drain_ns);
            let ended = run(setup, Network::default(), react, u64::MAX);
            assert_books_balance(&ended);
            ended
        });
        assert!(last_ns < 1100 * MS, "nothing is asked in the drain");
        let [figures, as_drained] = [&cut, &drained].map(|ended| {
            let mut record = serde_json::to_value(&ended.record).unwrap();
            record["counts"][0]["run_verified"].take();
            record
        });
        assert_eq!(figures, as_drained);
        assert_eq!((cut.at_ns, cut.books.in_flight_at_end), (drained.at_ns, drained.books.in_flight_at_end));
        let owed = drained.books.in_flight_at_end;
        assert!(owed > 0 && cut.drained_ns == 0 && drained.drained_ns <= 60 * MS);
        let [cut, drained] = [cut, drained].map(|ended| run_verified(&ended));
        assert_eq!(drained, cut + owed, "all are verified");
    }
}

#[test]
fn a_closed_loads_drain_ends_with_a_server_that_never_answers() {
    let react = |now_ns| Reaction::Answer(if now_ns < 900 * MS { now_ns + MS } else { u64::MAX });
    let ended = World::new(a_second_of_closed_load(1, "0", 300 * MS).session(), react).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((ended.at_ns, ended.drained_ns), (1100 * MS, 300 * MS));
    assert_eq!((ended.record.counters.undrained, errors(&ended)), (3, vec![]));
    // What fails in the drain is no failure of the window; its connection asks no more.
    let ended = World::new(a_second_of_closed_load(1, "0", 5 * SECOND).session(), react).run(u64::MAX);
    assert_eq!((ended.drained_ns, ended.record.counters.undrained, errors(&ended)), (800 * MS, 0, vec![]));
}

#[test]
fn a_journey_that_is_under_way_when_a_closed_load_ends_is_cut_off_there() {
    let requests =
        json!([{"name": "a", "path": "/a", "journey": "j"}, {"name": "b", "path": "/b", "journey": "j"}]);
    let [cut, drained] = [0, SECOND].map(|drain_ns| {
        let setup = Setup { requests: requests.clone(), ..a_second_of_closed_load(1, "0", drain_ns) };
        let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 60 * MS)).run(u64::MAX);
        assert!(ended.drained_ns <= 60 * MS);
        serde_json::to_value(ended.record.journeys[0].clone().written()).unwrap()
    });
    assert!(cut == drained && cut["unfinished"] == 3, "{cut} {drained}");
}

fn run_verified(ended: &Ended) -> u64 {
    let shares = serde_json::to_value(ended.record.shares()).unwrap();
    shares.as_array().unwrap().iter().map(|share| share["run_verified"].as_u64().unwrap()).sum()
}
