//! Spot checks: when they are sent, what is known of them, and that the load's figures know nothing of them.

use super::server::{Asked, Reaction, World};
use super::*;

/// The window is from 100 to 600 ms; each answer takes `MS`.
fn with_spot_checks(setup: Setup, at_seconds: &[f64]) -> Setup {
    let expect = json!({"status": [404]});
    let spot_check =
        json!({"name": "unknown", "path": "/unknown", "spot_check_at_seconds": at_seconds, "expect": expect});
    Setup { requests: json!([{"path": "/"}, spot_check]), closes_ns: Some(600 * MS), ..setup }
}

fn is_spot_check(asked: &Asked<'_>) -> bool {
    asked.text.starts_with("GET /unknown ")
}

/// Answers spot checks as `react` says, everything else with 200.
fn run(setup: Setup, answer_takes_ns: u64, react: impl Fn(u64) -> Reaction) -> (Ended, Vec<(u64, usize)>) {
    let mut came = Vec::new();
    let ended = World::serving(setup.session(), |asked| {
        if !is_spot_check(&asked) {
            return Reaction::Answer(asked.now_ns + answer_takes_ns);
        }
        came.push((asked.now_ns, asked.connection));
        react(asked.now_ns)
    })
    .run(SECOND);
    assert_books_balance(&ended);
    (ended, came)
}

fn not_found(now_ns: u64) -> Reaction {
    let bytes = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    Reaction::AnswerWith(now_ns + MS, bytes, false)
}

fn written(ended: &Ended) -> Value {
    let names = ["".to_owned(), "unknown".to_owned()];
    let spot_checks = ended.record.spot_checks().iter();
    serde_json::to_value(
        spot_checks.map(|spot_check| spot_check.written(&names, 100 * MS)).collect::<Vec<_>>(),
    )
    .unwrap()
}

#[test]
fn a_closed_load_sends_each_at_its_moment_between_two_requests_of_a_connection() {
    let (ended, came) = run(with_spot_checks(Setup::closed(2), &[0.2, 0.4]), MS, not_found);
    assert_eq!(came.iter().map(|(at_ns, _)| *at_ns).collect::<Vec<_>>(), [300 * MS, 500 * MS]);
    let told = written(&ended);
    assert_eq!(
        (&told[0]["name"], &told[0]["error"], &told[0]["status"]),
        (&json!("unknown"), &Value::Null, &json!(404))
    );
    assert_eq!((&told[1]["sent_seconds"], &told[1]["seconds"]), (&json!(0.4), &json!(0.001)));
    // Two connections answer a thousand each second; the spot checks took the place of two requests.
    let totals = ended.record.totals();
    assert_eq!((totals.answers, totals.verified, ended.record.counters.failures), (998, 998, 0));
    assert_eq!(ended.record.times().response.count(), 998);
}

#[test]
fn an_open_load_has_its_arrivals_all_the_same() {
    let load = json!({"kind": "constant", "connections": 2, "rate_per_second": 1000});
    let without = Setup { closes_ns: Some(600 * MS), ..Setup::of(load.clone()) };
    let (plain, _) = run(without, MS, not_found);
    let (checked, came) = run(with_spot_checks(Setup::of(load), &[0.2, 0.4]), MS, not_found);
    assert_eq!(came.len(), 2);
    assert!(came[0].0 >= 300 * MS && came[0].0 <= 302 * MS, "{came:?}");
    assert_eq!(checked.books.offered, plain.books.offered);
    assert_eq!(checked.record.totals().answers, plain.record.totals().answers);
}

#[test]
fn a_wrong_answer_and_a_reset_are_told_and_are_no_errors_of_the_load() {
    let (ended, came) = run(with_spot_checks(Setup::closed(2), &[0.2, 0.4]), MS, |now_ns| {
        if now_ns < 400 * MS { Reaction::Answer(now_ns + MS) } else { Reaction::Reset(now_ns + MS) }
    });
    assert_eq!(came.len(), 2);
    let told = written(&ended);
    assert_eq!(
        (&told[0]["error"], &told[0]["status"], &told[0]["excerpt"]),
        (&json!("status_2xx"), &json!(200), &json!("ok"))
    );
    assert_eq!((&told[1]["error"], &told[1]["status"]), (&json!("unannounced_close"), &Value::Null));
    assert!(errors(&ended).is_empty());
    assert_eq!(ended.record.counters.failures, 0);
}

#[test]
fn a_slow_server_gets_one_for_a_hundred_requests_at_most() {
    // Fifty answers in the window.
    let (_, came) = run(with_spot_checks(Setup::closed(1), &[0.0, 0.1, 0.2]), 10 * MS, not_found);
    assert_eq!(came, []);
    // 250: two of them, each as soon as there is room.
    let (_, came) = run(with_spot_checks(Setup::closed(1), &[0.0, 0.1, 0.2]), 2 * MS, not_found);
    assert_eq!(came.iter().map(|(at_ns, _)| at_ns / MS).collect::<Vec<_>>(), [300, 501]);
}

#[test]
fn users_who_think_send_them_too() {
    let load = json!({"kind": "closed", "connections": 10, "think_time_seconds": 0.004});
    let (ended, came) = run(with_spot_checks(Setup::of(load), &[0.3]), MS, not_found);
    assert_eq!((came.len(), written(&ended)[0]["error"].clone()), (1, Value::Null));
}
