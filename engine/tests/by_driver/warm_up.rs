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

/// Where other programs take this machine's processors, a server is as slow as they make it: of so many attempts, one that
/// shows what is expected is enough.
fn in_one_of_four_attempts(attempt: impl Fn() -> Result<(), String>) {
    let failures: Vec<String> = (0..4).map_while(|_| attempt().err()).collect();
    assert!(failures.len() < 4, "{failures:#?}");
}

fn holds(condition: bool, summary: &Summary) -> Result<(), String> {
    if condition { Ok(()) } else { Err(summary.0["warm_up"].to_string()) }
}

#[test]
fn a_flat_server_is_warm_soon() {
    let target = Target::start(&["--delay", "constant:5ms"]);
    for plan in loads(&target.address) {
        let plan = plan.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(20.0));
        in_one_of_four_attempts(|| {
            let summary = plan.run();
            summary.assert_books_balance();
            assert!((0.4..0.6).contains(&summary.0["window_seconds"].as_f64().unwrap()));
            holds(summary.0["warm_up"]["end"] == "flat" && (1.0..4.0).contains(&seconds(&summary)), &summary)
        });
    }
}

#[test]
fn a_server_that_gets_faster_is_waited_for() {
    for place in 0..2 {
        in_one_of_four_attempts(|| {
            let server = warming_server(2.0);
            let plan = loads(&server.address)[place].clone();
            let plan = plan.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(30.0));
            let summary = plan.run();
            summary.assert_books_balance();
            holds(summary.0["warm_up"]["end"] == "flat" && seconds(&summary) > 1.9, &summary)
        });
    }
}

#[test]
fn at_the_limit_the_window_opens_all_the_same() {
    in_one_of_four_attempts(|| {
        let server = warming_server(4.0);
        let [closed, _] = loads(&server.address);
        let plan = closed.with("warmup_seconds", json!(0.3)).with("warmup_limit_seconds", json!(1.5));
        let summary = plan.run();
        summary.assert_books_balance();
        let warm_up = &summary.0["warm_up"];
        let paces = warm_up["verified_per_second"].as_array().unwrap();
        assert_eq!(paces.len(), warm_up["until_seconds"].as_array().unwrap().len());
        holds(
            warm_up["end"] == "rising"
                && seconds(&summary) == 1.5
                && warm_up["rise"].as_f64().is_some_and(|rise| rise > 0.2),
            &summary,
        )
    });
}

#[test]
fn a_given_length_is_kept() {
    let target = Target::start(&[]);
    let summary = loads(&target.address)[0].clone().with("warmup_seconds", json!(0.2)).run();
    assert_eq!((seconds(&summary), &summary.0["warm_up"]), (0.2, &Value::Null));
}
