//! Arrivals that are several requests of one user.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use http::Response;

use super::http2::{Peer, conversation, greet, talk};
use super::server::{Asked, Network, Reaction, World, run};
use super::*;

fn answer(status: u16, lines: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{lines}\r\n{body}", body.len()).into_bytes()
}

/// A cart that is made, filled and paid for by the id and the token that its maker got; and a page that is read as often.
fn buying(load: Value) -> Setup {
    let requests = json!([
        {"name": "make", "journey": "buy", "method": "POST", "path": "/carts", "expect": {"status": [201]},
         "take": {"id": {"pointer": "/id"}, "token": {"header": "x-token"}}},
        {"name": "fill", "journey": "buy", "method": "PUT", "path": "/carts/{{var id}}", "template": true,
         "headers": [["x-token", "{{var token}}"]], "take": {"total": {"pointer": "/total"}}},
        {"name": "pay", "journey": "buy", "method": "POST", "path": "/carts/{{var id}}/pay", "template": true,
         "body": "{\"total\": {{var total json}}}"},
        {"name": "page", "path": "/page"}
    ]);
    Setup { requests, closes_ns: Some(1100 * MS), ..Setup::of(load) }
}

/// Each request takes it 10 ms. It counts those that hold no values of the cart that was made last on their connection.
#[derive(Default)]
struct Shop {
    made: u64,
    paid: u64,
    pages: u64,
    strangers: u64,
    /// By connection.
    carts: HashMap<usize, u64>,
}

impl Shop {
    fn serve(&mut self, asked: &Asked<'_>) -> Vec<u8> {
        let mine = self.carts.get(&asked.connection).copied().unwrap_or(0);
        if asked.text.starts_with("POST /carts HTTP") {
            self.made += 1;
            self.carts.insert(asked.connection, 100 + self.made);
            let id = 100 + self.made;
            return answer(201, &format!("X-Token: t0ken-{id}\r\n"), &json!({ "id": id }).to_string());
        }
        if asked.text.starts_with(&format!("PUT /carts/{mine} "))
            && asked.text.contains(&format!("x-token: t0ken-{mine}\r\n"))
        {
            return answer(200, "", &json!({ "total": format!("{mine}.50") }).to_string());
        }
        if asked.text.starts_with(&format!("POST /carts/{mine}/pay "))
            && asked.text.ends_with(&format!("{{\"total\": \"{mine}.50\"}}"))
        {
            self.paid += 1;
            return ANSWER.to_vec();
        }
        let is_page = asked.text.starts_with("GET /page ");
        self.pages += u64::from(is_page);
        self.strangers += u64::from(!is_page);
        if is_page { ANSWER.to_vec() } else { answer(404, "", "who is it?") }
    }
}

fn closed(connections: usize) -> Value {
    json!({"kind": "closed", "connections": connections})
}

fn constant(rate: f64, connections: usize) -> Value {
    json!({"kind": "constant", "rate_per_second": rate, "connections": connections})
}

fn journey(ended: &Ended) -> Value {
    serde_json::to_value(ended.record.journeys[0].clone().written()).unwrap()
}

/// Completed, broken off by step, unfinished.
fn ends(ended: &Ended) -> (u64, Vec<u64>, u64) {
    let journey = journey(ended);
    let count = |value: &Value| value.as_u64().unwrap();
    let steps = journey["steps"].as_array().unwrap().iter();
    let broken_off: Vec<u64> = steps.map(|step| count(&step["broken_off"])).collect();
    let all = (count(&journey["completed"]), broken_off, count(&journey["unfinished"]));
    assert_eq!(count(&journey["count"]), all.0 + all.1.iter().sum::<u64>() + all.2);
    all
}

