//! Sessions over WebSocket: messages and their answers, and servers that break its rules, stall or flood.

use std::sync::Arc;

use super::*;
use crate::websocket::{Opening, Socket, WebSocketConversation, accept_of, served};

const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;

/// A closed load of one connection with so many messages in flight, whose answers have ids.
fn by_id(lanes: usize) -> Setup {
    let requests = json!([{"path": "/", "template": true, "body": "{\"id\":{{sequence 1}}}"}]);
    Setup { lanes, requests, are_messages: true, opens_ns: 0, ..Setup::closed(1) }
}

/// The same with one message, whose answer is to be its echo.
fn echo() -> Setup {
    let requests = json!([{"path": "/", "body": "hello", "expect": {"body": {"kind": "echo"}}}]);
    Setup { requests, are_messages: true, opens_ns: 0, ..Setup::closed(1) }
}

fn conversation(setup: Setup, id: Option<&str>) -> WebSocketConversation {
    let lanes = setup.lanes;
    let places = setup.requests.as_array().unwrap().len();
    let socket = Socket {
        opening: Opening::new(b"GET /chat HTTP/1.1\r\nHost: h\r\n\r\n", &[]),
        is_binary: vec![false; places],
        id: id.map(|name| vec![name.to_owned()]),
        broadcast: None,
        message_bytes_limit: 1000,
    };
    WebSocketConversation::new(setup.session(), lanes, Arc::new(socket))
}

fn sent(link: &mut WebSocketConversation, now_ns: u64) -> Vec<u8> {
    let bytes = link.to_send(0).to_vec();
    link.handed_over(0, bytes.len(), now_ns);
    bytes
}

/// Opcodes and payloads of what a client sent.
fn frames(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while let [first, second, rest @ ..] = bytes {
        assert_eq!((first & 0xf0, second & 0x80), (0x80, 0x80), "whole frames with a mask");
        let length = usize::from(second & 0x7f);
        let (mask, payload) = (&rest[..4], &rest[4..4 + length]);
        let unmasked = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
        frames.push((first & 0x0f, unmasked.collect()));
        bytes = &rest[4 + length..];
    }
    frames
}

fn texts(bytes: &[u8]) -> Vec<String> {
    frames(bytes).into_iter().map(|(_, payload)| String::from_utf8(payload).unwrap()).collect()
}

/// What switches protocols for the handshake that was sent.
fn switching(handshake: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(handshake).unwrap();
    assert!(text.starts_with("GET /chat HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n"), "{text}");
    let key = text.split_once("Sec-WebSocket-Key: ").unwrap().1.trim_end();
    let accept = accept_of(key);
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
    .into_bytes()
}

/// Connects, switches protocols, and gives what is sent first.
fn open(link: &mut WebSocketConversation, now_ns: u64) -> Vec<u8> {
    assert_eq!(link.connected(0, now_ns), Next::Send);
    let handshake = sent(link, now_ns);
    assert_eq!(link.received(0, &switching(&handshake), false, now_ns), Next::Send);
    sent(link, now_ns)
}

fn opened(setup: Setup, id: Option<&str>) -> WebSocketConversation {
    let mut link = conversation(setup, id);
    assert_eq!(link.start(0, 0), Next::Connect);
    open(&mut link, MS);
    link
}

/// Kinds, causes and excerpts of the examples.
fn examples(ended: &Ended) -> Vec<(String, String, String)> {
    let examples = serde_json::to_value(ended.record.examples.as_slice()).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let each = |example: &Value| (text(&example["kind"]), text(&example["cause"]), text(&example["excerpt"]));
    examples.as_array().unwrap().iter().map(each).collect()
}

fn assert_told(ended: &Ended, (kind, cause, words): (&str, &str, &str), of: &str) {
    assert_books_balance(ended);
    let examples = examples(ended);
    let is_told =
        examples.iter().any(|(k, c, text)| (k.as_str(), c.as_str()) == (kind, cause) && text.contains(words));
    assert!(is_told, "{of}: {kind}, {cause}, {words:?}, not {examples:?}");
}

