//! What drivers do with sockets, told by the server's side of them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use crate::common::{Engine, Plan, Server, Target, read_request};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use serde_json::json;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A POST of these bytes.
fn posting(plan: Plan, body: &str) -> Plan {
    plan.with("requests", json!([{"method": "POST", "path": "/", "body": body}]))
}

#[test]
fn the_driver_is_the_one_asked_for_or_the_plan_is_refused() {
    let target = Target::start(&[]);
    let plan = |driver: &str| Plan::closed(&target.address, 2).requests(10).with("driver", json!(driver));
    let by_epoll = plan("epoll").run();
    assert_eq!((&by_epoll.0["driver"], &by_epoll.0["driver_fallback"]), (&json!("epoll"), &json!(null)));
    let by_any = plan("auto").run();
    if by_any.0["driver"] == "io_uring" {
        assert!(by_any.0["driver_fallback"].is_null());
        assert_eq!(plan("io_uring").run().0["driver"], "io_uring");
    } else {
        let reason = by_any.0["driver_fallback"].as_str().unwrap();
        let (refusal, status) = plan("io_uring").refusal();
        assert!(refusal.contains("driver: ") && refusal.contains(reason));
        assert_eq!(status, Some(2));
    }
}

#[test]
fn unix_sockets() {
    let path = format!("{}/{}.sock", env!("CARGO_TARGET_TMPDIR"), env!("CARGO_CRATE_NAME"));
    let _ = std::fs::remove_file(&path);
    let address = format!("unix:{path}");
    let absent = Plan::closed(&address, 1).requests(1).run();
    assert_eq!(absent.errors(), [("connect", 1)]);
    assert!(absent.0["examples"][0]["excerpt"].as_str().unwrap().contains("ENOENT"));
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|bytes| bytes > 0) {
                    stream.write_all(ANSWER).unwrap();
                }
            });
        }
    });
    let summary = Plan::closed(&address, 4).requests(200).run();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((summary.count("verified"), summary.count("connects")), (200, 4));
}

#[test]
fn ipv6() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let target = Target::start(&["--listen", "[::1]:0"]);
    let summary = Plan::closed(&target.address, 4).requests(200).run();
    assert_eq!((summary.count("verified"), summary.count("connects")), (200, 4));
}

#[test]
fn a_long_request_to_a_slow_reader_arrives_whole() {
    let body: String = (0..150_000).map(|number| format!("{number:08}")).collect();
    let expected = body.clone();
    let server = Server::start(move |_, mut stream| {
        set_socket_recv_buffer_size(&stream, 65_536).unwrap();
        while let Some(received) = read_slowly(&mut stream, expected.len()) {
            assert!(received.ends_with(expected.as_bytes()));
            stream.write_all(ANSWER).unwrap();
        }
    });
    let summary = posting(Plan::closed(&server.address, 2), &body).requests(6).run();
    assert_eq!((summary.count("verified"), summary.count("connects")), (6, 2));
    assert!(summary.count("sent_bytes") > 6 * body.len() as u64);
}

/// One request with a body of this length; `None` at the end.
fn read_slowly(stream: &mut TcpStream, length: usize) -> Option<Vec<u8>> {
    let mut received = Vec::new();
    let mut piece = vec![0; 100_000];
    loop {
        let bytes = stream.read(&mut piece).ok().filter(|bytes| *bytes > 0)?;
        received.extend_from_slice(&piece[..bytes]);
        let head = received.windows(4).position(|window| window == b"\r\n\r\n");
        if head.is_some_and(|end| received.len() == end + 4 + length) {
            return Some(received);
        }
        if received.len() < length / 2 {
            thread::sleep(Duration::from_micros(200));
        }
    }
}

#[test]
fn an_answer_that_comes_late_belongs_to_no_other_request() {
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            thread::sleep(Duration::from_millis(250));
            let _ = stream.write_all(ANSWER);
        }
    });
    let plan = Plan::closed(&server.address, 8).with("timeout_seconds", json!(0.05)).seconds(1.2);
    let summary = plan.run();
    assert_eq!(summary.count("verified"), 0);
    assert!(summary.all_errors() >= 16);
    assert_eq!(summary.errors(), [("timeout", summary.all_errors())]);
}

