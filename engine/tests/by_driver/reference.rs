//! Answers that are kept, and others that are held against them, over real sockets.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::parts::{merged, windows};
use super::templates::asked_of;
use crate::common::{Plan, Summary, run_with_input};

const INSTANCES: u64 = 60;

/// A file that ends with the test.
struct KeptFile(PathBuf);

impl KeptFile {
    fn new(name: &str) -> KeptFile {
        let name = format!("fairtrial-{name}-{}-{}", env!("CARGO_CRATE_NAME"), std::process::id());
        KeptFile(std::env::temp_dir().join(name))
    }

    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.0).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for KeptFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn requests() -> Value {
    let body = json!({"kind": "json", "values": {"/id": "{{row items id json}}"}});
    json!([
        {"name": "look", "path": "/items/{{row items id}}?n={{uniform 1 1000}}", "template": true,
         "compared": true, "expect": {"body": body}},
        {"name": "all", "path": "/all", "compared": true},
    ])
}

fn plan(address: &str, kept: &KeptFile, mode: &str, seed: u64) -> Plan {
    let lines: Vec<String> = (1..=50).map(|id| json!({"id": id}).to_string()).collect();
    let mut reference = json!({
        "mode": mode, "file": kept.0, "key": "00112233445566778899aabbccddeeff",
        "normalisation": {"volatile": ["/at"]}
    });
    if mode == "compare" {
        reference["seed"] = json!(5);
        reference["instances"] = json!(INSTANCES);
    }
    Plan::closed(address, 3)
        .with("seed", json!(seed))
        .with("rows", json!({"items": {"lines": lines, "pick": {"kind": "random"}}}))
        .with("requests", requests())
        .with("reference", reference)
}

/// Never the same twice, and never another answer.
fn answered(target: &str, times: usize) -> String {
    match target.strip_prefix("/items/") {
        Some(rest) => {
            let (id, n) = rest.split_once("?n=").unwrap();
            let members =
                if times.is_multiple_of(2) { "\"n\": {n}, \"id\": {id}" } else { "\"id\":{id}.0,\"n\":{n}" };
            format!("{{\"at\": {times}, {}}}", members.replace("{id}", id).replace("{n}", n))
        }
        None => format!("[{{\"at\": 1}}, {}]", if times.is_multiple_of(2) { "2" } else { "2.0" }),
    }
}

