//! Requests that take several exchanges: each is one request, as old as its first exchange.

use super::server::{Asked, Network, Reaction, World, run};
use super::*;

fn answer(status: u16, lines: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{lines}\r\n{body}", body.len()).into_bytes()
}

fn share(ended: &Ended, place: usize) -> Value {
    serde_json::to_value(&ended.record.shares()[place]).unwrap()
}

fn shown(ended: &Ended) -> String {
    serde_json::to_string(ended.record.examples.as_slice()).unwrap()
}

/// `POST /in` leads by `status` to `/a`, that to `/b`, and `/b` is right; each takes 10 ms.
fn leading(setup: Setup, status: u16, closes: bool, connect_ns: u64) -> (Ended, Vec<String>) {
    let mut asked = Vec::new();
    let serve = |request: Asked<'_>| {
        asked.push(request.text.to_owned());
        let at_ns = request.now_ns + 10 * MS;
        let bytes = match request.text.split(' ').nth(1).unwrap() {
            "/in" => answer(status, "Location: a\r\nSet-Cookie: who=s3cret\r\n", "moved"),
            "/a" => answer(302, "Location: http://host/b\r\n", ""),
            _ => ANSWER.to_vec(),
        };
        Reaction::AnswerWith(at_ns, bytes, closes)
    };
    let ended = run(setup, Network { connect_ns, ..Network::default() }, serve, u64::MAX);
    assert_books_balance(&ended);
    (ended, asked)
}

fn following(most: u8, load: Value) -> Setup {
    let requests =
        json!([{"name": "in", "method": "POST", "path": "/in", "body": "it", "follow_redirects": most}]);
    Setup { requests, closes_ns: Some(1100 * MS), drain_ns: SECOND, ..Setup::of(load) }
}

fn loads() -> [Value; 2] {
    let constant = json!({"kind": "constant", "rate_per_second": 20.0, "connections": 3});
    [json!({"kind": "closed", "connections": 2}), constant]
}

#[test]
fn redirects_are_followed_and_their_time_is_the_request_s() {
    for load in loads() {
        for (closes, connect_ns, seconds) in [(false, 0, 0.03), (true, 5 * MS, 0.045)] {
            let setup = Setup { cookies: Some(false), ..following(2, load.clone()) };
            let (ended, asked) = leading(setup, 303, closes, connect_ns);
            assert!(errors(&ended).is_empty(), "{}", shown(&ended));
            let share = share(&ended, 0);
            let answers = share["answers"].as_u64().unwrap();
            assert_eq!((&share["verified"], &share["failures"]), (&json!(answers), &json!(0)));
            let redirects = share["redirects"].as_u64().unwrap();
            assert!(answers >= 15 && redirects.abs_diff(2 * answers) <= 4, "{share}");
            let sent = share["sent"].as_u64().unwrap();
            assert!(sent.abs_diff(answers) <= 2, "a request is sent once, however many exchanges it takes");
            let response = serde_json::to_value(ended.record.times().response).unwrap();
            assert_eq!(response["max_seconds"], json!(seconds), "the connects are in it");
            assert!(asked[0].starts_with("POST /in ") && asked[0].ends_with("\r\n\r\nit"));
            let second = asked.iter().find(|text| text.starts_with("GET /a ")).unwrap();
            assert_eq!(*second, "GET /a HTTP/1.1\r\nHost: host\r\nCookie: who=s3cret\r\n\r\n");
        }
    }
}

#[test]
fn a_method_that_stays_is_sent_with_its_body() {
    let (ended, asked) = leading(following(5, loads()[0].clone()), 308, false, 0);
    assert!(errors(&ended).is_empty());
    let second = asked.iter().find(|text| text.contains(" /a ")).unwrap();
    assert_eq!(*second, "POST /a HTTP/1.1\r\nHost: host\r\nContent-Length: 2\r\n\r\nit");
    assert!(asked.iter().any(|text| text == "GET /b HTTP/1.1\r\nHost: host\r\n\r\n"), "302 makes POST a GET");
}

