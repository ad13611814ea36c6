//! Handshakes that come to nothing, and plans that cannot be.

use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peer::{Behaviour, HONEST, serve};
use super::{answering, answers, assert_fails, assert_verifies, plan};

#[test]
fn handshakes_fail_for_a_reason() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let late = plan(silent.local_addr().unwrap(), 2).requests(4).with("timeout_seconds", json!(0.4));
    assert_fails("silence", &late, "timeout", "http3_no_handshake", "did not finish the handshake");
    let gone = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_fails("nobody", &plan(gone, 2), "refused", "", "nobody listens there");
    assert_fails(
        "another version",
        &plan(answers_with_versions([0x6b, 0x33, 0x43, 0xcf]), 2),
        "protocol",
        "http3_version",
        "no version of QUIC",
    );
    let same = plan(answers_with_versions(*b"\0\0\0\x01"), 2).requests(4).with("timeout_seconds", json!(0.4));
    assert_fails("the version that was asked for", &same, "timeout", "http3_no_handshake", "did not finish");
    let other = serve(Behaviour { answers, protocol: b"hq", ..HONEST });
    assert_fails("another protocol", &plan(other, 2), "tls", "alpn_http3", "did not agree to HTTP/3");
    let unknown = plan(answering(answers), 2).with("tls", json!({}));
    assert_fails("an unknown issuer", &unknown, "tls", "certificate_issuer", "nobody who is trusted here");
}

#[test]
fn handshakes_that_stop_half_way_take_no_longer_than_a_request() {
    let began = Instant::now();
    let half_way = serve(Behaviour { answers, half_ways: usize::MAX, ..HONEST });
    let late = plan(half_way, 2).requests(4).with("timeout_seconds", json!(0.4));
    assert_fails(
        "the first packet alone",
        &late,
        "timeout",
        "http3_no_handshake",
        "did not finish the handshake",
    );
    let silent = serve(Behaviour { answers, falls_silent: true, ..HONEST });
    let late = plan(silent, 2).requests(4).with("timeout_seconds", json!(0.4));
    assert_fails(
        "silence behind it",
        &late,
        "timeout",
        "http3_no_handshake",
        "did not confirm the handshake",
    );
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn whoever_stopped_half_way_is_asked_on_another_connection() {
    let address = serve(Behaviour { answers, half_ways: 2, ..HONEST });
    let summary = plan(address, 1).with("timeout_seconds", json!(0.4)).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("verified"), summary.errors()), (38, vec![("timeout", 2)]));
}

#[test]
fn a_server_that_has_addresses_proven_is_asked_once_more() {
    assert_verifies("Retry", serve(Behaviour { answers, retries: true, ..HONEST }));
}

/// A server that answers whatever comes with the one version of QUIC that it speaks, such as version 2 (RFC 9369).
fn answers_with_versions(version: [u8; 4]) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    thread::spawn(move || {
        let mut bytes = [0; 2048];
        while let Ok((_, from)) = socket.recv_from(&mut bytes) {
            // The two identifiers change places.
            let other_end = 6 + usize::from(bytes[5]);
            let own_end = other_end + 1 + usize::from(bytes[other_end]);
            let (other, own) = (&bytes[5..other_end], &bytes[other_end..own_end]);
            let answer = [&[0x80, 0, 0, 0, 0], own, other, &version].concat();
            let _ = socket.send_to(&answer, from);
        }
    });
    address
}

#[test]
fn what_it_cannot_be_combined_with_is_refused() {
    let plan = plan(SocketAddr::from(([127, 0, 0, 1], 1)), 1);
    for (key, value, words) in [
        ("http2", json!({"streams": 1}), "http3 null"),
        ("tls", Value::Null, "needs tls"),
        ("driver", json!("io_uring"), "by epoll alone"),
        ("address", json!("unix:/nowhere"), "QUIC goes by UDP"),
        ("pipeline", json!(2), "pipeline 1"),
        (
            "requests",
            json!([{"name": "only", "method": "GET", "path": "/", "headers": [["Upgrade", "x"]]}]),
            "HTTP/3 has no \"Upgrade\"",
        ),
    ] {
        let (text, status) = plan.clone().with(key, value).refusal();
        assert!(text.contains(words) && status == Some(2), "{key}: {text} {status:?}");
    }
}
