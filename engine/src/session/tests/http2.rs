//! Sessions over HTTP/2, against the crate h2's own server and against frames that no server should send.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::server::{self, Handshake, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderName, HeaderValue, Request, Response};

use super::*;
use crate::driver::{Conversation, Failure};
use crate::http2::{Http2Conversation, Pipe};
use crate::record::StreamUse;

/// SETTINGS without a setting: what a server of HTTP/2 begins with.
pub(super) const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

pub(super) fn closed(connections: usize, lanes: usize) -> Setup {
    Setup { lanes, opens_ns: 0, ..Setup::closed(connections) }
}

pub(super) fn conversation(setup: Setup) -> Http2Conversation {
    let lanes = setup.lanes;
    Http2Conversation::new(setup.session(), lanes, false, Arc::new(()))
}

/// An open load whose window opens after a millisecond.
pub(super) fn arriving(load: Value) -> Setup {
    Setup { starts_ns: MS, opens_ns: MS, closes_ns: Some(SECOND + MS), ..Setup::of(load) }
}

/// A server's end of one connection.
pub(super) struct Peer {
    pipe: Pipe,
    state: Serving,
}

enum Serving {
    Begins(Handshake<Pipe, Bytes>),
    Runs(server::Connection<Pipe, Bytes>),
}

pub(super) type Asked = (Request<RecvStream>, SendResponse<Bytes>);

impl Peer {
    pub(super) fn new() -> Peer {
        Peer::of(&server::Builder::new())
    }

    fn of(builder: &server::Builder) -> Peer {
        let pipe = Pipe::default();
        Peer { state: Serving::Begins(builder.handshake(pipe.clone())), pipe }
    }

    /// Takes bytes; gives the requests that came, and leaves what it answers for [`Peer::says`].
    pub(super) fn hears(&mut self, bytes: &[u8]) -> Vec<Asked> {
        self.pipe.put(bytes);
        let mut context = Context::from_waker(Waker::noop());
        if let Serving::Begins(handshake) = &mut self.state
            && let Poll::Ready(connection) = Pin::new(handshake).poll(&mut context)
        {
            self.state = Serving::Runs(connection.unwrap());
        }
        let mut asked = Vec::new();
        while let Serving::Runs(connection) = &mut self.state
            && let Poll::Ready(Some(Ok(request))) = connection.poll_accept(&mut context)
        {
            asked.push(request);
        }
        asked
    }

    pub(super) fn says(&mut self) -> Vec<u8> {
        let asked = self.hears(&[]);
        assert!(asked.is_empty());
        let mut out = Vec::new();
        self.pipe.take(&mut out);
        out
    }

    /// Says GOAWAY, and answers what came before.
    pub(super) fn leave(&mut self) {
        self.connection().graceful_shutdown();
    }

    fn connection(&mut self) -> &mut server::Connection<Pipe, Bytes> {
        match &mut self.state {
            Serving::Runs(connection) => connection,
            Serving::Begins(_) => panic!("nothing came yet"),
        }
    }
}

pub(super) fn answer(respond: &mut SendResponse<Bytes>, body: &'static [u8]) {
    let head = Response::builder().status(200).header("content-type", "text/plain").body(()).unwrap();
    let mut stream = respond.send_response(head, body.is_empty()).unwrap();
    if !body.is_empty() {
        stream.send_data(Bytes::from_static(body), true).unwrap();
    }
}

/// All that the link has to send.
pub(super) fn sent(link: &mut Http2Conversation, number: usize, now_ns: u64) -> Vec<u8> {
    let bytes = link.to_send(number).to_vec();
    link.handed_over(number, bytes.len(), now_ns);
    bytes
}

