//! The time from sending a request to the first byte of its answer.

use serde_json::json;

use super::*;

#[test]
fn the_first_byte_has_a_time_of_its_own() {
    let mut session = Setup { opens_ns: 0, ..Setup::closed(1) }.session();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    session.received(0, &ANSWER[..1], false, 4 * MS);
    session.received(0, &ANSWER[1..20], false, 6 * MS);
    assert_eq!(session.received(0, &ANSWER[20..], false, 9 * MS), Next::Send);
    send(&mut session, 0, 10 * MS);
    session.received(0, ANSWER, false, 12 * MS);
    let times = session.conclude(13 * MS).record.times();
    let of = |times| serde_json::to_value(times).unwrap();
    let (first_byte, service) = (of(times.first_byte), of(times.service));
    assert_eq!((&first_byte["min_seconds"], &first_byte["max_seconds"]), (&json!(0.002), &json!(0.003)));
    assert_eq!((&service["min_seconds"], &service["max_seconds"]), (&json!(0.002), &json!(0.008)));
}

#[test]
fn behind_each_other_on_a_connection_each_answer_has_its_own_first_byte() {
    let mut session = Setup { opens_ns: 0, pipeline: 2, ..Setup::closed(1) }.pipelined();
    session.start(0, 0);
    connect_and_send(&mut session, 0, MS);
    let one_and_a_bit = [ANSWER, &ANSWER[..5]].concat();
    session.received(0, &one_and_a_bit, false, 3 * MS);
    session.received(0, &ANSWER[5..], false, 7 * MS);
    let times = session.conclude(8 * MS).record.times();
    let of = |times| serde_json::to_value(times).unwrap();
    assert_eq!(
        (of(times.first_byte)["max_seconds"].as_f64(), of(times.service)["max_seconds"].as_f64()),
        (Some(0.002), Some(0.006))
    );
}

#[test]
fn a_first_byte_that_never_came_took_at_least_so_long() {
    let mut session = Setup { opens_ns: 0, ..Setup::closed(2) }.session();
    for number in 0..2 {
        session.start(number, 0);
        connect_and_send(&mut session, number, MS);
    }
    session.received(1, &ANSWER[..9], false, 3 * MS);
    while session.due(SECOND + MS).is_some() {}
    let first_byte = session.conclude(SECOND + 2 * MS).record.times().first_byte;
    let first_byte = serde_json::to_value(first_byte).unwrap();
    assert_eq!((&first_byte["count"], &first_byte["at_least"]["count"]), (&json!(2), &json!(1)));
    assert_eq!((&first_byte["min_seconds"], &first_byte["max_seconds"]), (&json!(0.002), &json!(1.0)));
}
