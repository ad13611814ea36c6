//! Open loads over real sockets: arrivals come when they are due, whatever the server does.

use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::common::{Plan, Server, Target, read_request};
use serde_json::{Value, json};

fn open(address: &str, load: Value, seconds: f64) -> Plan {
    Plan::closed(address, 1).with("load", load).seconds(seconds)
}

fn constant(rate: f64, connections: u32) -> Value {
    json!({"kind": "constant", "rate_per_second": rate, "connections": connections})
}

#[test]
fn a_constant_rate_is_met_by_any_number_of_threads() {
    for threads in [1, 2] {
        let target = Target::start(&[]);
        let summary = open(&target.address, constant(1000.0, 8), 1.0)
            .with("threads", json!(threads))
            .with("warmup_seconds", json!(0.2))
            .with("record_intended", json!(10))
            .run();
        assert!(summary.errors().is_empty(), "{:?}", summary.errors());
        summary.assert_books_balance();
        assert_eq!(summary.count("offered"), 1000);
        assert!(summary.0["achieved_over_offered"].as_f64().unwrap() > 0.5);
        let starts: Vec<f64> = (0..10).map(|number| f64::from(number) / 1000.0).collect();
        assert_eq!(summary.0["intended_seconds"], json!(starts));
        assert_eq!(summary.0["waiting"]["limit"], 100_000);
        assert_eq!(summary.count("connects"), 0, "all were opened before the warm-up");
        assert_eq!(target.served().1, 8);
    }
}

/// Ten requests, each answered at once: nothing is awaited for most of the window.
#[test]
fn between_its_requests_a_load_that_waits_awake_sleeps() {
    let target = Target::start(&[]);
    let summary = open(&target.address, constant(20.0, 8), 0.5).with("wait", json!("awake")).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("offered"), &summary.0["wait"]), (10, &json!("awake")));
    let cpu = summary.0["threads"][0]["cpu_seconds"].as_f64().unwrap();
    assert!(cpu < 0.25, "{cpu}");
}

#[test]
fn poisson_ramp_and_steps() {
    let target = Target::start(&[]);
    let poisson = json!({"kind": "poisson", "rate_per_second": 2000.0, "connections": 8});
    let summary = open(&target.address, poisson, 0.5).run();
    summary.assert_books_balance();
    assert!(summary.count("offered").abs_diff(1000) < 160, "{}", summary.count("offered"));
    let ramp = json!({"kind": "ramp", "from_per_second": 0, "to_per_second": 2000, "connections": 8});
    let summary = open(&target.address, ramp, 0.5).run();
    summary.assert_books_balance();
    assert_eq!(summary.count("offered"), 500);
    let steps = json!([{"rate_per_second": 1000, "seconds": 0.2}, {"rate_per_second": 100, "seconds": 0.3}]);
    let mut plan = open(&target.address, json!({"kind": "steps", "steps": steps, "connections": 8}), 1.0);
    plan.0.as_object_mut().unwrap().remove("stop");
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!((summary.count("offered"), &summary.0["window_seconds"]), (230, &json!(0.5)));
}

#[test]
fn a_stall_is_seen_by_every_request_that_came_in_it() {
    // 300 of 1,000 requests come while the server sleeps: the slowest tenth waited 200 ms and more.
    let server = Server::start(|_, mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut answered = 0;
        while read_request(&mut stream).is_some() {
            answered += 1;
            if answered == 400 {
                thread::sleep(Duration::from_millis(300));
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                return;
            }
        }
    });
    let summary = open(&server.address, constant(1000.0, 1), 1.0).run();
    summary.assert_books_balance();
    assert!(summary.errors().is_empty());
    let p90 = summary.seconds("response_time", "90");
    assert!((0.15..2.0).contains(&p90), "{p90}");
    assert!(summary.seconds("service_time", "90") < p90 / 2.0, "what is measured from sending hides it");
    let peak = summary.0["waiting"]["peak"].as_u64().unwrap();
    assert!((200..=1000).contains(&peak), "{peak}");
}

