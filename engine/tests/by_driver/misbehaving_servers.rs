//! Every way in which a server can fail is counted under its own kind, and nothing else happens.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::common::{Plan, Server, Summary, read_request};
use rustix::net::sockopt::set_socket_linger;
use serde_json::json;

const RIGHT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

/// Ten requests on one connection, with everything about [`RIGHT`] expected.
fn ten_requests(address: &str) -> Plan {
    Plan::closed(address, 1).requests(10).expect(json!({
        "status": [200],
        "content_type": "text/plain",
        "body_bytes": {"min": 5, "max": 5},
        "body": {"kind": "exact", "text": "hello"}
    }))
}

fn summary_of(server: &Server) -> Summary {
    ten_requests(&server.address).run()
}

/// Closes so that the peer sees a reset.
fn reset(stream: TcpStream) {
    set_socket_linger(&stream, Some(std::time::Duration::ZERO)).unwrap();
}

#[test]
fn right_answers_in_odd_pieces() {
    let single: Vec<&[u8]> = RIGHT.chunks(1).collect();
    let chunked: [&[u8]; 9] = [
        b"HTTP/1.1 200 OK\r\nTransfer-Enc",
        b"oding: chunked\r\nContent-Type: text/plain; charset=utf-8\r",
        b"\n\r",
        b"\n2",
        b"\r\nhe\r\n00",
        b"3;x=y\r\nl",
        b"lo\r\n0\r\nTrail: er",
        b"\r",
        b"\n\r\n",
    ];
    let interim: [&[u8]; 2] = [b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", RIGHT];
    for pieces in [&single[..], &chunked[..], &interim[..], &[RIGHT][..]] {
        let summary = summary_of(&Server::answering(pieces));
        assert_eq!((summary.count("verified"), summary.count("connects")), (10, 1));
        assert!(summary.errors().is_empty());
    }
}

#[test]
fn until_close_and_announced_closes_are_right_answers() {
    for bytes in [
        &b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"[..],
        b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
    ] {
        let summary = summary_of(&Server::closing_after(bytes));
        assert_eq!((summary.count("verified"), summary.count("connects")), (10, 10));
        assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    }
}

#[test]
fn answers_with_two_framings_are_right_and_counted() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    let chunks = "5\r\nhello\r\n0\r\n";
    for (bytes, of_ten) in [
        (format!("{head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n{chunks}\r\n"), 10),
        (format!("{head}Content-Length: 15\r\ntransfer-encoding:CHUNKED\r\n\r\n{chunks}\r\n"), 10),
        // In an interim answer and in a trailer it frames nothing.
        (
            format!(
                "HTTP/1.1 103 Early\r\nContent-Length: 5\r\n\r\n{head}Transfer-Encoding: chunked\r\n\r\n{chunks}\r\n"
            ),
            0,
        ),
        (format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunks}Content-Length: 5\r\n\r\n"), 0),
    ] {
        let summary = summary_of(&Server::answering(&[bytes.as_bytes()]));
        assert_eq!((summary.count("verified"), summary.count("two_framings")), (10, of_ten), "{bytes}");
        assert_eq!(
            summary.count("connects"),
            of_ten.max(1),
            "no connection is used again where its end is in doubt"
        );
        assert!(summary.errors().is_empty());
    }
}

#[test]
fn wrong_answers_by_kind() {
    let with_status = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nhello");
    let with_type = |kind: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    for (answer, kind) in [
        (with_status("500 Oops"), "status_5xx"),
        (with_status("404 Not Found"), "status_4xx"),
        (with_status("302 Found"), "status_3xx"),
        (with_status("202 Accepted"), "status_2xx"),
        (with_type("text/html", "hello"), "wrong_header"),
        (with_type("text/plain", "hello!"), "wrong_length"),
        (with_type("text/plain", "hullo"), "wrong_body"),
    ] {
        let summary = summary_of(&Server::answering(&[answer.as_bytes()]));
        assert_eq!(summary.errors(), [(kind, 10)]);
        assert_eq!((summary.count("verified"), summary.count("answers")), (0, 10));
        assert_eq!(summary.count("connects"), 1, "a wrong answer leaves the connection in order");
        let example = &summary.0["examples"][0];
        assert_eq!((example["kind"].as_str(), example["status"].is_u64()), (Some(kind), true));
        assert!(answer.ends_with(example["excerpt"].as_str().unwrap()));
        assert_eq!(summary.0["service_time"]["count"], 10);
    }
}

