//! Connections that log in before they carry the load.

use std::collections::HashMap;

use serde_json::json;

use super::server::{Asked, Reaction, World};
use super::*;

/// An answer with these lines in its head and this body.
fn answer(status: u16, lines: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{lines}\r\n{body}", body.len()).into_bytes()
}

/// A login with a token, a cart in a header that needs the token, and a load that needs both.
fn logging_in(load: Value) -> Setup {
    let setup = json!([
        {"name": "login", "method": "POST", "path": "/login", "take": {"token": {"pointer": "/token"}}},
        {"name": "cart", "path": "/carts", "headers": [["x-token", "{{var token}}"]], "template": true,
         "take": {"cart": {"header": "location", "pattern": "/carts/([0-9]+)"}}}
    ]);
    let requests = json!([{"method": "POST", "path": "/carts/{{var cart}}", "template": true,
        "headers": [["x-token", "{{var token}}"]], "body": "{\"t\": {{var token json}}}"}]);
    Setup { setup, requests, closes_ns: Some(1100 * MS), ..Setup::of(load) }
}

/// A server that knows each socket's own token and cart only, and counts what it was asked.
#[derive(Default)]
struct Shop {
    logins: u64,
    orders: u64,
    strangers: u64,
    /// A socket is closed with so many orders answered.
    orders_per_socket: Option<u64>,
    /// By connection, of its socket.
    orders_of_socket: HashMap<usize, u64>,
}

impl Shop {
    fn serve(&mut self, asked: &Asked<'_>) -> Reaction {
        let soon_ns = asked.now_ns + 10 * MS;
        let mine = format!("t0ken-{}-{}", asked.connection, asked.socket);
        let cart = 100 * asked.connection as u64 + asked.socket;
        if asked.text.starts_with("POST /login ") {
            self.logins += 1;
            self.orders_of_socket.insert(asked.connection, 0);
            return Reaction::AnswerWith(
                soon_ns,
                answer(200, "", &json!({ "token": mine }).to_string()),
                false,
            );
        }
        let is_known = asked.text.contains(&format!("x-token: {mine}\r\n"));
        if asked.text.starts_with("GET /carts ") && is_known {
            let location = format!("Location: /carts/{cart}\r\n");
            return Reaction::AnswerWith(soon_ns, answer(201, &location, ""), false);
        }
        let is_order = asked.text.starts_with(&format!("POST /carts/{cart} "))
            && asked.text.ends_with(&format!("{{\"t\": \"{mine}\"}}"));
        if !is_order || !is_known {
            self.strangers += 1;
            return Reaction::AnswerWith(soon_ns, answer(401, "", &format!("who is {mine}?")), false);
        }
        self.orders += 1;
        let of_socket = self.orders_of_socket.entry(asked.connection).or_default();
        *of_socket += 1;
        let closes = self.orders_per_socket == Some(*of_socket);
        Reaction::AnswerWith(soon_ns, ANSWER.to_vec(), closes)
    }
}

fn closed(connections: usize) -> Value {
    json!({"kind": "closed", "connections": connections})
}

fn counts(ended: &Ended) -> Value {
    let counts = serde_json::to_value(ended.record.setup.as_ref().unwrap()).unwrap();
    let failures: serde_json::Map<String, Value> = counts["failures"]
        .as_object()
        .unwrap()
        .clone()
        .into_iter()
        .filter(|(_, count)| *count != 0)
        .collect();
    json!([counts["sent"], counts["verified"], counts["completed"], failures])
}

#[test]
fn each_connection_logs_in_and_sends_its_own_values() {
    let mut shop = Shop::default();
    let ended = World::serving(logging_in(closed(3)).session(), |asked| shop.serve(&asked)).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!((shop.logins, shop.strangers), (3, 0));
    assert_eq!(counts(&ended), json!([6, 6, 3, {}]));
    // Of 10 ms each: the first two of 110 answers are no answers of the load.
    assert_eq!((ended.record.totals().answers, ended.record.totals().run_verified), (300, 3 * 107));
    let figures = serde_json::to_value(&ended.record.times().response).unwrap();
    assert_eq!((&figures["min_seconds"], &figures["max_seconds"]), (&json!(0.01), &json!(0.01)));
    assert!(errors(&ended).is_empty());
}

