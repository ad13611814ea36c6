//! Setup requests of each connection, over real sockets: a server that knows the token of each connection alone.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::common::{Plan, Server, Target, read_request};

fn logging_in(plan: Plan) -> Plan {
    let login = json!({"name": "login", "method": "POST", "path": "/login", "body": "me",
                       "take": {"token": {"pointer": "/token"}}});
    let order = json!({"name": "order", "path": "/orders", "template": true,
                       "headers": [["x-token", "{{var token}}"]]});
    plan.with("setup", json!([login])).with("requests", json!([order]))
}

/// Closes each connection behind so many answers, and counts the logins and whoever had another's token.
fn shop(answers: usize) -> (Server, Arc<[AtomicU64; 2]>) {
    let counts: Arc<[AtomicU64; 2]> = Arc::default();
    let counted = Arc::clone(&counts);
    let server = Server::start(move |number, mut stream| {
        stream.set_nodelay(true).unwrap();
        for _ in 0..answers {
            let Some(head) = read_request(&mut stream) else { return };
            let token = format!("t0ken-{number}");
            let (status, body) = if head.starts_with("POST /login ") {
                counted[0].fetch_add(1, Ordering::Relaxed);
                (200, json!({ "token": token }).to_string())
            } else if head.contains(&format!("x-token: {token}\r\n")) {
                (200, "ok".to_owned())
            } else {
                counted[1].fetch_add(1, Ordering::Relaxed);
                (401, format!("not {token}"))
            };
            let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, counts)
}

#[test]
fn every_connection_has_the_token_of_its_own_login() {
    let closed = json!({"kind": "closed", "connections": 6});
    let open = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 6});
    for (load, threads) in [(closed, 2), (open, 1)] {
        let (server, counts) = shop(usize::MAX);
        let plan = logging_in(Plan::closed(&server.address, 6)).with("load", load);
        let summary = plan.with("threads", json!(threads)).requests(300).run();
        assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
        summary.assert_books_balance();
        assert_eq!(summary.count("verified"), 300);
        let setup = &summary.0["setup_requests"];
        assert_eq!(
            (&setup["sent"], &setup["verified"], &setup["completed"]),
            (&json!(6), &json!(6), &json!(6))
        );
        assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [6, 0]);
    }
}

#[test]
fn a_connection_that_the_server_closed_logs_in_anew() {
    let (server, counts) = shop(11);
    let summary = logging_in(Plan::closed(&server.address, 2)).requests(100).run();
    // The server closes without a word, and what was sent by then has failed.
    assert!(
        summary.errors().iter().all(|(kind, _)| ["closed", "reset", "unannounced_close"].contains(kind)),
        "{:?}",
        summary.errors()
    );
    summary.assert_books_balance();
    let [logins, strangers] = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
    assert_eq!((strangers, summary.0["setup_requests"]["completed"].as_u64()), (0, Some(logins)));
    assert!(logins >= 8, "{logins}");
}

#[test]
fn a_failed_login_is_an_error_that_shows_no_value() {
    let body = r#"{"tokens": "s3cret"}"#;
    let target = Target::start(&["--body", body]);
    let summary = logging_in(Plan::closed(&target.address, 1)).requests(3).run();
    assert_eq!((summary.errors(), summary.count("sent")), (vec![("wrong_body", 3)], 0));
    assert_eq!(summary.0["setup_requests"]["failures"]["wrong_body"], 3);
    assert_eq!(summary.0["examples"][0]["reason"], "setup login: take.token: nothing stands at /token");
    assert!(!summary.0.to_string().contains("s3cret"));
}

#[test]
fn a_unix_socket_and_a_body_from_a_file_will_do() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let [path, file] =
        ["sock", "body"].map(|end| format!("{folder}/{}-set-up.{end}", env!("CARGO_CRATE_NAME")));
    let _ = std::fs::remove_file(&path);
    std::fs::write(&file, "{{me}}").unwrap();
    let target = Target::start(&["--unix", &path, "--body", r#"{"token": "t0ken"}"#]);
    let mut plan = logging_in(Plan::closed(&target.address, 2)).requests(50);
    plan.0["setup"][0].as_object_mut().unwrap().remove("body");
    plan.0["setup"][0]["body_file"] = json!(file);
    let summary = plan.run();
    assert_eq!((summary.count("verified"), summary.all_errors()), (50, 0));
    assert_eq!(summary.0["setup_requests"]["verified"], 2);
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn what_does_not_go_with_setup_requests_is_refused() {
    let refusal = |change: &dyn Fn(&mut Value)| {
        let mut plan = logging_in(Plan::closed("127.0.0.1:1", 1));
        change(&mut plan.0);
        plan.refusal().0
    };
    for (line, expected) in [
        (refusal(&|plan| plan["pipeline"] = json!(2)), "setup: needs pipeline 1"),
        (refusal(&|plan| plan["requests_per_connection"] = json!(1)), "needs requests_per_connection null"),
        (refusal(&|plan| plan["load"]["local_ports"] = json!(1)), "needs load.local_ports null"),
        (
            refusal(&|plan| plan["requests"][0]["path"] = json!("/{{var cart}}")),
            "requests[0].path: {{var cart}}: the variables that were taken before are [\"token\"]",
        ),
        (
            refusal(&|plan| plan["setup"] = json!([])),
            "{{var token}}: the variables that were taken before are []",
        ),
        (
            refusal(&|plan| {
                plan["setup"][0]["template"] = json!(true);
                plan["setup"][0]["path"] = json!("/{{uniform 1 2}}");
            }),
            "setup[0].template: only {{row …}} and {{var …}}",
        ),
        (
            refusal(&|plan| {
                plan["requests"][0]["think_seconds"] = json!(1.0);
                plan["load"] = json!({"kind": "constant", "rate_per_second": 1.0, "connections": 1});
            }),
            "requests[0].think_seconds: needs a load of kind \"closed\"",
        ),
    ] {
        assert!(line.contains(expected), "{line}");
    }
}