fn by_name(ended: &Ended) -> Vec<(String, u64, u64)> {
    let shares = ended.record.shares().into_iter().map(|share| serde_json::to_value(share).unwrap());
    shares
        .map(|share| {
            let name = share["name"].as_str().unwrap().to_owned();
            (name, share["answers"].as_u64().unwrap(), share["verified"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn each_user_sends_the_values_of_its_own_answers() {
    for pipeline in [1, 2] {
        let mut shop = Shop::default();
        let setup = Setup { pipeline, ..buying(closed(2)) };
        // With a pipeline, connections are shared: the cart that was made last is not known by the connection.
        let serve = |asked: Asked<'_>| {
            let reaction = if pipeline == 1 { shop.serve(&asked) } else { one_cart(asked.text) };
            Reaction::AnswerWith(asked.now_ns + 10 * MS, reaction, false)
        };
        let ended = run(setup, Network::default(), serve, u64::MAX);
        assert_books_balance(&ended);
        assert!(errors(&ended).is_empty(), "{:?}", ended.record.examples.as_slice());
        let lanes = 2 * pipeline as u64;
        // In turn a journey of three requests and a page: each lane has 100 answers of 10 ms.
        assert_eq!(ended.record.totals().answers, 100 * lanes);
        let (completed, broken_off, unfinished) = ends(&ended);
        assert!(completed >= 24 * lanes && completed <= 26 * lanes, "{completed}");
        assert_eq!(broken_off, [0, 0, 0]);
        assert!(unfinished <= lanes);
        let time = &journey(&ended)["journey_time"];
        assert_eq!((&time["min_seconds"], &time["max_seconds"]), (&json!(0.03), &json!(0.03)));
        let response = serde_json::to_value(ended.record.times().response).unwrap();
        assert_eq!((&response["min_seconds"], &response["max_seconds"]), (&json!(0.01), &json!(0.01)));
        if pipeline == 1 {
            assert_eq!(shop.strangers, 0);
            assert!(shop.made - shop.paid <= 2 && shop.pages.abs_diff(shop.made) <= 2);
        }
    }
}

/// A shop with a single cart.
fn one_cart(text: &str) -> Vec<u8> {
    let front = |front: &str| text.starts_with(front);
    if front("POST /carts HTTP") {
        return answer(201, "X-Token: t0ken\r\n", "{\"id\": 7}");
    }
    if front("PUT /carts/7 ") && text.contains("x-token: t0ken\r\n") {
        return answer(200, "", "{\"total\": 1}");
    }
    let is_right = front("GET /page ") || (front("POST /carts/7/pay ") && text.ends_with("{\"total\": 1}"));
    answer(if is_right { 200 } else { 404 }, "", "")
}

#[test]
fn a_number_of_requests_counts_a_journey_as_one() {
    let setup = Setup { share: Some(7), closes_ns: None, opens_ns: 0, ..buying(closed(1)) };
    let serve = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + MS, one_cart(asked.text), false);
    let ended = run(setup, Network::default(), serve, u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(ends(&ended), (4, vec![0, 0, 0], 0));
    assert_eq!(by_name(&ended).iter().map(|share| share.1).collect::<Vec<_>>(), [4, 4, 4, 3]);
    assert_eq!(ended.books.offered, 15);
}

#[test]
fn an_open_load_counts_arrivals_and_later_steps_from_the_answer_before() {
    let mut shop = Shop::default();
    let serve = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + 10 * MS, shop.serve(&asked), false);
    let setup = Setup { drain_ns: SECOND, ..buying(constant(100.0, 4)) };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty());
    // 50 journeys and 50 pages arrive; the journeys that are under way at the end are followed to their end.
    let (completed, broken_off, unfinished) = ends(&ended);
    assert_eq!((completed, broken_off, unfinished, shop.strangers), (50, vec![0, 0, 0], 0, 0));
    let time = &journey(&ended)["journey_time"];
    assert_eq!((&time["min_seconds"], &time["max_seconds"]), (&json!(0.03), &json!(0.03)));
    assert!((196..=200).contains(&ended.books.offered), "{:?}", ended.books);
    let response = serde_json::to_value(ended.record.times().response).unwrap();
    assert_eq!((&response["count"], &response["max_seconds"]), (&json!(ended.books.offered), &json!(0.01)));
}

#[test]
fn who_waits_for_a_connection_has_waited_in_the_first_step_and_in_the_journey() {
    // One connection is busy for 25 ms of every 20: what waits grows, and only arrivals do.
    let setup = Setup { drain_ns: 0, ..buying(constant(50.0, 1)) };
    let serve = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + 13 * MS, one_cart(asked.text), false);
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_books_balance(&ended);
    let shares: Vec<Value> =
        ended.record.shares().iter().map(|share| serde_json::to_value(share).unwrap()).collect();
    let max = |share: &Value| share["response_time"]["max_seconds"].as_f64().unwrap();
    assert!(max(&shares[0]) > 0.1, "{}", shares[0]);
    assert!((max(&shares[1]) - 0.013).abs() < 1e-9 && (max(&shares[2]) - 0.013).abs() < 1e-9);
    let time = &journey(&ended)["journey_time"];
    let at_least = time["at_least"]["count"].as_u64().unwrap();
    assert_eq!(at_least, ends(&ended).2, "what is under way or waits at the end is a lower bound");
    assert!(time["max_seconds"].as_f64().unwrap() > 0.1 + 0.026, "{time}");
}

#[test]
fn a_step_that_fails_ends_its_journey() {
    let broken: [(&str, Reaction, usize, &str); 5] = [
        ("PUT", Reaction::AnswerWith(0, answer(500, "", "no"), false), 1, "status_5xx"),
        (
            "POST /carts HTTP",
            Reaction::AnswerWith(0, answer(201, "X-Token: s3cret\r\n", "{\"it\": 1}"), false),
            0,
            "wrong_body",
        ),
        (
            "POST /carts HTTP",
            Reaction::AnswerWith(0, answer(201, "", "{\"id\": \"s3cret\"}"), false),
            0,
            "wrong_header",
        ),
        ("PUT", Reaction::Reset(0), 1, "unannounced_close"),
        ("PUT", Reaction::AnswerWith(0, b"s3cret".to_vec(), false), 1, "protocol"),
    ];
    for (which, reaction, step, kind) in broken {
        let serve = |asked: Asked<'_>| {
            let at_ns = asked.now_ns + 10 * MS;
            match &reaction {
                _ if !asked.text.starts_with(which) => {
                    Reaction::AnswerWith(at_ns, one_cart(asked.text), false)
                }
                Reaction::AnswerWith(_, bytes, closes) => Reaction::AnswerWith(at_ns, bytes.clone(), *closes),
                _ => Reaction::Reset(at_ns),
            }
        };
        let setup = Setup { drain_ns: SECOND, ..buying(constant(50.0, 4)) };
        let ended = World::serving(setup.session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        let mut broken_off = vec![0, 0, 0];
        broken_off[step] = 25;
        assert_eq!(ends(&ended), (0, broken_off, 0), "{kind}");
        assert_eq!(errors(&ended), [error(kind, 25)]);
        assert_eq!(by_name(&ended)[2].1, 0, "nobody pays");
        assert_eq!(journey(&ended)["journey_time"]["count"], 0);
        let examples = serde_json::to_string(ended.record.examples.as_slice()).unwrap();
        assert!(!examples.contains("s3cret"), "{examples}");
    }
}

#[test]
fn a_step_that_is_given_up_gives_the_journey_a_lower_bound() {
    let serve = |asked: Asked<'_>| match asked.text.starts_with("POST /carts/7/pay") {
        true => Reaction::Answer(u64::MAX),
        false => Reaction::AnswerWith(asked.now_ns + 10 * MS, one_cart(asked.text), false),
    };
    let setup = Setup { drain_ns: 3 * SECOND, ..buying(constant(10.0, 30)) };
    let ended = World::serving(setup.session(), serve).run(u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(ends(&ended), (0, vec![0, 0, 5], 0));
    let time = &journey(&ended)["journey_time"];
    assert_eq!((&time["at_least"]["count"], &time["min_seconds"]), (&json!(5), &json!(1.02)));
}

#[test]
fn a_journey_goes_on_where_the_server_closes_behind_a_step() {
    let serve = |asked: Asked<'_>| {
        let closes = asked.text.starts_with("PUT");
        Reaction::AnswerWith(asked.now_ns + 10 * MS, one_cart(asked.text), closes)
    };
    for load in [closed(1), constant(20.0, 2)] {
        let setup = Setup { drain_ns: if load["kind"] == "closed" { 0 } else { SECOND }, ..buying(load) };
        let ended = World::serving(setup.session(), serve).connecting_in(5 * MS).run(u64::MAX);
        assert_books_balance(&ended);
        assert!(errors(&ended).is_empty());
        // The last step has a connect in it.
        let time = &journey(&ended)["journey_time"];
        assert_eq!((&time["min_seconds"], &time["max_seconds"]), (&json!(0.035), &json!(0.035)));
    }
}

