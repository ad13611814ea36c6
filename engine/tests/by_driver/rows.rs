//! Answers that must be rows of a dataset.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Plan, Server, items, read_request, run_with_input};
use serde_json::{Value, json};

/// All rows of the dataset as JSON objects, by the engine itself.
fn rows(dataset: &Value) -> Vec<String> {
    let output = run_with_input(&["dataset", "--format", "jsonl"], &dataset.to_string());
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Answers one body after the other, over all connections.
fn serve_in_turn(bodies: Vec<String>) -> Server {
    let next = Arc::new(AtomicUsize::new(0));
    Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while read_request(&mut stream).is_some() {
            let body = &bodies[next.fetch_add(1, Ordering::SeqCst) % bodies.len()];
            let length = body.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
            );
            if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
                return;
            }
        }
    })
}

fn plan(server: &Server, dataset: &Value, check_every: u32) -> Plan {
    Plan::closed(&server.address, 4).with("dataset", dataset.clone()).with("threads", json!(2)).expect(
        json!({
            "content_type": "application/json",
            "body": {"kind": "row", "fields": ["id", "uuid", "name", "hash_code", "created_at"]},
            "check_every": check_every
        }),
    )
}

#[test]
fn right_rows_are_verified_and_tallied() {
    let dataset = items(200, 0.2);
    let server = serve_in_turn(rows(&dataset));
    let summary = plan(&server, &dataset, 1).requests(400).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    assert_eq!((summary.count("verified"), summary.count("checked_bodies")), (400, 400));
    let picks = &summary.0["picks"];
    // Every row came exactly twice: 200 pairs, and 2 rows in each of 100 parts.
    assert_eq!((&picks["answered"], &picks["distinct"]), (&json!(400), &json!(200)));
    assert_eq!((&picks["pairs"], &picks["unknown"]), (&json!(200), &json!(0)));
    assert_eq!(picks["bins"], json!(vec![4; 100]));
}

#[test]
fn a_wrong_field_is_found_at_the_asked_rate() {
    let dataset = items(100, 0.0);
    let wrong =
        rows(&dataset).into_iter().map(|row| row.replace("\"hash_code\":\"", "\"hash_code\":\"0")).collect();
    let server = serve_in_turn(wrong);
    let summary = plan(&server, &dataset, 4).with("threads", json!(1)).requests(100).run();
    assert_eq!(summary.errors(), [("wrong_body", 25)]);
    assert_eq!((summary.count("verified"), summary.count("checked_bodies")), (75, 25));
    assert_eq!(summary.0["picks"]["answered"], 100);
    assert!(summary.0["examples"][0]["excerpt"].as_str().unwrap().starts_with("{\"id\":"));
}

#[test]
fn ids_are_looked_at_in_every_answer() {
    let dataset = items(100, 0.0);
    let server =
        serve_in_turn(vec!["{\"id\":101}".into(), "{\"key\":5}".into(), "[1]".into(), "{\"id\":0}".into()]);
    let summary = plan(&server, &dataset, 1000).requests(40).run();
    assert_eq!(summary.errors(), [("wrong_body", 40)]);
    let picks = &summary.0["picks"];
    assert_eq!(
        (&picks["answered"], &picks["unknown"], &picks["distinct"]),
        (&json!(20), &json!(20), &json!(0))
    );
}
