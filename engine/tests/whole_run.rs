//! What a summary says of the whole run, warm-up included.

mod common;

use common::{Plan, Target};
use serde_json::json;

#[test]
fn verified_answers_and_errors_are_counted_from_the_begin() {
    let target = Target::start(&["--status-5xx", "0.1", "--reset", "0.02"]);
    let plan = Plan::closed(&target.address, 4)
        .with("threads", json!(2))
        .with("warmup_seconds", json!(0.3))
        .requests(300);
    let summary = plan.run();
    summary.assert_books_balance();
    assert_eq!(summary.count("in_flight_at_end"), 0);
    let served = target.served_event();
    let fault = |kind: &str| served["faults"][kind].as_u64().unwrap();
    let (verified, errors) = (summary.count("run_verified"), summary.count("run_errors"));
    assert_eq!(verified + fault("status_5xx"), served["requests"].as_u64().unwrap());
    assert_eq!(errors, fault("status_5xx") + fault("reset"));
    assert!(verified > summary.count("verified") && errors > summary.all_errors(), "{summary:?}");
}
