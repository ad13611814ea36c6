//! Closed loads: what begins a request is the last one's end.

use serde_json::json;

use super::server::{Asked, Network, Reaction, World, run};
use super::*;
use crate::record::RequestCounts;

#[test]
fn a_closed_loop_records_the_window_only() {
    let mut session = Setup { closes_ns: Some(200 * MS), ..Setup::closed(1) }.session();
    assert_eq!(session.start(0, 0), Next::Connect);
    connect_and_send(&mut session, 0, MS);
    for now_ms in [50, 99, 120, 199] {
        assert_eq!(session.received(0, ANSWER, false, now_ms * MS), Next::Send);
        send(&mut session, 0, (now_ms + 1) * MS);
    }
    assert_eq!(session.received(0, ANSWER, false, 200 * MS), Next::Close);
    assert_eq!(session.phase(), Phase::Over);
    let ended = session.conclude(210 * MS);
    assert_books_balance(&ended);
    let record = ended.record;
    let counts = RequestCounts {
        sent: 2,
        answers: 2,
        verified: 2,
        run_sent: 5,
        run_verified: 4,
        ..Default::default()
    };
    assert_eq!((record.totals(), record.counters.connects), (counts, 0));
    assert_eq!((record.times().service.count(), record.send_lag.count()), (2, 2));
    assert_eq!(
        (ended.at_ns, ended.books.in_flight_at_end, ended.oldest_intended_ns),
        (200 * MS, 1, Some(199 * MS))
    );
}

#[test]
fn a_split_answer_waits() {
    let mut session = Setup::closed(1).session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, &ANSWER[..10], false, 2 * MS), Next::Wait);
    assert_eq!(session.received(0, &ANSWER[10..], false, 3 * MS), Next::Send);
}

#[test]
fn numbers_are_kept_with_the_warm_up_and_right_answers_only() {
    let numbered = |path: &str| json!({"path": path, "template": true, "acknowledge": true});
    let requests = json!([numbered("/a/{{sequence 5}}"), {"path": "/"}, numbered("/b/{{sequence 0}}")]);
    let mut session = Setup { requests, ..Setup::closed(1) }.session();
    let wrong = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    for turn in 1..10 {
        // The mix takes turns: 6 of the first sequence and 1 of the last are answered wrong. The window opens at 100 ms.
        let answer = if (4..=6).contains(&turn) { &wrong[..] } else { ANSWER };
        assert_eq!(session.received(0, answer, false, turn * 20 * MS), Next::Send);
        send(&mut session, 0, turn * 20 * MS);
    }
    // Number 8 is under way.
    assert_eq!(session.broken(0, ErrorKind::Reset, 200 * MS), Next::Connect);
    let record = session.conclude(300 * MS).record;
    let kept = serde_json::to_value(record.acknowledgements(&["a", "", "b"].map(str::to_owned), &[4, 0, 3]));
    assert_eq!(
        kept.unwrap(),
        json!([
            {"request": "a", "begun": 4, "not_acknowledged": [[6, 6], [8, 8]]},
            {"request": "b", "begun": 3, "not_acknowledged": [[1, 1]]}
        ])
    );
}

#[test]
fn a_quota_is_met_exactly_and_ends_the_run() {
    let mut session = Setup { share: Some(3), ..Setup::closed(2) }.session();
    session.start(0, 100 * MS);
    session.start(1, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    connect_and_send(&mut session, 1, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Send);
    send(&mut session, 0, 102 * MS);
    assert_eq!(session.received(1, ANSWER, false, 103 * MS), Next::Wait);
    assert_eq!(session.phase(), Phase::Window);
    session.received(0, ANSWER, false, 104 * MS);
    assert_eq!(session.phase(), Phase::Over);
    let ended = session.conclude(200 * MS);
    assert_eq!((ended.at_ns, ended.books.in_flight_at_end), (104 * MS, 0));
    assert_eq!((ended.record.totals().sent, ended.record.totals().verified), (3, 3));
}

#[test]
fn without_keep_alive_every_request_connects() {
    let mut session = Setup { requests_per_connection: Some(1), ..Setup::closed(1) }.session();
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Connect);
    connect_and_send(&mut session, 0, 105 * MS);
    assert_eq!(session.received(0, ANSWER, false, 109 * MS), Next::Connect);
    let record = session.conclude(200 * MS).record;
    assert_eq!((record.counters.connects, record.totals().answers), (2, 2));
    let figures = serde_json::to_value(&record.times().response).unwrap();
    assert_eq!(figures["max_seconds"], 0.007, "the connect is part of the response time");
    let figures = serde_json::to_value(&record.times().service).unwrap();
    assert_eq!(figures["max_seconds"], 0.004, "and not of the service time");
}

