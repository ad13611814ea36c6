//! Closed loads against the engine's own target, whose counts are the truth.

use std::process::{Command, Stdio};

use crate::common::{ENGINE, Engine, Plan, Server, Target, read_request, run_with_input};
use rustix::process::Signal;
use serde_json::{Value, json};

#[test]
fn a_summary_agrees_with_the_target() {
    let target = Target::start(&["--body-bytes", "200", "--content-type", "application/json"]);
    let summary = Plan::closed(&target.address, 4)
        .expect(json!({
            "status": [200],
            "content_type": "application/json",
            "body_bytes": {"min": 200, "max": 200},
            "body": {"kind": "exact", "text": "x".repeat(200)},
            "check_every": 3
        }))
        .run();
    assert!(summary.errors().is_empty(), "{summary:?}");
    let (answers, in_flight) = (summary.count("answers"), summary.count("in_flight_at_end"));
    let sent = summary.count("sent");
    assert!(answers > 0);
    assert_eq!(summary.count("verified"), answers);
    // The window may close between the beginning of a request and the moment when its bytes are sent.
    assert!(sent >= answers && sent <= answers + in_flight, "{sent} {answers} {in_flight}");
    assert!(summary.count("checked_bodies").abs_diff(answers / 3) <= 1);
    assert_eq!(summary.count("connects"), 4);
    let connects_per_answer = summary.0["connects_per_answer"].as_f64().unwrap();
    assert!((connects_per_answer * answers as f64 - 4.0).abs() < 1e-6, "{connects_per_answer}");
    let spread = &summary.0["connection_answers"];
    let each = |key: &str| spread[key].as_u64().unwrap();
    assert_eq!((each("connections"), each("without")), (4, 0));
    assert!(each("least") * 4 <= answers && each("most") * 4 >= answers, "{spread}");
    assert_eq!(summary.0["body_bytes"], json!({"min": 200, "max": 200, "mean": 200.0}));
    assert!(["epoll", "io_uring"].contains(&summary.0["driver"].as_str().unwrap()));
    assert_eq!(summary.0["window_seconds"], 0.5);
    assert_eq!(summary.0["goodput_per_second"], answers as f64 / 0.5);
    let second = &summary.0["series"][0];
    assert_eq!((&second["verified"], &second["errors"]), (&json!(answers), &json!(0)));
    assert_eq!(second["max_seconds"], summary.0["response_time"]["max_seconds"]);
    assert!(summary.0["waiting"].is_null() && summary.0["achieved_over_offered"].is_null());
    assert_eq!(
        summary.0["mix"][0],
        json!({
            "name": "only", "sent": sent, "answers": answers, "verified": answers, "failures": 0,
            "run_sent": sent, "run_verified": answers, "service_time": null, "response_time": null,
            "first_byte_time": null, "not_modified": 0, "partial": 0, "redirects": 0, "renewals": 0
        })
    );
    summary.assert_books_balance();
    for distribution in ["service_time", "response_time", "send_lag"] {
        assert_eq!(summary.0[distribution]["count"], answers);
    }
    assert_eq!(summary.0["connect_time"]["count"], 4);
    assert!(summary.0["picks"].is_null());
    let used = |key: &str| summary.0["threads"][0][key].as_f64().unwrap();
    let (cpu, user, system) = (used("cpu_seconds"), used("user_seconds"), used("system_seconds"));
    assert!(cpu > 0.0 && user >= 0.0 && system >= 0.0, "{cpu} {user} {system}");
    // Kernels without a scaled account know whole ticks only.
    assert!((user + system - cpu).abs() < 0.05 + 0.2 * cpu, "{cpu} {user} {system}");
    let (served, connections) = target.served();
    assert!(served >= answers && served <= answers + in_flight);
    assert_eq!(connections, 4);
}

