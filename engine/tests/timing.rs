//! The engine's figures against a server whose distribution is known by arithmetic.
//!
//! A crate of its own: cargo runs one crate after another, so nothing else of the engine's tests is at work meanwhile.

mod common;

use common::{Plan, Target};
use serde_json::json;

/// A response time can only grow where other programs on this machine take its processors: of so many attempts, one
/// that is within the bounds shows that the engine tells the truth. A wrong figure would be wrong in all of them.
const ATTEMPTS: usize = 3;

/// 200 ms in every 2 s: a request meets a stall with probability 0.1 and then waits uniformly up to 200 ms, which makes
/// the p95 100 ms, the p99 180 ms and the p99.9 198 ms. Six seconds hold three stalls.
#[test]
fn a_constant_rate_tells_the_whole_stall() {
    for driver in ["epoll", "auto"] {
        let attempts: Vec<String> =
            (0..ATTEMPTS).map_while(|_| percentiles_that_are_off(driver).err()).collect();
        assert!(attempts.len() < ATTEMPTS, "{driver}: {attempts:#?}");
    }
}

/// An error tells the first percentile that is not what the stalls make it.
fn percentiles_that_are_off(driver: &str) -> Result<(), String> {
    let target = Target::start(&["--stall", "2s:200ms"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let load = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 64});
    let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
    let summary = plan.seconds(6.0).run();
    assert_eq!(summary.all_errors(), 0, "{}", summary.0["examples"]);
    assert!(target.served_event()["faults"]["stalls"].as_u64().unwrap() >= 3);
    let measured = |percentile: &str| summary.seconds("response_time", percentile);
    for (percentile, expected) in [("95", 0.100), ("99", 0.180), ("99.9", 0.198)] {
        // Wider than what a quiet machine shows.
        if (measured(percentile) / expected - 1.0).abs() >= 0.08 {
            return Err(format!("p{percentile} is {}", measured(percentile)));
        }
    }
    if measured("50") < 0.005 { Ok(()) } else { Err(format!("p50 is {}", measured("50"))) }
}