#[test]
fn a_connection_without_a_local_port_is_not_opened_again() {
    let setup = Setup { requests_per_connection: Some(1), local_ports: Some(3), ..Setup::closed(2) };
    let closes_ns = Some(1100 * MS);
    let world =
        World::new(Setup { closes_ns, ..setup }.session(), |now_ns| Reaction::Answer(now_ns + 20 * MS));
    let ended = world.run(u64::MAX);
    assert_books_balance(&ended);
    // The warm-up takes no port: two connections of it are under way when the window opens, and three follow them.
    assert_eq!((ended.record.counters.connects, ended.record.totals().verified), (3, 5));
    assert_eq!(errors(&ended), [error("connect", 2)], "each connection failed once, and that was all");
    assert_eq!((ended.at_ns, ended.books.in_flight_at_end), (1100 * MS, 0));
}

#[test]
fn a_close_on_an_idle_connection_is_no_error_but_one_instead_of_an_answer_is() {
    let mut session = Setup::closed(1).session();
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Send);
    assert_eq!(session.broken(0, ErrorKind::Reset, 103 * MS), Next::Connect, "nothing was sent yet");
    connect_and_send(&mut session, 0, 104 * MS);
    assert_eq!(session.received(0, ANSWER, true, 105 * MS), Next::Connect, "the peer said that it closes");
    connect_and_send(&mut session, 0, 106 * MS);
    assert_eq!(session.peer_closed(0, 107 * MS), Next::Connect, "the first failure reconnects at once");
    connect_and_send(&mut session, 0, 108 * MS);
    assert_eq!(session.broken(0, ErrorKind::Reset, 109 * MS), Next::Close, "the second one pauses");
    assert_eq!(session.due(118 * MS), None);
    assert_eq!(session.due(119 * MS), Some((0, Next::Connect)));
    let errors = serde_json::to_value(session.conclude(200 * MS).record.errors).unwrap();
    assert_eq!((&errors["closed"], &errors["reset"]), (&1.into(), &1.into()));
}

#[test]
fn a_timeout_covers_connect_and_answer() {
    let mut session = Setup::closed(1).session();
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 600 * MS);
    assert_eq!(session.wake_ns(), 1100 * MS);
    assert_eq!(session.due(1099 * MS), None);
    assert_eq!(session.due(1100 * MS), Some((0, Next::Connect)));
    let errors = serde_json::to_value(session.conclude(1200 * MS).record.errors).unwrap();
    assert_eq!(errors["timeout"], 1);
}

#[test]
fn an_early_stop_in_the_warm_up_leaves_no_window() {
    let mut session = Setup { closes_ns: Some(200 * MS), ..Setup::closed(1) }.session();
    session.start(0, 0);
    session.stop(50 * MS);
    let ended = session.conclude(60 * MS);
    assert_eq!((ended.at_ns, ended.record.totals().answers, ended.books.in_flight_at_end), (50 * MS, 0, 1));
}

#[test]
fn the_nth_request_of_a_connection_says_that_it_is_the_last() {
    let mut session = Setup { requests_per_connection: Some(3), ..Setup::closed(1) }.session();
    session.start(0, 100 * MS);
    session.connected(0, 100 * MS);
    for number in 1..=6 {
        let says_close = session.to_send(0).windows(17).any(|bytes| bytes == b"Connection: close");
        assert_eq!(says_close, number % 3 == 0);
        send(&mut session, 0, (100 + number) * MS);
        let next = session.received(0, ANSWER, false, (100 + number) * MS);
        assert_eq!(next, if number % 3 == 0 { Next::Connect } else { Next::Send });
        if next == Next::Connect {
            session.connected(0, (100 + number) * MS);
        }
    }
    let ended = session.conclude(200 * MS);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.record.counters.connects), (6, 3));
}

/// The first example of an answer in two parts that is expected to be `ok`, with a trailer.
fn example(parts: [&[u8]; 2]) -> Value {
    let expect = json!({"body": {"kind": "exact", "text": "ok"}, "trailer": {"state": "done"}});
    let requests = json!([{"path": "/", "expect": expect}]);
    let mut session = Setup { requests, opens_ns: 0, ..Setup::closed(1) }.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        session.received(0, part, false, 2 * MS);
    }
    let examples = session.conclude(3 * MS).record.examples;
    serde_json::to_value(examples.as_slice().first()).unwrap()
}