#[test]
fn a_chain_that_is_too_long_or_leads_elsewhere_is_an_error_that_says_so() {
    let (ended, _) = leading(following(1, loads()[1].clone()), 302, false, 0);
    assert_eq!(errors(&ended), [error("status_3xx", 20)]);
    assert!(shown(&ended).contains("1 redirects were followed, and another one came"), "{}", shown(&ended));
    for (location, reason) in [
        ("Location: /in\r\n", "3 redirects were followed"),
        ("Location: https://other/?s3cret\r\n", "another origin, https://other"),
        ("Location: //host:81/\r\n", "another origin, http://host:81"),
        ("", "no Location"),
    ] {
        let mut asked = 0;
        let serve = |request: Asked<'_>| {
            asked += 1;
            Reaction::AnswerWith(request.now_ns + MS, answer(302, location, "to ?s3cret"), false)
        };
        let ended = World::serving(following(3, loads()[1].clone()).session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        assert_eq!(errors(&ended), [error("status_3xx", 20)]);
        let why = shown(&ended);
        assert!(why.contains(reason) && !why.contains("s3cret"), "{why}");
        let statuses = serde_json::to_string(&ended.record.statuses).unwrap();
        assert!(statuses.contains("302") && !statuses.contains("s3cret"), "{statuses}");
        assert!(asked <= 23 * 4, "{asked}");
    }
}

#[test]
fn where_nobody_asks_for_it_a_redirect_is_an_answer() {
    let (ended, asked) = leading(following(0, loads()[1].clone()), 302, false, 0);
    assert_eq!(
        (errors(&ended), share(&ended, 0)["redirects"].as_u64()),
        (vec![error("status_3xx", 20)], Some(0))
    );
    assert!(asked.iter().all(|text| text.starts_with("POST /in ")));
}

#[test]
fn a_chain_has_one_timeout_and_a_failure_of_its_end_is_the_request_s() {
    for fails in [Reaction::Answer(u64::MAX), Reaction::Reset(0)] {
        let serve = |request: Asked<'_>| match (&fails, request.text.contains(" /in ")) {
            (_, true) => {
                let bytes = answer(307, "Location: /b\r\n", "");
                Reaction::AnswerWith(request.now_ns + 600 * MS, bytes, false)
            }
            (Reaction::Reset(_), _) => Reaction::Reset(request.now_ns + 600 * MS),
            _ => Reaction::Answer(u64::MAX),
        };
        let load = json!({"kind": "constant", "rate_per_second": 20.0, "connections": 50});
        let setup = Setup { drain_ns: 3 * SECOND, ..following(1, load) };
        let ended = World::serving(setup.session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        let response = serde_json::to_value(ended.record.times().response).unwrap();
        assert_eq!(response["max_seconds"], 1.0, "{response}");
    }
}

/// A login whose token is good for so many orders; `numbers`: what orders sent, right ones alone.
struct Shop {
    good_for: u64,
    logins: u64,
    refuses_logins: bool,
    left: u64,
    names: Vec<String>,
    numbers: Vec<String>,
}

impl Shop {
    fn new(good_for: u64) -> Shop {
        let (names, numbers) = (Vec::new(), Vec::new());
        Shop { good_for, logins: 0, refuses_logins: false, left: 0, names, numbers }
    }

    fn serve(&mut self, asked: &Asked<'_>) -> Reaction {
        let at_ns = asked.now_ns + 10 * MS;
        if asked.text.starts_with("POST /login") {
            self.logins += 1;
            self.left = self.good_for;
            self.names.push(asked.text.split(' ').nth(1).unwrap().to_owned());
            if self.refuses_logins && self.logins > 1 {
                return Reaction::AnswerWith(at_ns, answer(503, "", "s3cret no more"), false);
            }
            let body = json!({"token": format!("s3cret-{}", self.logins)}).to_string();
            return Reaction::AnswerWith(at_ns, answer(200, "", &body), false);
        }
        let is_known = asked.text.contains(&format!("x-token: s3cret-{}\r\n", self.logins));
        if !is_known || self.left == 0 {
            return Reaction::AnswerWith(at_ns, answer(401, "", "who is it?"), false);
        }
        self.left -= 1;
        self.numbers.push(asked.text.rsplit("\r\n").next().unwrap().to_owned());
        Reaction::AnswerWith(at_ns, ANSWER.to_vec(), false)
    }
}

fn order(renew: Value) -> Value {
    json!({"name": "order", "method": "POST", "path": "/orders", "template": true, "renew": renew,
           "headers": [["x-token", "{{var token}}"]], "body": "{{sequence 1}} {{uniform 1 1000000}}"})
}

/// Each connection logs in once, and its token expires.
fn expiring(renew: Value) -> Setup {
    let take = json!({"token": {"pointer": "/token"}});
    let login = json!([{"path": "/login", "name": "login", "method": "POST", "take": take}]);
    let requests = json!([order(renew)]);
    Setup { setup: login, requests, closes_ns: Some(1100 * MS), ..Setup::closed(1) }
}