/// The same, with users who think for 40 ms before they fill the cart, and for 10 to 30 ms before they pay.
fn thinking(setup: Setup) -> Setup {
    let mut requests = setup.requests.clone();
    requests[0]["think_seconds"] = json!(0.04);
    requests[1]["think_seconds"] = json!("uniform:10ms:30ms");
    Setup { requests, ..setup }
}

#[test]
fn users_think_between_steps_and_the_clock_of_the_next_one_begins_behind_it() {
    for load in [closed(3), constant(40.0, 30)] {
        let is_open = load["kind"] != "closed";
        let mut shop = Shop::default();
        let serve =
            |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + 10 * MS, shop.serve(&asked), false);
        let setup = Setup { drain_ns: if is_open { SECOND } else { 0 }, ..thinking(buying(load)) };
        let ended = World::serving(setup.session(), serve).run(u64::MAX);
        assert_books_balance(&ended);
        assert!(errors(&ended).is_empty() && shop.strangers == 0);
        let response = serde_json::to_value(ended.record.times().response).unwrap();
        assert_eq!((&response["min_seconds"], &response["max_seconds"]), (&json!(0.01), &json!(0.01)));
        let time = &journey(&ended)["journey_time"];
        let [least, most] = ["min_seconds", "max_seconds"].map(|key| time[key].as_f64().unwrap());
        assert!(least >= 0.08 && most <= 0.100_2 && most > least + 0.005, "{time}");
        let (completed, broken_off, unfinished) = ends(&ended);
        assert_eq!(broken_off, [0, 0, 0]);
        if is_open {
            assert_eq!((completed, unfinished), (20, 0), "whoever arrived is followed to the end");
        } else {
            // A journey of 90 ms and a page of 10 ms in turn: ten of both a second for each of three users.
            assert!((27..=33).contains(&completed) && unfinished <= 3, "{completed}, {unfinished}");
        }
    }
}