/// 20 ms an answer on one connection: next to all of the window is waiting.
#[test]
fn waiting_awake_is_told_apart_from_work() {
    let target = Target::start(&["--delay", "constant:20ms"]);
    let [asleep, awake] = ["sleep", "awake"].map(|wait| {
        let summary = Plan::closed(&target.address, 1).with("wait", json!(wait)).run();
        summary.assert_books_balance();
        assert!(summary.errors().is_empty() && summary.count("answers") > 0, "{summary:?}");
        assert_eq!(summary.0["wait"], wait);
        ["cpu_seconds", "spinning_seconds"].map(|key| summary.0["threads"][0][key].as_f64().unwrap())
    });
    let [cpu, spinning] = awake;
    assert!(spinning > cpu / 2.0 && cpu > 4.0 * asleep[0], "{awake:?}, asleep {asleep:?}");
    assert_eq!(asleep[1], 0.0);
}

#[test]
fn events_come_in_order_and_the_warm_up_is_left_out() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 2).with("warmup_seconds", json!(0.3)).seconds(0.3);
    let (events, _) = Engine::start(&["run"], &plan.0.to_string()).finish();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let place = |state: &str| events.iter().position(|event| event["state"] == state).unwrap();
    let (opened, closed) = (place("opened"), place("closed"));
    assert!(opened < closed && closed == events.len() - 2);
    assert_eq!(*kinds.last().unwrap(), "summary");
    for (number, event) in events.iter().enumerate().filter(|(_, event)| event["event"] == "progress") {
        assert_eq!(event["phase"], if number < opened { "warmup" } else { "window" });
        assert!(event["verified_per_second"].as_f64().unwrap() >= 0.0);
    }
    let elapsed = |place: usize| events[place]["elapsed_seconds"].as_f64().unwrap();
    assert!(elapsed(opened) >= 0.3 && elapsed(closed) >= 0.6);
    let summary = events.last().unwrap();
    assert_eq!((&summary["connects"], &summary["warmup_seconds"]), (&json!(0), &json!(0.3)));
    let (served, _) = target.served();
    assert!(served > summary["answers"].as_u64().unwrap());
}

#[test]
fn progress_tells_the_times_of_the_last_full_second() {
    let target = Target::start(&["--delay", "constant:20ms"]);
    let plan = Plan::closed(&target.address, 4).with("warmup_seconds", json!(0.3)).with("threads", json!(2));
    let (events, _) = Engine::start(&["run"], &plan.seconds(2.5).0.to_string()).finish();
    let progress: Vec<_> = events.iter().filter(|event| event["event"] == "progress").collect();
    let (before, after): (Vec<&Value>, Vec<&Value>) =
        progress.iter().partition(|event| event["elapsed_seconds"].as_f64().unwrap() < 1.3);
    assert!(before.iter().all(|event| event["p50_seconds"].is_null() && event["p99_seconds"].is_null()));
    let last = after.last().unwrap();
    let (median, highest) = (last["p50_seconds"].as_f64().unwrap(), last["p99_seconds"].as_f64().unwrap());
    assert!(median >= 0.0198 && highest >= median, "{last}");
}

#[test]
fn a_number_of_requests_is_met_exactly_by_any_number_of_threads() {
    for (requests, connections, threads) in [(1, 4, 2), (1000, 3, 1), (1001, 8, 3), (5, 64, 4)] {
        let target = Target::start(&[]);
        let plan = Plan::closed(&target.address, connections).with("threads", json!(threads));
        let summary = plan.requests(requests).run();
        assert_eq!(summary.count("verified"), requests);
        assert_eq!((summary.count("sent"), summary.count("in_flight_at_end")), (requests, 0));
        assert_eq!(summary.0["threads"].as_array().unwrap().len(), threads);
        assert_eq!(target.served().0, requests);
    }
}

