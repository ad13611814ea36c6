//! Connections that the peer ends: between two answers, within one, or before any.

use super::http2::{Peer, answer, arriving, conversation, greet, sent, talk};
use super::*;

/// A session on whose only connection this has come, of which everything is asked.
fn heard(setup: Setup, bytes: &[u8]) -> Session {
    let mut session = setup.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    if !bytes.is_empty() && session.received(0, bytes, false, 2 * MS) == Next::Send {
        send(&mut session, 0, 2 * MS);
    }
    session
}

fn one() -> Setup {
    Setup { opens_ns: 0, ..Setup::closed(1) }
}

/// The errors, the unannounced closes, and the causes and texts of all examples.
fn told(ended: &Ended) -> (Vec<(String, u64)>, u64, Value) {
    assert_books_balance(ended);
    let examples = serde_json::to_value(ended.record.examples.as_slice()).unwrap();
    let told: Vec<[Value; 2]> = examples
        .as_array()
        .unwrap()
        .iter()
        .map(|example| ["cause", "excerpt"].map(|key| example[key].clone()))
        .collect();
    (errors(ended), ended.record.counters.unannounced_closes, json!(told))
}

const HALF: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";

#[test]
fn an_end_before_the_next_answer_is_a_close_that_was_not_announced() {
    for kind in [ErrorKind::Closed, ErrorKind::Reset] {
        let mut session = heard(one(), ANSWER);
        assert_eq!(session.broken(0, kind, 3 * MS), Next::Connect);
        assert_eq!(told(&session.conclude(4 * MS)), (vec![error("unannounced_close", 1)], 1, json!([])));
    }
}

#[test]
fn an_end_before_any_answer_or_within_one_is_none() {
    let no_answer = json!([["no_answer", "a new connection ended before any answer"]]);
    let half = json!([["body_unfinished", "status 200 came, then 4 of 9 bytes of its body"]]);
    let head = json!([["head_unfinished", "12 bytes of a head came, and not its end"]]);
    let chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n";
    let in_chunks =
        json!([["body_unfinished", "status 200 came, then 2 bytes of its body in chunks, and no end"]]);
    for (begin, expected) in [
        (vec![], &no_answer),
        (HALF.to_vec(), &half),
        ([ANSWER, HALF].concat(), &half),
        (b"HTTP/1.1 200".to_vec(), &head),
        (chunks.to_vec(), &in_chunks),
    ] {
        let second = begin.strip_prefix(ANSWER);
        let mut session = heard(one(), if second.is_some() { ANSWER } else { &begin });
        if let Some(second) = second {
            session.received(0, second, false, 2 * MS);
        }
        session.broken(0, ErrorKind::Reset, 3 * MS);
        assert_eq!(told(&session.conclude(4 * MS)), (vec![error("reset", 1)], 0, expected.clone()));
    }
}

#[test]
fn a_connection_that_was_opened_ahead_has_carried_no_answer() {
    let load = json!({"kind": "constant", "rate_per_second": 100.0, "connections": 1});
    let mut session = arriving(load).session();
    session.start(0, 0);
    session.connected(0, MS / 2);
    let now_ns = (1..1000).map(|tick| tick * MS).find(|&now_ns| session.due(now_ns).is_some()).unwrap();
    send(&mut session, 0, now_ns);
    session.broken(0, ErrorKind::Reset, now_ns + MS);
    assert_eq!(errors(&session.conclude(now_ns + 2 * MS)), [error("reset", 1)]);
}

#[test]
fn a_timeout_says_how_far_the_answer_came() {
    let endless = b"HTTP/1.1 200 OK\r\n\r\nhello";
    for (begin, expected) in [
        (&b""[..], json!([])),
        (endless, json!([["no_length", "status 200 came without a length, then 5 bytes, and no end"]])),
        (HALF, json!([["body_unfinished", "status 200 came, then 4 of 9 bytes of its body"]])),
    ] {
        let mut session = heard(one(), begin);
        session.due(SECOND + 2 * MS);
        assert_eq!(
            told(&session.conclude(SECOND + 3 * MS)),
            (vec![error("timeout", 1)], 0, expected.clone())
        );
        // Where the window ended first, and nothing was answered.
        let session = heard(one(), begin);
        assert_eq!(told(&session.conclude(10 * MS)), (vec![], 0, expected));
    }
    let reset = |mut session: Session| {
        session.broken(0, ErrorKind::Reset, 3 * MS);
        told(&session.conclude(4 * MS)).2[0][0].clone()
    };
    assert_eq!(reset(heard(one(), endless)), "body_unfinished", "a close would have been its end");
}