#[test]
fn an_echo_is_verified_and_timed_from_its_message() {
    let mut link = conversation(echo(), None);
    assert_eq!(link.start(0, 0), Next::Connect);
    assert_eq!(frames(&open(&mut link, MS)), [(1, b"hello".to_vec())]);
    assert_eq!(link.received(0, &served(TEXT, b"hello"), false, 3 * MS), Next::Send);
    assert_eq!(frames(&sent(&mut link, 3 * MS)), [(1, b"hello".to_vec())]);
    // In fragments, with a ping between them, and cut in a frame.
    let parts = [served(0x01, b"he"), served(PING, b"there?"), served(0x80, b"llo")].concat();
    assert_eq!(link.received(0, &parts[..3], false, 4 * MS), Next::Wait);
    assert_eq!(link.received(0, &parts[3..], false, 6 * MS), Next::Send);
    assert_eq!(frames(&sent(&mut link, 6 * MS)), [(10, b"there?".to_vec()), (1, b"hello".to_vec())]);
    assert_eq!(link.received(0, &served(TEXT, b"Hello"), false, 7 * MS), Next::Send);
    sent(&mut link, 7 * MS);
    assert_eq!(frames(&link.farewell(0)), [(8, 1000_u16.to_be_bytes().to_vec())]);
    let ended = link.conclude(8 * MS);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.record.totals().verified), (3, 2));
    assert_eq!(errors(&ended), [error("wrong_body", 1)]);
    assert_eq!(ended.record.counters.connects, 1);
}

