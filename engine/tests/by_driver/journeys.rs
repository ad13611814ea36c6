//! Journeys over real sockets: a server that knows which carts were made, and takes each only once.

use std::collections::HashSet;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use h2::server::Builder;
use http::Response;
use serde_json::{Value, json};

use crate::common::{Plan, Server, TURN, read_request, serve_http2};

#[derive(Default)]
struct Shop {
    made: AtomicU64,
    open: Mutex<HashSet<u64>>,
}

impl Shop {
    /// Status and body of the answer.
    fn serve(&self, method: &str, path: &str) -> (u16, String) {
        let mut open = self.open.lock().unwrap();
        if (method, path) == ("POST", "/carts") {
            let id = self.made.fetch_add(1, Ordering::Relaxed);
            open.insert(id);
            return (201, json!({ "id": id }).to_string());
        }
        let id = path.strip_prefix("/carts/").and_then(|id| id.parse().ok());
        let is_known = match (method, id) {
            ("GET", Some(id)) => open.contains(&id),
            ("DELETE", Some(id)) => open.remove(&id),
            _ => false,
        };
        (if is_known { 200 } else { 404 }, String::new())
    }
}

fn buying(plan: Plan) -> Plan {
    let later = |name: &str, method: &str| json!({"name": name, "journey": "buy", "method": method, "path": "/carts/{{var id}}", "template": true});
    let make = json!({"name": "make", "journey": "buy", "method": "POST", "path": "/carts",
                      "expect": {"status": [201]}, "take": {"id": {"pointer": "/id"}}});
    plan.with("requests", json!([make, later("look", "GET"), later("pay", "DELETE")]))
}

fn shop() -> (Server, Arc<Shop>) {
    let shop = Arc::<Shop>::default();
    let served = Arc::clone(&shop);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while let Some(head) = read_request(&mut stream) {
            let mut words = head.split(' ');
            let (status, body) = served.serve(words.next().unwrap(), words.next().unwrap());
            let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, shop)
}

fn http2_shop() -> (Server, Arc<Shop>) {
    let shop = Arc::<Shop>::default();
    let served = Arc::clone(&shop);
    let server = Server::start(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        serve_http2(stream, &Builder::new(), |request, mut respond| {
            let (status, body) = served.serve(request.method().as_str(), request.uri().path());
            let head = Response::builder().status(status).body(()).unwrap();
            respond.send_response(head, false).unwrap().send_data(Bytes::from(body), true).unwrap();
        });
    });
    (server, shop)
}

#[test]
fn every_user_goes_through_all_steps_with_its_own_cart() {
    let closed = json!({"kind": "closed", "connections": 6});
    let open = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 6});
    for (load, key, value) in [
        (&closed, "threads", json!(2)),
        (&open, "threads", json!(2)),
        (&closed, "pipeline", json!(3)),
        (&closed, "http2", json!({"streams": 5})),
        (&open, "http2", json!({"streams": 5})),
    ] {
        let (server, shop) = if key == "http2" { http2_shop() } else { shop() };
        let plan = buying(Plan::closed(&server.address, 6)).with("load", load.clone()).with(key, value);
        let summary = plan.requests(300).run();
        assert!(summary.errors().is_empty(), "{key}: {}", summary.0["examples"]);
        summary.assert_books_balance();
        assert_eq!((summary.count("verified"), shop.made.load(Ordering::Relaxed)), (900, 300), "{key}");
        assert!(shop.open.lock().unwrap().is_empty());
        let journey = &summary.0["journeys"][0];
        let counts =
            ["count", "completed", "broken_off", "unfinished"].map(|key| journey[key].as_u64().unwrap());
        assert_eq!((&journey["name"], counts), (&json!("buy"), [300, 300, 0, 0]));
        let mean = |time: &Value| time["mean_seconds"].as_f64().unwrap();
        let steps: f64 =
            summary.0["mix"].as_array().unwrap().iter().map(|kind| mean(&kind["response_time"])).sum();
        let whole = mean(&journey["journey_time"]);
        assert!((whole / steps - 1.0).abs() < 0.01, "{whole} is not the sum of its steps, {steps}");
    }
}