/// Connects and exchanges SETTINGS; gives the first requests.
pub(super) fn greet(link: &mut Http2Conversation, peer: &mut Peer, number: usize, now_ns: u64) -> Vec<Asked> {
    assert_eq!(link.connected(number, now_ns), Next::Send);
    let preface = sent(link, number, now_ns);
    assert!(preface.starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    assert!(peer.hears(&preface).is_empty(), "nothing is asked before the server's SETTINGS");
    talk(link, peer, number, now_ns)
}

/// What the server says and what the link sends for it; gives the requests that came.
pub(super) fn talk(link: &mut Http2Conversation, peer: &mut Peer, number: usize, now_ns: u64) -> Vec<Asked> {
    let mut asked = Vec::new();
    loop {
        let says = peer.says();
        let next = if says.is_empty() { Next::Send } else { link.received(number, &says, false, now_ns) };
        assert!(matches!(next, Next::Send | Next::Wait), "{next:?}");
        let bytes = sent(link, number, now_ns);
        if says.is_empty() && bytes.is_empty() {
            return asked;
        }
        asked.extend(peer.hears(&bytes));
    }
}

/// The number of the connection that the link opens in place of another one.
fn successor(link: &mut Http2Conversation, now_ns: u64) -> usize {
    let (number, next) = link.due(now_ns).unwrap();
    assert_eq!(next, Next::Connect);
    number
}

#[test]
fn streams_are_asked_at_once_and_answered_in_any_order() {
    let mut link = conversation(closed(1, 3));
    let mut peer = Peer::new();
    assert_eq!(link.start(0, 0), Next::Connect);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    assert_eq!(asked.len(), 3);
    assert_eq!(
        (asked[0].0.method().as_str(), asked[0].0.uri().to_string().as_str()),
        ("GET", "http://host/")
    );
    answer(&mut asked[2].1, b"ok");
    answer(&mut asked[0].1, b"");
    assert_eq!(talk(&mut link, &mut peer, 0, 3 * MS).len(), 2);
    let ended = link.conclude(4 * MS);
    assert_books_balance(&ended);
    let totals = ended.record.totals();
    assert_eq!((totals.verified, totals.sent, ended.books.in_flight_at_end), (2, 5, 3));
    assert_eq!((ended.record.counters.connects, ended.oldest_intended_ns), (1, Some(0)));
}

#[test]
fn a_server_is_asked_no_more_at_once_than_it_takes() {
    let mut link = conversation(Setup { share: Some(5), ..closed(1, 5) });
    let mut peer = Peer::of(server::Builder::new().max_concurrent_streams(2));
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    let mut answered = 0;
    while !asked.is_empty() {
        assert!(asked.len() <= 2);
        for (_, respond) in &mut asked {
            answer(respond, b"ok");
            answered += 1;
        }
        asked.clear();
        let says = peer.says();
        if link.received(0, &says, false, 2 * MS) != Next::Close && link.phase() != Phase::Over {
            asked = peer.hears(&sent(&mut link, 0, 2 * MS));
        }
    }
    assert!(answered >= 5);
    let ended = link.conclude(3 * MS);
    let streams = StreamUse { planned: 5, allowed: Some(2), most: 2 };
    assert_eq!(ended.record.streams, Some(streams));
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().verified, errors(&ended)), (5, vec![]));
}

#[test]
fn a_reset_stream_fails_its_own_request_only() {
    let mut link = conversation(closed(1, 2));
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    asked[0].1.send_reset(Reason::INTERNAL_ERROR);
    answer(&mut asked[1].1, b"ok");
    assert_eq!(talk(&mut link, &mut peer, 0, 2 * MS).len(), 2, "both ask again on the same connection");
    let ended = link.conclude(3 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().verified), (vec![error("reset", 1)], 1));
    let example = &ended.record.examples.as_slice()[0];
    let example = serde_json::to_string(example).unwrap();
    assert!(example.contains("RST_STREAM") && example.contains("internal error"), "{example}");
    assert_eq!((ended.record.counters.connects, ended.record.counters.retried), (1, 0));
}

