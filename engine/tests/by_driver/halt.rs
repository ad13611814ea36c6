//! A load that stands still at a signal, and goes on in stages.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::{Engine, Plan, Target};

/// The first progress event of which this is true.
fn progress(engine: &mut Engine, is_awaited: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event = engine.event();
        if event["event"] == "progress" && is_awaited(&event) {
            return event;
        }
    }
}

/// Halts until no connection is without its first answer, which those of a thread that has hardly run may be: they do
/// not count as standing still.
fn all_stand_still(engine: &mut Engine) -> Value {
    loop {
        engine.signal(Signal::USR1);
        progress(engine, |event| event.get("halt").is_some());
        for _ in 0..100 {
            let event = progress(engine, |_| true);
            if event["halt"] == json!([3, 0, 0, 0, 0, 0, 0, 0, 0]) {
                return event;
            }
        }
        engine.signal(Signal::USR1);
        let goes_on = progress(engine, |event| event.get("halt").is_none());
        progress(engine, |event| event["verified"].as_u64() > goes_on["verified"].as_u64());
    }
}

#[test]
fn a_load_stands_still_and_goes_on_in_stages() {
    let target = Target::start(&[]);
    for threads in [1, 2] {
        let plan = Plan::closed(&target.address, 3)
            .with("halts", json!(true))
            .with("threads", json!(threads))
            .with("progress_every_seconds", json!(0.005))
            .seconds(60.0);
        let mut engine = Engine::start(&["run"], &plan.0.to_string());
        engine.await_window("opened");
        let verified = |event: &Value| event["verified"].as_u64().unwrap();
        progress(&mut engine, |event| verified(event) > 100 && event.get("halt").is_none());
        let still = all_stand_still(&mut engine);
        engine.signal(Signal::USR2);
        let once = progress(&mut engine, |event| event["halt"] == json!([0, 3, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(verified(&once), verified(&still) + 3, "nothing came in between, and one answer each");
        engine.signal(Signal::USR2);
        progress(&mut engine, |event| event["halt"] == json!([0, 0, 0, 0, 0, 0, 0, 0, 3]));
        engine.signal(Signal::USR1);
        let all = progress(&mut engine, |event| event.get("halt").is_none());
        progress(&mut engine, |event| verified(event) > verified(&all) + 100);
        engine.signal(Signal::INT);
        let (events, status) = engine.finish();
        let summary = events.last().unwrap();
        assert_eq!((status, &summary["errors"]["timeout"]), (Some(0), &json!(0)), "{summary}");
        assert_eq!(summary["in_flight_at_end"], json!(3), "all go on");
    }
}
