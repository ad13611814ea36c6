//! What a summary says of the whole run, warm-up included.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::{Plan, Server, Target, read_request};
use serde_json::{Value, json};

#[test]
fn verified_answers_and_errors_are_counted_from_the_begin() {
    let target = Target::start(&["--status-5xx", "0.1", "--reset", "0.02"]);
    let plan = Plan::closed(&target.address, 4)
        .with("threads", json!(2))
        .with("warmup_seconds", json!(0.3))
        .requests(300);
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!(summary.count("in_flight_at_end"), 0);
    let served = target.served_event();
    let fault = |kind: &str| served["faults"][kind].as_u64().unwrap();
    let (verified, errors) = (summary.count("run_verified"), summary.count("run_errors"));
    assert_eq!(verified + fault("status_5xx"), served["requests"].as_u64().unwrap());
    assert_eq!(errors, fault("status_5xx") + fault("reset"));
    assert!(verified > summary.count("verified") && errors > summary.all_errors(), "{summary:?}");
}

/// Takes `/NUMBER`: every 7th is answered 503, at every 11th the connection ends without an answer. Gives the server and
/// the highest number that it was asked for.
fn numbered_server() -> (Server, Arc<AtomicU64>) {
    let highest = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&highest);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while let Some(head) = read_request(&mut stream) {
            let target = head.split(' ').nth(1).unwrap();
            let number: u64 = target.trim_start_matches('/').parse().unwrap_or(1);
            seen.fetch_max(number, Ordering::SeqCst);
            let status = if number.is_multiple_of(7) { "503 No" } else { "201 Created" };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            if number.is_multiple_of(11) || stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, highest)
}

#[test]
fn numbers_without_a_right_answer_are_told() {
    let (server, highest) = numbered_server();
    let numbered = json!({
        "name": "numbered", "method": "POST", "path": "/{{sequence 5}}", "body": "{{sequence 1}}",
        "template": true, "acknowledge": true, "expect": {"status": [201]}
    });
    let requests = json!([{"name": "plain", "path": "/plain"}, numbered]);
    let plan = Plan::closed(&server.address, 4)
        .with("threads", json!(2))
        .with("warmup_seconds", json!(0.2))
        .with("requests", requests)
        .requests(400);
    let summary = plan.run();
    summary.assert_books_balance();
    let highest = highest.load(Ordering::SeqCst);
    let is_right = |number: u64| !number.is_multiple_of(7) && !number.is_multiple_of(11);
    let mut missing: Vec<[u64; 2]> = Vec::new();
    for number in (5..=highest).filter(|&number| !is_right(number)) {
        match missing.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => missing.push([number, number]),
        }
    }
    assert!(highest > 200 && missing.contains(&[21, 22]), "{highest} {missing:?}");
    let told = json!([{"request": "numbered", "begun": highest - 4, "not_acknowledged": missing}]);
    assert_eq!(summary.0["acknowledgements"], told);
    // Of each kind of request it is told how many were sent and how many were right, warm-up included.
    let kind = &summary.0["mix"][1];
    let lost: u64 = missing.iter().map(|[first, last]| last - first + 1).sum();
    assert_eq!((&kind["run_sent"], &kind["run_verified"]), (&json!(highest - 4), &json!(highest - 4 - lost)));
    assert!(kind["sent"].as_u64().unwrap() < highest - 4, "{kind}");
}