#[test]
fn a_refused_stream_is_asked_again_after_the_next_answer() {
    let mut link = conversation(closed(1, 2));
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    asked[0].1.send_reset(Reason::REFUSED_STREAM);
    assert!(talk(&mut link, &mut peer, 0, 2 * MS).is_empty(), "it waits for an answer");
    answer(&mut asked[1].1, b"ok");
    let mut asked = talk(&mut link, &mut peer, 0, 20 * MS);
    assert_eq!(asked.len(), 2, "on the same connection");
    asked.iter_mut().for_each(|(_, respond)| answer(respond, b"ok"));
    talk(&mut link, &mut peer, 0, 30 * MS);
    let ended = link.conclude(31 * MS);
    assert_books_balance(&ended);
    let totals = ended.record.totals();
    assert_eq!((errors(&ended), totals.verified, totals.sent), (vec![], 3, 5));
    assert_eq!((ended.record.counters.connects, ended.record.counters.retried), (1, 1));
    let response = serde_json::to_value(ended.record.times().response).unwrap();
    assert!(response["max_seconds"].as_f64().unwrap() > 0.029, "as old as it was: {response}");
}

#[test]
fn what_a_goaway_leaves_out_is_asked_on_the_next_connection() {
    for code in [0, 11] {
        let mut link = conversation(closed(1, 3));
        link.start(0, 0);
        link.connected(0, MS);
        sent(&mut link, 0, MS);
        link.received(0, SETTINGS, false, 2 * MS);
        sent(&mut link, 0, 2 * MS);
        let goaway = frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, code]);
        let mut bytes = [frame(1, 5, 1, &[0x88]), goaway].concat();
        assert_eq!(link.received(0, &bytes, false, 3 * MS), Next::Close, "{code}");
        let number = successor(&mut link, 3 * MS);
        let mut peer = Peer::new();
        let mut asked = greet(&mut link, &mut peer, number, 20 * MS);
        assert_eq!(asked.len(), 3);
        asked.iter_mut().for_each(|(_, respond)| answer(respond, b"ok"));
        bytes = peer.says();
        assert_eq!(link.received(number, &bytes, false, 40 * MS), Next::Send);
        let ended = link.conclude(41 * MS);
        assert_books_balance(&ended);
        let totals = ended.record.totals();
        // The first lane's second request was not sent on the first connection.
        assert_eq!((errors(&ended), totals.verified, totals.sent), (vec![], 4, 4));
        assert_eq!((ended.record.counters.connects, ended.record.counters.retried), (2, 2));
        let response = serde_json::to_value(ended.record.times().response).unwrap();
        assert_eq!(response["max_seconds"], 0.04, "as old as it was");
        assert_eq!(ended.record.counters.unannounced_closes, 0);
    }
}

#[test]
fn a_server_that_refuses_all_is_named_and_not_asked_without_end() {
    let mut link = conversation(closed(1, 1));
    assert_eq!(link.start(0, 0), Next::Connect);
    let mut number = 0;
    for round in 1..=4 {
        let mut peer = Peer::new();
        let mut asked = greet(&mut link, &mut peer, number, round * MS);
        asked[0].1.send_reset(Reason::REFUSED_STREAM);
        let says = peer.says();
        let next = link.received(number, &says, false, round * MS);
        assert_eq!(next, if round < 4 { Next::Close } else { Next::Send }, "{round}");
        number = if round < 4 { successor(&mut link, round * MS) } else { number };
    }
    let ended = link.conclude(5 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.counters.retried), (vec![error("reset", 1)], 3));
    assert_eq!(ended.record.totals().sent, 1);
    let example = serde_json::to_string(&ended.record.examples.as_slice()[0]).unwrap();
    assert!(example.contains("refused") && example.contains("did not process it"), "{example}");
}

#[test]
fn a_farewell_moves_what_follows_to_another_connection() {
    let mut link = conversation(closed(1, 2));
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    peer.leave();
    answer(&mut asked[0].1, b"ok");
    answer(&mut asked[1].1, b"ok");
    drop(asked);
    let mut next = Next::Wait;
    for _ in 0..5 {
        let says = peer.says();
        if says.is_empty() || next == Next::Close {
            break;
        }
        next = link.received(0, &says, false, 2 * MS);
        let bytes = sent(&mut link, 0, 2 * MS);
        assert!(peer.hears(&bytes).is_empty(), "nothing is asked after a GOAWAY");
    }
    assert_eq!(next, Next::Close);
    let number = successor(&mut link, 2 * MS);
    let mut other = Peer::new();
    assert_eq!(greet(&mut link, &mut other, number, 3 * MS).len(), 2);
    let ended = link.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().verified), (vec![], 2));
    assert_eq!(ended.record.counters.connects, 2);
}

