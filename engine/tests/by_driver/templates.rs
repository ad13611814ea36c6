//! Templates over real sockets: what a server gets, and whether the asked row is the answered one.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex};

use crate::common::{Plan, Server, items, run_with_input};
use serde_json::{Value, json};

/// A server that keeps what it is asked, and answers `respond(target, body)`.
pub fn asked_of(
    respond: impl Fn(&str, &str) -> String + Send + Sync + 'static,
) -> (Server, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let (mut line, mut length) = (String::new(), 0);
            let mut target = String::new();
            while line != "\r\n" {
                line.clear();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                if target.is_empty() {
                    target = line.split(' ').nth(1).unwrap().to_owned();
                }
                if let Some(text) = line.strip_prefix("Content-Length: ") {
                    length = text.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let body = String::from_utf8(body).unwrap();
            let answer = respond(&target, &body);
            kept.lock().unwrap().push(format!("{target} {body}"));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
            if stream.write_all(format!("{head}{answer}").as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, asked)
}

#[test]
fn a_sequence_comes_whole_and_lengths_are_right() {
    let (server, asked) = asked_of(|_, _| "ok".to_owned());
    let request = json!({
        "method": "POST", "path": "/{{sequence 1}}", "template": true,
        "body": "{\"n\": {{sequence 1}}, \"x\": \"{{uniform 1 99999}}\"}"
    });
    let plan = Plan::closed(&server.address, 4).with("threads", json!(2)).with("requests", json!([request]));
    let summary = plan.requests(300).run();
    assert!(summary.errors().is_empty(), "{:?}", summary.errors());
    let mut numbers: Vec<u64> = Vec::new();
    for asked in asked.lock().unwrap().iter() {
        let (target, body) = asked.split_once(' ').unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(target, format!("/{}", body["n"]));
        numbers.push(body["n"].as_u64().unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=300).collect::<Vec<_>>());
}

#[test]
fn the_answered_row_must_be_the_asked_one() {
    let dataset = items(50, 0.3);
    let output = run_with_input(&["dataset", "--format", "jsonl"], &dataset.to_string());
    let rows: Vec<(u64, String)> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| (serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap(), line.to_owned()))
        .collect();
    let first = rows[0].1.clone();
    let asked_row = move |target: &str, _: &str| {
        let id = target.rsplit('/').next().unwrap().parse::<u64>().unwrap();
        rows.iter().find(|row| row.0 == id).unwrap().1.clone()
    };
    let request = json!({
        "path": "/items/{{field id}}", "template": true,
        "expect": {"body": {"kind": "row", "fields": ["id", "uuid", "name"]}}
    });
    let plan = |server: &Server| {
        Plan::closed(&server.address, 3)
            .with("dataset", dataset.clone())
            .with("requests", json!([request]))
            .requests(200)
    };
    let (right, asked) = asked_of(asked_row);
    let summary = plan(&right).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    assert_eq!(summary.0["picks"]["answered"], 200);
    let distinct: std::collections::HashSet<_> = asked.lock().unwrap().iter().cloned().collect();
    assert!(distinct.len() > 40, "{}", distinct.len());
    // Always the same right row, whatever is asked for.
    let (wrong, _) = asked_of(move |_, _| first.clone());
    let summary = plan(&wrong).run();
    let [("wrong_body", wrong_bodies)] = summary.errors()[..] else { panic!("{:?}", summary.errors()) };
    assert!(wrong_bodies > 180, "{wrong_bodies}");
}

#[test]
fn a_body_from_a_file() {
    let file = std::env::temp_dir().join(format!("fairtrial-engine-body-{}", std::process::id()));
    std::fs::write(&file, "from a {{file}}").unwrap();
    let (server, asked) = asked_of(|_, _| String::new());
    let request = json!({"method": "PUT", "path": "/", "body_file": file, "template": true});
    let plan = Plan::closed(&server.address, 1).with("requests", json!([request])).requests(3);
    assert_eq!(plan.run().count("verified"), 3);
    assert_eq!(*asked.lock().unwrap(), ["/ from a {{file}}"; 3]);
    std::fs::remove_file(&file).unwrap();
    let (line, status) = plan.refusal();
    assert!(line.contains("requests[0].body_file") && status == Some(2), "{line}");
}

#[test]
fn wrong_templates_are_named() {
    for (request, expected) in [
        (
            json!({"path": "/{{unifrom 1 2}}", "template": true}),
            "requests[0].path: {{unifrom 1 2}}: is no placeholder",
        ),
        (
            json!({"path": "/", "body": "{{field uid}}", "template": true}),
            "{{field uid}}: the plan has no dataset",
        ),
    ] {
        let (line, status) = Plan::closed("127.0.0.1:1", 1).with("requests", json!([request])).refusal();
        assert!(line.contains(expected) && line.lines().count() == 1, "{line}");
        assert_eq!(status, Some(2));
    }
}
