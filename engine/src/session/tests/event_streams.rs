//! Streams of events: when each event came, and what is known of those that did not come.

use super::*;
use crate::record::EventsWritten;

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/event-stream\r\n\r\n";
const END: &[u8] = b"0\r\n\r\n";

fn three_events(load: Value) -> Setup {
    let body = json!({"kind": "events", "min": 3, "max": 3, "sequence": "id", "stall_seconds": 0.1});
    let requests = json!([{"path": "/", "expect": {"body": body}}]);
    Setup { opens_ns: 0, requests, ..Setup::of(load) }
}

fn one_by_one() -> Setup {
    three_events(json!({"kind": "closed", "connections": 1}))
}

fn event(number: u64) -> Vec<u8> {
    let text = format!("id: {number}\ndata: x\n\n");
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}

fn written(ended: Ended) -> Value {
    let written: Option<EventsWritten> = ended.record.event_streams.map(|events| events.written(1.0));
    serde_json::to_value(written).unwrap()
}

/// Count, shortest, longest, and the shortest of the lower bounds.
fn figures(times: &Value) -> [Value; 4] {
    ["count", "min_seconds", "max_seconds", "at_least"].map(|key| match key {
        "at_least" => times[key]["min_seconds"].clone(),
        _ => times[key].clone(),
    })
}

#[test]
fn each_event_has_the_time_at_which_its_last_byte_came() {
    let mut session = one_by_one().session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    session.received(0, HEAD, false, 2 * MS);
    session.received(0, &event(0)[..9], false, 3 * MS);
    session.received(0, &event(0)[9..], false, 5 * MS);
    // Two at once have no gap.
    session.received(0, &[event(1), event(2)].concat(), false, 155 * MS);
    assert_eq!(session.received(0, END, false, 160 * MS), Next::Send);
    let written = written(session.conclude(161 * MS));
    assert_eq!(figures(&written["first_event_time"]), [json!(1), json!(0.005), json!(0.005), Value::Null]);
    assert_eq!(figures(&written["event_gap"]), [json!(2), json!(0.0), json!(0.15), Value::Null]);
    let counts = ["events", "streams", "stalled", "broken_off"].map(|key| written[key].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 1, 0]);
}

#[test]
fn of_an_open_load_the_first_event_counts_from_the_intended_start() {
    // One connection, a request each 100 ms: the second one waits for the first one's end.
    let mut session = three_events(json!({"kind": "constant", "rate_per_second": 10.0, "connections": 1}));
    session.closes_ns = Some(200 * MS);
    session.drain_ns = SECOND;
    let mut session = session.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, 0);
    let answer = [HEAD, &event(0), &event(1), &event(2), END].concat();
    session.advance(100 * MS);
    assert!(session.due(100 * MS).is_none());
    assert_eq!(session.received(0, &answer, false, 150 * MS), Next::Send);
    send(&mut session, 0, 150 * MS);
    // After the window: it is of its cohort.
    session.received(0, &[HEAD, &event(0)].concat(), false, 250 * MS);
    let written = written(session.conclude(260 * MS));
    assert_eq!(figures(&written["first_event_time"]), [json!(2), json!(0.15), json!(0.15), Value::Null]);
    // The second one's next event never came: 10 ms were waited for it.
    assert_eq!(figures(&written["event_gap"]), [json!(3), json!(0.0), json!(0.01), json!(0.01)]);
    assert_eq!((&written["events"], &written["streams"]), (&json!(3), &json!(2)));
}

#[test]
fn what_is_awaited_no_longer_took_at_least_so_long() {
    for (came, first_at_least, gap_at_least) in [(0, json!(1.0), Value::Null), (2, Value::Null, json!(0.996))]
    {
        let mut session = one_by_one().session();
        session.start(0, 0);
        connect_and_send(&mut session, 0, MS);
        let events: Vec<u8> = (0..came).flat_map(event).collect();
        session.received(0, &[HEAD, &events].concat(), false, 4 * MS);
        while session.due(SECOND).is_some() {}
        let ended = session.conclude(SECOND + MS);
        assert_eq!(errors(&ended), [error("timeout", 1)]);
        let written = written(ended);
        assert_eq!(written["first_event_time"]["at_least"]["min_seconds"], first_at_least);
        assert_eq!(written["event_gap"]["at_least"]["min_seconds"], gap_at_least);
        let stalled = u64::from(came > 0);
        assert_eq!((&written["stalled"], &written["broken_off"]), (&json!(stalled), &json!(0)));
    }
}

#[test]
fn a_closed_load_records_the_stall_that_its_end_cuts_off_and_no_other_wait() {
    for (ends_ns, stalled) in [(50 * MS, 0), (250 * MS, 1)] {
        let mut session = Setup { closes_ns: Some(ends_ns), ..one_by_one() }.session();
        session.start(0, 0);
        connect_and_send(&mut session, 0, MS);
        session.received(0, &[HEAD, &event(0)].concat(), false, 4 * MS);
        let written = written(session.conclude(ends_ns + MS));
        let counts = ["events", "streams", "stalled"].map(|key| written[key].as_u64().unwrap());
        assert_eq!(counts, [1, stalled, stalled]);
        assert_eq!(written["event_gap"]["count"], stalled);
    }
}

#[test]
fn without_streams_there_is_no_account_of_them() {
    assert!(Setup::closed(1).session().conclude(SECOND).record.event_streams.is_none());
}