#[test]
fn a_token_that_expires_is_taken_anew_and_the_request_sent_again_as_it_was() {
    let mut shop = Shop::new(3);
    let ended = World::serving(expiring(json!("login")).session(), |asked: Asked<'_>| shop.serve(&asked))
        .run(u64::MAX);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty(), "{}", shown(&ended));
    let share = share(&ended, 0);
    // Three orders of 10 ms, of which the first after the third had 401, a login and itself: 30 ms.
    let renewals = share["renewals"].as_u64().unwrap();
    assert!((18..=21).contains(&renewals) && shop.logins >= renewals, "{share}");
    let response = serde_json::to_value(ended.record.times().response).unwrap();
    assert_eq!((&response["min_seconds"], &response["max_seconds"]), (&json!(0.01), &json!(0.03)));
    let numbers: Vec<u64> =
        shop.numbers.iter().map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(numbers.iter().zip(1..).all(|(&number, place)| number == place), "none is left out: {numbers:?}");
    let drawn: std::collections::HashSet<_> =
        shop.numbers.iter().map(|text| text.split(' ').nth(1)).collect();
    assert!(drawn.len() > numbers.len() / 2, "what is drawn later is not drawn again");
}

#[test]
fn without_it_an_expired_token_is_an_error() {
    let mut shop = Shop::new(3);
    let ended =
        World::serving(expiring(Value::Null).session(), |asked: Asked<'_>| shop.serve(&asked)).run(u64::MAX);
    assert_eq!(errors(&ended)[0].0, "status_4xx");
    assert_eq!((shop.logins, share(&ended, 0)["renewals"].as_u64()), (1, Some(0)));
}

#[test]
fn a_renewal_that_fails_or_does_not_help_is_an_error_of_the_request_that_shows_no_value() {
    for (good_for, refuses_logins, kind, reason) in [
        (0, false, "status_4xx", "it was renewed, and refused again"),
        (3, true, "status_5xx", "status 401, and login, sent anew, was answered with 503"),
    ] {
        let mut shop = Shop { refuses_logins, ..Shop::new(good_for) };
        let serve = |asked: Asked<'_>| shop.serve(&asked);
        let ended = World::serving(expiring(json!("login")).session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        assert_eq!(errors(&ended).len(), 1);
        assert_eq!(errors(&ended)[0].0, kind);
        let why = shown(&ended);
        assert!(why.contains(reason) && !why.contains("s3cret"), "{why}");
    }
}

#[test]
fn an_earlier_step_is_sent_again_for_a_later_one_and_its_user_is_the_same() {
    for load in loads() {
        let login = json!({"name": "login", "journey": "stay", "method": "POST", "path": "/login/{{uniform 1 1000000}}",
                           "template": true, "take": {"token": {"pointer": "/token"}}});
        let mut later = order(json!("login"));
        later["journey"] = json!("stay");
        let steps = json!([login, later, later]);
        let mut last = steps[2].clone();
        last["name"] = json!("last");
        let requests = json!([steps[0], steps[1], last]);
        let load = match load["kind"].as_str() {
            Some("closed") => json!({"kind": "closed", "connections": 1}),
            _ => json!({"kind": "constant", "rate_per_second": 10.0, "connections": 1}),
        };
        let mut shop = Shop::new(1);
        let setup = Setup { requests, closes_ns: Some(1100 * MS), drain_ns: SECOND, ..Setup::of(load) };
        let ended = World::serving(setup.session(), |asked: Asked<'_>| shop.serve(&asked)).run(u64::MAX);
        assert_books_balance(&ended);
        assert!(errors(&ended).is_empty(), "{}", shown(&ended));
        let counts = |place: usize, key: &str| share(&ended, place)[key].as_u64().unwrap();
        assert_eq!((counts(0, "renewals"), counts(1, "renewals")), (0, 0));
        assert!(counts(2, "renewals") >= 9 && counts(2, "renewals").abs_diff(counts(2, "answers")) <= 1);
        assert!(counts(0, "answers").abs_diff(counts(2, "answers")) <= 1, "a renewal is no login of the mix");
        assert!(shop.names.chunks_exact(2).all(|pair| pair[0] == pair[1]), "{:?}", shop.names);
    }
}

#[test]
fn a_renewal_that_is_never_answered_or_cut_off_fails_its_request() {
    for resets in [false, true] {
        let mut shop = Shop::new(1);
        let serve = |asked: Asked<'_>| {
            if asked.text.starts_with("POST /login") && shop.logins > 0 {
                return if resets { Reaction::Reset(asked.now_ns + MS) } else { Reaction::Answer(u64::MAX) };
            }
            shop.serve(&asked)
        };
        let setup = Setup { closes_ns: Some(3 * SECOND), ..expiring(json!("login")) };
        let ended = World::serving(setup.session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        let share = share(&ended, 0);
        assert!(share["failures"].as_u64().unwrap() > 0, "{share}");
        assert_eq!(share["renewals"], 0);
    }
}