#[test]
fn who_thinks_at_the_end_has_not_finished_and_has_no_request_under_way() {
    for load in [closed(1), constant(20.0, 50)] {
        let is_open = load["kind"] != "closed";
        let serve = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + MS, one_cart(asked.text), false);
        for drain_ns in [0, 500 * MS] {
            let mut setup = Setup { drain_ns, ..thinking(buying(load.clone())) };
            setup.requests[0]["think_seconds"] = json!(30.0);
            let ended = World::serving(setup.session(), serve).run(u64::MAX);
            assert_books_balance(&ended);
            assert_eq!(ended.books.in_flight_at_end, 0);
            assert_eq!(
                ended.drained_ns,
                if is_open { drain_ns } else { 0 },
                "nobody awaits those of a closed one"
            );
            assert_eq!(ends(&ended), (0, vec![0, 0, 0], if is_open { 10 } else { 1 }), "{load} {drain_ns}");
            let at_least = journey(&ended)["journey_time"]["at_least"]["count"].as_u64();
            assert_eq!(at_least, is_open.then_some(10), "somebody awaits those of an open load");
        }
    }
}

#[test]
fn who_was_due_at_an_edge_of_the_window_and_is_looked_at_behind_it_is_in_the_books() {
    for late_ns in [MS, 5 * MS] {
        for drain_ns in [0, SECOND] {
            let serve =
                |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + MS, one_cart(asked.text), false);
            let setup = Setup { drain_ns, ..thinking(buying(constant(2000.0, 300))) };
            let ended = run(setup, Network { late_ns, ..Network::default() }, serve, u64::MAX);
            assert_books_balance(&ended);
            assert!(errors(&ended).is_empty());
        }
    }
}

