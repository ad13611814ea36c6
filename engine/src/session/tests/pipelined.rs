//! Several requests in flight on one connection.

use super::server::{Reaction, World};
use super::*;

fn pipelined(connections: usize, depth: usize) -> Setup {
    Setup { pipeline: depth, opens_ns: 0, ..Setup::closed(connections) }
}

fn requests_in(bytes: &[u8]) -> usize {
    bytes.windows(4).filter(|end| *end == b"GET ").count()
}

#[test]
fn a_pipeline_is_filled_and_kept_full() {
    let mut session = pipelined(1, 3).pipelined();
    assert_eq!(session.start(0, 0), Next::Connect);
    assert_eq!(session.connected(0, MS), Next::Send);
    assert_eq!(requests_in(session.to_send(0)), 3);
    send(&mut session, 0, MS);
    let two_and_a_half = [ANSWER, ANSWER, &ANSWER[..20]].concat();
    assert_eq!(session.received(0, &two_and_a_half, false, 2 * MS), Next::Send);
    assert_eq!(requests_in(session.to_send(0)), 2);
    assert_eq!(session.received(0, &ANSWER[20..], false, 3 * MS), Next::Send);
    assert_eq!(requests_in(session.to_send(0)), 3);
    let ended = session.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.record.totals().sent), (3, 3));
    assert_eq!((ended.books.in_flight_at_end, ended.oldest_intended_ns), (3, Some(2 * MS)));
}

#[test]
fn answers_are_the_same_wherever_they_are_split() {
    let answers = [ANSWER, b"HTTP/1.1 204 No Content\r\n\r\n", ANSWER].concat();
    for split in 0..answers.len() {
        let mut session = Setup { share: Some(3), ..pipelined(1, 3) }.pipelined();
        session.start(0, 0);
        connect_and_send(&mut session, 0, MS);
        session.received(0, &answers[..split], false, 2 * MS);
        session.received(0, &answers[split..], false, 3 * MS);
        assert_eq!(session.phase(), Phase::Over, "split at {split}");
        let ended = session.conclude(4 * MS);
        assert_eq!(ended.record.totals().verified, 3);
        assert_books_balance(&ended);
    }
}

#[test]
fn a_broken_connection_fails_everything_in_flight() {
    let mut session = pipelined(1, 4).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, ANSWER, false, 2 * MS), Next::Send);
    send(&mut session, 0, 2 * MS);
    assert_eq!(session.broken(0, ErrorKind::Reset, 3 * MS), Next::Connect);
    connect_and_send(&mut session, 0, 4 * MS);
    let ended = session.conclude(5 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("unannounced_close", 4)]);
    assert_eq!(ended.record.counters.unannounced_closes, 1, "of the connection, not of its lanes");
    assert_eq!((ended.record.totals().sent, ended.books.in_flight_at_end), (9, 4));
}

#[test]
fn what_a_closing_server_leaves_unanswered_has_failed() {
    let closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    let mut session = pipelined(1, 3).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, closing, false, 2 * MS), Next::Connect);
    connect_and_send(&mut session, 0, 3 * MS);
    let both = [ANSWER, ANSWER].concat();
    assert_eq!(session.received(0, &both, true, 4 * MS), Next::Wait);
    assert_eq!(session.peer_closed(0, 4 * MS), Next::Connect);
    let ended = session.conclude(5 * MS);
    assert_books_balance(&ended);
    assert_eq!(
        (errors(&ended), ended.record.totals().answers),
        (vec![error("closed", 2), error("unannounced_close", 1)], 3)
    );
    assert_eq!(ended.record.counters.unannounced_closes, 1, "the first close was announced");
}

#[test]
fn a_timeout_is_that_of_the_oldest_and_ends_all() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, ANSWER, false, 500 * MS), Next::Send);
    send(&mut session, 0, 500 * MS);
    assert_eq!(session.due(999 * MS), None);
    assert_eq!(session.due(SECOND + MS), Some((0, Next::Connect)));
    let ended = session.conclude(SECOND + 2 * MS);
    assert_books_balance(&ended);
    assert_eq!(errors(&ended), [error("timeout", 2)]);
}

