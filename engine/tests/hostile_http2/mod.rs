//! Servers that break HTTP/2 in every way, and such as use what few servers use: what is counted and told of each.
//!
//! A server is a row of a table: what it sends, and what comes of it. All are tried in one test, several at a time.

mod closes;
mod floods;
mod frames;
mod heads;
mod honest;
mod illegal_frames;
mod peer;
mod streams;

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::common::{Engine, Plan, Server, Summary, most_memory_kib};
use peer::Peer;

/// Servers that are tried at the same time. Most of them wait for most of the time.
const AT_ONCE: usize = 8;

/// An engine that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an engine may have used at most, KiB. It begins with some 10 MiB.
const MEMORY_LIMIT_KIB: u64 = 64 * 1024;

/// A server.
struct Mode {
    name: &'static str,
    behaviour: Behaviour,
    outcome: Outcome,
    /// Changes the plan for it.
    plan: fn(Plan) -> Plan,
    /// Counts of the summary, beside errors, that are not zero.
    counts: &'static [&'static str],
}

enum Behaviour {
    /// It answers the request of a stream by these bytes.
    Each(fn(u32) -> Vec<u8>),
    /// It does this on each connection.
    Whole(fn(&mut Peer) -> io::Result<()>),
}

/// What comes of a server's answers. Errors are the kind, the cause ("" for none) and a part of what an example shows.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// All are right.
    Verifies,
    /// All are right, and an example has the cause of what came besides, and says this.
    Unasked(&'static str, &'static str),
    /// None is; all errors are of this kind.
    Fails(&'static str, &'static str, &'static str),
    /// Some are; all errors are of this kind.
    Partly(&'static str, &'static str, &'static str),
    /// At least some are; whether there are errors, of this kind, depends on what comes first.
    Mostly(&'static str),
}

/// What comes of a server that breaks a rule. The example has this cause, and says this.
fn breaks(cause: &'static str, says: &'static str) -> Outcome {
    Outcome::Fails("protocol", cause, says)
}

/// A server that answers each request by these bytes.
fn each(name: &'static str, answer: fn(u32) -> Vec<u8>, outcome: Outcome) -> Mode {
    Mode::new(name, Behaviour::Each(answer), outcome)
}

/// A server that does this on each connection.
fn whole(name: &'static str, behave: fn(&mut Peer) -> io::Result<()>, outcome: Outcome) -> Mode {
    Mode::new(name, Behaviour::Whole(behave), outcome)
}

/// Requests with a body.
fn post(plan: Plan) -> Plan {
    plan.with(
        "requests",
        json!([{"name": "only", "method": "POST", "path": "/", "body": "a body", "expect": {
            "status": [200], "body": {"kind": "exact", "text": "hello"}
        }}]),
    )
}

impl Mode {
    fn new(name: &'static str, behaviour: Behaviour, outcome: Outcome) -> Mode {
        Mode { name, behaviour, outcome, plan: |plan| plan, counts: &[] }
    }

    fn plan(self, plan: fn(Plan) -> Plan) -> Mode {
        Mode { plan, ..self }
    }

    /// It is waited for in vain: four requests at once time out.
    fn silent(self) -> Mode {
        self.plan(|plan| plan.requests(4).with("timeout_seconds", json!(0.4)))
    }

    fn counts(self, counts: &'static [&'static str]) -> Mode {
        Mode { counts, ..self }
    }

    fn server(&self) -> Server {
        match self.behaviour {
            Behaviour::Each(answer) => Server::start(move |_, stream| {
                let mut peer = Peer::new(stream);
                let _ = peer.greet().and_then(|()| peer.serve(answer));
            }),
            Behaviour::Whole(behave) => Server::start(move |_, stream| {
                let _ = behave(&mut Peer::new(stream));
            }),
        }
    }

    /// Aims four streams of one connection at the server. Gives what is wrong with what came of it.
    fn fault(&self) -> Option<String> {
        let server = self.server();
        let plan = Plan::closed(&server.address, 1)
            .with("http2", json!({"streams": 4}))
            .with("progress_every_seconds", json!(0.05))
            .requests(24)
            .expect(json!({
                "status": [200],
                "content_type": "text/plain",
                "body": {"kind": "exact", "text": "hello"}
            }));
        let run = Run::of(&(self.plan)(plan));
        let account = run.account();
        println!("{}: {account}", self.name);
        let wrong = run.fault(self)?;
        Some(format!("{}: {wrong}: {account}", self.name))
    }
}

/// What an engine has said, and how it ended.
struct Run {
    summary: Summary,
    status: Option<i32>,
    memory_kib: u64,
}

impl Run {
    fn of(plan: &Plan) -> Run {
        let mut engine = Engine::start(&["run"], &plan.0.to_string());
        let pid = Pid::from_child(&engine.child);
        let (ended, end) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = kill_process(pid, Signal::KILL);
            }
        });
        let (mut last, mut memory_kib) = (String::new(), 0);
        loop {
            let line = engine.line();
            if line.is_empty() {
                break;
            }
            memory_kib = memory_kib.max(most_memory_kib(&engine));
            last = line;
        }
        drop(ended);
        watchdog.join().unwrap();
        let summary = Summary(serde_json::from_str(&last).unwrap_or(Value::Null));
        Run { summary, status: engine.child.wait().unwrap().code(), memory_kib }
    }

    /// What is wrong with it, if this server is what it was aimed at.
    fn fault(&self, mode: &Mode) -> Option<String> {
        if self.status != Some(0) || self.summary.0["event"] != "summary" {
            return Some(format!("exit status {:?}", self.status));
        }
        self.summary.assert_books_balance();
        let errors = self.summary.errors();
        let are_all = |kind| errors.iter().all(|(other, _)| *other == kind);
        let (verifies, fails) = (self.summary.count("verified") > 0, !errors.is_empty());
        let is_right = match mode.outcome {
            Outcome::Verifies | Outcome::Unasked(..) => verifies && !fails,
            Outcome::Fails(kind, ..) => !verifies && fails && are_all(kind),
            Outcome::Partly(kind, ..) => verifies && fails && are_all(kind),
            Outcome::Mostly(kind) => verifies && are_all(kind),
        };
        if !is_right {
            return Some(format!("not {:?}", mode.outcome));
        }
        let is_shown = match mode.outcome {
            Outcome::Fails(kind, cause, says) | Outcome::Partly(kind, cause, says) => {
                self.shows(kind, cause, says)
            }
            Outcome::Unasked(cause, says) => self.shows("protocol", cause, says),
            Outcome::Verifies | Outcome::Mostly(_) => true,
        };
        if !is_shown {
            return Some(format!("does not show {:?}", mode.outcome));
        }
        let is_unasked = matches!(mode.outcome, Outcome::Unasked(..)) || mode.counts.contains(&"unasked");
        if is_unasked != (self.counted("unasked") > 0) {
            return Some("unasked".to_owned());
        }
        if mode.counts.contains(&"retried") && self.counted("retried") == 0 {
            return Some("nothing is retried".to_owned());
        }
        let is_bounded = self.memory_kib < MEMORY_LIMIT_KIB;
        (!is_bounded).then(|| "memory".to_owned())
    }

    /// Zero also if the summary has no such count.
    fn counted(&self, key: &str) -> u64 {
        self.summary.0[key].as_u64().unwrap_or_default()
    }

    /// Whether an example shows this. Requests that time out have none.
    fn shows(&self, kind: &str, cause: &str, says: &str) -> bool {
        (cause, says) == ("", "")
            || self.summary.0["examples"].as_array().unwrap().iter().any(|example| {
                example["kind"] == kind
                    && example["cause"].as_str().unwrap_or_default() == cause
                    && example["excerpt"].as_str().unwrap_or_default().contains(says)
            })
    }

    /// All that a row of the table speaks of, in one line.
    fn account(&self) -> String {
        if self.summary.0["event"] != "summary" {
            return format!("no summary, {} MiB", self.memory_kib / 1024);
        }
        let examples = self.summary.0["examples"].as_array().unwrap();
        let first = examples.first().map_or(String::new(), |example| {
            format!("{} {} {} {}", example["kind"], example["cause"], example["excerpt"], example["reason"])
        });
        format!(
            "verified {}, errors {:?}, unasked {}, retried {}, connects {}, {:.1} s, {} MiB, {first}",
            self.summary.count("verified"),
            self.summary.errors(),
            self.counted("unasked"),
            self.counted("retried"),
            self.summary.count("connects"),
            self.summary.0["window_seconds"].as_f64().unwrap_or_default(),
            self.memory_kib / 1024
        )
    }
}

fn modes() -> Vec<Mode> {
    let rooms = [
        honest::modes(),
        heads::modes(),
        streams::modes(),
        illegal_frames::modes(),
        closes::modes(),
        floods::modes(),
    ];
    rooms.into_iter().flatten().collect()
}

#[test]
fn what_comes_of_every_server() {
    let modes = modes();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        while let Some(mode) = modes.get(next.fetch_add(1, Ordering::Relaxed)) {
            faults.extend(mode.fault());
        }
        faults
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), modes.len(), faults.join("\n"));
}

#[test]
fn the_list_names_what_is_told() {
    let page = include_str!("README.md");
    let causes: BTreeSet<&str> = modes()
        .iter()
        .filter_map(|mode| match mode.outcome {
            Outcome::Fails(_, cause, _) | Outcome::Partly(_, cause, _) | Outcome::Unasked(cause, _) => {
                Some(cause)
            }
            Outcome::Verifies | Outcome::Mostly(_) => None,
        })
        .filter(|cause| !cause.is_empty())
        .collect();
    let written: BTreeSet<&str> = page.split('`').filter(|word| word.starts_with("http")).collect();
    assert_eq!(written, causes);
    assert!(page.contains(&format!("{} servers", modes().len())));
}
