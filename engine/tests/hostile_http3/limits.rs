//! Answers that are large, and such as have no end; servers that allow little.

use quinn_proto::VarInt;
use serde_json::json;

use super::floods::run_in_bounds;
use super::peer::{Behaviour, HONEST, serve};
use super::{HEAD, answers, assert_fails, assert_verifies, hello, plan, says};

const LARGE_BYTES: usize = 3_000_000;

#[test]
fn large_answers_come_whole() {
    let address = serve(Behaviour {
        answers: |connection, id, _| {
            // DATA with its length in four bytes.
            let data = [&[0][..], &(0x8000_0000 | LARGE_BYTES as u32).to_be_bytes()].concat();
            connection.send_stream(id).write(&[HEAD, &data].concat()).unwrap();
            false
        },
        more: (&[0; 16 * 1024], LARGE_BYTES),
        ..HONEST
    });
    for streams in [1, 5] {
        let patient = plan(address, streams).requests(10).with("timeout_seconds", json!(60));
        let summary = patient.expect(json!({"status": [200]})).run();
        summary.assert_books_balance();
        assert_eq!((summary.count("verified"), summary.errors()), (10, vec![]));
        assert!(summary.count("received_bytes") >= 10 * LARGE_BYTES as u64);
    }
}

#[test]
fn a_server_that_takes_few_requests_at_once_is_asked_no_more() {
    for (allowed, streams) in [(1, 5), (3, 8)] {
        let address = serve(Behaviour { answers, streams: allowed, ..HONEST });
        let summary = plan(address, streams).requests(60).run();
        summary.assert_books_balance();
        assert_eq!((summary.count("verified"), summary.errors()), (60, vec![]), "{allowed} of {streams}");
        assert_eq!(summary.count("connects"), 2, "{allowed} of {streams}");
    }
}

#[test]
fn answers_without_an_end_time_out() {
    for (what, piece) in [
        ("interim answers", &[1, 3, 0, 0, 0xd8][..]),
        ("unknown frames", &[0x21, 3, 1, 2, 3]),
        ("unknown frames that say nothing", &[0x21, 0]),
    ] {
        let address = serve(Behaviour { more: (piece, usize::MAX), ..HONEST });
        let late = plan(address, 2).requests(8).with("timeout_seconds", json!(0.5));
        let summary = run_in_bounds(what, &late);
        assert_eq!((summary.count("verified"), summary.errors()), (0, vec![("timeout", 8)]), "{what}");
    }
}

#[test]
fn a_connection_that_was_silent_for_too_long_is_opened_anew() {
    let address = serve(Behaviour { answers, idle_milliseconds: 200, ..HONEST });
    let load = json!({"kind": "closed", "connections": 1, "think_time_seconds": 1.5});
    let summary = plan(address, 1).with("load", load).requests(4).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("verified"), summary.errors()), (4, vec![]));
    // Of QUIC it is silent for too long only beyond three times what a loss is noticed after.
    assert!(summary.count("connects") >= 2, "{}", summary.count("connects"));
}

fn posting(address: std::net::SocketAddr, body_bytes: usize) -> crate::common::Plan {
    let request = json!({"name": "only", "method": "POST", "path": "/", "body": "x".repeat(body_bytes)});
    plan(address, 2).with("requests", json!([request])).requests(8).with("timeout_seconds", json!(1.0))
}

#[test]
fn requests_that_are_not_read_time_out_unless_they_are_answered_all_the_same() {
    let reads_nothing = Behaviour { window_bytes: 1_000, reads: false, ..HONEST };
    let summary = run_in_bounds("it reads nothing", &posting(serve(reads_nothing), 100_000));
    assert_eq!((summary.count("verified"), summary.errors()), (0, vec![("timeout", 8)]));
    let early = Behaviour { answers, ..reads_nothing };
    let summary = run_in_bounds("it answers before it reads", &posting(serve(early), 100_000));
    assert_eq!((summary.count("verified"), summary.errors()), (8, vec![]));
    let stops = Behaviour {
        answers: |connection, id, _| {
            connection.recv_stream(id).stop(VarInt::from_u32(0x100)).unwrap();
            says(connection, id, &hello(HEAD));
            false
        },
        ..reads_nothing
    };
    let summary = run_in_bounds("STOP_SENDING", &posting(serve(stops), 100_000));
    assert_eq!((summary.count("verified"), summary.errors()), (8, vec![]));
    assert_verifies("small windows", serve(Behaviour { answers, window_bytes: 10, ..HONEST }));
}

#[test]
fn a_server_that_takes_no_request_is_named() {
    let none = plan(serve(Behaviour { answers, streams: 0, ..HONEST }), 2);
    let late = none.requests(4).with("timeout_seconds", json!(1.0));
    assert_fails("no streams", &late, "timeout", "http3_no_stream", "allowed no stream");
}
