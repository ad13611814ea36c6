//! Plans that one engine carries out one after the other, with the connections that the one before has left.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::common::{Engine, Plan, Server, Summary, Target, read_request};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// One that has no plan yet.
struct InTurn(Engine);

impl InTurn {
    fn start() -> InTurn {
        InTurn(Engine::start_with_lifeline(&["run", "--in-turn"]))
    }

    fn run(&mut self, plan: &Plan) -> Summary {
        writeln!(self.0.child.stdin.as_mut().unwrap(), "{}", plan.0).unwrap();
        loop {
            let event = self.0.event();
            if event["event"] == "summary" {
                return Summary(event);
            }
        }
    }

    fn end(mut self) -> Option<i32> {
        drop(self.0.child.stdin.take());
        self.0.exit_status()
    }
}

/// A slice of 50 ms that is drained.
fn slice(address: &str, connections: u32) -> Plan {
    Plan::closed(address, connections)
        .seconds(0.05)
        .with("warmup_seconds", json!(0.2))
        .with("kept_warmup_seconds", json!(0.01))
        .with("drain_seconds", json!(2.0))
}

fn kept(summary: &Summary) -> (u64, u64) {
    let count = |key: &str| summary.0["older_connections"][key].as_u64().unwrap();
    (count("open"), count("closes"))
}

#[test]
fn connections_are_the_same_ones_from_plan_to_plan() {
    let steady = json!({"kind": "constant", "rate_per_second": 400.0, "connections": 6});
    for load in [json!({"kind": "closed", "connections": 6}), steady] {
        let target = Target::start(&[]);
        let plan = slice(&target.address, 6).with("load", load).with("threads", json!(2));
        let mut engine = InTurn::start();
        let first = engine.run(&plan);
        assert_eq!((&first.0["older_connections"], &first.0["warmup_seconds"]), (&json!(null), &json!(0.2)));
        let mut answers = first.count("run_verified");
        for _ in 0..4 {
            let summary = engine.run(&plan);
            assert_eq!((kept(&summary), summary.errors()), ((6, 0), vec![]));
            assert_eq!((summary.count("connects"), &summary.0["warmup_seconds"]), (0, &json!(0.01)));
            assert!(summary.count("verified") > 0);
            answers += summary.count("run_verified");
        }
        assert_eq!(engine.end(), Some(0));
        assert_eq!(target.served(), (answers, 6));
    }
}

