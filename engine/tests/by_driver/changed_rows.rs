//! Rows of which somebody changes a text under the run: which answers show which text, and when they were asked for.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{Plan, Server, read_request, run_with_input};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const NOT_YET: u64 = u64::MAX;
const MS: u64 = 1_000_000;

/// By the clock that the engine reads.
fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// One row, so that every answer is about it.
fn links() -> Value {
    json!({
        "name": "links", "seed": 3, "rows": 1,
        "fields": [{"name": "id", "kind": "id"}, {"name": "url", "kind": "link", "prefix": "https://example.com/"}]
    })
}

/// The row's text, and another one of the same length.
fn texts() -> [String; 2] {
    let output = run_with_input(&["dataset"], &links().to_string());
    let line = String::from_utf8(output.stdout).unwrap();
    let old = line.trim_end().split_once('\t').unwrap().1.to_owned();
    let new = old.replace("example", "fybnqmf");
    [old, new]
}

/// Runs a request against a server whose row changes after a quarter of a second, and whose answers show that `late_ms`
/// later. Gives how many answers showed the old text, and how many the new one, of what was asked for after the change.
fn old_and_new(request: &Value, late_ms: u64, answer: fn(&str) -> String) -> (usize, usize) {
    let committed_ns = Arc::new(AtomicU64::new(NOT_YET));
    let (committed, answers) = (Arc::clone(&committed_ns), texts().map(|text| answer(&text)));
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while read_request(&mut stream).is_some() {
            let shows = committed.load(Ordering::SeqCst).saturating_add(late_ms * MS) <= now_ns();
            if stream.write_all(answers[usize::from(shows)].as_bytes()).is_err() {
                return;
            }
        }
    });
    let plan = Plan::closed(&server.address, 2).with("dataset", links()).with("requests", json!([request]));
    let changer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(250));
        committed_ns.store(now_ns(), Ordering::SeqCst);
        // As a database's answer to a commit: it comes when the change is there for everybody.
        now_ns()
    });
    let [_, new] = texts();
    let plan = plan.with("changed_rows", json!([{"id": 1, "field": "url", "text": new}]));
    let summary = plan.run();
    let committed_ns = changer.join().unwrap();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    let sightings = &summary.0["sightings"];
    let kept: Vec<(u64, u64, u64)> = serde_json::from_value(sightings["kept"].clone()).unwrap();
    assert_eq!((kept.len() as u64, &sightings["left_out"]), (summary.count("verified"), &json!(0)));
    let after: Vec<_> = kept.iter().filter(|(id, _, sent_ns)| *id == 1 && *sent_ns > committed_ns).collect();
    let new = after.iter().filter(|(_, is_new, _)| *is_new == 1).count();
    (after.len() - new, new)
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn row(text: &str) -> String {
    ok(&format!("{{\"id\":1,\"url\":\"{text}\"}}"))
}

fn page(text: &str) -> String {
    ok(&format!("<h1>{text}</h1>"))
}

fn redirect(text: &str) -> String {
    format!("HTTP/1.1 301 Moved\r\nLocation: {text}\r\nContent-Length: 0\r\n\r\n")
}

#[test]
fn what_is_asked_for_after_a_change_shows_it_unless_it_comes_from_memory() {
    let [old, new] = texts();
    // Of a row that changes every answer is compared, whatever is said of others.
    let of_row = json!({"body": {"kind": "row", "fields": ["id", "url"]}, "check_every": 1_000_000});
    let changed = json!([{"id": 1, "at": 4, "text": new}]);
    let exact = json!({"body": {"kind": "exact", "text": format!("<h1>{old}</h1>"), "changed": changed}});
    let location = json!({"status": [301], "location_field": "url"});
    for (request, answer) in [
        (json!({"path": "/random", "expect": of_row}), row as fn(&str) -> String),
        (json!({"path": "/page", "expect": exact}), page),
        (json!({"path": "/{{field id}}", "template": true, "expect": location}), redirect),
    ] {
        let (old, new) = old_and_new(&request, 0, answer);
        assert!(old == 0 && new > 0, "{old} old, {new} new: {request}");
        let (old, new) = old_and_new(&request, 100, answer);
        assert!(old > 0 && new > 0, "{old} old, {new} new: {request}");
    }
}

#[test]
fn a_third_text_is_wrong_and_without_changes_nothing_is_seen() {
    let body = "{\"id\":1,\"url\":\"https://example.com/\"}";
    let server = Server::answering(&[ok(body).as_bytes()]);
    let of_row = json!({"body": {"kind": "row", "fields": ["id", "url"]}});
    let plan = Plan::closed(&server.address, 1).with("dataset", links()).expect(of_row).requests(20);
    let change = json!([{"id": 1, "field": "url", "text": "another"}]);
    let summary = plan.clone().with("changed_rows", change).run();
    assert_eq!(summary.errors(), [("wrong_body", 20)]);
    assert_eq!(summary.0["sightings"], json!({"kept": [], "left_out": 0}));
    assert!(plan.run().0["sightings"].is_null());
}

#[test]
fn what_does_not_fit_names_its_key() {
    let plan = || Plan::closed("127.0.0.1:1", 1);
    let change = |id: u64, field: &str| json!([{"id": id, "field": field, "text": "x"}]);
    let outside =
        json!({"body": {"kind": "exact", "text": "ab", "changed": [{"id": 1, "at": 2, "text": "x"}]}});
    for (plan, expected) in [
        (plan().with("changed_rows", change(1, "url")), "changed_rows: needs the key dataset"),
        (
            plan().with("dataset", links()).with("changed_rows", change(2, "url")),
            "changed_rows[0].id: no row has the id 2",
        ),
        (
            plan().with("dataset", links()).with("changed_rows", change(1, "id")),
            "changed_rows[0].field: \"id\" is no text of the dataset",
        ),
        (plan().expect(outside), "requests[0].expect.body.changed[0].at: the body ends before"),
    ] {
        let (line, status) = plan.refusal();
        assert!(line.contains(expected) && line.lines().count() == 1 && status == Some(2), "{line}");
    }
}

#[test]
fn a_spot_check_shows_a_row_that_the_load_does_not_ask_for() {
    let [_, new] = texts();
    let server = Server::answering(&[row(&new).as_bytes()]);
    let of_row = json!({"body": {"kind": "row", "fields": ["id", "url"]}});
    let by_path =
        json!({"name": "row", "path": "/1", "spot_check_at_seconds": [0.05, 0.1], "expect": of_row});
    // Long enough for a slow machine to send the 200 requests of the load that two spot checks wait for.
    let summary = Plan::closed(&server.address, 1)
        .seconds(2.0)
        .with("dataset", links())
        .with("requests", json!([{"path": "/random"}, by_path]))
        .with("changed_rows", json!([{"id": 1, "field": "url", "text": new}]))
        .run();
    let kept: Vec<(u64, u64, u64)> = serde_json::from_value(summary.0["sightings"]["kept"].clone()).unwrap();
    assert_eq!(kept.iter().map(|(id, is_new, _)| (*id, *is_new)).collect::<Vec<_>>(), [(1, 1), (1, 1)]);
    assert!(kept[0].2 < kept[1].2);
}
