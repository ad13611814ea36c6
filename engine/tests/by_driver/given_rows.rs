//! Rows that the plan gives, over real sockets: what a server gets, and whether its answer is about the right row.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::templates::asked_of;
use crate::common::{Plan, run_with_input};

const ROWS: u64 = 40;

/// Rows whose names need escapes everywhere.
fn lines() -> Vec<String> {
    (1..=ROWS).map(|id| json!({"id": id, "name": format!("n/{id} \"ä\"")}).to_string()).collect()
}

/// POST of a row, of which the answer must hold id and name.
fn request() -> Value {
    json!({
        "method": "POST", "path": "/items/{{row items name}}", "template": true,
        "headers": [["x-id", "{{row items id}}"]],
        "body": "{\"id\":{{row items id json}},\"say\":\"<{{row items name escaped}}>\"}",
        "expect": {"body": {"kind": "json", "values": {
            "/row/id": "{{row items id json}}", "/row/name": "{{row items name json}}", "/kind": "\"item\""
        }}}
    })
}

fn plan(address: &str, pick: &Value) -> Plan {
    Plan::closed(address, 3)
        .with("threads", json!(2))
        .with("rows", json!({"items": {"lines": lines(), "pick": pick}}))
        .with("requests", json!([request()]))
}

/// The row that was asked for, as a server answers it.
fn answered(target: &str, body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    let id = body["id"].as_u64().unwrap();
    assert_eq!(body["say"], format!("<n/{id} \"ä\">"));
    assert_eq!(target, format!("/items/n%2F{id}%20%22%C3%A4%22"));
    json!({"kind": "item", "row": {"id": id, "name": format!("n/{id} \"ä\"")}}).to_string()
}

#[test]
fn a_request_holds_one_row_and_its_answer_must_be_about_it() {
    for pick in [json!({"kind": "random"}), json!({"kind": "zipf", "exponent": 1.0})] {
        let (server, asked) = asked_of(answered);
        let summary = plan(&server.address, &pick).requests(400).run();
        assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
        assert_eq!((summary.count("verified"), summary.count("checked_bodies")), (400, 400));
        assert_eq!(summary.0["rows_used"], json!({}));
        let mut counts = HashMap::new();
        asked.lock().unwrap().iter().for_each(|asked| *counts.entry(asked.clone()).or_insert(0) += 1);
        assert!(counts.len() > 20, "{} rows", counts.len());
        let first =
            counts.iter().find(|(asked, _)| asked.starts_with("/items/n%2F1%20")).map_or(0, |each| *each.1);
        // By Zipf's law 93 of 400; evenly 10, of which 40 would be ten standard deviations too many.
        assert_eq!(first > 40, pick["kind"] == "zipf", "{first}");
    }
}

#[test]
fn rows_come_in_turn_over_all_threads() {
    let (server, asked) = asked_of(answered);
    let summary = plan(&server.address, &json!({"kind": "sequential"})).requests(3 * ROWS).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    let mut counts = HashMap::new();
    asked.lock().unwrap().iter().for_each(|asked| *counts.entry(asked.clone()).or_insert(0) += 1);
    // Each three times; what was under way at the end may have come as well.
    assert_eq!(counts.len() as u64, ROWS);
    assert!(counts.values().all(|&count| (3..=4).contains(&count)), "{counts:?}");
}

#[test]
fn another_row_is_a_wrong_body_with_its_reason() {
    let (server, _) = asked_of(|target, body| answered(target, body).replace("\"id\":", "\"id\":1000"));
    let mut plan = plan(&server.address, &json!({"kind": "random"})).with("threads", json!(1));
    plan.0["requests"][0]["expect"]["check_every"] = json!(4);
    let summary = plan.requests(100).run();
    assert_eq!(summary.errors(), [("wrong_body", 25)]);
    assert_eq!(summary.count("checked_bodies"), 25);
    let example = &summary.0["examples"][0];
    let reason = example["reason"].as_str().unwrap();
    assert!(reason.starts_with("/row/id is 1000") && reason.contains(", not "), "{reason}");
    assert!(example["excerpt"].as_str().unwrap().starts_with("{\"kind\":\"item\""));
}

