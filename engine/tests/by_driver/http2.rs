//! Runs over HTTP/2, by prior knowledge, against the crate h2's own server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::Reason;
use h2::server::{Builder, SendResponse};
use http::Response;
use serde_json::json;

use crate::common::{Engine, Plan, Server, TURN, Target, serve_http2, serve_http2_in_turns};

fn answer(respond: &mut SendResponse<Bytes>, body: &str) {
    let head = Response::builder().status(200).header("content-type", "text/plain").body(()).unwrap();
    let mut stream = respond.send_response(head, false).unwrap();
    stream.send_data(Bytes::copy_from_slice(body.as_bytes()), true).unwrap();
}

/// `react` gets each request's number and its path.
fn server(react: impl Fn(usize, &str, SendResponse<Bytes>) + Send + Sync + 'static) -> Server {
    let (react, asked) = (Arc::new(react), Arc::new(AtomicUsize::new(0)));
    Server::start(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        let (react, asked) = (Arc::clone(&react), Arc::clone(&asked));
        serve_http2(stream, &Builder::new(), move |request, respond| {
            react(asked.fetch_add(1, Ordering::Relaxed), request.uri().path(), respond);
        });
    })
}

fn plan(server: &Server, connections: u32, streams: u32) -> Plan {
    Plan::closed(&server.address, connections).with("http2", json!({"streams": streams}))
}

#[test]
fn rows_and_numbers_are_verified_as_over_http_1() {
    let server = server(|_, path, mut respond| answer(&mut respond, &format!("number {}", &path[1..])));
    let request = json!({"path": "/{{sequence 1}}", "template": true, "acknowledge": true, "expect": {
        "status": [200], "content_type": "text/plain", "body_bytes": {"min": 8, "max": 12}
    }});
    let summary = plan(&server, 2, 10).with("requests", json!([request])).requests(500).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("verified"), summary.errors()), (500, vec![]));
    assert_eq!(summary.count("connects"), 2);
    assert!(summary.count("received_bytes") > 500 * 8 && summary.count("sent_bytes") > 500 * 4);
}

#[test]
fn wrong_answers_and_reset_streams_are_counted_each_under_its_kind() {
    let server = server(|number, _, mut respond| match number % 10 {
        3 => respond.send_reset(Reason::ENHANCE_YOUR_CALM),
        7 => answer(&mut respond, "wrong"),
        _ => answer(&mut respond, "right"),
    });
    let exact = json!({"body": {"kind": "exact", "text": "right"}, "check_every": 1});
    let summary = plan(&server, 1, 4).expect(exact).requests(100).run();
    summary.assert_books_balance();
    let errors = summary.errors();
    assert_eq!(errors.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["reset", "wrong_body"]);
    assert!(summary.0["examples"].to_string().contains("RST_STREAM"), "{}", summary.0["examples"]);
    assert_eq!(summary.count("connects"), 1);
}

/// SETTINGS without a setting, and an answer without a body for each request that comes, so often.
fn answer_by_hand(mut stream: TcpStream, times: usize) -> std::io::Result<()> {
    let mut preface = [0; 24];
    stream.read_exact(&mut preface)?;
    stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        std::io::copy(&mut Read::by_ref(&mut stream).take(length.into()), &mut std::io::sink())?;
        if head[3] == 1 {
            let answer = [&[0, 0, 1, 1, 5][..], &head[5..], &[0x88]].concat();
            stream.write_all(&answer.repeat(times))?;
        }
    }
}

#[test]
fn a_server_that_answers_twice_is_found_out() {
    let server = Server::start(|_, stream| drop(answer_by_hand(stream, 2)));
    let summary = plan(&server, 1, 10).requests(1000).run();
    summary.assert_books_balance();
    assert!(summary.count("unasked") + summary.all_errors() >= 900, "{summary:?}");
    assert!(summary.0["examples"].to_string().contains("http2_after_end"), "{}", summary.0["examples"]);
    let once = Server::start(|_, stream| drop(answer_by_hand(stream, 1)));
    let summary = plan(&once, 1, 10).requests(1000).run();
    assert_eq!((summary.count("verified"), summary.count("unasked"), summary.errors()), (1000, 0, vec![]));
}

#[test]
fn a_flood_of_who_does_not_read_takes_no_memory() {
    let server = Server::start(|_, mut stream| {
        let mut bytes = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
        bytes.extend([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8].repeat(4000));
        while stream.write_all(&bytes).is_ok() {
            bytes.drain(..bytes.len() % 17);
        }
    });
    // Each connection ends with an error for each of its requests.
    let plan = plan(&server, 1, 10).requests(30);
    let mut engine = Engine::start(&["run"], &plan.0.to_string());
    let mut peak_kib = 0;
    let summary = loop {
        let event = engine.event();
        if event["event"] == "summary" {
            break event;
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())).unwrap();
        if let Some(peak) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak_kib = peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
        }
    };
    assert!(peak_kib < 60_000, "{peak_kib} KiB");
    assert!(summary["examples"].to_string().contains("http2_unread"), "{}", summary["examples"]);
}