#[test]
fn without_keep_alive_every_request_has_its_connection() {
    let target = Target::start(&[]);
    let summary =
        Plan::closed(&target.address, 3).with("requests_per_connection", json!(1)).requests(100).run();
    assert_eq!((summary.count("verified"), summary.count("connects")), (100, 100));
    assert_eq!(summary.0["connect_time"]["count"], 100);
    assert_eq!(target.served(), (100, 100));
}

#[test]
fn threads_share_connections_and_processors() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 5).with("threads", json!(2)).with("cpus", json!([0]));
    let summary = plan.run();
    assert!(summary.errors().is_empty());
    assert_eq!(summary.0["threads"].as_array().unwrap().len(), 2);
    assert_eq!(target.served().1, 5);
    let few = Target::start(&[]);
    let summary = Plan::closed(&few.address, 1).with("threads", json!(8)).requests(10).run();
    assert_eq!(summary.0["threads"].as_array().unwrap().len(), 1);
}

#[test]
fn bodies_methods_and_mixes() {
    let target = Target::start(&["--status", "201"]);
    let request = |method: &str, body: Value, weight: u32| json!({"name": method, "method": method, "path": "/", "body": body, "weight": weight});
    let large = "y".repeat(300_000);
    let requests = json!([request("HEAD", Value::Null, 1), request("POST", json!(large), 3)]);
    let summary = Plan::closed(&target.address, 4).with("requests", requests).requests(200).run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    assert_eq!((&summary.0["body_bytes"]["min"], &summary.0["body_bytes"]["max"]), (&json!(0), &json!(2)));
    let answers = [&summary.0["mix"][0]["answers"], &summary.0["mix"][1]["answers"]];
    assert_eq!(answers, [&json!(50), &json!(150)]);
    assert_eq!(target.served().0, 200);
}

#[test]
fn large_answers_come_whole() {
    let target = Target::start(&["--body-bytes", "3000000"]);
    let expect = json!({"body": {"kind": "exact", "text": "x".repeat(3_000_000)}});
    let summary = Plan::closed(&target.address, 2).expect(expect).requests(20).run();
    assert_eq!((summary.count("verified"), summary.count("checked_bodies")), (20, 20));
    assert!(summary.count("received_bytes") > 60_000_000);
}

#[test]
fn a_signal_ends_the_run_with_a_summary() {
    let target = Target::start(&[]);
    for signal in [Signal::INT, Signal::TERM] {
        let plan = Plan::closed(&target.address, 2).seconds(600.0);
        let mut engine = Engine::start(&["run"], &plan.0.to_string());
        engine.await_window("opened");
        engine.signal(signal);
        let (events, status) = engine.finish();
        let summary = events.last().unwrap();
        assert_eq!((status, &summary["interrupted"]), (Some(0), &json!(true)));
        assert!(summary["window_seconds"].as_f64().unwrap() < 60.0);
        assert_eq!(events[events.len() - 2]["state"], "closed");
    }
}

#[test]
fn clients_whose_connects_find_no_local_port_are_gone() {
    let target = Target::start(&[]);
    let load = json!({"kind": "closed", "connections": 3, "local_ports": 40});
    let plan = Plan::closed(&target.address, 3)
        .with("load", load)
        .with("requests_per_connection", json!(1))
        .with("threads", json!(2));
    let summary = plan.run();
    assert_eq!(summary.errors(), [("connect", 3)], "{}", summary.0);
    assert!(summary.0["examples"][0]["excerpt"].as_str().unwrap().contains("no local port"));
    assert_eq!((summary.count("verified"), summary.count("connects")), (40, 40));
    assert_eq!(summary.0["goodput_per_second"], 80.0, "over the whole window of half a second");
    assert_eq!(summary.count("in_flight_at_end"), 0);
    summary.assert_books_balance();
    assert_eq!(target.served(), (40, 40));
}