#[test]
fn more_answers_than_requests_break_the_connection() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    let three = [ANSWER, ANSWER, ANSWER].concat();
    assert_eq!(session.received(0, &three, false, 2 * MS), Next::Connect);
    let ended = session.conclude(3 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().answers), (vec![error("protocol", 1)], 1));
}

#[test]
fn a_request_that_is_handed_over_in_parts_is_sent_once() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    session.connected(0, MS);
    let all = session.to_send(0).to_vec();
    for (place, byte) in all.iter().enumerate() {
        assert_eq!((session.to_send(0)[0], session.to_send(0).len()), (*byte, all.len() - place));
        session.handed_over(0, 1, MS);
    }
    assert!(session.to_send(0).is_empty());
    assert_eq!(session.conclude(2 * MS).record.totals().sent, 2);
}

#[test]
fn a_pipeline_meets_a_quota_exactly() {
    for share in [1, 7, 100] {
        let setup = Setup { share: Some(share), opens_ns: 50 * MS, ..pipelined(3, 5) };
        let ended = World::new(setup.pipelined(), |now_ns| Reaction::Answer(now_ns + MS)).run(u64::MAX);
        assert_books_balance(&ended);
        assert!(ended.record.totals().answers >= share, "{share}");
    }
}

#[test]
fn a_close_amid_an_answer_or_before_any_is_none_between_answers() {
    for begin in [&b""[..], &ANSWER[..10], &[ANSWER, &ANSWER[..10]].concat()] {
        let mut session = pipelined(1, 3).pipelined();
        session.start(0, 0);
        connect_and_send(&mut session, 0, MS);
        session.received(0, begin, false, 2 * MS);
        assert_eq!(session.peer_closed(0, 3 * MS), Next::Connect);
        assert_eq!(session.conclude(4 * MS).record.counters.unannounced_closes, 0, "{}", begin.len());
    }
}

#[test]
fn what_was_not_sent_when_the_connection_ended_is_asked_anew() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    // The first lane's next request is in the buffer, and the driver has not sent it.
    assert_eq!(session.received(0, ANSWER, false, 2 * MS), Next::Send);
    assert_eq!(session.broken(0, ErrorKind::Reset, 3 * MS), Next::Connect);
    assert_eq!(session.connected(0, 4 * MS), Next::Send);
    assert_eq!(requests_in(session.to_send(0)), 2);
    let ended = session.conclude(5 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().sent), (vec![error("unannounced_close", 1)], 2));
}

#[test]
fn a_connect_that_hangs_is_given_up_with_the_requests_that_wait_for_it() {
    let mut session = pipelined(1, 3).pipelined();
    assert_eq!(session.start(0, 0), Next::Connect);
    let steps: Vec<_> = std::iter::from_fn(|| session.due(SECOND)).collect();
    assert_eq!(steps, [(0, Next::Connect), (0, Next::Wait), (0, Next::Wait)]);
    connect_and_send(&mut session, 0, SECOND + MS);
    let ended = session.conclude(SECOND + 2 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().sent), (vec![error("timeout", 3)], 3));
}

#[test]
fn the_peers_end_completes_an_answer_and_fails_those_behind_it() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    let endless = b"HTTP/1.1 200 OK\r\n\r\nuntil the end";
    assert_eq!(session.received(0, endless, false, 2 * MS), Next::Wait);
    assert_eq!(session.peer_closed(0, 3 * MS), Next::Connect);
    let ended = session.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.totals().answers), (vec![error("closed", 1)], 1));
}

#[test]
fn an_answer_before_the_whole_request_was_sent_ends_the_connection() {
    let mut session = pipelined(1, 2).pipelined();
    session.start(0, 0);
    session.connected(0, MS);
    session.handed_over(0, 5, MS);
    assert_eq!(session.received(0, ANSWER, false, 2 * MS), Next::Connect);
    assert_eq!(session.connected(0, 3 * MS), Next::Send);
    assert_eq!(requests_in(session.to_send(0)), 2);
    let ended = session.conclude(4 * MS);
    assert_books_balance(&ended);
    assert_eq!((ended.record.totals().answers, ended.record.totals().sent), (1, 1));
}