fn keep(kept: &KeptFile) {
    let times = std::sync::atomic::AtomicUsize::new(0);
    let (server, _) =
        asked_of(move |target, _| answered(target, times.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
    let summary = plan(&server.address, kept, "keep", 5).requests(2 * INSTANCES).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    assert_eq!(summary.0["comparison"], Value::Null);
}

#[test]
fn what_says_the_same_is_equal_and_another_answer_is_a_wrong_body() {
    let kept = KeptFile::new("equal");
    keep(&kept);
    let lines = kept.lines();
    let looks: Vec<&Value> = lines.iter().filter(|line| line["request"] == "look").collect();
    assert!(looks.len() as u64 >= INSTANCES - 3 && lines.len() as u64 >= 2 * INSTANCES);
    assert!(looks.iter().all(|line| line["asked"].as_str().unwrap().starts_with("GET /items/")));
    assert!(looks.iter().all(|line| line["status"] == 200 && line["body"].is_string()));

    for threads in [1, 2] {
        let times = std::sync::atomic::AtomicUsize::new(0);
        let (server, _) = asked_of(move |target, _| {
            answered(target, times.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        });
        let plan = plan(&server.address, &kept, "compare", 9).with("threads", json!(threads));
        let summary = plan.requests(600).run();
        assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
        let compared =
            |place: usize| summary.0["comparison"]["requests"][place]["compared"].as_u64().unwrap();
        // Every second time on average, of 300; six standard deviations are 52. The other is always the same request.
        assert!((98..=202).contains(&compared(0)), "{}", compared(0));
        assert!(compared(1) >= 300, "{}", compared(1));
        assert_eq!(summary.0["comparison"]["unequal_answers"], json!([]));
    }

    // One number in forty is wrong, and nothing else would notice.
    let (server, _) = asked_of(|target, _| {
        let right = answered(target, 0);
        let is_wrong =
            target.split_once("?n=").is_some_and(|(_, n)| n.parse::<u64>().unwrap().is_multiple_of(40));
        if is_wrong { right.replace("\"n\": ", "\"n\": 1") } else { right }
    });
    let closing = |plan: Plan, per_connection: Value| plan.with("requests_per_connection", per_connection);
    for per_connection in [json!(null), json!(2)] {
        let plan = closing(plan(&server.address, &kept, "compare", 3), per_connection);
        let summary = plan.requests(2000).run();
        let found = &summary.0["comparison"]["requests"];
        let unequal = found[0]["unequal"].as_u64().unwrap();
        assert_eq!((found[1]["unequal"].as_u64(), found[0]["name"].as_str()), (Some(0), Some("look")));
        assert_eq!(unequal > 0, looks.iter().any(|line| is_fortieth(&line["asked"])));
        if unequal > 0 {
            let example = &summary.0["comparison"]["unequal_answers"][0];
            let instance = example["instance"].as_u64().unwrap();
            let of_instance = looks.iter().find(|line| line["instance"] == instance).unwrap();
            assert!(is_fortieth(&of_instance["asked"]), "{of_instance}");
            assert!(summary.errors().iter().all(|(kind, _)| *kind == "wrong_body"));
            assert_eq!(summary.0["examples"][0]["reason"], "unequal to the reference's answer");
        }
    }
}

fn is_fortieth(asked: &Value) -> bool {
    let number = asked.as_str().unwrap().split_once("?n=").unwrap().1;
    number.split(' ').next().unwrap().parse::<u64>().unwrap().is_multiple_of(40)
}

#[test]
fn a_status_a_type_and_a_member_that_occurs_twice_are_unequal() {
    let kept = KeptFile::new("twice");
    keep(&kept);
    let (server, _) =
        asked_of(|target, _| answered(target, 0).replace("{\"at\": 0,", "{\"at\": 0, \"at\": 0,"));
    let summary = plan(&server.address, &kept, "compare", 3).requests(200).run();
    let look = &summary.0["comparison"]["requests"][0];
    assert_eq!(look["compared"], look["unequal"]);
    assert!(
        summary.0["comparison"]["unequal_answers"][0]["body"].as_str().unwrap().contains("\"at\": 0, \"at\"")
    );
    assert_eq!(summary.0["comparison"]["unequal_answers"].as_array().unwrap().len(), 5);
}

#[test]
fn windows_in_turn_are_compared_as_one_load() {
    let kept = KeptFile::new("in-turn");
    keep(&kept);
    let times = std::sync::atomic::AtomicUsize::new(0);
    let (server, _) = asked_of(move |target, _| {
        let place = times.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        answered(target, 0).replace("\"at\": 0,", if place < 200 { "\"at\": 0," } else { "\"more\": 0," })
    });
    let (parts, summaries) = windows(&plan(&server.address, &kept, "compare", 3).requests(200), 2);
    let whole = merged(&["merge", "--in-turn"], &parts);
    for key in ["compared", "unequal"] {
        let count = |summary: &Summary| summary.0["comparison"]["requests"][0][key].as_u64().unwrap();
        assert_eq!(count(&whole), summaries.iter().map(count).sum::<u64>(), "{key}");
    }
    let unequal = |summary: &Summary| summary.0["comparison"]["unequal_answers"].as_array().unwrap().len();
    assert_eq!((unequal(&summaries[0]), unequal(&summaries[1]), unequal(&whole)), (0, 5, 5));
}

#[test]
fn a_file_about_other_requests_is_refused() {
    let kept = KeptFile::new("other");
    keep(&kept);
    let error = |plan: Plan| {
        let output = run_with_input(&["run"], &plan.0.to_string());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let compare = || plan("127.0.0.1:9", &kept, "compare", 3);
    let mut other_seed = compare();
    other_seed.0["reference"]["seed"] = json!(6);
    // Answers are kept as they come, over three connections: which one is first is chance.
    let line = error(other_seed);
    assert!(line.contains("reference.file: line ") && line.contains(" of look is \"GET /items/"), "{line}");
    let mut once = compare();
    once.0["rows"]["items"]["pick"] = json!({"kind": "once"});
    assert!(error(once).contains("requests[0].compared: each of its instances can be sent once only"));
    let mut missing = compare();
    missing.0["reference"]["file"] = json!("/no/such/file");
    assert!(error(missing).contains("reference.file: /no/such/file: "));
    for (key, value, expected) in [
        ("pipeline", json!(2), "reference: needs pipeline 1"),
        ("part", json!({"number": 0, "of": 2}), "reference: answers are compared by one engine"),
        ("requests", json!([{"path": "/"}]), "reference: no request is compared"),
        ("reference", json!(null), "requests[0].compared: needs the key reference"),
    ] {
        let line = error(compare().with(key, value));
        assert!(line.contains(expected), "{line}");
    }
}