#[test]
fn a_connection_that_is_opened_again_logs_in_again() {
    let mut shop = Shop { orders_per_socket: Some(5), ..Shop::default() };
    let ended = World::serving(logging_in(closed(1)).session(), |asked| shop.serve(&asked)).run(u64::MAX);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty(), "a close between two requests is no error");
    // 70 ms for two setup requests and five orders.
    assert_eq!((shop.logins, shop.strangers, shop.orders), (16, 0, 5 * 15 + 3));
    assert_eq!(counts(&ended), json!([32, 32, 16, {}]));
    let figures = serde_json::to_value(&ended.record.times().response).unwrap();
    assert_eq!(figures["max_seconds"], json!(0.01), "no response time has a login in it");
}

#[test]
fn a_login_that_fails_is_an_error_and_tried_again_with_pauses() {
    for (bytes, closes, kind, reason) in [
        (answer(403, "", "no"), false, "status_4xx", "setup login: the answer is not as expected"),
        (
            answer(200, "", "{\"tokens\": 1}"),
            false,
            "wrong_body",
            "setup login: take.token: nothing stands at /token",
        ),
        (
            answer(200, "", "{\"token\": \"s3cret\\n\"}"),
            false,
            "wrong_body",
            "the value holds a control character",
        ),
        (
            answer(200, "Connection: close\r\n", "{\"token\": \"s3cret\"}"),
            true,
            "closed",
            "closed behind the answer",
        ),
        (b"SSH-2.0".to_vec(), true, "protocol", "what came is no answer"),
    ] {
        let mut logins = 0;
        let serve = |asked: Asked<'_>| {
            logins += 1;
            assert!(asked.text.starts_with("POST /login "));
            Reaction::AnswerWith(asked.now_ns, bytes.clone(), closes)
        };
        let ended = World::serving(logging_in(closed(1)).session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        // At 0, 0, 10, 30, 70, 150, 310, 630 ms, and from then on at most once a second.
        assert_eq!(logins, 8, "{reason}");
        assert_eq!(counts(&ended)[3], json!({ kind: 8 }));
        assert_eq!((errors(&ended), ended.record.totals().sent), (vec![error(kind, 3)], 0));
        let example = serde_json::to_value(&ended.record.examples.as_slice()[0]).unwrap();
        assert!(example["reason"].as_str().unwrap().contains(reason), "{example}");
        assert!(!example.to_string().contains("s3cret"), "{example}");
    }
}

#[test]
fn a_login_that_is_not_answered_times_out_and_one_that_is_reset_pauses() {
    let ended = World::serving(logging_in(closed(1)).session(), |_| Reaction::Answer(u64::MAX)).run(u64::MAX);
    assert_eq!(
        (counts(&ended), errors(&ended)),
        (json!([2, 0, 0, {"timeout": 1}]), vec![error("timeout", 1)])
    );
    assert_books_balance(&ended);
    let reset = |asked: Asked<'_>| Reaction::Reset(asked.now_ns);
    let ended = World::serving(logging_in(closed(1)).session(), reset).run(u64::MAX);
    assert_eq!(counts(&ended)[3], json!({"reset": 8}));
}

#[test]
fn a_server_that_closes_behind_each_login_is_not_asked_in_a_busy_loop() {
    let mut session = logging_in(closed(1)).session();
    let mut now_ns = 200 * MS;
    session.start(0, now_ns);
    let mut logins = 0;
    while session.phase() != Phase::Over {
        let next = session.connected(0, now_ns);
        assert_eq!(next, Next::Send);
        send(&mut session, 0, now_ns);
        let token = answer(200, "", "{\"token\": \"t0ken\"}");
        assert_eq!(session.received(0, &token, false, now_ns), Next::Send);
        send(&mut session, 0, now_ns);
        let cart = answer(201, "Location: /carts/7\r\n", "");
        assert_eq!(session.received(0, &cart, false, now_ns), Next::Send);
        logins += 1;
        let next = session.broken(0, ErrorKind::Reset, now_ns);
        if next == Next::Close {
            let mut due = None;
            // The pause after the last login is longer than what is left of the window.
            while due.is_none() && session.phase() != Phase::Over {
                now_ns = session.wake_ns();
                due = session.due(now_ns);
            }
            assert!(due == Some((0, Next::Connect)) || session.phase() == Phase::Over);
        }
    }
    assert_eq!(logins, 8);
    assert_eq!(errors(&session.conclude(now_ns)), [error("reset", 8)]);
}

