//! Cookies: whose they are, and that no result shows one.

use super::server::{Asked, Reaction, World};
use super::*;

/// Each user gets a session and brings it.
fn staying(connections: usize) -> Setup {
    let requests = json!([{"path": "/login", "journey": "stay"}, {"path": "/mine", "journey": "stay"}]);
    Setup { requests, cookies: Some(true), closes_ns: Some(600 * MS), ..Setup::closed(connections) }
}

fn answer(status: u16, lines: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\n{lines}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn brought(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("Cookie: "))
}

/// Runs the load; `mine`: the answer to whoever brings this session.
fn run_shop(setup: Setup, mine: impl Fn(&str) -> Vec<u8>) -> Ended {
    let mut logins = 0;
    let serve = |asked: Asked<'_>| {
        let at_ns = asked.now_ns + MS;
        if asked.text.starts_with("GET /login ") {
            logins += 1;
            let set = format!("Set-Cookie: session=s3cret-{logins:06}\r\n");
            return Reaction::AnswerWith(at_ns, answer(200, &set, ""), false);
        }
        Reaction::AnswerWith(at_ns, mine(brought(asked.text).unwrap_or("none")), false)
    };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_books_balance(&ended);
    assert!(ended.record.totals().answers > 10);
    ended
}

fn shown(ended: &Ended) -> String {
    let examples = serde_json::to_string(ended.record.examples.as_slice()).unwrap();
    examples + &serde_json::to_string(&ended.record.statuses).unwrap()
}

#[test]
fn the_setup_of_a_user_sends_no_cookie_of_the_one_before() {
    let setup = Setup { setup: json!([{"name": "hello", "path": "/hello"}]), ..staying(1) };
    let (mut hellos, mut users) = (Vec::new(), 0);
    let serve = |asked: Asked<'_>| {
        let is_hello = asked.text.starts_with("GET /hello ");
        if is_hello {
            hellos.push(brought(asked.text).map(str::to_owned));
        }
        let is_mine = asked.text.starts_with("GET /mine ");
        assert_eq!(brought(asked.text).is_some(), is_mine, "{}", asked.text);
        users += u64::from(is_mine);
        let set = if is_mine || is_hello { "" } else { "Set-Cookie: session=s3cret\r\n" };
        Reaction::AnswerWith(asked.now_ns + MS, answer(200, set, ""), is_mine)
    };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert!(errors(&ended).is_empty() && users > 100 && hellos.len() > 100);
    assert!(hellos.iter().all(Option::is_none), "{hellos:?}");
}

#[test]
fn a_cookie_that_the_answer_takes_away_is_hidden_in_it() {
    for set in ["session=; Max-Age=0", "session=other-one"] {
        let mine = |brought: &str| {
            answer(
                401,
                &format!("Set-Cookie: {set}\r\nLocation: /?{brought}\r\n"),
                &format!("{brought} ended"),
            )
        };
        let ended = run_shop(staying(2), mine);
        assert_eq!(errors(&ended)[0].0, "status_4xx");
        let shown = shown(&ended);
        assert!(shown.contains("session={{var session}} ended") && !shown.contains("s3cret"), "{shown}");
    }
}

#[test]
fn a_broken_answer_shows_nothing_where_it_may_set_a_cookie() {
    let ended = run_shop(Setup { cookies: Some(false), ..staying(2) }, |_| {
        b"HTTP/1.1 200 OK\r\nSet-Cookie: new=s3cret\r\nContent-Length: x\r\n\r\n".to_vec()
    });
    assert_eq!(errors(&ended)[0].0, "protocol");
    assert!(!shown(&ended).contains("s3cret"), "{}", shown(&ended));
}

#[test]
fn a_spot_check_keeps_the_cookies_of_its_answer_and_shows_none() {
    let requests = json!([{"path": "/login"}, {"path": "/turn", "spot_check_at_seconds": [0.2]}]);
    let setup = Setup { requests, cookies: Some(false), ..staying(1) };
    let mut last = String::new();
    let serve = |asked: Asked<'_>| {
        last = brought(asked.text).unwrap_or_default().to_owned();
        let (set, body) = if asked.text.starts_with("GET /turn ") {
            ("Set-Cookie: session=s3cret-new\r\n", format!("{last}, s3cret-new"))
        } else if last.is_empty() {
            ("Set-Cookie: session=s3cret-old\r\n", String::new())
        } else {
            ("", String::new())
        };
        Reaction::AnswerWith(asked.now_ns + MS, answer(200, set, &body), false)
    };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_eq!(last, "session=s3cret-new");
    let [outcome] = ended.record.spot_checks() else { panic!("one is sent") };
    let told = serde_json::to_string(outcome).unwrap();
    assert!(told.contains("session={{var session}}, {{var session}}") && !told.contains("s3cret"), "{told}");
}

#[test]
fn a_body_that_is_to_be_kept_and_holds_a_cookie_is_left_out() {
    let mut setup = Setup { cookies: Some(true), ..staying(2) };
    setup.requests[1]["expect"] = json!({"keep_bodies": true});
    let ended = run_shop(setup, |brought| answer(200, "", if brought == "none" { "no" } else { brought }));
    assert!(errors(&ended).is_empty());
    assert_eq!(ended.record.kept.bodies().count(), 0);
    assert!(ended.record.kept.left_out() > 10);
}
