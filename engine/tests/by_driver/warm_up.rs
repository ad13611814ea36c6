//! A warm-up that goes on until the pace is flat.

use std::io::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Plan, Server, Summary, Target, read_request};
use serde_json::{Value, json};

/// Answers after 40 ms at first, and ten times as fast after so many seconds of load.
fn warming_server(seconds: f64) -> Server {
    let begun = std::sync::OnceLock::new();
    Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while read_request(&mut stream).is_some() {
            let passed = begun.get_or_init(Instant::now).elapsed().as_secs_f64();
            sleep(Duration::from_secs_f64(0.04 * 0.1_f64.powf((passed / seconds).min(1.0))));
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                return;
            }
        }
    })
}

fn loads(address: &str) -> [Plan; 2] {
    let closed = Plan::closed(address, 8).with("threads", json!(2)).seconds(0.5);
    let open = json!({"kind": "poisson", "rate_per_second": 150.0, "connections": 32});
    [closed.clone(), closed.with("load", open)]
}

fn seconds(summary: &Summary) -> f64 {
    summary.0["warmup_seconds"].as_f64().unwrap()
}

#[test]
fn a_flat_server_is_warm_soon() {
    let target = Target::start(&["--delay", "constant:5ms"]);
    for plan in loads(&target.address) {
        let summary = plan.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(20.0)).run();
        summary.assert_books_balance();
        assert_eq!(summary.0["warm_up"]["end"], "flat");
        assert!((1.0..6.0).contains(&seconds(&summary)), "{}", summary.0["warm_up"]);
        assert!((0.4..0.6).contains(&summary.0["window_seconds"].as_f64().unwrap()));
    }
}

#[test]
fn a_server_that_gets_faster_is_waited_for() {
    for place in 0..2 {
        let server = warming_server(2.0);
        let plan = loads(&server.address)[place].clone();
        let summary = plan.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(30.0)).run();
        summary.assert_books_balance();
        assert_eq!(summary.0["warm_up"]["end"], "flat");
        assert!(seconds(&summary) > 1.9, "{}", summary.0["warm_up"]);
    }
}

#[test]
fn at_the_limit_the_window_opens_all_the_same() {
    let server = warming_server(4.0);
    let [closed, _] = loads(&server.address);
    let summary = closed.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(1.5)).run();
    summary.assert_books_balance();
    let warm_up = &summary.0["warm_up"];
    assert_eq!((&warm_up["end"], seconds(&summary)), (&json!("rising"), 1.5));
    assert!(warm_up["rise"].as_f64().unwrap() > 0.3, "{warm_up}");
    let paces: Vec<f64> =
        warm_up["verified_per_second"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(paces.len() > 10 && paces.last() > paces.first(), "{warm_up}");
}

#[test]
fn a_given_length_is_kept() {
    let target = Target::start(&[]);
    let summary = loads(&target.address)[0].clone().with("warmup_seconds", json!(0.2)).run();
    assert_eq!((seconds(&summary), &summary.0["warm_up"]), (0.2, &Value::Null));
}
