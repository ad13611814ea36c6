//! The time to the first byte of an answer, apart from the time to its last.

use std::io::Write;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use h2::server::Builder;
use http::Response;
use serde_json::json;

use crate::common::{Plan, Server, TURN, Target, read_request, serve_http2};

#[test]
fn a_body_that_comes_slowly_is_in_the_service_time_alone() {
    let target = Target::start(&["--slow-body", "50ms"]);
    let summary = Plan::closed(&target.address, 2).requests(20).run();
    summary.assert_books_balance();
    assert_eq!(summary.0["first_byte_time"]["count"], 20);
    assert!(summary.0["service_time"]["min_seconds"].as_f64().unwrap() >= 0.049, "{}", summary.0);
    assert!(summary.seconds("first_byte_time", "50") < 0.025, "{}", summary.0["first_byte_time"]);
}

#[test]
fn what_a_server_thinks_about_is_before_the_first_byte() {
    let target = Target::start(&["--delay", "constant:30ms"]);
    let requests = json!([{"name": "a", "path": "/a"}, {"name": "b", "path": "/b"}]);
    let summary = Plan::closed(&target.address, 2).with("requests", requests).requests(20).run();
    summary.assert_books_balance();
    assert!(summary.0["first_byte_time"]["min_seconds"].as_f64().unwrap() >= 0.03);
    for share in summary.0["mix"].as_array().unwrap() {
        assert_eq!(share["first_byte_time"]["count"], 10, "{share}");
    }
}

#[test]
fn an_answer_that_stops_after_its_first_bytes_has_a_first_byte_and_no_end() {
    let server = Server::start(|_, mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc").unwrap();
        }
    });
    let plan = Plan::closed(&server.address, 1).with("timeout_seconds", json!(0.2)).requests(1);
    let summary = plan.run();
    assert_eq!(summary.errors(), [("timeout", 1)]);
    assert_eq!(summary.0["service_time"]["at_least"]["count"], 1);
    let first_byte = &summary.0["first_byte_time"];
    assert_eq!((&first_byte["count"], first_byte["at_least"].is_null()), (&json!(1), true));
    assert!(first_byte["max_seconds"].as_f64().unwrap() < 0.1, "{first_byte}");
}

#[test]
fn each_stream_of_http_2_has_its_own() {
    let server = Server::start(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        serve_http2(stream, &Builder::new(), |_, mut respond| {
            let mut body = respond.send_response(Response::new(()), false).unwrap();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(60));
                body.send_data(Bytes::from_static(b"late"), true)
            });
        });
    });
    let plan = Plan::closed(&server.address, 1).with("http2", json!({"streams": 3})).requests(12);
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!((summary.count("verified"), &summary.0["first_byte_time"]["count"]), (12, &json!(12)));
    assert!(summary.0["service_time"]["min_seconds"].as_f64().unwrap() >= 0.059, "{}", summary.0);
    assert!(summary.seconds("first_byte_time", "50") < 0.05, "{}", summary.0["first_byte_time"]);
}
