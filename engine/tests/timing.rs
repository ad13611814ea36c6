//! The engine's figures against a server that tells when it answered.
//!
//! A crate of its own, which `make test` runs while nothing else is at work.

mod common;

use common::{Plan, Summary, Target};
use serde_json::{Value, json};

/// Where other programs take this machine's processors, a window may miss what it is to show: of so many attempts, one that
/// shows it is enough. A wrong figure would be wrong in all of them.
const ATTEMPTS: usize = 3;
const RATE_PER_SECOND: f64 = 2000.0;
const CONNECTIONS: usize = 64;

/// Resolution of the target's account, in seconds.
const RESOLUTION: f64 = 0.001;

/// Of the engine's histograms.
const DIGITS: f64 = 0.001;

/// What 200 ms in every 2 s make of a constant rate: a request meets a stall with probability 0.1 and then waits
/// uniformly up to 200 ms. By percentile, in seconds.
const BY_ARITHMETIC: [(&str, f64); 3] = [("95", 0.100), ("99", 0.180), ("99.9", 0.198)];

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
    let load = json!({"kind": "constant", "rate_per_second": RATE_PER_SECOND, "connections": CONNECTIONS});
    let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
    let summary = plan.seconds(2.0).run();
    let account = Account::new(&target.served_event(), &summary);
    let in_flight = summary.count("in_flight_at_end");
    if !(200..1200).contains(&in_flight) {
        return Err(format!("the window closed with {in_flight} in flight"));
    }
    assert_eq!((account.answers(), &summary.0["cohort"]["answers"]), (4000, &json!(4000)));
    for percentile in ["95", "99"] {
        let measured = account.confirms(percentile, &summary)?;
        if measured < 0.1 {
            return Err(format!("p{percentile} is {measured}"));
        }
    }
    Ok(())
}

/// An error tells the first percentile that is not what the target's answers make it.
fn percentiles_that_are_off(driver: &str) -> Result<(), String> {
    let target = Target::start(&["--stall", "2s:200ms"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let load = json!({"kind": "constant", "rate_per_second": RATE_PER_SECOND, "connections": CONNECTIONS});
    let plan = Plan::closed(&target.address, 64).with("load", load).with("driver", json!(driver));
    let summary = plan.seconds(6.0).run();
    assert_eq!(summary.all_errors(), 0, "{}", summary.0["examples"]);
    let served = target.served_event();
    assert!(served["faults"]["stalls"].as_u64().unwrap() >= 3);
    let account = Account::new(&served, &summary);
    assert_eq!(account.answers() as u64, served["requests"].as_u64().unwrap());
    for (percentile, planned) in BY_ARITHMETIC {
        // A stall may be longer than planned, and never is shorter.
        let measured = account.confirms(percentile, &summary)?;
        if measured < planned - 2.0 * RESOLUTION {
            return Err(format!("p{percentile} is {measured}, and {planned} was planned"));
        }
    }
    // Counted from sending, nine of ten requests that the stall delays would be as quick as all others.
    let from_sending = Summary(json!({"response_time": summary.0["service_time"]}));
    assert!(account.confirms("95", &from_sending).is_err());
    let median = summary.seconds("response_time", "50");
    if median < 0.005 { Ok(()) } else { Err(format!("p50 is {median}")) }
}

/// How long requests waited, by the target's own account of the run: between two bounds, both in seconds and sorted.
struct Account {
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Account {
    /// Requests are due at a constant rate and are sent in their order, at most [`CONNECTIONS`] at once. Those that are under
    /// way when one is due follow from the account: so many may be answered before it, and, as the target takes connections
    /// in turn, twice as many more behind it. None is answered before it is due.
    ///
    /// When the first request was due the target does not know. The one that waited least waited no longer than the engine's
    /// shortest response time. How long an answer takes to be read is not known either: the third quarter of the service
    /// times, which no stall delays, shows how long it is on this machine.
    fn new(served: &Value, summary: &Summary) -> Account {
        let counts = served["answers_each_ms"].as_array().unwrap().iter();
        let answered: Vec<f64> = counts
            .enumerate()
            .flat_map(|(ms, count)| std::iter::repeat_n(ms as f64 / 1e3, count.as_u64().unwrap() as usize))
            .collect();
        let due = |number: usize| number as f64 / RATE_PER_SECOND;
        let waits = answered.iter().enumerate().map(|(number, at)| at - due(number));
        let least_wait = waits.fold(f64::INFINITY, f64::min);
        let shortest = summary.0["response_time"]["min_seconds"].as_f64().unwrap();
        // The first was due between these moments of the target's clock; moments of the account are rounded down.
        let (earliest, latest) = (least_wait - shortest - RESOLUTION, least_wait + RESOLUTION);
        let last = answered.len() - 1;
        let under_way = |number: usize| {
            let before = answered.partition_point(|at| at + RESOLUTION <= latest + due(number));
            number.saturating_sub(before).min(CONNECTIONS)
        };
        let first = |number: usize| {
            let due_at = earliest + due(number) - RESOLUTION;
            let is_due = answered.partition_point(|&at| at < due_at);
            answered[is_due.max(number - under_way(number)).min(last)]
        };
        let latest_answer = |number: usize| answered[(number + 2 * under_way(number)).min(last)];
        let sorted = |waits: &dyn Fn(usize) -> f64| {
            let mut waits: Vec<f64> = (0..=last).map(waits).collect();
            waits.sort_by(f64::total_cmp);
            waits
        };
        let reading = summary.seconds("service_time", "75");
        Account {
            least: sorted(&|number| first(number) - due(number) - latest),
            most: sorted(&|number| latest_answer(number) + RESOLUTION + reading - due(number) - earliest),
        }
    }

    fn answers(&self) -> usize {
        self.least.len()
    }

    /// The percentile as it was measured, in seconds. An error: it is not what the target's answers make it.
    fn confirms(&self, percentile: &str, summary: &Summary) -> Result<f64, String> {
        let percent: f64 = percentile.parse().unwrap();
        let bounds = percentile_of(&self.least, percent)..=percentile_of(&self.most, percent);
        let measured = summary.seconds("response_time", percentile);
        if *bounds.start() * (1.0 - DIGITS) <= measured && measured <= *bounds.end() * (1.0 + DIGITS) {
            return Ok(measured);
        }
        Err(format!("p{percentile} is {measured}, and the answers make it {bounds:?}"))
    }
}

/// Of sorted values, the smallest that so many percent are not above.
fn percentile_of(sorted: &[f64], percent: f64) -> f64 {
    sorted[((percent / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}