#[test]
fn answers_find_their_messages_by_id() {
    let mut link = conversation(by_id(3), Some("id"));
    assert_eq!(link.start(0, 0), Next::Connect);
    assert_eq!(texts(&open(&mut link, MS)), [r#"{"id":1}"#, r#"{"id":2}"#, r#"{"id":3}"#]);
    let answers = [served(TEXT, br#"{"id": 3}"#), served(TEXT, br#"{"more": "", "id":1}"#)].concat();
    assert_eq!(link.received(0, &answers, false, 2 * MS), Next::Send);
    assert_eq!(texts(&sent(&mut link, 2 * MS)), [r#"{"id":4}"#, r#"{"id":5}"#]);
    // An id that is a text is another one, and one that none has is nobody's answer.
    let others =
        [served(TEXT, br#"{"id":"2"}"#), served(TEXT, br#"{"id":9}"#), served(TEXT, b"no JSON")].concat();
    assert_eq!(link.received(0, &others, false, 3 * MS), Next::Wait);
    assert_eq!(link.received(0, &served(TEXT, br#"{"id":2}"#), false, 4 * MS), Next::Send);
    let ended = link.conclude(5 * MS);
    assert_eq!((ended.record.totals().verified, ended.record.counters.unasked), (3, 3));
    assert_told(&ended, ("protocol", "websocket_unknown_id", "the id \"2\""), "another id");
}

#[test]
fn a_late_answer_is_known_as_such_and_the_connection_goes_on() {
    let mut link = opened(by_id(2), Some("id"));
    assert_eq!(link.received(0, &served(TEXT, br#"{"id":2}"#), false, 500 * MS), Next::Send);
    assert_eq!(texts(&sent(&mut link, 500 * MS)), [r#"{"id":3}"#]);
    assert_eq!(link.due(SECOND + MS), Some((0, Next::Send)));
    assert_eq!(texts(&sent(&mut link, SECOND + MS)), [r#"{"id":4}"#]);
    let answers = [served(TEXT, br#"{"id":1}"#), served(TEXT, br#"{"id":4}"#)].concat();
    link.received(0, &answers, false, SECOND + 2 * MS);
    let ended = link.conclude(SECOND + 3 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("timeout", 1)]);
    assert_eq!((ended.record.totals().verified, ended.record.counters.unasked), (2, 0));
    assert_eq!(ended.record.counters.connects, 1);
}

#[test]
fn an_id_that_is_awaited_is_not_sent_twice() {
    let requests = json!([{"path": "/", "body": "{\"id\":1}"}]);
    let mut link = conversation(Setup { requests: requests.clone(), ..by_id(2) }, Some("id"));
    assert_eq!(link.start(0, 0), Next::Connect);
    assert_eq!(texts(&open(&mut link, MS)), [r#"{"id":1}"#], "the other message would share its answer");
    let ended = link.conclude(2 * MS);
    assert_told(&ended, ("protocol", "websocket_same_id", "two messages have the id 1"), "in flight");

    // The late answer would be taken for that of the next message.
    let mut link = opened(Setup { requests, ..by_id(1) }, Some("id"));
    link.due(SECOND);
    assert!(sent(&mut link, SECOND).is_empty());
    link.received(0, &served(TEXT, br#"{"id":1}"#), false, SECOND + MS);
    let ended = link.conclude(SECOND + 2 * MS);
    assert_told(&ended, ("protocol", "websocket_same_id", "two messages have the id 1"), "given up");
    assert_eq!((ended.record.totals().verified, ended.record.counters.unasked), (0, 0));
}

#[test]
fn a_socket_that_takes_no_more_is_replaced_with_what_waits_on_it() {
    for taken in [0, 3] {
        let mut link = opened(by_id(1), Some("id"));
        link.received(0, &served(TEXT, br#"{"id":1}"#), false, 2 * MS);
        assert!(link.to_send(0).len() > 3);
        if taken > 0 {
            link.handed_over(0, taken, 2 * MS);
        }
        assert_eq!(link.due(SECOND + 2 * MS), Some((0, Next::Connect)), "{taken} bytes went");
        assert!(link.to_send(0).is_empty());
        assert_eq!(texts(&open(&mut link, SECOND + 3 * MS)), [r#"{"id":3}"#]);
        let ended = link.conclude(SECOND + 4 * MS);
        assert_books_balance(&ended);
        assert_eq!(errors(&ended), [error("timeout", 1)]);
    }
}

#[test]
fn late_answers_are_late_however_many_they_are() {
    let lanes = 600;
    let mut link = opened(by_id(lanes), Some("id"));
    for round in 1..=2 {
        while link.due(round * (SECOND + MS)).is_some() {}
        sent(&mut link, round * (SECOND + MS));
    }
    let answers: Vec<u8> =
        (1..=2 * lanes).flat_map(|id| served(TEXT, format!("{{\"id\":{id}}}").as_bytes())).collect();
    link.received(0, &answers, false, 2 * SECOND + 3 * MS);
    let ended = link.conclude(2 * SECOND + 4 * MS);
    assert_eq!(errors(&ended), [error("timeout", 2 * lanes as u64)]);
    assert_eq!((ended.record.counters.unasked, ended.record.counters.connects), (0, 1));
}

#[test]
fn an_echo_of_a_text_is_a_text() {
    let mut link = opened(echo(), None);
    assert_eq!(link.received(0, &served(0x82, b"hello"), false, 2 * MS), Next::Send);
    let ended = link.conclude(3 * MS);
    assert_eq!((ended.record.totals().verified, errors(&ended)), (0, vec![error("wrong_body", 1)]));
}

#[test]
fn an_id_is_the_same_however_it_is_spelled() {
    let spellings = [
        (r#"\"a/b\""#, r#""a\/b""#, true),
        (r#"\"\u00e9\""#, r#""\u00e9""#, true),
        ("1", "1.0", true),
        ("1", "1e0", true),
        ("1.50", "15E-1", true),
        ("1", "1.5", false),
        ("1", r#""\u0031""#, false),
        ("true", "1.0", false),
    ];
    for (asked, answered, is_same) in spellings {
        let asked = asked.replace("\\\"", "\"").replace("\\u00e9", "\u{e9}");
        let body = format!("{{\"id\":{asked}}}");
        let requests = json!([{"path": "/", "body": body}]);
        let mut link = opened(Setup { requests, ..by_id(1) }, Some("id"));
        link.received(0, &served(TEXT, format!("{{\"id\":{answered}}}").as_bytes()), false, 2 * MS);
        let ended = link.conclude(3 * MS);
        assert_eq!(ended.record.totals().verified, u64::from(is_same), "{asked} and {answered}");
    }
}

#[test]
fn nothing_is_said_amid_a_frame() {
    for (taken, hears) in [(0, true), (3, false)] {
        let mut link = opened(echo(), None);
        link.received(0, &served(TEXT, b"hello"), false, 2 * MS);
        if taken > 0 {
            link.handed_over(0, taken, 2 * MS);
        }
        link.received(0, &served(CLOSE, &1001_u16.to_be_bytes()), false, 3 * MS);
        assert_eq!(!link.farewell(0).is_empty(), hears, "{taken} bytes of a frame went");
    }
}

#[test]
fn without_ids_a_timeout_ends_the_connection() {
    let mut link = opened(echo(), None);
    assert_eq!(link.due(SECOND), Some((0, Next::Connect)));
    assert_eq!(frames(&open(&mut link, SECOND + MS)), [(1, b"hello".to_vec())]);
    let ended = link.conclude(SECOND + 2 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("timeout", 1)]);
}

#[test]
fn each_server_that_breaks_the_rules_is_told_by_its_cause() {
    let close =
        |code: u16, reason: &str| served(CLOSE, &[&code.to_be_bytes()[..], reason.as_bytes()].concat());
    let endless = [served(0x01, &[b'x'; 60]), served(0x00, &[b'x'; 60]).repeat(30)].concat();
    let empty = [served(0x01, b""), served(0x00, b"").repeat(1100)].concat();
    let cases = vec![
        ("a mask", b"\x81\x82\x01\x02\x03\x04ok".to_vec(), ("protocol", "websocket_masked", "only clients")),
        ("a reserved bit", served(0xc1, b"ok"), ("protocol", "websocket_reserved", "reserved bit")),
        ("another reserved bit", served(0x91, b"ok"), ("protocol", "websocket_reserved", "reserved bit")),
        ("a reserved bit of a ping", served(0xa9, b""), ("protocol", "websocket_reserved", "reserved bit")),
        ("an opcode", served(0x85, b"ok"), ("protocol", "websocket_opcode", "opcode 5")),
        ("a control opcode", served(0x8b, b""), ("protocol", "websocket_opcode", "opcode 11")),
        ("a ping in fragments", served(0x09, b"x"), ("protocol", "websocket_control", "in fragments")),
        ("a long ping", served(PING, &[0; 126]), ("protocol", "websocket_control", "125 bytes")),
        (
            "a continuation",
            served(0x80, b"ok"),
            ("protocol", "websocket_continuation", "fragment of no message"),
        ),
        (
            "a message amid another",
            [served(0x01, b"he"), served(TEXT, b"hello")].concat(),
            ("protocol", "websocket_continuation", "amid another's"),
        ),
        (
            "2^63 bytes",
            vec![0x82, 127, 128, 0, 0, 0, 0, 0, 0, 0],
            ("protocol", "websocket_length", "above 2^63"),
        ),
        (
            "a long length",
            vec![TEXT, 126, 0, 5],
            ("protocol", "websocket_length", "more bytes than it needs"),
        ),
        (
            "2^62 bytes",
            vec![0x82, 127, 64, 0, 0, 0, 0, 0, 0, 0],
            ("protocol", "websocket_too_long", "message_bytes"),
        ),
        ("endless fragments", endless, ("protocol", "websocket_too_long", "1020 bytes")),
        ("empty fragments", empty, ("protocol", "websocket_flood", "fragment after fragment")),
        ("pings", served(PING, b"x").repeat(1001), ("protocol", "websocket_flood", "1000 control frames")),
        ("pongs", served(0x8a, b"").repeat(1001), ("protocol", "websocket_flood", "1000 control frames")),
        ("no UTF-8", served(TEXT, b"\xff\xfe"), ("protocol", "websocket_utf8", "not UTF-8")),
        (
            "no UTF-8 in fragments",
            [served(0x01, b"\xe2\x82"), served(0x80, b"x")].concat(),
            ("protocol", "websocket_utf8", "not UTF-8"),
        ),
        (
            "a reason without UTF-8",
            served(CLOSE, b"\x03\xe8\xff"),
            ("protocol", "websocket_utf8", "not UTF-8"),
        ),
        ("a close of 0", close(0, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 999", close(999, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 1004", close(1004, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 1005", close(1005, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 1015", close(1015, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 2999", close(2999, ""), ("protocol", "websocket_close_frame", "code")),
        ("a close of 5000", close(5000, ""), ("protocol", "websocket_close_frame", "code")),
        (
            "the answer behind a close",
            [close(1000, ""), served(TEXT, b"hello")].concat(),
            ("closed", "websocket_close_1000", "1000"),
        ),
        (
            "garbage behind a close",
            [close(1001, ""), vec![0xff; 50]].concat(),
            ("closed", "websocket_close_1001", "1001"),
        ),
        ("half a close", served(CLOSE, b"x"), ("protocol", "websocket_close_frame", "code")),
        ("a close of 1006", close(1006, ""), ("protocol", "websocket_close_frame", "code")),
        (
            "a close",
            close(1011, "no database"),
            ("closed", "websocket_close_1011", "with code 1011: no database"),
        ),
        ("a normal close", close(1000, ""), ("closed", "websocket_close_1000", "1000")),
        ("a close of its own", close(4711, ""), ("closed", "websocket_close_other", "4711")),
        ("a close without code", served(CLOSE, b""), ("closed", "websocket_close_1005", "without a code")),
    ];
    for (what, bytes, told) in cases {
        for piece in [bytes.len(), 7] {
            let mut link = opened(echo(), None);
            let mut next = Next::Wait;
            for piece in bytes.chunks(piece) {
                if !matches!(next, Next::Connect) {
                    next = link.received(0, piece, false, 2 * MS);
                }
            }
            assert_eq!(next, Next::Connect, "{what}: one failure is replaced at once");
            assert_eq!(frames(&link.farewell(0))[0].0, 8, "{what}: it hears a close");
            let ended = link.conclude(3 * MS);
            assert_told(&ended, told, what);
            assert_eq!(errors(&ended), [error(told.0, 1)], "{what}");
        }
    }
}

#[test]
fn each_handshake_that_opens_nothing_is_told_by_its_cause() {
    let switch = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    let cases = [
        (
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(),
            ("connect", "websocket_refused", "404"),
        ),
        (format!("{switch}\r\n"), ("protocol", "websocket_accept", "is none, not")),
        (
            format!("{switch}Sec-WebSocket-Accept: bm90IHRoYXQ=\r\n\r\n"),
            ("protocol", "websocket_accept", "bm90IHRoYXQ="),
        ),
        ("220 mail ESMTP\r\n\r\n".to_owned(), ("protocol", "not_http", "no HTTP/1.1")),
    ];
    for (answer, told) in cases {
        let mut link = conversation(echo(), None);
        link.start(0, 0);
        assert_eq!(link.connected(0, MS), Next::Send);
        sent(&mut link, MS);
        link.received(0, answer.as_bytes(), false, 2 * MS);
        let ended = link.conclude(3 * MS);
        assert_told(&ended, told, &answer);
        assert_eq!(errors(&ended), [error(told.0, 1)], "{answer}");
    }
}

#[test]
fn silence_is_told_by_what_had_come() {
    let half = &served(TEXT, b"hello")[..4];
    let mut link = opened(echo(), None);
    assert_eq!(link.received(0, half, false, 2 * MS), Next::Wait);
    assert_eq!(link.due(SECOND), Some((0, Next::Connect)));
    let told = ("timeout", "websocket_unfinished", "began to come and did not end");
    assert_told(&link.conclude(SECOND + MS), told, "half a frame");

    let mut link = opened(by_id(2), Some("id"));
    link.received(0, half, false, 2 * MS);
    assert_eq!(link.due(SECOND), Some((0, Next::Connect)), "behind half a frame nothing can come");
    let ended = link.conclude(SECOND + MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("timeout", 2)]);

    let mut link = conversation(echo(), None);
    link.start(0, 0);
    link.connected(0, MS);
    sent(&mut link, MS);
    assert_eq!(link.due(SECOND), Some((0, Next::Connect)));
    assert_told(
        &link.conclude(SECOND + MS),
        ("timeout", "websocket_no_handshake", "not answered"),
        "no handshake",
    );
}

#[test]
fn a_socket_that_just_ends_is_told_from_a_close() {
    let mut link = opened(echo(), None);
    assert_eq!(link.peer_closed(0, 2 * MS), Next::Connect);
    let told = ("closed", "websocket_no_close", "without a close frame");
    assert_told(&link.conclude(3 * MS), told, "an end that was read");
    for (kind, name) in [(ErrorKind::Closed, "closed"), (ErrorKind::Reset, "reset")] {
        // Of a send that failed: a close frame may lie unread.
        let mut link = opened(echo(), None);
        assert_eq!(link.broken(0, kind, 2 * MS), Next::Connect);
        assert_told(&link.conclude(3 * MS), (name, "", "may be unread"), name);

        let mut link = conversation(echo(), None);
        link.start(0, 0);
        link.connected(0, MS);
        sent(&mut link, MS);
        link.broken(0, kind, 2 * MS);
        assert_told(&link.conclude(3 * MS), (name, "websocket_handshake_closed", "before the answer"), name);
    }
}

#[test]
fn a_close_between_messages_is_nobodys_failure() {
    let load = json!({"kind": "constant", "rate_per_second": 10.0, "connections": 1});
    let setup = Setup { starts_ns: 0, opens_ns: 0, closes_ns: Some(SECOND), load, ..echo() };
    let mut link = conversation(setup, None);
    assert_eq!(link.start(0, 0), Next::Connect);
    // The first message was due at once: that the handshake took 40 ms is a part of its response time.
    link.connected(0, 0);
    let handshake = sent(&mut link, 0);
    assert_eq!(link.due(0), None);
    link.received(0, &switching(&handshake), false, 40 * MS);
    assert_eq!(frames(&sent(&mut link, 40 * MS)), [(1, b"hello".to_vec())]);
    link.received(0, &served(TEXT, b"hello"), false, 41 * MS);
    link.received(0, &served(PING, b""), false, 50 * MS);
    assert_eq!(frames(&sent(&mut link, 50 * MS)), [(10, Vec::new())]);
    assert_eq!(link.received(0, &served(CLOSE, &1001_u16.to_be_bytes()), false, 60 * MS), Next::Close);
    assert_eq!(frames(&link.farewell(0)), [(8, 1001_u16.to_be_bytes().to_vec())]);
    assert_eq!(link.due(100 * MS), Some((0, Next::Connect)));
    assert_eq!(frames(&open(&mut link, 110 * MS)), [(1, b"hello".to_vec())]);
    link.received(0, &served(TEXT, b"hello"), false, 120 * MS);
    let ended = link.conclude(150 * MS);
    assert_books_balance(&ended);
    assert!(errors(&ended).is_empty(), "{:?}", examples(&ended));
    assert_eq!((ended.record.totals().verified, ended.record.counters.connects), (2, 2));
    let response = serde_json::to_value(ended.record.times().response).unwrap();
    let longest_ms = response["max_seconds"].as_f64().unwrap() * 1e3;
    assert!((longest_ms - 41.0).abs() < 1.0, "{longest_ms} ms");
}

#[test]
fn what_was_not_asked_is_counted_and_no_answer() {
    let load = json!({"kind": "constant", "rate_per_second": 10.0, "connections": 1});
    let setup = Setup { starts_ns: 0, opens_ns: 0, closes_ns: Some(SECOND), load, ..echo() };
    let mut link = conversation(setup, None);
    link.start(0, 0);
    link.connected(0, 0);
    let handshake = sent(&mut link, 0);
    let pushed = [switching(&handshake), served(TEXT, b"hello")].concat();
    link.received(0, &pushed, false, MS);
    let ended = link.conclude(2 * MS);
    assert_eq!((ended.record.counters.unasked, ended.record.totals().answers), (1, 0));
    assert_told(&ended, ("protocol", "websocket_unasked", "none was awaited"), "a push");
}