#[test]
fn in_a_pipeline_all_that_was_asked_meets_the_close() {
    let pipelined = || Setup { pipeline: 3, ..one() }.pipelined();
    for (begin, kind, closes) in [
        (ANSWER.to_vec(), "unannounced_close", 1),
        ([ANSWER, HALF].concat(), "reset", 0),
        (vec![], "reset", 0),
    ] {
        let mut session = pipelined();
        session.start(0, 0);
        connect_and_send(&mut session, 0, MS);
        if !begin.is_empty() && session.received(0, &begin, false, 2 * MS) == Next::Send {
            send(&mut session, 0, 2 * MS);
        }
        session.broken(0, ErrorKind::Reset, 3 * MS);
        let ended = session.conclude(4 * MS);
        assert_eq!(
            (errors(&ended), ended.record.counters.unannounced_closes),
            (vec![error(kind, 3)], closes)
        );
    }
}

#[test]
fn over_http_2_every_stream_meets_the_close() {
    // Whether the peer closes or resets: both are without a GOAWAY.
    for (resets, begins, kind, closes) in [
        (true, false, "unannounced_close", 1),
        (false, false, "unannounced_close", 1),
        (true, true, "reset", 0),
        (false, true, "closed", 0),
    ] {
        let mut link = conversation(Setup { lanes: 3, ..one() });
        let mut peer = Peer::new();
        link.start(0, 0);
        let mut asked = greet(&mut link, &mut peer, 0, MS);
        answer(&mut asked[0].1, b"ok");
        let asked_again = talk(&mut link, &mut peer, 0, 2 * MS);
        assert_eq!(asked_again.len(), 1, "the lane that was answered");
        let begun = begins.then(|| {
            let head = http::Response::builder().status(200).body(()).unwrap();
            asked[1].1.send_response(head, false).unwrap()
        });
        assert!(talk(&mut link, &mut peer, 0, 3 * MS).is_empty());
        let next = match resets {
            true => link.broken(0, ErrorKind::Reset, 4 * MS),
            false => link.peer_closed(0, 4 * MS),
        };
        assert_eq!(next, Next::Connect);
        drop(begun);
        sent(&mut link, 0, 4 * MS);
        let ended = link.conclude(5 * MS);
        assert_books_balance(&ended);
        assert_eq!(
            (errors(&ended), ended.record.counters.unannounced_closes),
            (vec![error(kind, 3)], closes),
            "resets {resets}, begins {begins}"
        );
    }
}

#[test]
fn an_unexpected_status_is_counted_with_what_it_says() {
    let limited = b"HTTP/1.1 429 Too Many\r\nRetry-After: 2\r\nContent-Length: 4\r\n\r\nslow";
    let mut session = heard(one(), limited);
    for turn in 0..9 {
        let answer = if turn == 4 {
            &b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"[..]
        } else {
            limited
        };
        session.received(0, answer, false, (3 + turn) * MS);
        send(&mut session, 0, (3 + turn) * MS);
    }
    let ended = session.conclude(20 * MS);
    let statuses = serde_json::to_value(&ended.record.statuses).unwrap();
    assert_eq!(
        statuses,
        json!({
            "401": {"count": 1, "headers": {"www-authenticate": "Basic"}, "excerpt": ""},
            "429": {"count": 9, "headers": {"retry-after": "2"}, "excerpt": "slow"}
        })
    );
    // One that is expected is none of them.
    let mut session =
        Setup { requests: json!([{"path": "/", "expect": {"status": [429]}}]), ..one() }.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    session.received(0, limited, false, 2 * MS);
    let ended = session.conclude(3 * MS);
    assert_eq!((ended.record.totals().verified, json!(ended.record.statuses)), (1, json!({})));
}

#[test]
fn over_http_2_a_status_says_the_same() {
    let mut link = conversation(Setup { lanes: 1, ..one() });
    let mut peer = Peer::new();
    link.start(0, 0);
    let mut asked = greet(&mut link, &mut peer, 0, MS);
    let head = http::Response::builder().status(405).header("allow", "GET, HEAD").body(()).unwrap();
    asked[0].1.send_response(head, true).unwrap();
    talk(&mut link, &mut peer, 0, 2 * MS);
    let statuses = json!(link.conclude(3 * MS).record.statuses);
    assert_eq!(statuses, json!({"405": {"count": 1, "headers": {"allow": "GET, HEAD"}, "excerpt": ""}}));
}