#[test]
fn the_next_connection_is_opened_while_the_last_one_is_answered() {
    let mut link = conversation(closed(1, 3));
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    peer.leave();
    answer(&mut asked[0].1, b"ok");
    assert!(talk(&mut link, &mut peer, 0, 2 * MS).is_empty());
    let number = successor(&mut link, 2 * MS);
    assert_eq!((number, link.due(2 * MS)), (1, None));
    let mut other = Peer::new();
    let mut next_asked = greet(&mut link, &mut other, number, 3 * MS);
    assert_eq!(next_asked.len(), 1, "the lane that was answered");
    answer(&mut asked[1].1, b"ok");
    assert!(talk(&mut link, &mut peer, 0, 4 * MS).is_empty());
    assert_eq!(link.due(4 * MS), Some((number, Next::Send)));
    next_asked.extend(talk(&mut link, &mut other, number, 4 * MS));
    assert_eq!(next_asked.len(), 2, "it asks on the new one");
    answer(&mut asked[2].1, b"ok");
    drop(asked);
    let says = peer.says();
    assert_eq!(link.received(0, &says, false, 5 * MS), Next::Close, "all of the old one is answered");
    assert_eq!(link.due(5 * MS), Some((number, Next::Send)));
    next_asked.extend(talk(&mut link, &mut other, number, 5 * MS));
    assert_eq!(next_asked.len(), 3);
    let ended = link.conclude(6 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().verified), (vec![], 3));
    assert_eq!((ended.record.counters.connects, ended.record.counters.unannounced_closes), (2, 0));
}

#[test]
fn an_open_loads_next_connection_is_there_before_it_is_needed() {
    let load = json!({"kind": "constant", "rate_per_second": 100.0, "connections": 1});
    let mut link = conversation(Setup { lanes: 2, ..arriving(load) });
    let mut peer = Peer::new();
    link.start(0, 0);
    greet(&mut link, &mut peer, 0, MS / 2);
    assert_eq!(link.due(MS), Some((0, Next::Send)));
    let mut asked = peer.hears(&sent(&mut link, 0, MS));
    answer(&mut asked[0].1, b"ok");
    peer.leave();
    drop(asked);
    assert_eq!(link.received(0, &peer.says(), false, 2 * MS), Next::Close);
    let number = successor(&mut link, 2 * MS);
    let mut other = Peer::new();
    assert!(greet(&mut link, &mut other, number, 3 * MS).is_empty());
    assert_eq!(link.due(11 * MS), Some((number, Next::Send)));
    assert_eq!(other.hears(&sent(&mut link, number, 11 * MS)).len(), 1);
    let ended = link.conclude(12 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.counters.connects), (vec![], 1));
}

#[test]
fn a_timeout_ends_a_stream_and_leaves_the_others() {
    let mut link = conversation(closed(1, 2));
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    answer(&mut asked[1].1, b"ok");
    assert_eq!(talk(&mut link, &mut peer, 0, 500 * MS).len(), 1);
    let (number, next) = link.due(SECOND + MS).unwrap();
    assert_eq!((number, next), (0, Next::Send));
    assert_eq!(peer.hears(&sent(&mut link, 0, SECOND + MS)).len(), 1);
    let mut context = Context::from_waker(Waker::noop());
    let reason = asked[0].1.poll_reset(&mut context);
    assert!(matches!(reason, Poll::Ready(Ok(Reason::CANCEL))), "{reason:?}");
    let ended = link.conclude(SECOND + 2 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.counters.connects), (vec![error("timeout", 1)], 1));
}