#[test]
fn what_the_server_has_closed_at_rest_is_opened_anew_before_the_window() {
    let server = Server::start(|_, mut stream| {
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        while read_request(&mut stream).is_some() && stream.write_all(OK).is_ok() {}
    });
    let (mut engine, plan) = (InTurn::start(), slice(&server.address, 4));
    engine.run(&plan);
    for lost in [0, 4, 4] {
        std::thread::sleep(Duration::from_millis(if lost == 0 { 0 } else { 1000 }));
        let summary = engine.run(&plan);
        assert_eq!((kept(&summary), summary.errors()), ((4 - lost, lost), vec![]));
        assert_eq!(summary.0["warmup_seconds"], if lost == 0 { 0.01 } else { 0.2 });
        assert_eq!((summary.count("run_errors"), summary.count("connects")), (0, 0));
    }
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn connections_on_which_unasked_bytes_came_are_left() {
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() && stream.write_all(OK).is_ok() {
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            if stream.peek(&mut [0]).is_err() {
                stream.write_all(OK).unwrap();
            }
            stream.set_read_timeout(None).unwrap();
        }
    });
    let (mut engine, plan) = (InTurn::start(), slice(&server.address, 2));
    engine.run(&plan);
    std::thread::sleep(Duration::from_millis(1000));
    let summary = engine.run(&plan);
    assert_eq!((kept(&summary), summary.count("run_errors")), ((0, 2), 0));
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn only_connections_at_rest_of_the_same_load_are_kept() {
    let slow = Target::start(&["--delay", "constant:400ms"]);
    let mut engine = InTurn::start();
    let undrained = slice(&slow.address, 3).with("drain_seconds", json!(0.01));
    engine.run(&undrained);
    assert_eq!(kept(&engine.run(&undrained)), (0, 0), "they have requests");
    let target = Target::start(&[]);
    let plan = slice(&target.address, 3);
    engine.run(&plan);
    assert_eq!(kept(&engine.run(&slice(&target.address, 2))), (0, 0), "of another load");
    let few = slice(&target.address, 2).with("requests_per_connection", json!(1000));
    assert_eq!(kept(&engine.run(&few)), (2, 0));
    assert_eq!(kept(&engine.run(&few)), (0, 0), "how many requests each has had is not known");
    assert_eq!(engine.end(), Some(0));
    let mut engine = InTurn::start();
    let plan = slice(&target.address, 2).with("pipeline", json!(2));
    engine.run(&plan);
    let summary = engine.run(&plan);
    assert_eq!((kept(&summary), &summary.0["warmup_seconds"]), ((0, 0), &json!(0.2)));
    assert!(summary.count("verified") > 0 && summary.errors().is_empty());
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn a_server_that_ends_between_two_plans_is_refused_connections_and_the_engine_goes_on() {
    let target = Target::start(&[]);
    let (mut engine, plan) = (InTurn::start(), slice(&target.address, 2));
    engine.run(&plan);
    drop(target);
    let summary = engine.run(&plan);
    assert_eq!((kept(&summary), summary.count("verified")), ((0, 2), 0));
    assert!(summary.count("run_errors") > 0);
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn users_think_and_log_in_on_connections_that_are_kept() {
    let (logins, requests) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (seen, asked) = (Arc::clone(&logins), Arc::clone(&requests));
    let server = Server::start(move |_, mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let is_login = request.starts_with("GET /login");
            (if is_login { &seen } else { &asked }).fetch_add(1, Ordering::SeqCst);
            if stream.write_all(OK).is_err() {
                return;
            }
        }
    });
    let plan = slice(&server.address, 3)
        .with("load", json!({"kind": "closed", "connections": 3, "think_time_seconds": 0.02}))
        .with("setup", json!([{"name": "login", "method": "GET", "path": "/login"}]));
    let mut engine = InTurn::start();
    let mut answers = engine.run(&plan).count("run_verified");
    let summary = engine.run(&plan);
    answers += summary.count("run_verified");
    assert_eq!((kept(&summary), summary.errors()), ((3, 0), vec![]));
    assert_eq!(engine.end(), Some(0));
    assert_eq!((logins.load(Ordering::SeqCst), requests.load(Ordering::SeqCst)), (6, answers));
}

#[test]
fn a_signal_ends_it_between_two_plans_and_within_one() {
    let target = Target::start(&[]);
    let mut waiting = InTurn::start();
    waiting.run(&slice(&target.address, 1));
    waiting.0.signal(Signal::INT);
    assert_eq!(waiting.0.exit_status(), Some(0));
    let mut busy = InTurn::start();
    let long = slice(&target.address, 1).seconds(60.0);
    writeln!(busy.0.child.stdin.as_mut().unwrap(), "{}", long.0).unwrap();
    busy.0.await_window("opened");
    busy.0.signal(Signal::INT);
    let stdin = busy.0.child.stdin.take();
    let (events, status) = busy.0.finish();
    assert_eq!((status, &events.last().unwrap()["interrupted"]), (Some(0), &json!(true)));
    drop(stdin);
}

#[test]
fn a_wrong_plan_ends_it() {
    let target = Target::start(&[]);
    let mut engine = InTurn::start();
    engine.run(&slice(&target.address, 1));
    let wrong = slice(&target.address, 1).with("kept_warmup_seconds", json!(-1.0));
    writeln!(engine.0.child.stdin.as_mut().unwrap(), "{}", wrong.0).unwrap();
    assert_eq!(engine.0.exit_status(), Some(2));
}