#[test]
fn a_number_of_users_awaits_those_who_think() {
    let setup = Setup { share: Some(6), closes_ns: None, opens_ns: 0, ..thinking(buying(closed(3))) };
    let serve = |asked: Asked<'_>| Reaction::AnswerWith(asked.now_ns + MS, one_cart(asked.text), false);
    let ended = run(setup, Network::default(), serve, u64::MAX);
    assert_books_balance(&ended);
    assert_eq!(ends(&ended), (3, vec![0, 0, 0], 0));
}

#[test]
fn a_server_that_closes_while_a_user_thinks_is_asked_on_a_new_connection() {
    for load in [closed(1), constant(10.0, 5)] {
        let serve = |asked: Asked<'_>| {
            let closes = asked.text.starts_with("PUT");
            Reaction::AnswerWith(asked.now_ns + 10 * MS, one_cart(asked.text), closes)
        };
        let setup = Setup { drain_ns: SECOND, ..thinking(buying(load)) };
        let ended = World::serving(setup.session(), serve).connecting_in(5 * MS).run(u64::MAX);
        assert_books_balance(&ended);
        assert!(errors(&ended).is_empty() && ends(&ended).0 >= 4, "{:?}", ends(&ended));
    }
}

#[test]
fn over_http2_each_stream_has_a_user_of_its_own() {
    let mut link = conversation(Setup { lanes: 3, opens_ns: 0, ..buying(closed(1)) });
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, 0);
    let (mut made, mut open) = (0, HashSet::new());
    for round in 1..=12 {
        assert_eq!(asked.len(), 3);
        for (request, respond) in &mut asked {
            let (method, path) = (request.method().as_str(), request.uri().path());
            let id = path.split('/').nth(2).and_then(|id| id.parse::<u64>().ok());
            let is_known = id.is_some_and(|id| open.contains(&id));
            let token = id.map(|id| format!("t0ken-{id}"));
            let given = request.headers().get("x-token").map(|value| value.to_str().unwrap().to_owned());
            let mut head = Response::builder().status(200);
            let mut body = "{\"total\": 1}".to_owned();
            if path == "/carts" {
                made += 1;
                open.insert(made);
                head = head.status(201).header("x-token", format!("t0ken-{made}"));
                body = json!({ "id": made }).to_string();
            } else if method == "PUT" {
                assert!(is_known && given == token, "{path}: {given:?}");
            } else if path != "/page" {
                assert!(open.remove(&id.unwrap()), "paid for twice");
            }
            let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
            stream.send_data(Bytes::from(body), true).unwrap();
        }
        asked = talk(&mut link, &mut peer, 0, round * 10 * MS);
    }
    let ended = link.conclude(125 * MS);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty(), "{:?}", ended.record.examples.as_slice());
    assert_eq!(ends(&ended), (made - open.len() as u64, vec![0, 0, 0], open.len() as u64));
    assert!(made >= 9, "{made}");
    assert_eq!(journey(&ended)["journey_time"]["max_seconds"], 0.03);
}