#[test]
fn broken_connections_by_kind() {
    let closed_early = Server::closing_after(b"");
    let closed_midway = Server::closing_after(&RIGHT[..RIGHT.len() - 1]);
    let switching = Server::answering(&[b"HTTP/1.1 101 Switching Protocols\r\n\r\n"]);
    let garbage = Server::answering(&[b"SSH-2.0-OpenSSH_9.2\r\n"]);
    let too_much = Server::answering(&[RIGHT, b"more"]);
    let bad_chunk = Server::answering(&[b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]);
    let endless =
        Server::answering(&[b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nhello"]);
    let reset_midway = Server::start(|_, mut stream| {
        read_request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
        reset(stream);
    });
    for (server, kind) in [
        (closed_early, "closed"),
        (closed_midway, "closed"),
        (switching, "status_1xx"),
        (garbage, "protocol"),
        (bad_chunk, "protocol"),
        (endless, "protocol"),
        (reset_midway, "reset"),
    ] {
        let plan = ten_requests(&server.address).requests(3);
        assert_eq!(plan.run().errors(), [(kind, 3)]);
    }
    // Whether the surplus comes with the answer or instead of the next one is up to the kernel.
    let summary = ten_requests(&too_much.address).requests(3).run();
    assert!(summary.errors().iter().all(|(kind, _)| *kind == "protocol") && summary.all_errors() > 0);
}

#[test]
fn an_end_in_place_of_an_answer_after_others_was_not_announced() {
    for resets in [true, false] {
        let server = Server::start(move |_, mut stream| {
            for _ in 0..2 {
                read_request(&mut stream);
                stream.write_all(RIGHT).unwrap();
            }
            read_request(&mut stream);
            if resets {
                reset(stream);
            }
        });
        let summary = ten_requests(&server.address).requests(9).run();
        assert_eq!(summary.errors(), [("unannounced_close", 3)]);
        assert_eq!((summary.count("verified"), summary.count("unannounced_closes")), (6, 3));
    }
}

#[test]
fn a_refused_port_is_not_asked_in_a_busy_loop() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let summary = Plan::closed(&address, 2).seconds(0.5).run();
    let [("refused", refused)] = summary.errors()[..] else { panic!("{:?}", summary.errors()) };
    // 0, 10, 30, 70, 150, 310 ms, on each connection.
    assert!((2..=14).contains(&refused), "{refused}");
    assert_eq!(summary.0["body_bytes"], json!(null));
    assert_eq!(summary.0["service_time"]["percentiles"]["50"], json!(null));
}

#[test]
fn an_unusable_address_counts_as_connect() {
    // A broadcast address, here loopback's own, cannot be connected to by TCP.
    let summary = Plan::closed("127.255.255.255:80", 1).requests(2).run();
    assert_eq!(summary.errors(), [("connect", 2)]);
}

#[test]
fn no_answer_is_a_timeout_and_the_connection_is_replaced() {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let server = Server::start(move |_, mut stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        while read_request(&mut stream).is_some() {}
    });
    let summary = ten_requests(&server.address).requests(3).with("timeout_seconds", json!(0.1)).run();
    assert_eq!(summary.errors(), [("timeout", 3)]);
    assert!(connections.load(Ordering::SeqCst) >= 3);
    let seconds = summary.0["window_seconds"].as_f64().unwrap();
    assert!((0.3..3.0).contains(&seconds), "{seconds}");
}

#[test]
fn a_slow_trickle_is_a_timeout() {
    let server = Server::start(|_, mut stream| {
        read_request(&mut stream);
        for byte in RIGHT.iter().cycle() {
            if stream.write_all(&[*byte]).is_err() {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(20));
        }
    });
    let summary = ten_requests(&server.address).requests(2).with("timeout_seconds", json!(0.2)).run();
    assert_eq!(summary.errors(), [("timeout", 2)]);
}

