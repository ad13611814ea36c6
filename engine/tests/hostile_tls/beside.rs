//! What hostile servers may not do besides: take memory, hold others up, or pass unseen.

use std::io::Write;
use std::time::Duration;

use serde_json::json;

use super::identities::{Authority, USUAL, config};
use super::sealed::DATA;
use super::servers::{HALF, OK, asked};
use crate::common::{Engine, Plan, Server, most_memory_kib};

/// Each KeyUpdate asks for another one, a byte of the answer after each few makes them no flood, and nothing is ever read.
#[test]
fn a_server_that_asks_for_key_updates_and_reads_nothing_takes_no_memory() {
    let authority = Authority::new("unread");
    let config = config(&authority.identity(|_| {}), USUAL);
    let flood = asked(config, |mut secure| {
        secure.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")?;
        loop {
            for _ in 0..20 {
                secure.tls.refresh_traffic_keys().unwrap();
            }
            secure.say(b"x")?;
        }
    });
    let server = Server::start(move |_, socket| flood(socket));
    let plan = Plan::closed(&server.address, 2).with("tls", authority.trusting()).seconds(1.0);
    let mut engine = Engine::start(&["run"], &plan.0.to_string());
    let mut most_kib = 0;
    let summary = loop {
        let event = engine.event();
        if event["event"] == "summary" {
            break event;
        }
        most_kib = most_kib.max(most_memory_kib(&engine));
    };
    assert!((1..64 * 1024).contains(&most_kib), "{most_kib} KiB");
    assert!(summary["wire_received_bytes"].as_u64() > Some(100_000), "{summary}");
    assert_eq!(summary["verified"], 0);
}

/// After each answer comes a record that nobody has encrypted, while the connection rests.
#[test]
fn what_breaks_tls_between_two_answers_counts_as_unasked() {
    let authority = Authority::new("between");
    let config = config(&authority.identity(|_| {}), USUAL);
    let breaks = asked(config, |mut secure| {
        secure.say(OK)?;
        std::thread::sleep(Duration::from_millis(5));
        secure.say_past(&[&[DATA, 3, 3, 0, 40][..], &[0; 40]].concat())?;
        secure.leave();
        Ok(())
    });
    let server = Server::start(move |_, socket| breaks(socket));
    let load = json!({"kind": "constant", "rate_per_second": 20.0, "connections": 1});
    let plan =
        Plan::closed(&server.address, 1).with("load", load).with("tls", authority.trusting()).seconds(0.4);
    for driver in ["epoll", "auto"] {
        let summary = plan.clone().with("driver", json!(driver)).run();
        let (verified, unasked) = (summary.count("verified"), summary.count("unasked"));
        assert!(verified > 0 && unasked + summary.all_errors() + 1 >= verified, "{}", summary.0);
        assert!(unasked > 0, "{}", summary.0);
        assert_eq!(summary.0["examples"][0]["cause"], "bad_record");
    }
}

/// The lanes of a pipeline are told at once.
#[test]
fn a_pipeline_ends_with_its_tls() {
    let authority = Authority::new("pipeline");
    let config = config(&authority.identity(|_| {}), USUAL);
    let breaks = asked(config, |mut secure| {
        secure.say(HALF)?;
        secure.say_past(&[&[DATA, 3, 3, 0, 40][..], &[0; 40]].concat())?;
        secure.leave();
        Ok(())
    });
    let server = Server::start(move |_, socket| breaks(socket));
    let plan = Plan::closed(&server.address, 1).with("tls", authority.trusting()).with("pipeline", json!(4));
    let summary = plan.requests(4).with("timeout_seconds", json!(20.0)).run();
    assert_eq!((summary.count("verified"), summary.errors()), (0, vec![("tls", 4)]), "{}", summary.0);
    assert_eq!(summary.0["examples"][0]["cause"], "bad_record");
}

/// A server's log is to say the same as the engine does.
#[test]
fn a_server_is_told_why_its_certificate_is_not_taken() {
    let (authority, stranger) = (Authority::new("told"), Authority::new("teller"));
    let config = config(&stranger.identity(|_| {}), USUAL);
    let (report, errors) = std::sync::mpsc::channel();
    let server = Server::start(move |_, mut socket| {
        let mut tls = rustls::ServerConnection::new(config.clone()).unwrap();
        let _ = report.send(tls.complete_io(&mut socket).unwrap_err().to_string());
        let _ = socket.flush();
    });
    for driver in ["epoll", "auto"] {
        let plan = Plan::closed(&server.address, 1).requests(1).with("tls", authority.trusting());
        assert_eq!(plan.with("driver", json!(driver)).run().errors(), [("tls", 1)]);
        let error = errors.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(error.contains("UnknownCA"), "{error}");
    }
}

/// Answers that came whole stay right where the client's own library would not mind either.
#[test]
fn a_close_between_two_answers_needs_no_close_notify() {
    let authority = Authority::new("bare");
    let config = config(&authority.identity(|_| {}), USUAL);
    let closes = asked(config, |mut secure| {
        secure.say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")?;
        secure.leave();
        Ok(())
    });
    let server = Server::start(move |_, socket| closes(socket));
    let summary = Plan::closed(&server.address, 1).requests(3).with("tls", authority.trusting()).run();
    assert_eq!((summary.count("verified"), summary.all_errors()), (3, 0), "{}", summary.0);
}
