//! What the integration tests share: the engine as a process, plans, and servers.

#![allow(dead_code, reason = "every crate of tests uses a part")]

mod http2;
mod server;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

#[allow(unused_imports, reason = "see above")]
pub use http2::{TURN, serve_http2, serve_http2_in_turns};
#[allow(unused_imports, reason = "see above")]
pub use server::{Server, read_request};

pub const ENGINE: &str = env!("CARGO_BIN_EXE_fairtrial-engine");

/// A running engine. Ends with the test.
pub struct Engine {
    pub child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts a subcommand with `input` on its standard input.
    pub fn start(arguments: &[&str], input: &str) -> Engine {
        let mut engine = Engine::start_with_lifeline(arguments);
        let mut stdin: ChildStdin = engine.child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        engine
    }

    /// Starts a subcommand and keeps its standard input open.
    pub fn start_with_lifeline(arguments: &[&str]) -> Engine {
        let mut command = Command::new(ENGINE);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Engine { child, stdout }
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn event(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub fn await_window(&mut self, state: &str) {
        while self.event()["state"] != state {}
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// All events until the end, and the exit status.
    pub fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (events, self.child.wait().unwrap().code())
    }

    pub fn exit_status(mut self) -> Option<i32> {
        // Waiting would close it.
        let _open = self.child.stdin.take();
        self.child.wait().unwrap().code()
    }
}

/// The most memory that an engine has used so far, KiB; 0: it has ended.
pub fn most_memory_kib(engine: &Engine) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or_default()
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The engine's own server.
pub struct Target {
    engine: Engine,
    pub address: String,
}

impl Target {
    pub fn start(arguments: &[&str]) -> Target {
        let mut engine = Engine::start_with_lifeline(&[&["target"], arguments].concat());
        let address = engine.event()["address"].as_str().unwrap().to_owned();
        Target { engine, address }
    }

    /// Stops it and gives `(requests, connections)`.
    pub fn served(self) -> (u64, u64) {
        let served = self.served_event();
        (served["requests"].as_u64().unwrap(), served["connections"].as_u64().unwrap())
    }

    /// Stops it and gives its own account.
    pub fn served_event(self) -> Value {
        self.engine.signal(Signal::TERM);
        let (mut events, status) = self.engine.finish();
        assert_eq!((events.len(), status), (1, Some(0)));
        assert_eq!(events[0]["event"], "served");
        events.remove(0)
    }
}

/// The driver that these tests are run by.
fn driver() -> String {
    std::env::var("FAIRTRIAL_TEST_DRIVER").unwrap_or_else(|_| "auto".to_owned())
}

/// A plan that is changed step by step.
#[derive(Clone)]
pub struct Plan(pub Value);

impl Plan {
    /// One GET without expectations, for half a second.
    pub fn closed(address: &str, connections: u32) -> Plan {
        Plan(json!({
            "protocol": 2,
            "driver": driver(),
            "address": address,
            "requests": [{"name": "only", "method": "GET", "path": "/"}],
            "load": {"kind": "closed", "connections": connections},
            "stop": {"kind": "seconds", "seconds": 0.5},
            "timeout_seconds": 5.0,
            "progress_every_seconds": 0.1
        }))
    }

    pub fn with(mut self, key: &str, value: Value) -> Plan {
        self.0[key] = value;
        self
    }

    pub fn seconds(self, seconds: f64) -> Plan {
        self.with("stop", json!({"kind": "seconds", "seconds": seconds}))
    }

    pub fn requests(self, requests: u64) -> Plan {
        self.with("stop", json!({"kind": "requests", "requests": requests}))
    }

    pub fn expect(mut self, expect: Value) -> Plan {
        self.0["requests"][0]["expect"] = expect;
        self
    }

    /// Runs the plan to its end and gives the summary.
    pub fn run(&self) -> Summary {
        let (events, status) = Engine::start(&["run"], &self.0.to_string()).finish();
        assert_eq!(status, Some(0));
        Summary(events.into_iter().next_back().unwrap())
    }

    /// What comes of a plan that cannot be run.
    pub fn refusal(&self) -> (String, Option<i32>) {
        let output = run_with_input(&["run"], &self.0.to_string());
        assert!(output.stdout.is_empty());
        (String::from_utf8(output.stderr).unwrap(), output.status.code())
    }
}

#[derive(Debug)]
pub struct Summary(pub Value);

impl Summary {
    pub fn count(&self, key: &str) -> u64 {
        self.0[key].as_u64().unwrap_or_else(|| panic!("{key} in {}", self.0))
    }

    /// The errors that are not zero.
    pub fn errors(&self) -> Vec<(&str, u64)> {
        let kinds = self.0["errors"].as_object().unwrap();
        assert_eq!(kinds.len(), 20);
        let counts = kinds.iter().map(|(kind, count)| (kind.as_str(), count.as_u64().unwrap()));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// in_flight_at_start + offered = answers + failures + in_flight_at_end. Without a warm-up the whole run is the window.
    pub fn assert_books_balance(&self) {
        let came = self.count("in_flight_at_start") + self.count("offered");
        let went = self.count("answers") + self.count("failures") + self.count("in_flight_at_end");
        assert_eq!(came, went, "{}", self.0);
        self.assert_mix_is_the_whole();
        let cohort = &self.0["cohort"];
        assert_eq!(cohort.is_null(), self.0["waiting"].is_null());
        if !cohort.is_null() {
            let [answers, failures, censored] =
                ["answers", "failures", "censored"].map(|end| cohort[end].as_u64().unwrap());
            assert_eq!(self.count("offered"), answers + failures + censored, "{}", self.0);
            if self.0["warmup_seconds"] == 0.0 {
                let ended = self.count("run_verified") + self.count("run_errors");
                assert_eq!(ended, answers + failures, "{}", self.0);
            }
        } else if self.0["warmup_seconds"] == 0.0 {
            let whole = (self.count("run_verified"), self.count("run_errors"));
            assert_eq!(whole, (self.count("verified"), self.all_errors()), "{}", self.0);
        }
    }

    /// The kinds of requests add up to all requests. What overflowed was never given to one of them.
    fn assert_mix_is_the_whole(&self) {
        let mix = self.0["mix"].as_array().unwrap();
        let sum = |count: &dyn Fn(&Value) -> u64| mix.iter().map(count).sum::<u64>();
        for key in ["sent", "answers", "verified"] {
            assert_eq!(sum(&|share| share[key].as_u64().unwrap()), self.count(key), "{key}");
        }
        assert_eq!(sum(&|share| share["run_verified"].as_u64().unwrap()), self.count("run_verified"));
        let failures = sum(&|share| share["failures"].as_u64().unwrap());
        assert_eq!(failures + self.0["errors"]["overflow"].as_u64().unwrap(), self.count("failures"));
        for key in ["service_time", "response_time", "first_byte_time"] {
            if mix.len() == 1 {
                assert!(mix[0][key].is_null(), "{key}");
            } else {
                let apart = sum(&|share| share[key]["count"].as_u64().unwrap());
                assert_eq!(apart, self.0[key]["count"].as_u64().unwrap(), "{key}");
            }
        }
    }

    pub fn seconds(&self, distribution: &str, percentile: &str) -> f64 {
        self.0[distribution]["percentiles"][percentile].as_f64().unwrap()
    }

    pub fn all_errors(&self) -> u64 {
        self.errors().iter().map(|(_, count)| count).sum()
    }
}

pub fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(ENGINE);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Wrong arguments end it before it reads anything.
    match stdin.write_all(input.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("{error}"),
        _ => drop(stdin),
    }
    child.wait_with_output().unwrap()
}

/// Waits until the condition holds; fails the test if that takes too long.
pub fn await_that(what: &str, condition: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < patience, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// True while a process with this number runs.
pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// The dataset that the tests use.
pub fn items(rows: u64, gaps: f64) -> Value {
    json!({
        "name": "items", "seed": 1, "rows": rows, "gaps": gaps,
        "fields": [
            {"name": "id", "kind": "id"},
            {"name": "uuid", "kind": "uuid"},
            {"name": "name", "kind": "words", "count": 3},
            {"name": "created_at", "kind": "timestamp",
             "from": "2012-01-01T00:00:00Z", "span_seconds": 31_536_000},
            {"name": "hash_code", "kind": "sha1", "of": ["name", "uuid", "created_at"]}
        ]
    })
}
