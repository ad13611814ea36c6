//! Servers that send unasked, without an end: who answers beside it is verified, and the engine's memory does not grow.

use quinn_proto::{Connection, Dir, StreamId, VarInt};
use serde_json::{Value, json};

use super::peer::{Behaviour, HONEST, serve};
use super::{HEAD, answers, plan};
use crate::common::{Engine, Plan, Summary, most_memory_kib};

/// What an engine may have used at most, KiB. It begins with some 10 MiB.
const MEMORY_LIMIT_KIB: u64 = 64 * 1024;

/// Runs a plan to its end, and holds the engine's memory against its limit.
pub fn run_in_bounds(what: &str, plan: &Plan) -> Summary {
    let mut engine = Engine::start(&["run"], &plan.0.to_string());
    let (mut last, mut memory_kib) = (Value::Null, 0);
    loop {
        let line = engine.line();
        if line.is_empty() {
            break;
        }
        memory_kib = memory_kib.max(most_memory_kib(&engine));
        last = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(engine.exit_status(), Some(0), "{what}");
    assert!(memory_kib > 0 && memory_kib < MEMORY_LIMIT_KIB, "{what}: {memory_kib} KiB");
    let summary = Summary(last);
    summary.assert_books_balance();
    summary
}

/// Opens as many streams of its own as it may. Each is `begun` so, and ends if it is said.
fn opens_all(connection: &mut Connection, begun: &[u8], ends: bool) {
    while let Some(id) = connection.streams().open(Dir::Uni) {
        let _ = connection.send_stream(id).write(begun);
        if ends {
            let _ = connection.send_stream(id).finish();
        }
    }
}

/// Says this byte on the control stream, the first of the server's, as often as there is room: it is the type, the length
/// and the content of frames, so that they are whole wherever it had to stop.
fn goes_on(connection: &mut Connection, byte: u8) {
    let control = StreamId::from(VarInt::from_u32(3));
    // No more in one turn, so that answers have their turn as well.
    let _ = connection.send_stream(control).write(&[byte; 65_536]);
}

/// What a server does unasked, with each turn.
type Flood = fn(&mut Connection);

const FLOODS: [(&str, Flood); 5] = [
    ("streams that nobody knows", |connection| opens_all(connection, &[0x21, 1, 2, 3], true)),
    ("streams that do not end", |connection| opens_all(connection, &[0x21, 1, 2, 3], false)),
    ("streams without a whole type", |connection| opens_all(connection, &[0xc0], false)),
    ("frames that nobody knows, on the control stream", |connection| {
        goes_on(connection, 0x21);
    }),
    ("CANCEL_PUSH", |connection| goes_on(connection, 3)),
];

#[test]
fn answers_beside_a_flood_are_verified() {
    for (what, turns) in FLOODS {
        let patient = plan(serve(Behaviour { answers, turns, ..HONEST }), 2).requests(200);
        let summary = run_in_bounds(what, &patient.with("timeout_seconds", json!(30)));
        assert_eq!((summary.count("verified"), summary.errors()), (200, vec![]), "{what}");
    }
}

#[test]
fn a_flood_in_place_of_answers_times_out() {
    for (what, turns) in FLOODS {
        let late = plan(serve(Behaviour { turns, ..HONEST }), 2).requests(8);
        let summary = run_in_bounds(what, &late.with("timeout_seconds", json!(1.0)));
        assert_eq!((summary.count("verified"), summary.errors()), (0, vec![("timeout", 8)]), "{what}");
    }
}

/// DATA.
const FULL: &[u8] = &{
    let mut frame = [b'x'; 1_003];
    (frame[0], frame[1], frame[2]) = (0, 0x43, 0xe8);
    frame
};

#[test]
fn bodies_without_an_end_take_no_memory() {
    for (what, piece) in
        [("by bytes", &[0, 1, b'x'][..]), ("by empty frames", &[0, 0]), ("by frames of 1,000 bytes", FULL)]
    {
        let address = serve(Behaviour {
            answers: |connection, id, _| {
                let _ = connection.send_stream(id).write(HEAD);
                false
            },
            more: (piece, usize::MAX),
            ..HONEST
        });
        let late = plan(address, 2).requests(8).expect(json!({"status": [200]}));
        let summary = run_in_bounds(what, &late.with("timeout_seconds", json!(1.0)));
        assert_eq!(summary.count("verified"), 0, "{what}");
    }
}
