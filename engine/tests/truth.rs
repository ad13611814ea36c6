//! The engine's figures against a server whose distribution is known by arithmetic.

mod common;

use common::{Plan, Target};
use serde_json::json;

/// 200 ms in every 2 s: a request meets a stall with probability 0.1 and then waits uniformly up to 200 ms, which makes
/// the p95 100 ms, the p99 180 ms and the p99.9 198 ms. Six seconds hold three stalls.
#[test]
fn a_constant_rate_tells_the_whole_stall() {
    for driver in ["epoll", "auto"] {
        let target = Target::start(&["--stall", "2s:200ms"]);
        std::thread::sleep(std::time::Duration::from_millis(500));
        let load = json!({"kind": "constant", "rate_per_second": 2000.0, "connections": 64});
        let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
        let summary = plan.seconds(6.0).run();
        assert_eq!(summary.all_errors(), 0, "{}", summary.0["examples"]);
        let percentiles = &summary.0["response_time"]["percentiles"];
        for (percentile, expected) in [("95", 0.100), ("99", 0.180), ("99.9", 0.198)] {
            let measured = percentiles[percentile].as_f64().unwrap();
            // Wider than what a quiet machine shows: other tests run at the same time.
            assert!((measured / expected - 1.0).abs() < 0.08, "{driver}: p{percentile} is {measured}");
        }
        assert!(percentiles["50"].as_f64().unwrap() < 0.005, "{driver}: {percentiles}");
        assert!(target.served_event()["faults"]["stalls"].as_u64().unwrap() >= 3);
    }
}
