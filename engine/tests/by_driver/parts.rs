//! Several engines that offer one load together: held starts, and parts that become one summary.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::{Engine, Plan, Summary, Target, run_with_input};

/// The parts of a plan, offered at the same time; the `part` event of each.
fn offer(plan: &Plan, of: u32) -> Vec<Value> {
    let mut engines: Vec<Engine> = (0..of)
        .map(|number| {
            let plan = plan.clone().with("part", json!({"number": number, "of": of}));
            let mut engine = Engine::start_with_lifeline(&["run", "--hold"]);
            writeln!(engine.child.stdin.as_mut().unwrap(), "{}", plan.0).unwrap();
            engine
        })
        .collect();
    for engine in &mut engines {
        assert_eq!(engine.event(), json!({"event": "ready"}));
    }
    for engine in &mut engines {
        engine.child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    engines.into_iter().map(part_of).collect()
}

/// The `part` event of an engine, which comes right before its summary.
fn part_of(engine: Engine) -> Value {
    let (mut events, status) = engine.finish();
    assert_eq!((status, &events.pop().unwrap()["event"]), (Some(0), &json!("summary")));
    let part = events.pop().unwrap();
    assert_eq!(part["event"], "part");
    part
}

fn text(parts: &[Value]) -> String {
    parts.iter().map(|part| format!("{part}\n")).collect()
}

fn merge(parts: &[Value]) -> Summary {
    merged(&["merge"], parts)
}

pub(super) fn merged(arguments: &[&str], parts: &[Value]) -> Summary {
    let output = run_with_input(arguments, &text(parts));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["event"], "summary");
    summary.as_object_mut().unwrap().remove("event");
    Summary(summary)
}