#[test]
fn a_connection_that_falls_silent_is_replaced() {
    let mut link = conversation(closed(1, 3));
    let mut peer = Peer::new();
    link.start(0, 0);
    assert_eq!(greet(&mut link, &mut peer, 0, MS).len(), 3);
    assert_eq!(link.due(SECOND + 2 * MS), Some((0, Next::Connect)));
    assert_eq!(link.due(SECOND + 2 * MS), None);
    let mut other = Peer::new();
    assert_eq!(greet(&mut link, &mut other, 0, SECOND + 3 * MS).len(), 3);
    let ended = link.conclude(SECOND + 4 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("timeout", 3)]);
}

#[test]
fn a_long_body_waits_for_the_servers_window() {
    let body = "x".repeat(200_000);
    let requests = json!([{"path": "/", "method": "POST", "body": body}]);
    let mut link = conversation(Setup { requests, ..closed(1, 1) });
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    let (request, respond) = &mut asked[0];
    let (mut got, mut context) = (0, Context::from_waker(Waker::noop()));
    assert_eq!(request.headers()["content-length"], "200000");
    while got < 200_000 {
        while let Poll::Ready(Some(piece)) = request.body_mut().poll_data(&mut context) {
            let piece = piece.unwrap();
            got += piece.len();
            request.body_mut().flow_control().release_capacity(piece.len()).unwrap();
        }
        assert!(talk(&mut link, &mut peer, 0, 2 * MS).is_empty());
    }
    answer(respond, b"ok");
    talk(&mut link, &mut peer, 0, 3 * MS);
    assert_eq!(link.conclude(4 * MS).record.totals().verified, 1);
}

#[test]
fn an_open_loads_arrivals_take_free_lanes() {
    let load = json!({"kind": "constant", "rate_per_second": 1000.0, "connections": 1});
    let mut link = conversation(Setup { lanes: 3, ..arriving(load) });
    let mut peer = Peer::new();
    assert_eq!(link.start(0, 0), Next::Connect);
    assert!(greet(&mut link, &mut peer, 0, MS / 2).is_empty(), "connected ahead of the first request");
    let mut asked = Vec::new();
    for place in 1..6 {
        let now_ns = place * MS + MS / 2;
        while let Some((_, next)) = link.due(now_ns) {
            assert_eq!(next, Next::Send);
            asked.extend(peer.hears(&sent(&mut link, 0, now_ns)));
        }
    }
    assert_eq!(asked.len(), 3, "the others wait for a lane");
    answer(&mut asked[1].1, b"ok");
    assert_eq!(talk(&mut link, &mut peer, 0, 6 * MS).len(), 1);
    let ended = link.conclude(6 * MS);
    assert_books_balance(&ended);
    assert_eq!(ended.record.totals().verified, 1);
}

#[test]
fn what_waits_too_long_for_a_stream_is_not_sent() {
    let load = json!({"kind": "constant", "rate_per_second": 1000.0, "connections": 1});
    let mut link = conversation(Setup { lanes: 3, deadline_ns: Some(10 * MS), ..arriving(load) });
    let mut peer = Peer::of(server::Builder::new().max_concurrent_streams(1));
    assert_eq!(link.start(0, 0), Next::Connect);
    assert!(greet(&mut link, &mut peer, 0, MS / 2).is_empty());
    let mut asked = Vec::new();
    for place in 1..4 {
        let now_ns = place * MS + MS / 2;
        while link.due(now_ns).is_some() {
            asked.extend(peer.hears(&sent(&mut link, 0, now_ns)));
        }
    }
    assert_eq!(asked.len(), 1, "the other two wait for a stream");
    answer(&mut asked[0].1, b"ok");
    let next = talk(&mut link, &mut peer, 0, 20 * MS);
    let ended = link.conclude(20 * MS);
    assert_books_balance(&ended);
    // Those of 2 to 9 ms are too late by then. The next one is not.
    assert_eq!((next.len(), errors(&ended)), (1, vec![error("deadline", 8)]));
    assert_eq!((ended.record.totals().verified, ended.record.totals().sent), (1, 2));
}

