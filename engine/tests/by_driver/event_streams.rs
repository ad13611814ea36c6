//! Streams of events over real sockets, and what hostile servers make of them.

use std::io::Write;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use h2::server::Builder;
use http::Response;
use serde_json::{Value, json};

use crate::common::{Plan, Server, Summary, TURN, read_request, serve_http2};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// Three events whose ids are 1 to 3, then `[DONE]`.
fn plan(address: &str) -> Plan {
    let body = json!({
        "kind": "events", "min": 3, "max": 3, "sequence": "id", "first": 1, "last": "[DONE]", "stall_seconds": 0.03
    });
    let expect = json!({"content_type": "text/event-stream", "body": body});
    Plan::closed(address, 1).with("timeout_seconds", json!(0.2)).requests(2).expect(expect)
}

fn event(number: u64) -> String {
    format!("id: {number}\ndata: {{\"number\": {number}}}\n\n")
}

fn whole() -> String {
    format!("{}{}{}data: [DONE]\n\n", event(1), event(2), event(3))
}

/// Answers each connection's first request with these pieces, one after the other, and closes.
fn serve(pieces: Vec<Vec<u8>>, pause: Duration) -> Server {
    Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        if read_request(&mut stream).is_none() {
            return;
        }
        for piece in &pieces {
            if stream.write_all(piece).is_err() {
                return;
            }
            thread::sleep(pause);
        }
    })
}

fn served(body: &[u8]) -> Summary {
    let server = serve(vec![[HEAD.as_bytes(), body].concat()], Duration::ZERO);
    let summary = plan(&server.address).run();
    summary.assert_books_balance();
    summary
}

fn counts(summary: &Summary) -> [u64; 4] {
    let streams = &summary.0["event_streams"];
    ["events", "streams", "stalled", "broken_off"].map(|key| streams[key].as_u64().unwrap())
}

#[test]
fn right_streams_are_right_however_they_are_written() {
    let crlf = whole().replace('\n', "\r\n");
    let cr = whole().replace('\n', "\r");
    let commented =
        format!("\u{feff}: hello\n\n{}: alive\n\n", whole().replace("data", ":\nevent: x\nretry: 1\ndata"));
    for body in [whole(), crlf, cr, commented] {
        let summary = served(body.as_bytes());
        assert_eq!((summary.count("verified"), counts(&summary)), (2, [6, 2, 0, 0]), "{body:?}");
    }
    // One byte after the other, each a chunk of its own.
    let mut pieces = vec![HEAD.replace("Connection: close", "Transfer-Encoding: chunked").into_bytes()];
    pieces.extend(whole().bytes().map(|byte| [b"1\r\n", &[byte][..], b"\r\n"].concat()));
    pieces.push(b"0\r\n\r\n".to_vec());
    let summary = plan(&serve(pieces, Duration::ZERO).address).requests(1).run();
    assert_eq!((summary.count("verified"), counts(&summary)), (1, [3, 1, 0, 0]));
}

#[test]
fn wrong_streams_are_wrong_and_say_why() {
    let [first, second, third, end] = [event(1), event(2), event(3), "data: [DONE]\n\n".to_owned()];
    let long = format!("{first}data: {}\n\n", "x".repeat(1 << 20));
    for (body, reason, broken_off) in [
        (format!("{first}{third}{second}{end}"), "event 3 came where 2 was to come", 0),
        (format!("{first}{second}{end}"), "2 events, not 3", 2),
        (
            format!("{first}{second}{}", third.trim_end()),
            "2 events, not 3; the last one has no blank line",
            2,
        ),
        (format!("{first}{second}{second}{third}{end}"), "event 2 came where 3 was to come", 0),
        (format!("{first}{second}{third}"), "the event that ends the stream is missing", 2),
        (format!("{first}{second}{third}{}{end}", event(4)), "more than 3 events", 0),
        (whole() + &event(4), "an event came behind the last one", 0),
        (format!("data: a\n\n{second}{third}{end}"), "an event without the number 1", 0),
        ("<html>no stream</html>".to_owned(), "0 events, not 3", 0),
        (String::new(), "0 events, not 3", 0),
        (long, "an event is longer than 1 MiB", 0),
    ] {
        let summary = served(body.as_bytes());
        assert_eq!(summary.errors(), [("wrong_body", 2)], "{reason}");
        let found = summary.0["examples"][0]["reason"].as_str().unwrap();
        assert!(found.starts_with(reason), "{found}, not {reason}");
        assert_eq!(counts(&summary)[3], broken_off, "{reason}");
    }
}

#[test]
fn what_is_no_stream_of_events_is_told_by_its_kind() {
    let with = |from: &str, to: &str| {
        let bytes = [HEAD.replace(from, to).as_bytes(), whole().as_bytes()].concat();
        plan(&serve(vec![bytes], Duration::ZERO).address).run()
    };
    let refused = with("200 OK", "503 No");
    assert_eq!((refused.errors(), counts(&refused)[0]), (vec![("status_5xx", 2)], 0));
    assert_eq!(with("text/event-stream", "text/plain").errors(), [("wrong_header", 2)]);
    let coded = with("Connection", "Content-Encoding: gzip\r\nConnection");
    assert_eq!(coded.errors(), [("wrong_body", 2)]);
    assert_eq!((coded.0["examples"][0]["reason"].as_str(), counts(&coded)[0]), (Some("the body is gzip"), 0));
}