#[test]
fn unanswered_requests_are_censored_not_dropped() {
    let server = Server::start(|_, mut stream| while read_request(&mut stream).is_some() {});
    let summary = Plan::closed(&server.address, 3).seconds(0.2).run();
    assert_eq!((summary.count("sent"), summary.count("in_flight_at_end")), (3, 3));
    assert!(summary.0["oldest_in_flight_seconds"].as_f64().unwrap() > 0.1);
    assert_eq!(summary.all_errors(), 0);
}

#[test]
fn endless_heads_and_bodies_end_in_an_error() {
    let endless = |start: &'static [u8], kind: &str, requests: u64, timeout_seconds: u64| {
        let server = Server::start(move |_, mut stream| {
            read_request(&mut stream);
            let _ = stream.write_all(start);
            let piece = [b'a'; 65_536];
            while stream.write_all(&piece).is_ok() {}
        });
        let summary = ten_requests(&server.address)
            .requests(requests)
            .with("timeout_seconds", json!(timeout_seconds))
            .run();
        assert_eq!(summary.errors(), [(kind, requests)]);
    };
    endless(b"HTTP/1.1 200 OK\r\nX: ", "protocol", 3, 30);
    endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "protocol", 3, 30);
    endless(b"HTTP/1.1 200 OK\r\n\r\n", "timeout", 1, 1);
}

#[test]
fn a_close_between_requests_is_no_error() {
    // The end comes with the answer, so the engine knows before it asks again.
    let server = Server::start(|_, mut stream| {
        for _ in 0..2 {
            if read_request(&mut stream).is_none() {
                return;
            }
            stream.write_all(&RIGHT[..10]).unwrap();
            stream.write_all(&RIGHT[10..]).unwrap();
        }
    });
    let summary = ten_requests(&server.address).requests(40).run();
    assert_eq!(summary.count("verified") + summary.all_errors(), 40);
    // If the close comes after the next request was sent, it is counted, as what it is.
    assert!(summary.errors().iter().all(|(kind, _)| *kind == "unannounced_close"), "{summary:?}");
    assert!(summary.count("connects") >= 14);
}

/// Ten requests, 100 ms apart, to a server that says this 5 ms after each answer: long before the next request, also on a
/// busy machine. Where the machine stood still for as long, what was said came to the next request, and is an error of it:
/// that run is made again.
fn told_at_rest(bytes: &'static [u8]) -> Summary {
    (0..5).map(|_| told_5_ms_later(bytes)).find(|summary| summary.all_errors() == 0).expect("a calm second")
}

fn told_5_ms_later(bytes: &'static [u8]) -> Summary {
    let server = Server::start(move |_, mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(RIGHT).unwrap();
            thread::sleep(std::time::Duration::from_millis(5));
            if bytes.is_empty() || stream.write_all(bytes).is_err() {
                return;
            }
        }
    });
    let load = json!({"kind": "constant", "rate_per_second": 10.0, "connections": 1});
    Plan::closed(&server.address, 1).with("load", load).requests(10).run()
}

#[test]
fn what_a_resting_connection_is_told_is_counted() {
    let doubled = told_at_rest(RIGHT);
    assert!(doubled.all_errors() == 0 && doubled.count("unasked") >= 9, "{doubled:?}");
    // A farewell before a close is a server's right, and so is a close; the latter is counted.
    let farewell = told_at_rest(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n");
    assert_eq!((farewell.all_errors(), farewell.count("unasked")), (0, 0), "{farewell:?}");
    let silent = told_at_rest(b"");
    assert_eq!((silent.all_errors(), silent.count("unasked")), (0, 0), "{silent:?}");
    assert!(silent.count("unannounced_closes") >= 9, "{silent:?}");
}

#[test]
fn a_close_that_was_announced_is_not_counted() {
    let announced =
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    let summary = ten_requests(&Server::closing_after(announced).address).run();
    assert_eq!((summary.count("verified"), summary.count("unannounced_closes")), (10, 0), "{summary:?}");
    let silent = ten_requests(&Server::closing_after(RIGHT).address).run();
    assert!(silent.count("verified") + silent.all_errors() == 10, "{silent:?}");
    assert!(silent.count("unannounced_closes") >= 4, "{silent:?}");
}