#[test]
fn a_stall_into_the_windows_end_is_awaited() {
    // The last 100 of 500 requests come while the server sleeps, which it does for 200 ms beyond the window.
    let run = |drain_seconds: f64| {
        let server = Server::start(|_, mut stream| {
            stream.set_nodelay(true).unwrap();
            let mut answered = 0;
            while read_request(&mut stream).is_some() {
                answered += 1;
                if answered == 400 {
                    thread::sleep(Duration::from_millis(300));
                }
                if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                    return;
                }
            }
        });
        let plan = open(&server.address, constant(1000.0, 1), 0.5);
        let summary = plan.with("drain_seconds", json!(drain_seconds)).run();
        summary.assert_books_balance();
        assert!(summary.errors().is_empty());
        assert_eq!((summary.count("offered"), &summary.0["window_seconds"]), (500, &json!(0.5)));
        assert!(summary.count("in_flight_at_end") >= 100);
        assert_eq!(summary.0["response_time"]["count"], 500);
        summary
    };
    let awaited = run(5.0);
    assert_eq!((&awaited.0["cohort"]["answers"], &awaited.0["cohort"]["censored"]), (&json!(500), &json!(0)));
    assert!(awaited.0["response_time"]["at_least"].is_null());
    let (p90, drained) = (awaited.seconds("response_time", "90"), &awaited.0["cohort"]["drain_seconds"]);
    assert!((0.24..3.0).contains(&p90), "{p90}");
    assert!((0.19..3.0).contains(&drained.as_f64().unwrap()), "{drained}");
    let cut = run(0.1);
    let at_least = &cut.0["response_time"]["at_least"];
    assert_eq!(
        (&cut.0["cohort"]["censored"], &cut.0["cohort"]["drain_seconds"]),
        (&at_least["count"], &json!(0.1))
    );
    assert!(at_least["count"].as_u64().unwrap() >= 100);
    let p90 = cut.seconds("response_time", "90");
    assert!(p90 >= 0.14 && at_least["min_seconds"].as_f64().unwrap() >= 0.1, "{p90} {at_least}");
}

#[test]
fn too_many_that_wait_are_an_error_and_the_rest_is_censored() {
    let server = Server::start(|_, mut stream| while read_request(&mut stream).is_some() {});
    let mut load = constant(500.0, 2);
    load["waiting_limit"] = json!(20);
    let summary = open(&server.address, load, 0.5).run();
    summary.assert_books_balance();
    assert_eq!(summary.errors(), [("overflow", 250 - 22)]);
    assert_eq!((summary.count("in_flight_at_end"), &summary.0["waiting"]["at_end"]), (22, &json!(20)));
    assert_eq!(summary.0["achieved_over_offered"], 0.0);
}

#[test]
fn a_server_that_is_not_there_refuses_every_request() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let summary = open(&address, constant(200.0, 4), 0.5).run();
    summary.assert_books_balance();
    assert_eq!(summary.errors(), [("refused", 100)]);
}

#[test]
fn connection_policies() {
    let target = Target::start(&[]);
    let summary =
        open(&target.address, constant(400.0, 8), 0.5).with("requests_per_connection", json!(1)).run();
    summary.assert_books_balance();
    assert!(summary.count("connects") >= summary.count("answers"));
    let closed =
        Plan::closed(&target.address, 1).with("requests_per_connection", json!(10)).requests(100).run();
    assert_eq!((closed.count("verified"), closed.count("connects")), (100, 10));
    let mut pipelined = Plan::closed(&target.address, 3).with("pipeline", json!(8)).requests(1000);
    pipelined.0["requests"][0]["expect"] = json!({"body_bytes": {"min": 2, "max": 2}});
    let summary = pipelined.run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    assert_eq!((summary.count("verified"), summary.count("sent")), (1000, 1000));
    let thinking = json!({"kind": "closed", "connections": 10, "think_time_seconds": 0.05});
    let summary = Plan::closed(&target.address, 1).with("load", thinking).seconds(1.0).run();
    summary.assert_books_balance();
    // 20 a second on each connection, less what answers take.
    assert!((50..=200).contains(&summary.count("answers")), "{}", summary.count("answers"));
}
