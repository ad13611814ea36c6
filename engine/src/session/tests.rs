use super::*;
use crate::http1::request;
use crate::plan::{Expect, RequestPlan};

const MS: u64 = 1_000_000;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn session(connections: usize, share: Option<u64>, closes_ns: Option<u64>, keep_alive: bool) -> Session {
    let plan: RequestPlan = serde_json::from_str(r#"{"path": "/"}"#).unwrap();
    let parts = SessionParts {
        connections,
        requests: [request::encode(&plan, "host", keep_alive).unwrap()].into(),
        expectations: vec![Expectation::new(&Expect::default(), None).unwrap()],
        mix: RequestMix::new([1].into_iter(), 0, 0),
        quota: Quota::new(share),
        keep_alive,
        timeout_ns: 1000 * MS,
        record: Record::new(None),
        totals: Arc::default(),
    };
    Session::new(parts, Timeline { starts_ns: 0, opens_ns: 100 * MS, closes_ns })
}

/// Takes a connection from [`Next::Connect`] to a sent request.
fn connect_and_send(session: &mut Session, number: usize, now_ns: u64) {
    assert_eq!(session.connected(number, now_ns), Next::Send);
    send(session, number, now_ns);
}

fn send(session: &mut Session, number: usize, now_ns: u64) {
    let bytes = session.to_send(number).len();
    assert!(bytes > 0);
    session.handed_over(number, bytes, now_ns);
    assert!(session.to_send(number).is_empty());
}

#[test]
fn a_closed_loop_records_the_window_only() {
    let mut session = session(1, None, Some(200 * MS), true);
    assert_eq!(session.start(0, 0), Next::Connect);
    connect_and_send(&mut session, 0, MS);
    for now_ms in [50, 99, 120, 199] {
        assert_eq!(session.received(0, ANSWER, false, now_ms * MS), Next::Send);
        send(&mut session, 0, (now_ms + 1) * MS);
    }
    assert_eq!(session.received(0, ANSWER, false, 200 * MS), Next::Close);
    assert_eq!(session.phase(), Phase::Over);
    let ended = session.conclude(210 * MS);
    let record = ended.record;
    assert_eq!((record.answers, record.verified, record.sent, record.connects), (2, 2, 2, 0));
    assert_eq!((record.service_time.count(), record.send_lag.count()), (2, 2));
    assert_eq!((ended.at_ns, ended.in_flight, ended.oldest_intended_ns), (200 * MS, 1, Some(199 * MS)));
}

#[test]
fn a_split_answer_waits() {
    let mut session = session(1, None, None, true);
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    assert_eq!(session.received(0, &ANSWER[..10], false, 2 * MS), Next::Wait);
    assert_eq!(session.received(0, &ANSWER[10..], false, 3 * MS), Next::Send);
}

#[test]
fn a_quota_is_met_exactly_and_ends_the_run() {
    let mut session = session(2, Some(3), None, true);
    session.start(0, 100 * MS);
    session.start(1, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    connect_and_send(&mut session, 1, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Send);
    send(&mut session, 0, 102 * MS);
    assert_eq!(session.received(1, ANSWER, false, 103 * MS), Next::Wait);
    assert_eq!(session.phase(), Phase::Window);
    session.received(0, ANSWER, false, 104 * MS);
    assert_eq!(session.phase(), Phase::Over);
    let ended = session.conclude(200 * MS);
    assert_eq!((ended.at_ns, ended.in_flight), (104 * MS, 0));
    assert_eq!((ended.record.sent, ended.record.verified), (3, 3));
}

#[test]
fn without_keep_alive_every_request_connects() {
    let mut session = session(1, None, None, false);
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Connect);
    connect_and_send(&mut session, 0, 105 * MS);
    assert_eq!(session.received(0, ANSWER, false, 109 * MS), Next::Connect);
    let record = session.conclude(200 * MS).record;
    assert_eq!((record.connects, record.answers), (2, 2));
    let figures = serde_json::to_value(&record.response_time).unwrap();
    assert_eq!(figures["max_seconds"], 0.007, "the connect is part of the response time");
    let figures = serde_json::to_value(&record.service_time).unwrap();
    assert_eq!(figures["max_seconds"], 0.004, "and not of the service time");
}

#[test]
fn a_close_on_an_idle_connection_is_no_error_but_one_instead_of_an_answer_is() {
    let mut session = session(1, None, None, true);
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 101 * MS);
    assert_eq!(session.received(0, ANSWER, false, 102 * MS), Next::Send);
    assert_eq!(session.broken(0, ErrorKind::Reset, 103 * MS), Next::Connect, "nothing was sent yet");
    connect_and_send(&mut session, 0, 104 * MS);
    assert_eq!(session.received(0, ANSWER, true, 105 * MS), Next::Connect, "the peer said that it closes");
    connect_and_send(&mut session, 0, 106 * MS);
    assert_eq!(session.peer_closed(0, 107 * MS), Next::Connect, "the first failure reconnects at once");
    connect_and_send(&mut session, 0, 108 * MS);
    assert_eq!(session.broken(0, ErrorKind::Reset, 109 * MS), Next::Close, "the second one pauses");
    assert_eq!(session.due(118 * MS), None);
    assert_eq!(session.due(119 * MS), Some((0, Next::Connect)));
    let errors = serde_json::to_value(session.conclude(200 * MS).record.errors).unwrap();
    assert_eq!((&errors["closed"], &errors["reset"]), (&1.into(), &1.into()));
}

#[test]
fn a_timeout_covers_connect_and_answer() {
    let mut session = session(1, None, None, true);
    session.start(0, 100 * MS);
    connect_and_send(&mut session, 0, 600 * MS);
    assert_eq!(session.wake_ns(), 1100 * MS);
    assert_eq!(session.due(1099 * MS), None);
    assert_eq!(session.due(1100 * MS), Some((0, Next::Connect)));
    let errors = serde_json::to_value(session.conclude(1200 * MS).record.errors).unwrap();
    assert_eq!(errors["timeout"], 1);
}

#[test]
fn an_early_stop_in_the_warm_up_leaves_no_window() {
    let mut session = session(1, None, Some(200 * MS), true);
    session.start(0, 0);
    session.stop(50 * MS);
    let ended = session.conclude(60 * MS);
    assert_eq!((ended.at_ns, ended.record.answers, ended.in_flight), (50 * MS, 0, 1));
}