#[test]
fn large_answers_on_many_connections() {
    let target = Target::start(&["--body-bytes", "1000000"]);
    let expect = json!({"body": {"kind": "exact", "text": "x".repeat(1_000_000)}});
    let summary = Plan::closed(&target.address, 100).requests(400).expect(expect).run();
    assert!(summary.errors().is_empty());
    assert_eq!((summary.count("verified"), summary.count("connects")), (400, 100));
}

#[test]
fn more_connections_than_one_call_serves() {
    let target = Target::start(&[]);
    let summary = Plan::closed(&target.address, 1000).requests(20_000).run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    assert_eq!((summary.count("verified"), summary.count("connects")), (20_000, 1000));
    assert_eq!(target.served(), (20_000, 1000));
}

#[test]
fn a_connection_per_request_on_many_connections() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 300).with("requests_per_connection", json!(1));
    let summary = plan.requests(3000).run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    assert_eq!((summary.count("verified"), summary.count("connects")), (3000, 3000));
}

/// How many connections Linux opens quickly from one source to one address.
fn ports_at_once() -> u64 {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
    let bounds: Vec<u64> = text.split_whitespace().map(|bound| bound.parse().unwrap()).collect();
    (bounds[1] + 1 - bounds[0]).div_ceil(2)
}

/// Whether this user may not have so many connections.
fn lacks_files(connections: u64) -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let lacks = limit.is_some_and(|limit| limit < connections + 100);
    if lacks {
        println!("skipped: {connections} connections, {limit:?} files");
    }
    lacks
}

#[test]
fn more_connections_than_one_source_has_ports_for() {
    let connections = ports_at_once() + 300;
    if connections > 40_000 || lacks_files(connections) {
        return;
    }
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, connections as u32).requests(connections);
    let summary = plan.with("timeout_seconds", json!(60.0)).run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    assert_eq!((summary.count("verified"), summary.count("connects")), (connections, connections));
    assert_eq!(
        summary.0["routes"],
        json!({"addresses": [target.address], "source_addresses": 2,
            "connections_each": connections.div_ceil(2), "ports_each": ports_at_once()})
    );
    assert_eq!(target.served(), (connections, connections));
}

#[test]
fn connections_take_turns_over_several_addresses() {
    let targets = [0, 1].map(|_| Target::start(&[]));
    let others = json!([targets[1].address]);
    let plan = Plan::closed(&targets[0].address, 7).with("other_addresses", others).with("threads", json!(3));
    let summary = plan.requests(7).run();
    assert_eq!(summary.count("verified"), 7);
    assert_eq!(summary.0["routes"]["addresses"], json!([targets[0].address, targets[1].address]));
    assert_eq!(targets.map(Target::served), [(4, 4), (3, 3)]);
}

#[test]
fn connections_that_will_search_for_a_port_are_said_before_they_are_opened() {
    if lacks_files(ports_at_once()) {
        return;
    }
    // Nobody listens: connects fail at once.
    let load = json!({"kind": "closed", "connections": ports_at_once() + 1, "think_time_seconds": 60.0});
    let plan = Plan::closed("[::1]:1", 1).with("load", load).seconds(0.01);
    let (events, status) = Engine::start(&["run"], &plan.0.to_string()).finish();
    assert_eq!(status, Some(0));
    let crowded = json!({"event": "crowded", "addresses": ["[::1]:1"], "source_addresses": 1,
        "connections_each": ports_at_once() + 1, "ports_each": ports_at_once()});
    assert_eq!(events[0], crowded);
    assert_eq!(events.last().unwrap()["routes"]["source_addresses"], 1);
}

#[test]
fn the_window_ends_in_time_while_thousands_are_opened() {
    if lacks_files(15_000) {
        return;
    }
    let target = Target::start(&[]);
    let summary = Plan::closed(&target.address, 15_000).seconds(0.1).run();
    let seconds = summary.0["window_seconds"].as_f64().unwrap();
    assert!((0.1..2.0).contains(&seconds), "{seconds}");
    summary.assert_books_balance();
}