#[test]
fn what_a_server_refuses_is_asked_again_and_no_error() {
    let server = server(|number, _, mut respond| match number % 5 {
        3 => respond.send_reset(Reason::REFUSED_STREAM),
        _ => answer(&mut respond, "right"),
    });
    let summary = plan(&server, 1, 4).requests(100).run();
    summary.assert_books_balance();
    assert_eq!(summary.errors(), []);
    // The last ones may end the run before they are answered.
    assert!((20..=30).contains(&summary.count("retried")), "{}", summary.count("retried"));
}

#[test]
fn a_server_that_refuses_all_is_asked_with_growing_pauses() {
    let server = server(|_, _, mut respond| respond.send_reset(Reason::REFUSED_STREAM));
    let summary = plan(&server, 1, 2).seconds(0.5).run();
    summary.assert_books_balance();
    assert_eq!(summary.errors().iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["reset"]);
    assert!(summary.count("retried") <= 100, "{}", summary.count("retried"));
    assert!(summary.0["examples"].to_string().contains("did not process it"), "{}", summary.0["examples"]);
}

#[test]
fn long_answers_come_whole() {
    let body = "x".repeat(3_000_000);
    let long = body.clone();
    let server = server(move |_, _, mut respond| answer(&mut respond, &long));
    let length = json!({"body_bytes": {"min": body.len(), "max": body.len()}});
    let summary = plan(&server, 1, 3).expect(length).requests(9).run();
    assert_eq!((summary.count("verified"), summary.errors()), (9, vec![]));
}

#[test]
fn an_open_load_keeps_its_rate_over_one_connection() {
    let server = server(|_, _, mut respond| answer(&mut respond, "right"));
    let load = json!({"kind": "constant", "rate_per_second": 400.0, "connections": 1});
    let summary = plan(&server, 1, 50).with("load", load).seconds(0.5).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("offered"), summary.errors()), (200, vec![]));
    // It is opened ahead of the window, unless the machine is too busy for that.
    assert!(summary.count("connects") <= 1, "{}", summary.count("connects"));
}

/// Says GOAWAY after a connection's twentieth request, and answers its eighteenth after 300 ms.
fn leaving_server() -> Server {
    Server::start(|_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        let (mut asked, mut slow) = (0, Vec::new());
        serve_http2_in_turns(stream, &Builder::new(), |request| {
            let now = Instant::now();
            for (_, mut respond) in slow.extract_if(.., |(at, _)| *at <= now) {
                answer(&mut respond, "slow");
            }
            let Some((_, mut respond)) = request else { return false };
            asked += 1;
            match asked {
                18 => slow.push((now + Duration::from_millis(300), respond)),
                _ => answer(&mut respond, "right"),
            }
            asked == 20
        });
    })
}

#[test]
fn the_next_connection_serves_while_the_last_one_is_answered() {
    let load = json!({"kind": "constant", "rate_per_second": 60.0, "connections": 1});
    let summary = plan(&leaving_server(), 1, 10).with("load", load).seconds(1.5).run();
    summary.assert_books_balance();
    assert_eq!(summary.errors(), []);
    assert!(summary.count("connects") >= 3, "{}", summary.count("connects"));
    // Each connection has a slow stream for about as long as it takes new ones: without the next one, half would wait.
    let p75 = summary.seconds("response_time", "75");
    assert!(p75 < 0.1, "{p75}");
}

#[test]
fn a_server_of_http_1_is_named() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 1).with("http2", json!({"streams": 2})).seconds(0.2);
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!(summary.count("verified"), 0);
    assert!(summary.0["examples"].to_string().contains("does not speak HTTP/2"), "{}", summary.0["examples"]);
}

#[test]
fn what_http_2_cannot_be_combined_with_is_refused_by_name() {
    let base = Plan::closed("127.0.0.1:1", 1000).with("http2", json!({"streams": 2}));
    for (key, value, says) in [
        ("http2", json!({"streams": 0}), "http2.streams: 0"),
        ("http2", json!({"streams": 1001}), "http2.streams: 1001"),
        ("pipeline", json!(2), "http2: needs pipeline 1"),
        ("requests_per_connection", json!(5), "http2: needs requests_per_connection null"),
        ("requests", json!([{"path": "/", "headers": [["Upgrade", "x"]]}]), "HTTP/2 has no \"Upgrade\""),
    ] {
        let (message, status) = base.clone().with(key, value).refusal();
        assert!(message.contains(says) && status != Some(0), "{message}");
    }
}

#[test]
fn streams_that_are_open_at_the_end_of_a_closed_load_are_awaited_if_the_plan_says_so() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let server = server(move |_, _, mut respond| {
        thread::sleep(Duration::from_millis(30));
        counted.fetch_add(1, Ordering::Relaxed);
        answer(&mut respond, "ok");
    });
    let summary = plan(&server, 2, 3).seconds(0.2).with("drain_seconds", json!(5)).run();
    assert_eq!((summary.count("in_flight_at_end"), summary.count("undrained")), (6, 0));
    assert_eq!(summary.count("run_verified"), summary.count("verified") + 6);
    assert_eq!(
        (summary.errors(), asked.load(Ordering::Relaxed)),
        (vec![], summary.count("run_verified") as usize)
    );
}