#[test]
fn a_signal_in_the_warm_up_leaves_an_empty_window() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 2).with("warmup_seconds", json!(600));
    let mut engine = Engine::start(&["run"], &plan.0.to_string());
    assert_eq!(engine.event()["phase"], "warmup");
    engine.signal(Signal::INT);
    let (events, _) = engine.finish();
    let summary = events.last().unwrap();
    assert_eq!((&summary["interrupted"], &summary["answers"]), (&json!(true), &json!(0)));
    assert_eq!((&summary["window_seconds"], &summary["goodput_per_second"]), (&json!(0.0), &json!(0.0)));
}

#[test]
fn the_run_ends_with_its_parent_if_told_so() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 1).seconds(600.0);
    // By a file: a shell gives background commands no standard input of its own.
    let file = std::env::temp_dir().join(format!("fairtrial-engine-plan-{}", std::process::id()));
    std::fs::write(&file, plan.0.to_string()).unwrap();
    let script = format!("'{ENGINE}' run --die-with-parent < '{}' & wait", file.display());
    let mut parent = Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    let stdout = parent.stdout.take().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(stdout)).map(Result::unwrap);
    assert!(lines.next().unwrap().contains("opened"));
    parent.kill().unwrap();
    parent.wait().unwrap();
    let last = lines.last().unwrap();
    std::fs::remove_file(file).unwrap();
    let summary: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(summary["interrupted"], true);
}

#[test]
fn a_plan_that_does_not_fit_is_one_line_and_status_2() {
    let plan = || Plan::closed("127.0.0.1:1", 1);
    for (wrong, expected) in [
        (plan().with("conections", json!(3)), "`conections`"),
        (plan().with("protocol", json!(1)), "protocol: 1"),
        (plan().with("address", json!("nowhere")), "address: \"nowhere\""),
        (plan().with("cpus", json!([4000])), "cpus: "),
        (plan().with("stop", json!({"kind": "never"})), "`seconds` or `requests`"),
        (plan().expect(json!({"body": {"kind": "row", "fields": ["id"]}})), "requests[0].expect.body"),
        (plan().expect(json!({"status": ["ok"]})), "requests[0].expect.status[0]"),
        (plan().with("dataset", json!({"name": "x", "seed": 1, "rows": 0, "fields": []})), "dataset.rows"),
    ] {
        let (line, status) = wrong.refusal();
        assert!(line.contains(expected) && line.lines().count() == 1, "{line}");
        assert_eq!(status, Some(2));
    }
    assert_eq!(run_with_input(&["run"], "").status.code(), Some(2));
    assert_eq!(run_with_input(&["run", "--fast"], "").status.code(), Some(2));
}

/// 200 ms an answer: two on each lane, and the third comes after the window.
#[test]
fn answers_that_are_under_way_at_the_end_are_awaited_if_the_plan_says_so() {
    for pipeline in [1, 3] {
        let target = Target::start(&["--delay", "constant:200ms"]);
        let plan = Plan::closed(&target.address, 4).with("pipeline", json!(pipeline));
        let drained = plan.clone().with("drain_seconds", json!(5)).run();
        let (lanes, answers) = (4 * pipeline, drained.count("answers"));
        assert_eq!((drained.count("in_flight_at_end"), drained.count("undrained")), (lanes, 0));
        assert_eq!((drained.count("verified"), &drained.0["window_seconds"]), (answers, &json!(0.5)));
        assert_eq!((drained.count("run_verified"), drained.count("run_errors")), (answers + lanes, 0));
        assert_eq!(drained.0["response_time"]["count"], answers);
        assert!(drained.errors().is_empty() && drained.0["cohort"].is_null(), "{drained:?}");
        assert_eq!(target.served().0, answers + lanes);
    }
    let silent = Server::start(|_, mut stream| while read_request(&mut stream).is_some() {});
    let cut = Plan::closed(&silent.address, 4).seconds(0.1).with("drain_seconds", json!(0.1)).run();
    assert_eq!((cut.count("undrained"), cut.count("run_verified"), cut.all_errors()), (4, 0, 0));
}