fn refusal(parts: &[Value]) -> String {
    let output = run_with_input(&["merge"], &text(parts));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_arrivals_of_all_parts_are_those_of_one_engine_with_all_threads() {
    let target = Target::start(&[]);
    for load in [
        json!({"kind": "constant", "rate_per_second": 500.0, "connections": 8}),
        json!({"kind": "poisson", "rate_per_second": 500.0, "connections": 8}),
        json!({"kind": "ramp", "from_per_second": 0, "to_per_second": 1000, "connections": 8}),
    ] {
        let plan = Plan::closed(&target.address, 8)
            .with("load", load)
            .with("record_intended", json!(1000))
            .with("seed", json!(7));
        let one = plan.clone().with("threads", json!(4)).run();
        let merged = merge(&offer(&plan.with("threads", json!(2)), 2));
        merged.assert_books_balance();
        assert_eq!(merged.count("offered"), one.count("offered"));
        assert_eq!(merged.0["intended_seconds"], one.0["intended_seconds"]);
        assert!(merged.0["intended_seconds"].as_array().unwrap().len() > 200);
        assert_eq!(merged.0["threads"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn counts_add_up_to_what_the_target_served() {
    let target = Target::start(&["--status-5xx", "0.1"]);
    let parts = offer(&Plan::closed(&target.address, 7).requests(1000), 3);
    let merged = merge(&parts);
    merged.assert_books_balance();
    let (served, connections) = target.served();
    assert_eq!((merged.count("answers"), served), (1000, 1000));
    assert_eq!((merged.0["connection_answers"]["connections"].as_u64(), connections), (Some(7), 7));
    assert_eq!(merged.errors().len(), 1);
    assert_eq!(merged.0["examples"].as_array().unwrap().len(), 8);
    assert_eq!(merged.0["response_time"]["count"], 1000);
    let of_seconds = |key: &str| -> u64 {
        merged.0["series"].as_array().unwrap().iter().map(|second| second[key].as_u64().unwrap()).sum()
    };
    assert_eq!(of_seconds("verified") + of_seconds("errors"), 1000);
    // Whatever the order in which they come.
    let reversed: Vec<Value> = parts.into_iter().rev().collect();
    assert_eq!(merge(&reversed).0, merged.0);
}

/// The only row of this dataset, so that every answer is about it.
fn link() -> (Value, String) {
    let dataset = json!({
        "name": "links", "seed": 3, "rows": 1,
        "fields": [{"name": "id", "kind": "id"}, {"name": "url", "kind": "link", "prefix": "https://example.com/"}]
    });
    let output = run_with_input(&["dataset", "--format", "jsonl"], &dataset.to_string());
    (dataset, String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
}

#[test]
fn rows_numbers_and_spot_checks_are_those_of_all_parts() {
    let (dataset, row) = link();
    let target = Target::start(&["--body", &row]);
    let expect = json!({"body": {"kind": "row", "fields": ["id", "url"]}});
    let requests = json!([
        {"name": "row", "path": "/{{sequence 7}}", "template": true, "acknowledge": true, "expect": expect},
        {"name": "spot", "path": "/1", "spot_check_at_seconds": [0.01, 0.02, 0.03, 0.04]},
    ]);
    let text = serde_json::from_str::<Value>(&row).unwrap()["url"].as_str().unwrap().to_owned();
    let plan = Plan::closed(&target.address, 4)
        .with("dataset", dataset)
        .with("requests", requests)
        .with("changed_rows", json!([{"id": 1, "field": "url", "text": text.replace("example", "fybnqmf")}]))
        .with("stop", json!({"kind": "seconds", "seconds": 0.5}));
    let parts = offer(&plan, 2);
    let merged = merge(&parts);
    assert!(merged.errors().is_empty(), "{}", merged.0["examples"]);
    let verified = merged.count("verified");
    assert_eq!(
        (&merged.0["picks"]["answered"], &merged.0["picks"]["distinct"]),
        (&json!(verified), &json!(1))
    );
    let sightings = &merged.0["sightings"];
    let seen = sightings["kept"].as_array().unwrap().len() as u64 + sightings["left_out"].as_u64().unwrap();
    assert_eq!(seen, verified);
    let numbers = &merged.0["acknowledgements"][0];
    let missed: Vec<(u64, u64)> = serde_json::from_value(numbers["not_acknowledged"].clone()).unwrap();
    let missed: u64 = missed.into_iter().map(|(first, last)| last + 1 - first).sum();
    assert_eq!(numbers["begun"].as_u64().unwrap() - missed, merged.count("run_verified"));
    let spots = merged.0["spot_checks"].as_array().unwrap();
    assert_eq!(spots.len(), 4);
    let sent: Vec<f64> = spots.iter().map(|spot| spot["sent_seconds"].as_f64().unwrap()).collect();
    assert!(
        sent.is_sorted() && sent[3] < 0.5 && spots.iter().all(|spot| spot["error"].is_null()),
        "{spots:?}"
    );
    let mut others = parts;
    others[1]["record"]["picks"]["counts"] = json!([-5]);
    assert!(refusal(&others).contains("part 1: its rows are others"));
}

/// Windows of one load, each with what the plan has been told of it: their parts, and their summaries.
pub(super) fn windows(plan: &Plan, of: usize) -> (Vec<Value>, Vec<Summary>) {
    (0..of)
        .map(|draw| {
            let plan = plan.clone().with("part", json!({"number": 0, "of": 1})).with("seed", json!(draw));
            let (mut events, _) = Engine::start(&["run"], &plan.0.to_string()).finish();
            let summary = Summary(events.pop().unwrap());
            (events.pop().unwrap(), summary)
        })
        .unzip()
}

#[test]
fn windows_in_turn_are_added_up() {
    let target = Target::start(&["--status-5xx", "0.1"]);
    let rows = json!({"items": {"lines": ["{\"id\": 1}", "{\"id\": 2}"], "pick": {"kind": "sequential"}}});
    let requests = json!([
        {"name": "row", "path": "/{{row items id}}", "template": true},
        {"name": "any", "path": "/", "expect": {"body": {"kind": "any"}, "keep_bodies": true}},
    ]);
    let plan = Plan::closed(&target.address, 4).with("requests", requests).with("rows", rows).seconds(0.2);
    let (parts, summaries) = windows(&plan, 3);
    let whole = merged(&["merge", "--in-turn"], &parts);
    whole.assert_books_balance();
    for key in
        ["verified", "answers", "sent", "connects", "checked_bodies", "bodies_left_out", "run_verified"]
    {
        let sum: u64 = summaries.iter().map(|summary| summary.count(key)).sum();
        assert_eq!(whole.count(key), sum, "{key}");
    }
    let sum = |key: &str| -> f64 { summaries.iter().map(|summary| summary.0[key].as_f64().unwrap()).sum() };
    let seconds = whole.0["window_seconds"].as_f64().unwrap();
    assert!((seconds - sum("window_seconds")).abs() < 1e-9);
    let goodput = whole.0["goodput_per_second"].as_f64().unwrap();
    assert!((goodput * seconds / whole.count("verified") as f64 - 1.0).abs() < 1e-9);
    assert_eq!(whole.0["response_time"]["count"], whole.count("answers"));
    assert_eq!(whole.0["threads"].as_array().unwrap().len(), 1);
    assert_eq!(whole.0["connection_answers"]["connections"], 4);
    assert_eq!(whole.0["mix"].as_array().unwrap().len(), 2);
    assert_eq!((&whole.0["series"], &whole.0["tenths"]), (&json!([]), &Value::Null));
    assert!(whole.0["tail_dispersion"].as_object().unwrap().values().all(Value::is_null));
    // The examples of the first window come first.
    assert_eq!(whole.0["examples"][0], summaries[0].0["examples"][0]);
    let alone = merged(&["merge", "--in-turn"], &parts[..1]);
    assert_eq!(alone.0["response_time"], summaries[0].0["response_time"]);
}

#[test]
fn windows_in_turn_have_the_same_spot_checks() {
    let target = Target::start(&[]);
    let plan = |names: &[&str]| {
        let spots =
            names.iter().map(|name| json!({"name": name, "path": "/", "spot_check_at_seconds": [0.01]}));
        let requests: Vec<Value> =
            std::iter::once(json!({"name": "of the mix", "path": "/"})).chain(spots).collect();
        Plan::closed(&target.address, 2).with("requests", json!(requests)).seconds(0.1)
    };
    let parts: Vec<Value> =
        [&["a"][..], &["a", "b"]].iter().flat_map(|names| windows(&plan(names), 1).0).collect();
    let output = run_with_input(&["merge", "--in-turn"], &text(&parts));
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("part 1: its spot checks are others than those of part 0"), "{said}");
}

#[test]
fn only_windows_of_a_single_engine_follow_each_other() {
    let target = Target::start(&[]);
    let parts = offer(&Plan::closed(&target.address, 2).requests(10), 2);
    let output = run_with_input(&["merge", "--in-turn"], &text(&parts));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("window 0: it is part 0 of 2"));
}

#[test]
fn what_is_no_whole_load_is_refused() {
    let target = Target::start(&[]);
    let parts = offer(&Plan::closed(&target.address, 2).requests(10), 2);
    assert!(refusal(&[]).contains("there is no part to merge"));
    assert!(refusal(&parts[1..]).contains("parts 1 have come; needed are 0 to 1"));
    let twice = [parts[0].clone(), parts[0].clone()];
    assert!(refusal(&twice).contains("parts 0, 0 have come"));
    let change = |key: &str, value: Value| {
        let mut changed = parts.clone();
        changed[1][key] = value;
        refusal(&changed)
    };
    assert!(change("of", json!(3)).contains("part 1: it is one of 3"));
    assert!(change("protocol", json!(1)).contains("part 1: protocol 1"));
    assert!(change("record", json!({})).contains("line 2: missing field"));
    let mut others = parts.clone();
    others[1]["record"]["kinds"]["names"] = json!(["another"]);
    assert!(refusal(&others).contains("part 1: its requests are others"));
    let mut broken = parts.clone();
    broken[0]["record"]["send_lag"]["hdr_base64"] = json!("AAAA");
    assert!(refusal(&broken).contains("line 1: "));
}

#[test]
fn what_several_engines_cannot_share_is_refused_by_name() {
    let base = Plan::closed("127.0.0.1:1", 4).with("part", json!({"number": 0, "of": 2}));
    let rows = json!({"a": {"lines": ["{\"b\": 1}"], "pick": {"kind": "once"}}});
    let kept = json!([{"path": "/", "expect": {"keep_bodies": true}}]);
    for (key, value, says) in [
        ("part", json!({"number": 2, "of": 2}), "part: 2 of 2"),
        ("threads", json!(3), "part: 4 connections for 2 times 3 threads"),
        ("requests", kept, "bodies are kept by one engine"),
        ("rows", rows, "rows.a.pick: rows that are taken in turn"),
    ] {
        let (message, status) = base.clone().with(key, value).refusal();
        assert!(message.contains(says) && status == Some(2), "{message}");
    }
}

fn held(plan: &Plan) -> Engine {
    let mut engine = Engine::start_with_lifeline(&["run", "--hold"]);
    writeln!(engine.child.stdin.as_mut().unwrap(), "{}", plan.0).unwrap();
    assert_eq!(engine.event()["event"], "ready");
    engine
}

#[test]
fn a_held_engine_begins_at_the_time_that_it_is_told() {
    let target = Target::start(&[]);
    let mut engine = held(&Plan::closed(&target.address, 1).seconds(0.1));
    let at = SystemTime::now() + Duration::from_millis(300);
    let seconds = at.duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    engine.child.stdin.take().unwrap().write_all(format!("go {seconds}\n").as_bytes()).unwrap();
    engine.await_window("opened");
    assert!(SystemTime::now() >= at);
    assert_eq!(engine.finish().1, Some(0));
}

#[test]
fn windows_open_together_when_all_are_warm() {
    let target = Target::start(&["--delay", "constant:5ms"]);
    let plan = Plan::closed(&target.address, 4)
        .with("warmup_seconds", json!(0.2))
        .with("warmup_limit_seconds", json!(60.0))
        .seconds(0.3);
    let mut engines: Vec<Engine> =
        (0..2).map(|number| held(&plan.clone().with("part", json!({"number": number, "of": 2})))).collect();
    for engine in &mut engines {
        engine.child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }
    for engine in &mut engines {
        while engine.event()["event"] != "warm" {}
    }
    let at =
        (SystemTime::now() + Duration::from_millis(300)).duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    for engine in &mut engines {
        writeln!(engine.child.stdin.as_mut().unwrap(), "open {at}").unwrap();
    }
    let parts: Vec<Value> = engines.into_iter().map(part_of).collect();
    for part in &parts {
        let opened = part["opened_unix_seconds"].as_f64().unwrap();
        assert!((at - 0.001..at + 0.2).contains(&opened), "{at} {opened}");
    }
    let summary = merge(&parts);
    assert_eq!(summary.0["warm_up"]["end"], "flat");
}

#[test]
fn where_nobody_says_when_windows_open_they_do_at_the_limit() {
    let target = Target::start(&["--delay", "constant:5ms"]);
    let plan = Plan::closed(&target.address, 4)
        .with("warmup_seconds", json!(0.2))
        .with("warmup_limit_seconds", json!(1.5))
        .seconds(0.1);
    let summary = merge(&offer(&plan, 2));
    assert_eq!(summary.0["warmup_seconds"], 1.5);
}

#[test]
fn a_plan_and_the_word_may_come_at_once() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 1).requests(10);
    let (events, status) = Engine::start(&["run", "--hold"], &format!("{}\ngo\n", plan.0)).finish();
    assert_eq!((status, &events[0]["event"]), (Some(0), &json!("ready")));
    assert_eq!(events.last().unwrap()["verified"], 10);
}

#[test]
fn an_engine_that_nobody_lets_go_sends_nothing() {
    let target = Target::start(&[]);
    let plan = Plan::closed(&target.address, 1);
    let mut ends = held(&plan);
    drop(ends.child.stdin.take());
    assert_eq!(ends.exit_status(), Some(1));
    let mut wrong = held(&plan);
    wrong.child.stdin.as_mut().unwrap().write_all(b"stop\n").unwrap();
    assert_eq!(wrong.exit_status(), Some(1));
    let signalled = held(&plan);
    signalled.signal(Signal::INT);
    assert_eq!(signalled.exit_status(), Some(1));
    assert_eq!(target.served().0, 0);
}
