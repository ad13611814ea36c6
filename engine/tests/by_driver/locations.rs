//! Redirects to a field of the row that was asked for.

use std::collections::HashMap;
use std::io::Write;

use crate::common::{Plan, Server, read_request, run_with_input};
use serde_json::{Value, json};

fn links(rows: u64) -> Value {
    json!({
        "name": "links", "seed": 3, "rows": rows, "gaps": 0.2,
        "fields": [
            {"name": "id", "kind": "id"},
            {"name": "url", "kind": "link", "prefix": "https://example.com/"}
        ]
    })
}

/// The addresses by id, by the engine itself.
fn addresses(dataset: &Value) -> HashMap<u64, String> {
    let output = run_with_input(&["dataset"], &dataset.to_string());
    let rows = String::from_utf8(output.stdout).unwrap();
    let pairs = rows.lines().map(|row| row.split_once('\t').unwrap());
    pairs.map(|(id, url)| (id.parse().unwrap(), url.to_owned())).collect()
}

/// Answers `/links/ID` with what `respond` says: the lines of the head behind the status line, and the body. Each answer
/// comes in two parts, cut within its head.
fn serve(status: u16, respond: impl Fn(u64) -> (String, String) + Send + Sync + 'static) -> Server {
    Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while let Some(head) = read_request(&mut stream) {
            let target = head.split(' ').nth(1).unwrap();
            let (lines, body) = respond(target.rsplit('/').next().unwrap().parse().unwrap());
            let length = body.len();
            let answer = format!("HTTP/1.1 {status} Such\r\n{lines}Content-Length: {length}\r\n\r\n{body}");
            let (first, second) = answer.split_at(30);
            if stream.write_all(first.as_bytes()).is_err() || stream.write_all(second.as_bytes()).is_err() {
                return;
            }
        }
    })
}

fn redirects(respond: impl Fn(u64) -> String + Send + Sync + 'static) -> Server {
    serve(301, move |id| (respond(id), String::new()))
}

fn plan(server: &Server, dataset: &Value, expect: Value) -> Plan {
    let request = json!({"path": "/links/{{field id}}", "template": true, "expect": expect});
    Plan::closed(&server.address, 3)
        .with("dataset", dataset.clone())
        .with("requests", json!([request]))
        .requests(200)
}

fn to_url() -> Value {
    // Locations are looked at in every answer, whatever is said of bodies.
    json!({"status": [301], "location_field": "url", "body_bytes": {"min": 0, "max": 0}, "check_every": 50})
}

#[test]
fn a_redirect_must_lead_where_the_asked_row_says() {
    let dataset = links(50);
    let known = addresses(&dataset);
    let server = redirects(move |id| format!("location: {}\r\n", known[&id]));
    let summary = plan(&server, &dataset, to_url()).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    assert_eq!(summary.count("verified"), 200);
}

#[test]
fn other_and_missing_locations_are_wrong_headers() {
    let dataset = links(50);
    let known = addresses(&dataset);
    for lines in ["", "Location: https://example.com/\r\n", "X-Location: {}\r\n", "Location: {}x\r\n"] {
        let known = known.clone();
        let server = redirects(move |id| lines.replace("{}", &known[&id]));
        let summary = plan(&server, &dataset, to_url()).run();
        assert_eq!(summary.errors(), [("wrong_header", 200)], "{lines}");
    }
    // Another row's, but for that row itself.
    let (of, other) = (known.clone(), *known.keys().min().unwrap());
    let server = redirects(move |_| format!("Location: {}\r\n", of[&other]));
    let [("wrong_header", wrong)] = plan(&server, &dataset, to_url()).run().errors()[..] else {
        panic!("other kinds")
    };
    assert!(wrong > 170, "{wrong}");
}

#[test]
fn what_does_not_fit_names_its_key() {
    let dataset = links(10);
    let asked = json!({"path": "/{{field id}}", "template": true, "expect": {"location_field": "url"}});
    let plan = |dataset: &Value, request: &Value| {
        Plan::closed("127.0.0.1:1", 1).with("dataset", dataset.clone()).with("requests", json!([request]))
    };
    let unasked =
        |path: &str, template: bool| json!({"path": path, "template": template, "expect": to_url()});
    let mut other_field = asked.clone();
    other_field["expect"]["location_field"] = json!("uri");
    for (plan, expected) in [
        (plan(&Value::Null, &asked), "requests[0].expect.location_field: needs the key dataset"),
        (plan(&dataset, &other_field), "requests[0].expect.location_field: \"uri\" is none of"),
        (
            plan(&dataset, &unasked("/1", false)),
            "requests[0].expect.location_field: needs \"template\": true",
        ),
        (plan(&dataset, &unasked("/{{sequence 1}}", true)), "requests[0].expect.location_field: needs"),
    ] {
        let (line, status) = plan.refusal();
        assert!(line.contains(expected) && line.lines().count() == 1 && status == Some(2), "{line}");
    }
}
