//! `traceparent` on a drawn share of requests: what a server gets, and what the summary says of the slowest.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use h2::server::Builder;
use http::Response;
use regex_lite::Regex;
use serde_json::{Value, json};

use crate::common::{Plan, Server, TURN, read_request, serve_http2};

const SLOW: usize = 3;

/// The header's value in each request that came, or none.
type Headers = Arc<Mutex<Vec<Option<String>>>>;

/// A server that keeps the headers, and is slow with the first traced requests.
fn server() -> (Server, Headers) {
    let headers = Headers::default();
    let kept = Arc::clone(&headers);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while let Some(head) = read_request(&mut stream) {
            let value = head.lines().find_map(|line| line.strip_prefix("traceparent: ").map(str::to_owned));
            let is_traced = value.is_some();
            let traced = {
                let mut kept = kept.lock().unwrap();
                kept.push(value);
                kept.iter().flatten().count()
            };
            if is_traced && traced <= SLOW {
                thread::sleep(Duration::from_millis(300));
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                return;
            }
        }
    });
    (server, headers)
}

/// The trace ids among the headers, in the order in which they came.
fn trace_ids(headers: &Headers) -> Vec<String> {
    let format = Regex::new("^00-([0-9a-f]{32})-([0-9a-f]{16})-01$").unwrap();
    let headers = headers.lock().unwrap();
    let (mut trace_ids, mut parent_ids) = (Vec::new(), HashSet::new());
    for value in headers.iter().flatten() {
        let parts = format.captures(value).unwrap_or_else(|| panic!("{value}"));
        assert!(
            parts[1].contains(|digit: char| digit != '0') && parts[2].contains(|digit: char| digit != '0')
        );
        trace_ids.push(parts[1].to_owned());
        parent_ids.insert(parts[2].to_owned());
    }
    assert_eq!(trace_ids.iter().collect::<HashSet<_>>().len(), trace_ids.len());
    assert_eq!(parent_ids.len(), trace_ids.len());
    trace_ids
}

fn slowest(summary: &Value) -> &[Value] {
    summary["slowest_traced"].as_array().unwrap()
}

#[test]
fn a_share_of_the_requests_is_traced_and_the_slowest_of_them_are_told() {
    let (server, headers) = server();
    let plan = Plan::closed(&server.address, 3).with("threads", json!(2)).with("trace_share", json!(0.2));
    let requests = json!([{"name": "GET /", "path": "/", "weight": 3}, {"name": "POST", "method": "POST",
        "path": "/{{uniform 1 9}}", "template": true, "body": "{{sequence 1}}"}]);
    let summary = plan.with("requests", requests).requests(1000).run();
    assert_eq!((summary.count("verified"), summary.errors()), (1000, vec![]));
    let (ids, traced) = (trace_ids(&headers), summary.count("traced"));
    // 200 expected; six standard deviations of the binomial distribution are 76.
    assert!(traced.abs_diff(200) < 76, "{traced}");
    // What was under way at the end may have come as well.
    assert!((ids.len() as u64 - 3..=ids.len() as u64).contains(&traced), "{traced} of {}", ids.len());
    let slowest = slowest(&summary.0);
    assert_eq!(slowest.len(), 10);
    let told: HashSet<&str> = slowest[..SLOW].iter().map(|each| each["trace_id"].as_str().unwrap()).collect();
    assert_eq!(told, ids[..SLOW].iter().map(String::as_str).collect());
    let seconds: Vec<f64> = slowest.iter().map(|each| each["response_seconds"].as_f64().unwrap()).collect();
    assert!(seconds.is_sorted_by(|one, next| one >= next) && seconds[SLOW - 1] >= 0.3, "{seconds:?}");
    assert_eq!(seconds[0], summary.0["response_time"]["max_seconds"].as_f64().unwrap());
    for each in slowest {
        assert!(each["status"] == 200 && ["GET /", "POST"].contains(&each["name"].as_str().unwrap()));
    }
}

#[test]
fn without_a_share_no_server_sees_the_header() {
    let (server, headers) = server();
    let summary = Plan::closed(&server.address, 3).requests(100).run();
    assert_eq!((trace_ids(&headers).len(), summary.count("traced"), slowest(&summary.0).len()), (0, 0, 0));
}

#[test]
fn all_requests_are_traced_in_a_pipeline_and_on_connections_that_close() {
    for (key, value) in [("pipeline", json!(4)), ("requests_per_connection", json!(1))] {
        let (server, headers) = server();
        let plan = Plan::closed(&server.address, 2).with("trace_share", json!(1)).with(key, value);
        let summary = plan.requests(60).run();
        assert_eq!((summary.count("verified"), summary.count("traced")), (60, 60));
        assert!(trace_ids(&headers).len() >= 60 && headers.lock().unwrap().iter().all(Option::is_some));
    }
}

#[test]
fn over_http2_too() {
    let headers = Headers::default();
    let kept = Arc::clone(&headers);
    let server = Server::start(move |_, stream| {
        stream.set_read_timeout(Some(TURN)).unwrap();
        let kept = Arc::clone(&kept);
        serve_http2(stream, &Builder::new(), move |request, mut respond| {
            let value = request.headers().get("traceparent").map(|value| value.to_str().unwrap().to_owned());
            kept.lock().unwrap().push(value);
            let head = Response::builder().status(200).body(()).unwrap();
            let mut stream = respond.send_response(head, false).unwrap();
            stream.send_data(Bytes::from_static(b"ok"), true).unwrap();
        });
    });
    let plan = Plan::closed(&server.address, 1).with("http2", json!({"streams": 4}));
    let summary = plan.with("trace_share", json!(1)).requests(60).run();
    assert_eq!((summary.count("verified"), summary.count("traced")), (60, 60));
    assert!(trace_ids(&headers).len() >= 60);
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let plan = Plan::closed("127.0.0.1:9", 1).with("trace_share", json!(0.5));
    let with_its_own = json!([{"path": "/", "headers": [["TraceParent", "x"]]}]);
    let (line, status) = plan.clone().with("requests", with_its_own).refusal();
    assert!(line.contains("requests[0].headers: \"TraceParent\" is set by trace_share"), "{line}");
    assert_eq!(status, Some(2));
    let (line, _) = plan.with("trace_share", json!(1.5)).refusal();
    assert!(line.contains("trace_share: 1.5 is not from 0 to 1"), "{line}");
}
