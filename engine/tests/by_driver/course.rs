//! What happens in the course of the window: tenths of a second, and how many requests are under way.

use serde_json::{Value, json};

use crate::common::{Plan, Target};

fn sum(values: &Value) -> u64 {
    values.as_array().unwrap().iter().map(|value| value.as_u64().unwrap()).sum()
}

#[test]
fn tenths_add_up_and_show_when_a_server_stalls() {
    let target = Target::start(&["--stall", "400ms:250ms"]);
    for threads in [1, 2] {
        let summary = Plan::closed(&target.address, 4).with("threads", json!(threads)).seconds(1.25).run();
        summary.assert_books_balance();
        let tenths = &summary.0["tenths"];
        for key in ["verified", "errors", "max_seconds"] {
            assert_eq!(tenths[key].as_array().unwrap().len(), 13, "{key}");
        }
        assert_eq!(
            (sum(&tenths["verified"]), sum(&tenths["errors"])),
            (summary.count("verified"), summary.all_errors())
        );
        let longest = tenths["max_seconds"].as_array().unwrap().iter().filter_map(Value::as_f64);
        assert_eq!(Some(longest.fold(0.0, f64::max)), summary.0["response_time"]["max_seconds"].as_f64());
        // One tenth at least lies within each stall as a whole.
        let verified = tenths["verified"].as_array().unwrap();
        assert!(
            verified.iter().any(|count| count == 0) && verified.iter().any(|count| *count != 0),
            "{tenths}"
        );
    }
}

#[test]
fn in_a_closed_load_all_connections_are_under_way_all_the_time() {
    let target = Target::start(&["--delay", "constant:40ms"]);
    for (pipeline, wait) in [(json!(1), "sleep"), (json!(3), "awake")] {
        let plan =
            Plan::closed(&target.address, 4).with("warmup_seconds", json!(0.1)).with("wait", json!(wait));
        let summary = plan.with("pipeline", pipeline.clone()).run();
        summary.assert_books_balance();
        let mean = summary.0["under_way"]["mean_requests"].as_f64().unwrap();
        let expected = 4.0 * pipeline.as_f64().unwrap();
        assert!((mean / expected - 1.0).abs() < 1e-6, "{}", summary.0["under_way"]);
    }
}
