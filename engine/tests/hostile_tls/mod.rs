//! Servers that break TLS, or what TLS protects: what is counted of each, under which cause, and in which words.

mod beside;
mod cases;
mod identities;
mod records;
mod sealed;
mod servers;

use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

use crate::common::{Plan, Server, Summary};
use servers::Behaviour;

/// Cases that run at once.
const AT_ONCE: usize = 8;

/// A server, and what comes of two requests to it.
struct Case {
    name: &'static str,
    behaviour: Behaviour,
    /// The plan's keys besides the usual ones.
    plan: Vec<(&'static str, Value)>,
    tls: Value,
    expected: Expected,
}

/// What comes of the requests.
enum Expected {
    /// All are answered.
    Right,
    /// Both fail: the kind, the cause, and words of the explanation.
    Wrong(&'static str, Option<&'static str>, &'static str),
}

impl Case {
    fn with(mut self, key: &'static str, value: Value) -> Case {
        self.plan.push((key, value));
        self
    }

    fn over_http2(self) -> Case {
        self.with("http2", json!({"streams": 1}))
    }

    fn plan(self, driver: &str) -> (Plan, Expected) {
        let server = Server::start(move |_, socket| (self.behaviour)(socket));
        let plan = Plan::closed(&server.address, 1).requests(2).with("tls", self.tls);
        let plan = plan.with("driver", json!(driver)).with("timeout_seconds", json!(20.0));
        (self.plan.into_iter().fold(plan, |plan, (key, value)| plan.with(key, value)), self.expected)
    }

    /// What is not as expected; empty: nothing.
    fn objections(self, driver: &str) -> String {
        let name = self.name;
        let (plan, expected) = self.plan(driver);
        let summary = plan.run();
        match expected.objection(&summary) {
            None => String::new(),
            Some(objection) => format!("\n{name}, by {driver}: {objection}"),
        }
    }
}

impl Expected {
    fn objection(&self, summary: &Summary) -> Option<String> {
        let (verified, errors) = (summary.count("verified"), summary.errors());
        let example = &summary.0["examples"][0];
        let is_right = match *self {
            Expected::Right => (verified, errors.as_slice()) == (2, &[]),
            Expected::Wrong(kind, cause, words) => {
                (verified, errors.as_slice()) == (0, &[(kind, 2)])
                    && example["cause"].as_str() == cause
                    && (cause.is_none() || example["kind"] == kind)
                    && example["excerpt"].as_str().unwrap_or_default().contains(words)
            }
        };
        (!is_right).then(|| format!("{verified} verified, {errors:?}, {example}"))
    }
}

#[test]
fn every_failure_of_tls_is_counted_named_and_explained() {
    let authorities = cases::Authorities::new();
    let mut both = Vec::new();
    for driver in ["epoll", "auto"] {
        both.extend(cases::all(&authorities).into_iter().map(|case| (driver, case)));
    }
    assert!(both.len() >= 2 * 45);
    let queue = Mutex::new(both);
    let objections = Mutex::new(String::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().pop();
                    let Some((driver, case)) = next else { break };
                    let objection = case.objections(driver);
                    objections.lock().unwrap().push_str(&objection);
                }
            });
        }
    });
    let objections = objections.into_inner().unwrap();
    assert!(objections.is_empty(), "{objections}");
}