/// Gives each who comes without a session one, in a cookie for `/mine`, and deletes it at the end. Counts who brings
/// none where it is asked for, or one where it is not.
fn cookie_shop(strangers: &Arc<AtomicU64>) -> Server {
    let strangers = Arc::clone(strangers);
    let sessions = AtomicU64::new(1000);
    Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while let Some(head) = read_request(&mut stream) {
            let path = head.split(' ').nth(1).unwrap();
            let sent = head.lines().find_map(|line| line.strip_prefix("Cookie: "));
            let id =
                sent.and_then(|sent| sent.strip_prefix("session=s-")).and_then(|id| id.parse::<u64>().ok());
            let (set, is_right) = match path {
                "/login" => {
                    let id = sessions.fetch_add(1, Ordering::Relaxed);
                    (format!("Set-Cookie: session=s-{id}; Path=/mine; HttpOnly\r\n"), sent.is_none())
                }
                "/mine/out" => ("Set-Cookie: session=; Path=/mine; Max-Age=0\r\n".to_owned(), id.is_some()),
                "/mine" => (String::new(), id.is_some()),
                _ => (String::new(), sent.is_none()),
            };
            strangers.fetch_add(u64::from(!is_right), Ordering::Relaxed);
            let answer = format!("HTTP/1.1 200 OK\r\n{set}Content-Length: 0\r\n\r\n");
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

#[test]
fn users_keep_the_cookies_that_they_are_given_where_their_path_is() {
    let step = |path: &str| json!({"name": path, "journey": "stay", "path": path});
    for steps in [
        vec![step("/login"), step("/mine"), step("/other"), step("/mine/out"), step("/minerva")],
        // Who does not log out is somebody else in the next journey.
        vec![step("/login"), step("/mine"), step("/mine")],
    ] {
        let strangers = Arc::<AtomicU64>::default();
        let server = cookie_shop(&strangers);
        let plan = Plan::closed(&server.address, 3).with("cookies", json!("journey"));
        let summary = plan.with("requests", json!(steps)).requests(60).run();
        assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
        assert_eq!(summary.0["journeys"][0]["completed"], 60);
        assert_eq!(strangers.load(Ordering::Relaxed), 0);
    }
    let strangers = Arc::<AtomicU64>::default();
    let server = cookie_shop(&strangers);
    let plan = Plan::closed(&server.address, 3)
        .with("cookies", json!("connection"))
        .with("setup", json!([{"name": "login", "path": "/login"}]))
        .with("requests", json!([{"path": "/mine"}, {"path": "/other"}]));
    assert!(plan.requests(60).run().errors().is_empty());
    assert_eq!(strangers.load(Ordering::Relaxed), 0, "each connection has its own, of its login");
}

#[test]
fn without_cookies_none_are_kept() {
    let strangers = Arc::<AtomicU64>::default();
    let server = cookie_shop(&strangers);
    let requests = json!([{"path": "/login", "journey": "stay"}, {"path": "/mine", "journey": "stay"}]);
    Plan::closed(&server.address, 1).with("requests", requests).requests(10).run();
    assert_eq!(strangers.load(Ordering::Relaxed), 10);
}

#[test]
fn what_a_plan_says_of_journeys_is_checked() {
    let refusal = |change: &dyn Fn(&mut Value)| {
        let mut plan = buying(Plan::closed("127.0.0.1:1", 1));
        change(&mut plan.0);
        plan.refusal().0
    };
    for (line, expected) in [
        (
            refusal(&|plan| {
                [1, 2].iter().for_each(|&step: &usize| plan["requests"][step]["journey"] = json!("other"))
            }),
            "requests[1].path: {{var id}}: the variables that were taken before are []",
        ),
        (
            refusal(&|plan| plan["requests"][1].as_object_mut().unwrap().retain(|key, _| key != "journey")),
            "requests[2].journey: there is one of this name before",
        ),
        (
            refusal(&|plan| plan["requests"][2]["weight"] = json!(2)),
            "requests[2].weight: a journey's is that",
        ),
        (
            refusal(&|plan| {
                plan["load"] = json!({"kind": "constant", "rate_per_second": 1, "connections": 1});
                plan["requests"][2]["think_seconds"] = json!(1);
            }),
            "requests[2].think_seconds: needs a load of kind \"closed\", or a later step",
        ),
        (
            refusal(&|plan| plan["requests"][1]["think_seconds"] = json!("uniform:2s:1s")),
            "requests[1].think_seconds: uniform:LOW:HIGH is needed",
        ),
        (
            refusal(&|plan| {
                plan["cookies"] = json!("journey");
                plan["requests"][1]["headers"] = json!([["cookie", "a=b"]]);
            }),
            "requests[1].headers: Cookie is what `cookies` keeps",
        ),
        (
            refusal(&|plan| {
                plan["cookies"] = json!("connection");
                plan["pipeline"] = json!(2);
                plan["requests"] = json!([{"path": "/"}]);
            }),
            "cookies: needs pipeline 1",
        ),
        (
            refusal(&|plan| plan["requests"][1]["think_seconds"] = json!(-1)),
            "requests[1].think_seconds: -1 is not from 0",
        ),
        (
            refusal(&|plan| {
                plan["requests"] = json!([{"path": "/", "take": {"id": {"pointer": "/id"}}}]);
            }),
            "requests[0].take: needs a journey",
        ),
        (
            refusal(&|plan| plan["requests"][0]["expect"]["keep_bodies"] = json!(true)),
            "requests[0].expect.keep_bodies: what is taken",
        ),
        (
            refusal(&|plan| plan["requests"][1]["renew"] = json!("look")),
            "requests[1].renew: no earlier step of its journey and no setup request of this name takes a value",
        ),
        (refusal(&|plan| plan["requests"][1]["renew"] = json!("pay")), "requests[1].renew: no earlier step"),
        (
            refusal(&|plan| {
                plan["requests"][1]["renew"] = json!("make");
                plan["requests"][1]["expect"] = json!({"status": [401]});
            }),
            "requests[1].renew: expect.status has 401",
        ),
        (
            refusal(&|plan| {
                plan["requests"][1]["follow_redirects"] = json!(1);
                plan["requests"][1]["expect"] = json!({"status": [200, 302]});
            }),
            "requests[1].follow_redirects: expect.status has 302",
        ),
        (
            refusal(&|plan| plan["requests"][1]["follow_redirects"] = json!(21)),
            "requests[1].follow_redirects: 21 is not from 0 to 20",
        ),
        (
            refusal(&|plan| {
                plan["requests"] = json!([{"path": "/", "follow_redirects": 1}]);
                plan["pipeline"] = json!(2);
            }),
            "requests[0].follow_redirects: needs pipeline 1",
        ),
        (
            refusal(&|plan| {
                plan["requests"] =
                    json!([{"path": "/", "follow_redirects": 1, "expect": {"body": {"kind": "events"}}}]);
            }),
            "requests[0].follow_redirects: the times of events",
        ),
        (
            refusal(&|plan| {
                plan["requests"] =
                    json!([{"path": "/", "method": "HEAD", "expect": {"trailer": {"a": "b"}}}]);
            }),
            "requests[0].expect.trailer: an answer to HEAD has none",
        ),
        (
            refusal(&|plan| plan["requests"][1]["take"] = json!({"id": {"header": "x"}})),
            "requests[1].take.id: another request takes it already",
        ),
    ] {
        assert!(line.contains(expected), "{line}");
    }
}

/// A shop behind `/in`, which leads there; every other token is good for one order, and the others for none.
fn expiring_shop(logins: &Arc<AtomicU64>) -> Server {
    let logins = Arc::clone(logins);
    Server::start(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        let (mut token, mut left) = (0, 0);
        serve_http2(stream, &Builder::new(), |request, mut respond| {
            let given = request.headers().get("x-token").map(|value| value.to_str().unwrap().to_owned());
            let mut head = Response::builder();
            let mut body = String::new();
            match request.uri().path() {
                "/login" => {
                    token = logins.fetch_add(1, Ordering::Relaxed) + 1000;
                    left = token % 2;
                    body = json!({ "token": token }).to_string();
                }
                "/in" => head = head.status(307).header("location", "order"),
                _ if given != Some(token.to_string()) || left == 0 => head = head.status(401),
                _ => left -= 1,
            }
            let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
            stream.send_data(Bytes::from(body), true).unwrap();
        });
    })
}

#[test]
fn over_http2_redirects_are_followed_and_tokens_renewed() {
    let logins = Arc::<AtomicU64>::default();
    let server = expiring_shop(&logins);
    let login = json!({"name": "login", "journey": "stay", "path": "/login", "take": {"token": {"pointer": "/token"}}});
    let order = json!({"name": "order", "journey": "stay", "path": "/in", "method": "POST", "body": "{{sequence 1}}",
        "template": true, "headers": [["x-token", "{{var token}}"]], "follow_redirects": 1, "renew": "login"});
    let plan = Plan::closed(&server.address, 1).with("http2", json!({"streams": 1}));
    let summary = plan.with("requests", json!([login, order])).requests(10).run();
    assert!(summary.errors().is_empty(), "{}", summary.0["examples"]);
    let share = &summary.0["mix"][1];
    assert_eq!((&share["verified"], &share["renewals"]), (&json!(10), &json!(10)), "{share}");
    assert_eq!((&share["redirects"], &share["sent"]), (&json!(20), &json!(10)));
    assert_eq!(logins.load(Ordering::Relaxed), 20);
}