#[test]
fn a_server_of_http_1_is_named() {
    let mut link = conversation(closed(1, 2));
    link.start(0, 0);
    link.connected(0, MS);
    sent(&mut link, 0, MS);
    let next = link.received(0, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", false, 2 * MS);
    assert_eq!(next, Next::Connect);
    let ended = link.conclude(3 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("protocol", 2)]);
    let example = serde_json::to_string(&ended.record.examples.as_slice()[0]).unwrap();
    assert!(example.contains("does not speak HTTP/2"), "{example}");
}

#[test]
fn a_refused_connect_fails_every_lane_and_they_hold_back() {
    let mut link = conversation(closed(1, 2));
    link.start(0, 0);
    let failure =
        Failure { kind: ErrorKind::Refused, explanation: "nobody listens there".into(), cause: None };
    assert_eq!(link.connect_failed(0, failure, MS), Next::Close);
    assert_eq!(link.due(5 * MS), None);
    assert_eq!(link.due(11 * MS), Some((0, Next::Connect)));
    assert_eq!(link.due(11 * MS), Some((0, Next::Wait)));
    let ended = link.conclude(12 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("refused", 2)]);
}

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Frames that break HTTP/2 for the whole connection, with stream 1 open.
#[test]
fn frames_that_break_the_connection_fail_what_is_in_flight() {
    let endless = frame(1, 0, 1, &[0x88]);
    let cases: [(&str, Vec<u8>); 9] = [
        ("DATA on a stream that nobody opened", frame(0, 0, 99, b"x")),
        ("DATA on stream 0", frame(0, 0, 0, b"x")),
        ("HPACK that cannot be read", frame(1, 4, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
        ("CONTINUATION of nothing", frame(9, 4, 1, &[0x88])),
        ("another frame amid headers", [endless, frame(6, 0, 0, &[0; 8])].concat()),
        ("a frame above the limit", frame(0, 0, 1, &vec![0; 16_385])),
        ("a window beyond 2^31-1", frame(8, 0, 0, &0x7fff_ffff_u32.to_be_bytes())),
        ("SETTINGS of half a setting", frame(4, 0, 0, &[0, 1, 0])),
        ("a push that was forbidden", frame(5, 4, 1, &[0, 0, 0, 2, 0x82])),
    ];
    for (what, bytes) in cases {
        let mut link = conversation(closed(1, 2));
        link.start(0, 0);
        link.connected(0, MS);
        sent(&mut link, 0, MS);
        assert_eq!(link.received(0, SETTINGS, false, 2 * MS), Next::Send);
        sent(&mut link, 0, 2 * MS);
        assert_eq!(link.received(0, &bytes, false, 3 * MS), Next::Connect, "{what}");
        let ended = link.conclude(4 * MS);
        assert_books_balance(&ended);
        assert_eq!(errors(&ended), [error("protocol", 2)], "{what}");
    }
}

#[test]
fn a_body_of_another_length_than_its_header_says_is_wrong() {
    let mut link = conversation(closed(1, 2));
    link.start(0, 0);
    link.connected(0, MS);
    sent(&mut link, 0, MS);
    link.received(0, SETTINGS, false, 2 * MS);
    sent(&mut link, 0, 2 * MS);
    // :status 200 and content-length 5, as literals of HPACK's static table, then two bytes and the end.
    let short = [frame(1, 4, 1, &[0x88, 0x0f, 0x0d, 1, b'5']), frame(0, 1, 1, b"ok")].concat();
    assert_eq!(link.received(0, &short, false, 3 * MS), Next::Send);
    let ended = link.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.counters.connects), (vec![error("protocol", 1)], 1));
}