#[test]
fn a_coded_body_and_a_trailer_are_told_by_name() {
    let coded = b"HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n\x1f";
    let told = example([coded, b"\x8b\r\n0\r\nState: done\r\n\r\n"]);
    assert_eq!((&told["reason"], &told["excerpt"]), (&json!("the body is gzip"), &json!("")));
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n";
    assert_eq!(example([head, b"State: done\r\n\r\n"]), json!(null));
    assert_eq!(example([head, b"\r\n"])["reason"], "the trailer has no state");
    let told = example([&[&head[..], b"Sta"].concat(), b"te: amiss\r\nx: y\r\n\r\n"]);
    assert_eq!(told["reason"], "state in the trailer is amiss, not done");
    assert_eq!(example([ANSWER, b""])["kind"], "wrong_header", "without chunks there is no trailer");
}

#[test]
fn a_content_type_that_does_not_fit_is_told() {
    let requests = json!([{"path": "/", "expect": {"content_type": "application/json"}}]);
    let mut session = Setup { requests, opens_ns: 0, ..Setup::closed(1) }.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    for header in ["Content-Type: text/plain; charset=utf-8\r\n", "", "content-type: application/json\r\n"] {
        let answer = format!("HTTP/1.1 200 OK\r\n{header}Content-Length: 2\r\n\r\nok");
        assert_eq!(session.received(0, answer.as_bytes(), false, 2 * MS), Next::Send);
        send(&mut session, 0, 2 * MS);
    }
    let examples = serde_json::to_value(session.conclude(3 * MS).record.examples.as_slice()).unwrap();
    let reasons: Vec<_> = examples.as_array().unwrap().iter().map(|each| each["reason"].as_str()).collect();
    let wanted = [
        "the content type is \"text/plain; charset=utf-8\", not application/json",
        "there is no content type, and it was to be application/json",
    ];
    assert_eq!(reasons, wanted.map(Some));
}

#[test]
fn without_a_limit_requests_on_a_connection_are_not_counted_down() {
    let mut session = Setup::closed(1).session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, ANSWER, false, 2 * MS), Next::Send);
    assert_eq!(session.slots[0].left_on_socket, None);
}

#[test]
fn thought_comes_before_the_next_request_and_is_in_no_response_time() {
    let load = json!({"kind": "closed", "connections": 4, "think_time_seconds": 0.040});
    let setup = Setup { closes_ns: Some(1100 * MS), record_intended: 1000, ..Setup::of(load) };
    let ended = World::new(setup.session(), |now_ns| Reaction::Answer(now_ns + 10 * MS)).run(u64::MAX);
    assert_books_balance(&ended);
    // 50 ms a round: 20 rounds of 4 connections in a second.
    assert_eq!(ended.record.totals().answers, 80);
    let figures = serde_json::to_value(&ended.record.times().response).unwrap();
    assert_eq!((&figures["min_seconds"], &figures["max_seconds"]), (&json!(0.01), &json!(0.01)));
    // The first requests are spread over one pause: 0, 10, 20, 30 ms, and so are all later ones.
    let starts = ended.record.intended_starts();
    assert_eq!(starts[..5], [100, 110, 120, 130, 150].map(|ms| ms * MS));
}

#[test]
fn books_balance_whatever_happens() {
    for (requests_per_connection, share, pipeline) in
        [(None, None, 1), (Some(1), None, 1), (Some(7), None, 1), (None, Some(333), 1), (None, None, 4)]
    {
        let mut state = 1;
        let react = |asked: Asked<'_>| {
            let now_ns = asked.now_ns;
            state = crate::dataset::mix(state);
            let after_ns = now_ns + state % (3 * MS);
            match state >> 60 {
                0 => Reaction::Reset(after_ns),
                1 => Reaction::Answer(now_ns + 5 * SECOND),
                _ => Reaction::Answer(after_ns),
            }
        };
        let closes_ns = share.is_none().then_some(4100 * MS);
        let setup = Setup { requests_per_connection, share, closes_ns, pipeline, ..Setup::closed(20) };
        let ended = run(setup, Network { connect_ns: MS, ..Network::default() }, react, u64::MAX);
        assert_books_balance(&ended);
        let failures: u64 = errors(&ended).iter().map(|(_, count)| count).sum();
        assert!(ended.record.counters.failures == failures && failures > 0);
    }
}
