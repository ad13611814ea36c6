//! Loads that stand still, and go on in stages.

use super::*;
use crate::driver::Failure;

/// Connections that stood still, by the right answers that they have had since: none, one, two.
fn released(halt: &Halt) -> Value {
    let released = serde_json::to_value(halt.add_to(None)).unwrap();
    json!(released.as_array().unwrap()[..3])
}

fn halting(connections: usize) -> (Arc<Halt>, Setup) {
    let halt = Arc::new(Halt::new(connections));
    let setup = Setup { halt: Some(Arc::clone(&halt)), ..Setup::closed(connections) };
    (halt, setup)
}

#[test]
fn a_spot_check_does_not_take_the_place_of_the_one_request() {
    let (halt, setup) = halting(1);
    let spot_check = json!({"path": "/unknown", "spot_check_at_seconds": [0.0]});
    let setup = Setup { requests: json!([{"path": "/"}, spot_check]), closes_ns: Some(SECOND), ..setup };
    let mut session = setup.session();
    let mut now_ns = 200 * MS;
    let asks = |session: &mut Session| String::from_utf8(session.to_send(0).to_vec()).unwrap();
    assert_eq!(session.start(0, now_ns), Next::Connect);
    connect_and_send(&mut session, 0, now_ns);
    for _ in 1..100 {
        assert_eq!(session.received(0, ANSWER, false, now_ns), Next::Send);
        send(&mut session, 0, now_ns);
    }
    halt.begin_or_end();
    assert_eq!(session.received(0, ANSWER, false, now_ns), Next::Wait, "a spot check is due, and waits");
    assert_eq!(released(&halt), json!([1, 0, 0]));
    halt.next_stage();
    now_ns += MS;
    assert_eq!(session.due(now_ns), Some((0, Next::Send)));
    assert!(asks(&mut session).starts_with("GET / "));
    send(&mut session, 0, now_ns);
    assert_eq!(session.received(0, ANSWER, false, now_ns), Next::Wait, "once");
    assert_eq!(released(&halt), json!([0, 1, 0]));
    halt.next_stage();
    now_ns += 2 * MS;
    while session.due(now_ns).is_none() {
        now_ns += MS;
    }
    send(&mut session, 0, now_ns);
    halt.begin_or_end();
    assert_eq!(session.received(0, ANSWER, false, now_ns), Next::Send);
    assert!(asks(&mut session).starts_with("GET /unknown "));
    send(&mut session, 0, now_ns);
    let ended = session.conclude(now_ns);
    assert_books_balance(&ended);
    assert_eq!(ended.record.totals().answers, 102);
}

#[test]
fn who_has_no_answer_does_not_stand_still() {
    let (halt, setup) = halting(2);
    let mut session = setup.session();
    let now_ns = 200 * MS;
    for number in [0, 1] {
        assert_eq!(session.start(number, now_ns), Next::Connect);
    }
    connect_and_send(&mut session, 0, now_ns);
    let refused = || Failure { kind: ErrorKind::Refused, explanation: "".into(), cause: None };
    while session.connect_failed(1, refused(), now_ns) == Next::Connect {}
    halt.begin_or_end();
    assert_eq!(session.received(0, ANSWER, false, now_ns), Next::Wait);
    let mut at_ns = now_ns;
    for stage in [json!([1, 0, 0]), json!([0, 1, 0])] {
        for _ in 0..1500 {
            at_ns += MS;
            while let Some((number, next)) = session.due(at_ns) {
                assert!(number == 0 || next == Next::Close, "the other one waits for the end");
                if next == Next::Send {
                    send(&mut session, 0, at_ns);
                    assert_eq!(session.received(0, ANSWER, false, at_ns), Next::Wait);
                }
            }
        }
        assert_eq!(released(&halt), stage);
        halt.next_stage();
    }
}