#[test]
fn each_kind_of_request_has_its_own_times_and_failures() {
    let slowness = Duration::from_millis(30);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut slow_ones = 0;
        while let Some(head) = read_request(&mut stream) {
            if head.starts_with("GET /slow") {
                std::thread::sleep(slowness);
                slow_ones += 1;
            }
            // Every connection ends with its fourth slow request, which gets no answer.
            if slow_ones == 4 || stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    let request = |name: &str, path: &str, weight: u32| json!({"name": name, "path": path, "weight": weight});
    // The second and the third are of one kind.
    let requests =
        json!([request("quick", "/quick", 4), request("slow", "/slow", 1), request("slow", "/slow/2", 1)]);
    let plan = Plan::closed(&server.address, 4).with("threads", json!(2)).with("requests", requests);
    let summary = plan.requests(120).run();
    summary.assert_books_balance();
    let mix = summary.0["mix"].as_array().unwrap();
    assert_eq!(mix.iter().map(|share| &share["name"]).collect::<Vec<_>>(), ["quick", "slow"]);
    let seconds = |share: &Value, key: &str, figure: &str| share[key][figure].as_f64().unwrap();
    for key in ["service_time", "response_time"] {
        assert!(seconds(&mix[1], key, "min_seconds") >= slowness.as_secs_f64(), "{:?}", mix[1]);
        assert!(
            mix[0][key]["percentiles"]["50"].as_f64().unwrap() < slowness.as_secs_f64() / 2.0,
            "{:?}",
            mix[0]
        );
        assert_eq!(summary.0[key]["min_seconds"], mix[0][key]["min_seconds"]);
    }
    assert_eq!((&mix[0]["failures"], &mix[1]["failures"]), (&json!(0), &summary.0["failures"]));
    assert!(summary.count("failures") > 0);
}

#[test]
fn what_is_under_way_at_the_end_is_not_acknowledged() {
    // An open load, and every request has a connection of its own.
    let (server, _) = numbered_server();
    let request = json!({"path": "/{{sequence 1}}", "template": true, "acknowledge": true});
    let plan = |address: &str| {
        Plan::closed(address, 2)
            .with("requests", json!([request]))
            .with("load", json!({"kind": "constant", "rate_per_second": 200, "connections": 2}))
            .with("requests_per_connection", json!(1))
    };
    let summary = plan(&server.address).run();
    let told = &summary.0["acknowledgements"][0];
    let ranges: Vec<(u64, u64)> = serde_json::from_value(told["not_acknowledged"].clone()).unwrap();
    let missing: u64 = ranges.iter().map(|(first, last)| last - first + 1).sum();
    assert_eq!(told["begun"].as_u64().unwrap() - missing, summary.count("run_verified"));
    let silent = Server::start(|_, mut stream| while read_request(&mut stream).is_some() {});
    let told = plan(&silent.address).run().0["acknowledgements"].clone();
    assert_eq!(told, json!([{"request": "", "begun": 2, "not_acknowledged": [[1, 2]]}]));
    let kind = plan(&silent.address).run().0["mix"][0].clone();
    assert_eq!((&kind["run_sent"], &kind["run_verified"]), (&json!(2), &json!(0)));
}

#[test]
fn who_does_not_ask_is_told_of_no_number() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 1).requests(5);
    assert_eq!(plan.run().0["acknowledgements"], json!([]));
    let numbered = json!({"path": "/{{sequence 1}}", "template": true});
    assert_eq!(plan.with("requests", json!([numbered])).run().0["acknowledgements"], json!([]));
}

#[test]
fn a_request_without_numbers_cannot_be_acknowledged() {
    let unnumbered = |template: bool| json!([{"path": "/", "template": template, "acknowledge": true}]);
    let plan = Plan::closed("127.0.0.1:1", 1);
    let numbered: Value = json!([{"path": "/{{sequence 1}}", "template": true, "acknowledge": true}]);
    for (plan, expected) in [
        (
            plan.clone().with("requests", unnumbered(false)),
            "requests[0].acknowledge: needs \"template\": true",
        ),
        (
            plan.clone().with("requests", unnumbered(true)),
            "requests[0].acknowledge: needs \"template\": true",
        ),
        (
            plan.with("requests", numbered).with("pipeline", json!(2)),
            "requests[0].acknowledge: needs pipeline 1",
        ),
    ] {
        let (line, status) = plan.refusal();
        assert!(line.contains(expected) && line.lines().count() == 1 && status == Some(2), "{line}");
    }
}