#[test]
fn streams_that_do_not_end_are_given_up_in_bounded_memory() {
    let endless = |piece: Vec<u8>| {
        Server::start(move |_, mut stream| {
            if read_request(&mut stream).is_some() && stream.write_all(HEAD.as_bytes()).is_ok() {
                while stream.write_all(&piece).is_ok() {}
            }
        })
    };
    for piece in [vec![b'x'; 1 << 16], b"data: x\n".repeat(8192), b"data: x\n\n".repeat(100)] {
        let summary = plan(&endless(piece).address).run();
        assert_eq!((summary.errors(), counts(&summary)[1]), (vec![("timeout", 2)], 0));
    }
    let alive = plan(&endless(b": alive\n\n".repeat(100)).address).run();
    assert_eq!(alive.errors(), [("timeout", 2)]);
    assert_eq!(alive.0["event_streams"]["first_event_time"]["at_least"]["count"], 2);
}

#[test]
fn stalls_and_broken_streams_are_counted() {
    let pieces = |last: &str| vec![(HEAD.to_owned() + &event(1)).into_bytes(), last.as_bytes().to_vec()];
    let rest = format!("{}{}data: [DONE]\n\n", event(2), event(3));
    let late = plan(&serve(pieces(&rest), Duration::from_millis(60)).address).run();
    assert_eq!((late.count("verified"), counts(&late)), (2, [6, 2, 2, 0]));
    let gaps = &late.0["event_streams"]["event_gap"];
    assert!(gaps["max_seconds"].as_f64().unwrap() >= 0.05, "{gaps}");
    // A chunk that is promised does not come.
    let framed = HEAD.replace("Connection: close", "Transfer-Encoding: chunked");
    let chunk = format!("{:x}\r\n{}\r\n50\r\n", event(1).len(), event(1));
    let broken = plan(&serve(vec![(framed.clone() + &chunk).into_bytes()], Duration::ZERO).address).run();
    assert_eq!((broken.errors(), counts(&broken)), (vec![("closed", 2)], [2, 2, 0, 2]));
    let silent = vec![(framed + &chunk[..chunk.len() - 4]).into_bytes(), b"50\r\n".to_vec()];
    let silent = plan(&serve(silent, Duration::from_millis(60)).address).run();
    assert_eq!((silent.errors(), counts(&silent)), (vec![("closed", 2)], [2, 2, 2, 2]));
}

#[test]
fn the_answer_of_a_language_model_is_timed_by_what_it_says() {
    let chunk = |delta: Value, usage: Value| {
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}], "usage": usage}))
    };
    let words = ["One", " two", " three"];
    let mut pieces = vec![
        (HEAD.to_owned() + &chunk(json!({"role": "assistant", "content": ""}), Value::Null)).into_bytes(),
    ];
    pieces.extend(words.iter().map(|word| chunk(json!({"content": word}), Value::Null).into_bytes()));
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 5}});
    pieces.push(format!("{}data: {usage}\n\ndata: [DONE]\n\n", chunk(json!({}), Value::Null)).into_bytes());
    let server = serve(pieces, Duration::from_millis(40));
    let mut body = json!({
        "kind": "events", "min": 3, "max": 3, "content": "/choices/0/delta/content",
        "last": "[DONE]", "tokens": "/usage/completion_tokens"
    });
    let summary =
        plan(&server.address).expect(json!({"body": body})).with("timeout_seconds", json!(5.0)).run();
    let streams = &summary.0["event_streams"];
    assert_eq!(
        (summary.count("verified"), &streams["tokens"], &streams["events"]),
        (2, &json!(10), &json!(6))
    );
    // The first event says nothing yet.
    assert!(streams["first_event_time"]["min_seconds"].as_f64().unwrap() >= 0.04, "{streams}");
    assert!(summary.0["first_byte_time"]["min_seconds"].as_f64().unwrap() < 0.04, "{}", summary.0);
    // One event may hold both.
    let both = chunk(json!({"content": "One"}), json!({"completion_tokens": 7}));
    let answer = format!("{HEAD}{both}data: [DONE]\n\n").into_bytes();
    body["min"] = json!(1);
    let summary = plan(&serve(vec![answer], Duration::ZERO).address).expect(json!({"body": body})).run();
    assert_eq!((summary.count("verified"), &summary.0["event_streams"]["tokens"]), (2, &json!(14)));
}

#[test]
fn each_stream_of_http_2_has_events_of_its_own() {
    let server = Server::start(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TURN)).unwrap();
        serve_http2(stream, &Builder::new(), |_, mut respond| {
            let answer = Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
            let mut body = respond.send_response(answer, false).unwrap();
            thread::spawn(move || {
                for number in 1..=3 {
                    body.send_data(Bytes::from(event(number)), false).unwrap();
                    thread::sleep(Duration::from_millis(20));
                }
                body.send_data(Bytes::from_static(b"data: [DONE]\n\n"), true)
            });
        });
    });
    let plan = plan(&server.address).with("http2", json!({"streams": 3})).with("timeout_seconds", json!(5.0));
    let summary = plan.requests(6).run();
    summary.assert_books_balance();
    assert_eq!((summary.count("verified"), counts(&summary)[..2].to_vec()), (6, vec![18, 6]));
    let gaps = &summary.0["event_streams"]["event_gap"];
    assert_eq!(gaps["count"], 12);
    assert!(
        summary.0["event_streams"]["event_gap"]["percentiles"]["50"].as_f64().unwrap() >= 0.015,
        "{gaps}"
    );
}
