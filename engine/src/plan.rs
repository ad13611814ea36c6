//! The plan of a run, as it is read from standard input.

use std::fmt;

use serde::Deserialize;

use crate::dataset::DatasetSpec;

/// The version of the protocol that this engine speaks.
pub const PROTOCOL: u32 = 1;

const MOST_CONNECTIONS: u32 = 1_000_000;
const MOST_THREADS: u32 = 1024;
const LONGEST_SECONDS: f64 = 7.0 * 86_400.0;

/// Everything that a run needs to know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Must be [`PROTOCOL`].
    pub protocol: u32,
    /// `host:port` to connect to.
    pub address: String,
    /// The Host header; left out, it is `address`.
    #[serde(default)]
    pub host: Option<String>,
    /// What is asked, by weight.
    pub requests: Vec<RequestPlan>,
    /// The load model.
    pub load: Load,
    /// When the run ends.
    pub stop: Stop,
    /// Length of the phase before the window.
    #[serde(default)]
    pub warmup_seconds: f64,
    /// False: `Connection: close`, and a new connection for every request.
    #[serde(default = "default_true")]
    pub keep_alive: bool,
    /// From the start of a request, its connect included, to the error `timeout`.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: f64,
    /// Number of threads that offer load.
    #[serde(default = "default_one")]
    pub threads: u32,
    /// Thread i is bound to `cpus[i % len]`; empty: not bound.
    #[serde(default)]
    pub cpus: Vec<u32>,
    /// Seeds the choice among the requests.
    #[serde(default)]
    pub seed: u64,
    /// What `row` bodies are compared with.
    #[serde(default)]
    pub dataset: Option<DatasetSpec>,
    /// Interval of the progress events; 0: none.
    #[serde(default = "default_progress")]
    pub progress_every_seconds: f64,
}

/// One request of the mix.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestPlan {
    /// What the request is called.
    #[serde(default)]
    pub name: String,
    /// The method, as it is sent.
    #[serde(default = "default_method")]
    pub method: String,
    /// The request target, from the slash on.
    pub path: String,
    /// Header names and values, sent in this order.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body's text.
    #[serde(default)]
    pub body: Option<String>,
    /// Its share is the weight over the sum of all weights.
    #[serde(default = "default_one")]
    pub weight: u32,
    /// What must be true of the answer.
    #[serde(default)]
    pub expect: Expect,
}

/// What must be true of an answer. Left out: any 2xx, any header, any length, any body.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The statuses that are right; none: any 2xx.
    #[serde(default)]
    pub status: Vec<u16>,
    /// The media type, compared without parameters unless it has some itself.
    #[serde(default)]
    pub content_type: Option<String>,
    /// Length of the body, in bytes.
    #[serde(default)]
    pub body_bytes: Option<ByteRange>,
    /// The body itself.
    #[serde(default)]
    pub body: BodyPlan,
    /// The body as a whole is compared in every such answer.
    #[serde(default = "default_one")]
    pub check_every: u32,
}

impl Default for Expect {
    fn default() -> Expect {
        Expect {
            status: Vec::new(),
            content_type: None,
            body_bytes: None,
            body: BodyPlan::default(),
            check_every: 1,
        }
    }
}

/// An inclusive range of lengths, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByteRange {
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
}

/// What the body must be.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum BodyPlan {
    /// Anything.
    Any {},
    /// Exactly this text.
    Exact {
        /// The text.
        text: String,
    },
    /// A JSON object that holds these fields of one row of the dataset.
    Row {
        /// Names of the fields; the id's is among them.
        fields: Vec<String>,
    },
}

impl Default for BodyPlan {
    fn default() -> BodyPlan {
        BodyPlan::Any {}
    }
}

/// The load model.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Load {
    /// Every connection sends its next request when its last one is answered.
    Closed {
        /// How many, over all threads.
        connections: u32,
    },
}

impl Load {
    /// The highest number of connections that are open at once.
    pub fn connections(self) -> u32 {
        match self {
            Load::Closed { connections } => connections,
        }
    }
}

/// When the run ends.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Stop {
    /// After this long, counted from the end of the warm-up.
    Seconds {
        /// The window's length.
        seconds: f64,
    },
    /// After this many answers or errors, counted from the end of the warm-up.
    Requests {
        /// Over all threads.
        requests: u64,
    },
}

fn default_true() -> bool {
    true
}

fn default_one() -> u32 {
    1
}

fn default_timeout() -> f64 {
    10.0
}

fn default_progress() -> f64 {
    0.25
}

fn default_method() -> String {
    "GET".to_owned()
}

/// A plan that cannot be run; its text is one line that names the key and what is allowed.
#[derive(Debug)]
pub struct InvalidPlan(pub String);

impl fmt::Display for InvalidPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "plan: {}", self.0.replace('\n', " "))
    }
}