#[test]
fn an_open_load_waits_for_connections_that_log_in() {
    let load = json!({"kind": "constant", "rate_per_second": 50.0, "connections": 2});
    let mut shop = Shop { orders_per_socket: Some(5), ..Shop::default() };
    let ended = World::serving(logging_in(load).session(), |asked| shop.serve(&asked)).run(u64::MAX);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty());
    assert_eq!((ended.books.offered, shop.strangers), (50, 0));
    let setup = counts(&ended);
    assert_eq!(setup[2], shop.logins);
    assert!(shop.logins > 4, "{}", shop.logins);
    let figures = serde_json::to_value(&ended.record.times().response).unwrap();
    // An arrival at a connection that the server closed waits for both answers of its setup.
    assert_eq!((&figures["min_seconds"], &figures["max_seconds"]), (&json!(0.01), &json!(0.03)));
}

#[test]
fn in_an_open_load_too_each_request_that_waited_for_a_login_fails_with_it() {
    let load = json!({"kind": "constant", "rate_per_second": 50.0, "connections": 2});
    let refuse = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + MS, answer(403, "", "no"), false);
    let ended = World::serving(logging_in(load).session(), refuse).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("status_4xx", 50)]);
    // Two ahead of any request, five of the warm-up.
    assert_eq!(counts(&ended), json!([57, 0, 0, {"status_4xx": 57}]));
}

#[test]
fn rows_of_setup_requests_are_those_of_the_connection() {
    let rows = crate::rows::tests::sources(
        json!({"users": {"lines": ["{\"n\": \"ann\"}", "{\"n\": \"bob\"}"], "pick": {"kind": "random"}}}),
    );
    let setup = json!([{"name": "login", "path": "/login/{{row users n}}", "template": true}]);
    let plan = Setup { setup, share: Some(9), ..Setup::closed(3) };
    let mut logins = Vec::new();
    let serve = |asked: Asked<'_>| {
        let closes = !asked.text.starts_with("GET /login");
        if !closes {
            let user = asked.text[11..14].to_owned();
            logins.push((asked.connection, user));
        }
        Reaction::AnswerWith(asked.now_ns + 200 * MS, ANSWER.to_vec(), closes)
    };
    World::serving(plan.session_of(&rows), serve).run(u64::MAX);
    logins.sort();
    logins.dedup();
    let each = [(0, "ann"), (1, "bob"), (2, "ann")].map(|(number, user)| (number, user.to_owned()));
    assert_eq!(logins, each);
}

#[test]
fn a_wrong_answer_of_the_load_is_shown_without_values() {
    let mut shop = Shop::default();
    let serve = |asked: Asked<'_>| match shop.serve(&asked) {
        Reaction::AnswerWith(at_ns, ..) if asked.text.starts_with("POST /carts/") => {
            let value = format!("t0ken-{}-{}", asked.connection, asked.socket);
            let body = format!("no {value}, {}{value}", "x".repeat(180));
            Reaction::AnswerWith(at_ns, answer(401, "", &body), false)
        }
        reaction => reaction,
    };
    let ended = World::serving(logging_in(closed(2)).session(), serve).run(u64::MAX);
    let examples = serde_json::to_string(ended.record.examples.as_slice()).unwrap();
    assert!(
        examples.contains("no {{var token}}, xxx") && examples.contains("x{{var token}}\""),
        "{examples}"
    );
    assert!(!examples.contains("t0ke"), "{examples}");
}

#[test]
fn one_request_is_thought_about_longer_than_others() {
    let requests =
        json!([{"path": "/a"}, {"path": "/b", "think_seconds": 0.04}, {"path": "/c", "think_seconds": 0.0}]);
    let load = json!({"kind": "closed", "connections": 1, "think_time_seconds": 0.01});
    let mut gaps: Vec<(char, u64)> = Vec::new();
    let (mut before, mut answered_ns) = ('c', 0);
    let serve = |asked: Asked<'_>| {
        gaps.push((before, asked.now_ns - answered_ns));
        before = asked.text.chars().nth(5).unwrap();
        answered_ns = asked.now_ns + 5 * MS;
        Reaction::Answer(answered_ns)
    };
    let setup = Setup { requests, share: Some(12), ..Setup::of(load) };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_books_balance(&ended);
    let think = |request| {
        if request == 'b' {
            40 * MS
        } else if request == 'a' {
            10 * MS
        } else {
            0
        }
    };
    assert!(gaps.len() > 12 && gaps[1..].iter().all(|&(before, gap_ns)| gap_ns == think(before)), "{gaps:?}");
}