#[test]
fn rows_that_are_taken_once_end_the_run_when_they_run_out() {
    let once = json!({"kind": "once"});
    let file = std::env::temp_dir().join(format!("fairtrial-engine-rows-{}", std::process::id()));
    std::fs::write(&file, lines().join("\n") + "\n").unwrap();
    for pipeline in [1, 4] {
        let (server, asked) = asked_of(answered);
        let from_file = json!({"items": {"file": file, "pick": once, "skip": 2}});
        let enough = plan(&server.address, &once)
            .with("rows", from_file)
            .with("pipeline", json!(pipeline))
            .with("threads", json!(1));
        // With a pipeline, more may have begun than were answered.
        let (begun, needed) = if pipeline == 1 { (ROWS - 2, ROWS - 2) } else { (ROWS - 2, ROWS - 2 - 12) };
        let summary = enough.clone().requests(needed).run();
        assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
        assert!(summary.0["rows_used"]["items"].as_u64().unwrap() <= begun);
        assert!(!asked.lock().unwrap().iter().any(|asked| asked.starts_with("/items/n%2F1%20")));
        let ended = run_with_input(&["run"], &enough.requests(ROWS).0.to_string());
        let line = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(
            line.trim_end(),
            "fairtrial-engine: rows.items: each of its 40 rows was taken once, and one more was needed"
        );
        assert_eq!(ended.status.code(), Some(3));
        assert!(!String::from_utf8(ended.stdout).unwrap().contains("summary"));
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn an_open_load_ends_as_well_when_rows_run_out() {
    let (server, _) = asked_of(answered);
    let open = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 2});
    let plan = plan(&server.address, &json!({"kind": "once"})).with("load", open).seconds(20.0);
    assert_eq!(run_with_input(&["run"], &plan.0.to_string()).status.code(), Some(3));
}

#[test]
fn what_cannot_be_followed_is_named() {
    let random = json!({"kind": "random"});
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut plan = plan("127.0.0.1:1", &random);
        change(&mut plan.0);
        let (line, status) = plan.refusal();
        assert_eq!((status, line.lines().count()), (Some(2), 1), "{line}");
        line
    };
    for (line, expected) in [
        (changed(&|plan| plan["rows"]["items"]["lines"] = json!([])), "rows.items: holds no row"),
        (
            changed(&|plan| plan["rows"]["items"]["file"] = json!("/x")),
            "rows.items: needs one of file and lines",
        ),
        (changed(&|plan| plan["rows"]["items"]["pick"]["kind"] = json!("last")), "rows.items.pick"),
        (
            changed(&|plan| plan["rows"] = json!({})),
            "requests[0].path: {{row items name}}: the plan's rows are []",
        ),
        (
            changed(&|plan| plan["rows"]["items"]["lines"][3] = json!("{\"id\": 4}")),
            "{{row items name}}: row 4: has no \"name\"",
        ),
        (
            changed(&|plan| plan["requests"][0]["headers"][0][1] = json!("{{row items name escaped}}")),
            "requests[0].headers: {{row items name}}: json, escaped and base64 are for bodies",
        ),
        (
            changed(&|plan| {
                plan["requests"][0]["expect"]["body"]["values"] = json!({"/a": "{{row other id json}}"})
            }),
            "requests[0].expect.body.values: \"/a\": {{row other id}}: the request takes no row of this table",
        ),
        (
            changed(&|plan| plan["requests"][0]["method"] = json!("HEAD")),
            "requests[0].expect.body: an answer to HEAD",
        ),
    ] {
        assert!(line.contains(expected), "{line}");
    }
}
