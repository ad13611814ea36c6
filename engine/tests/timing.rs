//! The engine's figures against a server that tells when it answered.
//!
//! A crate of its own, which `make test` runs while nothing else is at work.

mod common;

use common::{Plan, Target};
use serde_json::{Value, json};

/// Where other programs take this machine's processors, the engine is late itself: of so many attempts, one that is
/// within the bounds shows that it tells the truth. A wrong figure would be wrong in all of them.
const ATTEMPTS: usize = 3;
const RATE_PER_SECOND: f64 = 2000.0;

/// What 200 ms in every 2 s make of a constant rate: a request meets a stall with probability 0.1 and then waits
/// uniformly up to 200 ms. By percentile, in seconds.
const BY_ARITHMETIC: [(&str, f64); 3] = [("95", 0.100), ("99", 0.180), ("99.9", 0.198)];

/// Of the planned stall. The rest is what a busy kernel may add to it, and to the requests that are sent after it.
const LONGER_BY_AT_MOST: f64 = 0.15;

/// Six seconds hold three stalls.
#[test]
fn a_constant_rate_tells_the_whole_stall() {
    for driver in ["epoll", "auto"] {
        let attempts: Vec<String> =
            (0..ATTEMPTS).map_while(|_| percentiles_that_are_off(driver).err()).collect();
        assert!(attempts.len() < ATTEMPTS, "{driver}: {attempts:#?}");
    }
}

/// A window of two seconds that closes some 200 ms into a stall of 600 ms: its last requests, a tenth of all, are answered
/// after it.
#[test]
fn a_stall_that_the_window_closes_into_is_told_as_well() {
    for driver in ["epoll", "auto"] {
        let attempts: Vec<String> =
            (0..ATTEMPTS).map_while(|_| late_percentiles_that_are_off(driver).err()).collect();
        assert!(attempts.len() < ATTEMPTS, "{driver}: {attempts:#?}");
    }
}

/// An error tells why the percentiles are not those of all requests, or that the window closed elsewhere.
fn late_percentiles_that_are_off(driver: &str) -> Result<(), String> {
    let target = Target::start(&["--stall", "2s:600ms"]);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let load = json!({"kind": "constant", "rate_per_second": RATE_PER_SECOND, "connections": 64});
    let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
    let summary = plan.seconds(2.0).run();
    let served = target.served_event();
    let waits = waits_of(&served["answers_each_ms"]);
    let in_flight = summary.count("in_flight_at_end");
    if !(200..1200).contains(&in_flight) {
        return Err(format!("the window closed with {in_flight} in flight"));
    }
    assert_eq!((waits.len(), &summary.0["cohort"]["answers"]), (4000, &json!(4000)));
    for percentile in ["95", "99"] {
        let expected = percentile_of(&waits, percentile.parse().unwrap());
        let measured = summary.seconds("response_time", percentile);
        if (measured / expected - 1.0).abs() >= 0.08 || measured < 0.1 {
            return Err(format!("p{percentile} is {measured}, and the answers make it {expected}"));
        }
    }
    Ok(())
}

/// An error tells the first percentile that is not what the target's answers make it.
fn percentiles_that_are_off(driver: &str) -> Result<(), String> {
    let target = Target::start(&["--stall", "2s:200ms"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let load = json!({"kind": "constant", "rate_per_second": RATE_PER_SECOND, "connections": 64});
    let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
    let summary = plan.seconds(6.0).run();
    assert_eq!(summary.all_errors(), 0, "{}", summary.0["examples"]);
    let served = target.served_event();
    assert!(served["faults"]["stalls"].as_u64().unwrap() >= 3);
    let waits = waits_of(&served["answers_each_ms"]);
    assert_eq!(waits.len() as u64, served["requests"].as_u64().unwrap());
    for (percentile, planned) in BY_ARITHMETIC {
        let expected = percentile_of(&waits, percentile.parse().unwrap());
        // A stall is never shorter than planned, by more than the account's milliseconds.
        let excess = expected / planned - 1.0;
        if !(-0.02..LONGER_BY_AT_MOST).contains(&excess) {
            return Err(format!("p{percentile}: {planned} was planned, and the answers make it {expected}"));
        }
        let measured = summary.seconds("response_time", percentile);
        // Wider than what a quiet machine shows.
        if (measured / expected - 1.0).abs() >= 0.08 {
            return Err(format!("p{percentile} is {measured}, and the answers make it {expected}"));
        }
    }
    let median = summary.seconds("response_time", "50");
    if median < 0.005 { Ok(()) } else { Err(format!("p50 is {median}")) }
}

/// How long each request waited for its answer, by the target's account, in seconds, the shortest first.
///
/// Requests are due at a constant rate and are sent in their order: the n-th answer is that of the n-th request. When
/// the first was due is not known to the target; the request that waited least is taken to have waited for nothing.
fn waits_of(answers_each_ms: &Value) -> Vec<f64> {
    let counts = answers_each_ms.as_array().unwrap().iter().map(|count| count.as_u64().unwrap() as usize);
    let answered = counts.enumerate().flat_map(|(ms, count)| std::iter::repeat_n(ms as f64 / 1e3, count));
    let mut waits: Vec<f64> =
        answered.enumerate().map(|(number, at)| at - number as f64 / RATE_PER_SECOND).collect();
    waits.sort_by(f64::total_cmp);
    let least = waits[0];
    waits.iter().map(|wait| wait - least).collect()
}

/// Of sorted values, the smallest that so many percent are not above.
fn percentile_of(sorted: &[f64], percent: f64) -> f64 {
    sorted[((percent / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}
