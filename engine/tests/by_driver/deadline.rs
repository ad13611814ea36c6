//! Requests that are not sent, as they are too late.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::common::{Plan, Server, Target, read_request};

/// After the first half of the window, the server sleeps until 200 ms after its end. Of the requests that are due then, one
/// is on the only connection, and the others wait for it.
#[test]
fn what_waits_for_longer_than_the_deadline_is_not_sent() {
    let asked = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&asked);
    let server = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        while read_request(&mut stream).is_some() {
            if counted.fetch_add(1, Ordering::Relaxed) + 1 == 100 {
                thread::sleep(Duration::from_millis(400));
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                return;
            }
        }
    });
    let load = json!({"kind": "constant", "rate_per_second": 500.0, "connections": 1});
    let plan =
        Plan::closed(&server.address, 1).with("load", load).seconds(0.4).with("drain_seconds", json!(5));
    let summary = plan.with("deadline_seconds", json!(0.1)).run();
    summary.assert_books_balance();
    let errors = summary.errors();
    assert_eq!((errors.len(), errors[0].0), (1, "deadline"));
    let cohort = &summary.0["cohort"];
    let failures = cohort["failures"].as_u64().unwrap();
    // Those that are due in the last tenth of a second of the window are too late only behind it.
    assert!(errors[0].1 >= 40 && failures >= errors[0].1 + 40, "{errors:?} in the window, {cohort}");
    let at_least = &summary.0["response_time"]["at_least"];
    assert_eq!(at_least["count"], failures);
    assert!(at_least["min_seconds"].as_f64().unwrap() > 0.1, "{at_least}");
    let answers = cohort["answers"].as_u64().unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), answers, "none of the late ones was sent");
}

#[test]
fn in_time_none_is_left_out() {
    let target = Target::start(&[]);
    let load = json!({"kind": "constant", "rate_per_second": 500.0, "connections": 8});
    let plan = Plan::closed(&target.address, 8).with("load", load).with("deadline_seconds", json!(5));
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!((summary.errors(), &summary.0["cohort"]["answers"]), (vec![], &json!(250)));
}

#[test]
fn a_closed_load_has_no_deadline() {
    let (message, status) = Plan::closed("127.0.0.1:1", 1).with("deadline_seconds", json!(1)).refusal();
    assert!(message.contains("deadline_seconds: needs an open load"), "{message}");
    assert_eq!(status, Some(2));
}