#[test]
fn headers_without_end_are_not_kept() {
    let mut link = conversation(closed(1, 1));
    link.start(0, 0);
    link.connected(0, MS);
    sent(&mut link, 0, MS);
    link.received(0, SETTINGS, false, 2 * MS);
    sent(&mut link, 0, 2 * MS);
    let field = [&[0x00, 1, b'x', 0x7f, 0x81, 0x7c][..], &[b'y'; 16_000]].concat();
    let mut next = link.received(0, &frame(1, 0, 1, &field), false, 3 * MS);
    let mut frames = 1;
    while next != Next::Connect {
        assert!(frames < 1000, "{} MB of one head were taken", frames * 16 / 1000);
        next = link.received(0, &frame(9, 0, 1, &field), false, 3 * MS);
        if next == Next::Send {
            sent(&mut link, 0, 3 * MS);
        }
        frames += 1;
    }
    let ended = link.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended).iter().map(|(_, count)| count).sum::<u64>(), 1);
}

#[test]
fn a_server_that_closes_says_nothing_of_idle_lanes() {
    let load = json!({"kind": "constant", "rate_per_second": 1.0, "connections": 1});
    let mut link = conversation(Setup { lanes: 2, ..arriving(load) });
    let mut peer = Peer::new();
    link.start(0, 0);
    greet(&mut link, &mut peer, 0, MS / 2);
    assert_eq!(link.peer_closed(0, MS / 2), Next::Close);
    assert_eq!(link.due(SECOND), Some((0, Next::Connect)));
    let ended = link.conclude(SECOND);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), []);
}

#[test]
fn trailers_and_codings_are_told_as_over_http_1() {
    let expect = json!({"body": {"kind": "exact", "text": "ok"}, "trailer": {"grpc-status": "0"}});
    let requests = json!([{"path": "/", "headers": [["TE", "trailers"]], "expect": expect}]);
    for (coding, status, told) in [
        (None, Some("0"), None),
        (None, Some("13"), Some("grpc-status in the trailer is 13, not 0")),
        (None, None, Some("the trailer has no grpc-status")),
        (Some("br"), Some("0"), Some("the body is br")),
    ] {
        let mut link = conversation(Setup { requests: requests.clone(), ..closed(1, 1) });
        let mut peer = Peer::new();
        link.start(0, 0);
        let (request, mut respond) = greet(&mut link, &mut peer, 0, MS).remove(0);
        assert_eq!(request.headers()["te"], "trailers");
        let mut head = Response::builder().status(200);
        if let Some(coding) = coding {
            head = head.header("content-encoding", coding);
        }
        let mut stream = respond.send_response(head.body(()).unwrap(), false).unwrap();
        let body = if coding.is_some() { "\x0b\x01" } else { "ok" };
        stream.send_data(Bytes::from_static(body.as_bytes()), status.is_none()).unwrap();
        if let Some(status) = status {
            let status = HeaderValue::from_static(status);
            stream
                .send_trailers([(HeaderName::from_static("grpc-status"), status)].into_iter().collect())
                .unwrap();
        }
        assert_eq!(talk(&mut link, &mut peer, 0, 2 * MS).len(), 1);
        let record = link.conclude(3 * MS).record;
        assert_eq!(record.totals().answers, 1);
        let example = serde_json::to_value(record.examples.as_slice().first()).unwrap();
        assert_eq!(example["reason"].as_str(), told);
    }
}

#[test]
fn a_close_between_answers_is_counted_by_connection() {
    let load = json!({"kind": "constant", "rate_per_second": 1000.0, "connections": 1});
    let mut link = conversation(Setup { lanes: 2, ..arriving(load) });
    let mut peer = Peer::new();
    link.start(0, 0);
    greet(&mut link, &mut peer, 0, MS / 2);
    for place in 1..3 {
        let now_ns = place * MS + MS / 2;
        assert_eq!(link.due(now_ns), Some((0, Next::Send)));
        for (_, respond) in &mut peer.hears(&sent(&mut link, 0, now_ns)) {
            answer(respond, b"ok");
        }
        talk(&mut link, &mut peer, 0, now_ns);
    }
    assert_eq!(link.peer_closed(0, 2 * MS + MS / 2), Next::Close);
    let record = link.conclude(3 * MS).record;
    assert_eq!((record.totals().verified, record.counters.unannounced_closes), (2, 1));
}