impl std::error::Error for InvalidPlan {}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    /// The first key that does not fit.
    pub fn from_json(json: &[u8]) -> Result<Plan, InvalidPlan> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let plan: Plan = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            match path.as_str() {
                "." => InvalidPlan(error.into_inner().to_string()),
                _ => InvalidPlan(format!("{path}: {}", error.into_inner())),
            }
        })?;
        reader.end().map_err(|error| InvalidPlan(error.to_string()))?;
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), InvalidPlan> {
        let within = |key: &str, value: f64, least: f64, most: f64| {
            if (least..=most).contains(&value) {
                return Ok(());
            }
            Err(InvalidPlan(format!("{key}: {value} is not from {least} to {most}")))
        };
        within("protocol", f64::from(self.protocol), f64::from(PROTOCOL), f64::from(PROTOCOL))?;
        within("warmup_seconds", self.warmup_seconds, 0.0, LONGEST_SECONDS)?;
        within("timeout_seconds", self.timeout_seconds, 0.001, LONGEST_SECONDS)?;
        within("progress_every_seconds", self.progress_every_seconds, 0.0, LONGEST_SECONDS)?;
        within("threads", f64::from(self.threads), 1.0, f64::from(MOST_THREADS))?;
        within("load.connections", f64::from(self.load.connections()), 1.0, f64::from(MOST_CONNECTIONS))?;
        match self.stop {
            Stop::Seconds { seconds } => within("stop.seconds", seconds, 0.001, LONGEST_SECONDS)?,
            Stop::Requests { requests: 0 } => {
                return Err(InvalidPlan("stop.requests: 0 is not at least 1".to_owned()));
            }
            Stop::Requests { .. } => {}
        }
        if self.requests.is_empty() {
            return Err(InvalidPlan("requests: empty, at least one is needed".to_owned()));
        }
        for (place, request) in self.requests.iter().enumerate() {
            request.check(&format!("requests[{place}]"))?;
        }
        Ok(())
    }
}

impl RequestPlan {
    fn check(&self, key: &str) -> Result<(), InvalidPlan> {
        let invalid = |text: String| Err(InvalidPlan(format!("{key}.{text}")));
        let expect = &self.expect;
        if self.weight == 0 {
            return invalid("weight: 0 is not at least 1".to_owned());
        }
        if expect.check_every == 0 {
            return invalid("expect.check_every: 0 is not at least 1".to_owned());
        }
        if let Some(status) = expect.status.iter().find(|status| !(100..=599).contains(*status)) {
            return invalid(format!("expect.status: {status} is not from 100 to 599"));
        }
        if let Some(ByteRange { min, max }) = expect.body_bytes.filter(|range| range.min > range.max) {
            return invalid(format!("expect.body_bytes: min {min} is above max {max}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn minimal() -> Value {
        json!({
            "protocol": 1,
            "address": "127.0.0.1:8080",
            "requests": [{"path": "/"}],
            "load": {"kind": "closed", "connections": 1},
            "stop": {"kind": "seconds", "seconds": 1.0}
        })
    }

    fn message(change: impl Fn(&mut Value)) -> String {
        let mut plan = minimal();
        change(&mut plan);
        Plan::from_json(plan.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_may_be_left_out_has_its_default() {
        let plan = Plan::from_json(minimal().to_string().as_bytes()).unwrap();
        assert!(plan.keep_alive && plan.dataset.is_none() && plan.cpus.is_empty());
        assert_eq!((plan.threads, plan.warmup_seconds, plan.timeout_seconds), (1, 0.0, 10.0));
        assert_eq!((plan.requests[0].method.as_str(), plan.requests[0].weight), ("GET", 1));
    }

    #[test]
    fn errors_name_the_key_and_what_is_allowed() {
        let unknown = message(|plan| plan["cpu"] = json!([1]));
        assert!(unknown.contains("`cpu`") && unknown.contains("`cpus`"), "{unknown}");
        let nested = message(|plan| plan["requests"][0]["weight"] = json!("much"));
        assert!(nested.contains("requests[0].weight"), "{nested}");
        let body =
            message(|plan| plan["requests"][0]["expect"] = json!({"body": {"kind": "any", "text": ""}}));
        assert!(body.contains("`text`"), "{body}");
        let load = message(|plan| plan["load"] = json!({"kind": "open"}));
        assert!(load.contains("load") && load.contains("`closed`"), "{load}");
        let range = message(|plan| plan["timeout_seconds"] = json!(0));
        assert!(range.contains("timeout_seconds: 0 is not from 0.001"), "{range}");
        let missing = message(|plan| {
            plan.as_object_mut().unwrap().remove("stop");
        });
        assert!(missing.contains("`stop`"), "{missing}");
        assert!(message(|plan| plan["requests"] = json!([])).contains("requests: empty"));
        assert!(
            message(|plan| plan["stop"] = json!({"kind": "requests", "requests": 0}))
                .contains("stop.requests")
        );
        for text in ["", "{", "[]", "{} {}"] {
            assert!(!Plan::from_json(text.as_bytes()).unwrap_err().to_string().contains('\n'));
        }
    }
}
