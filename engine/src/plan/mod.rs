//! The plan of a run, as it is read from standard input.

mod address;
mod chains;
mod check;
mod events;
mod grpc;
mod http2;
mod journeys;
mod load;
mod part;
mod reference;
mod request;
mod rows;
mod setup;
mod transport;
mod websocket;

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;

use serde::Deserialize;

pub use address::Address;
pub use chains::renewal_place;
pub use events::EventsPlan;
pub use grpc::{FieldKind, FieldPlan, FieldValue, GrpcPlan, Occurs};
pub use http2::StreamsPlan;
pub use journeys::{JourneyStep, journey_steps, mix_weights};
pub use load::{Load, Step, Stop};
pub use part::PartPlan;
pub use reference::{NormalisationPlan, ReferencePlan, TextPlan};
pub use request::{
    BodyPartPlan, BodyPlan, ByteRange, ChangedTextPlan, CookiesPlan, Expect, RequestPlan, TakePlan, ThinkPlan,
};
pub use rows::{ChangedRowPlan, PickPlan, RowsPlan};
pub use transport::{DriverChoice, TlsPlan};
pub use websocket::{Broadcast, WebSocketPlan};

pub use crate::PROTOCOL;
use crate::dataset::DatasetSpec;
use crate::wait::Wait;
use crate::warm_up::Rule;

/// An open load's answers are awaited this long after the window if the plan does not say. Whoever waits for a user's
/// sake has given up by then, and each trial of a server that is overloaded lasts so much longer.
const LONGEST_DEFAULT_DRAIN_SECONDS: f64 = 2.0;

/// Everything that a run needs to know.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Must be [`PROTOCOL`].
    pub protocol: u32,
    /// Where to connect to.
    pub address: Address,
    /// Further addresses of the same server: connections take turns over all of them.
    #[serde(default)]
    pub other_addresses: Vec<SocketAddr>,
    /// The Host header; left out, it is [`Address::default_host`].
    #[serde(default)]
    pub host: Option<String>,
    /// TLS, or none.
    #[serde(default)]
    pub tls: Option<TlsPlan>,
    /// What moves the bytes.
    #[serde(default)]
    pub driver: DriverChoice,
    /// What threads do while answers are awaited.
    #[serde(default)]
    pub wait: Wait,
    /// What each connection sends before anything else.
    #[serde(default)]
    pub setup: Vec<RequestPlan>,
    /// What is asked, by weight.
    pub requests: Vec<RequestPlan>,
    /// The load model.
    pub load: Load,
    /// As it was written: see [`Plan::stop`].
    #[serde(default)]
    stop: Option<Stop>,
    /// Least length of the phase before the window.
    #[serde(default)]
    pub warmup_seconds: f64,
    /// That phase goes on until the pace is flat, but not for longer; left out: for `warmup_seconds`, whatever the pace.
    #[serde(default)]
    pub warmup_limit_seconds: Option<f64>,
    /// The length of that phase if all connections of the load are there already, from the plan before; left out: as without.
    #[serde(default)]
    pub kept_warmup_seconds: Option<f64>,
    /// The last of so many requests on a connection says `Connection: close`; left out, none does.
    #[serde(default)]
    pub requests_per_connection: Option<u32>,
    /// Requests in flight on one connection.
    #[serde(default = "default_one")]
    pub pipeline: u32,
    /// HTTP/2; left out, HTTP/1.1.
    #[serde(default)]
    pub http2: Option<StreamsPlan>,
    /// HTTP/3; left out, HTTP/1.1 or HTTP/2.
    #[serde(default)]
    pub http3: Option<StreamsPlan>,
    /// Requests are messages; left out, they are HTTP's.
    #[serde(default)]
    pub websocket: Option<WebSocketPlan>,
    /// From the start of a request, its connect included, to the error `timeout`.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: f64,
    /// As it was written: see [`Plan::drain_seconds`].
    #[serde(default)]
    drain_seconds: Option<f64>,
    /// An open load's request is not sent later than so long after its intended start; left out: it is, however late.
    #[serde(default)]
    pub deadline_seconds: Option<f64>,
    /// So large a part of the requests has a `traceparent`, from 0 to 1.
    #[serde(default)]
    pub trace_share: f64,
    /// Number of threads that offer load.
    #[serde(default = "default_one")]
    pub threads: u32,
    /// Thread i is bound to `cpus[i % len]`; empty: not bound.
    #[serde(default)]
    pub cpus: Vec<u32>,
    /// Which of several engines this is; left out, it is alone.
    #[serde(default)]
    pub part: Option<PartPlan>,
    /// Seeds Poisson arrivals and templates.
    #[serde(default)]
    pub seed: u64,
    /// Whose cookies are kept and sent; left out: nobody's.
    #[serde(default)]
    pub cookies: Option<CookiesPlan>,
    /// The secret of `{{nonce …}}`, in 32 hexadecimal digits; empty: there are none.
    #[serde(default)]
    pub nonce_key: String,
    /// What `row` bodies are compared with, and where templates take fields from.
    #[serde(default)]
    pub dataset: Option<DatasetSpec>,
    /// Tables of rows by name, of which templates take cells.
    #[serde(default)]
    pub rows: BTreeMap<String, RowsPlan>,
    /// Rows of which somebody else changes one text during the run; both texts are right.
    #[serde(default)]
    pub changed_rows: Vec<ChangedRowPlan>,
    /// What is done with the answers to `compared` requests; none: nothing.
    #[serde(default)]
    pub reference: Option<ReferencePlan>,
    /// Interval of the progress events; 0: none.
    #[serde(default = "default_progress")]
    pub progress_every_seconds: f64,
    /// Signals have the load stand still: see [`crate::halt`].
    #[serde(default)]
    pub halts: bool,
    /// So many intended starts of the window are listed in the summary.
    #[serde(default)]
    pub record_intended: u64,
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
        check::plan(&plan)?;
        reference::check(&plan)?;
        setup::check(&plan)?;
        journeys::check(&plan)?;
        chains::check(&plan)?;
        http2::check(&plan)?;
        websocket::check(&plan)?;
        grpc::check(&plan)?;
        part::check(&plan)?;
        Ok(plan)
    }

    /// The requests of the mix; spot checks are behind them.
    pub fn mix(&self) -> &[RequestPlan] {
        let count = self.requests.iter().take_while(|request| !request.is_spot_check()).count();
        &self.requests[..count]
    }

    /// What decides when the window opens; `None`: it opens after `warmup_seconds`.
    pub fn warm_up(&self) -> Option<Rule> {
        let limit_seconds = self.warmup_limit_seconds.filter(|&seconds| seconds > 0.0)?;
        let is_closed = !self.load.is_open();
        Some(Rule { least_seconds: self.warmup_seconds, limit_seconds, is_closed })
    }

    /// When the run ends. Steps end it themselves if the plan does not say.
    pub fn stop(&self) -> Stop {
        match (self.stop, &self.load) {
            (Some(stop), _) => stop,
            (None, Load::Steps { steps, .. }) => {
                Stop::Seconds { seconds: steps.iter().map(|step| step.seconds).sum() }
            }
            (None, _) => unreachable!("checked when the plan was read"),
        }
    }

    /// How long answers are awaited after the window; a closed load owes none unless the plan says so.
    pub fn drain_seconds(&self) -> f64 {
        let by_default =
            if self.load.is_open() { self.timeout_seconds.min(LONGEST_DEFAULT_DRAIN_SECONDS) } else { 0.0 };
        self.drain_seconds.unwrap_or(by_default)
    }

    /// All requests, those of the setup behind the others, each with its key: `requests[0]`, `setup[0]`.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (String, &RequestPlan)> {
        let keyed = |list: &'static str, requests: &'_ [RequestPlan]| {
            (0..requests.len()).map(move |place| format!("{list}[{place}]"))
        };
        let keys = keyed("requests", &self.requests).chain(keyed("setup", &self.setup));
        keys.zip(self.requests.iter().chain(&self.setup))
    }

    /// What is said of streams; `None`: there are none, over HTTP/1.1.
    pub fn streams(&self) -> Option<StreamsPlan> {
        self.http2.or(self.http3)
    }

    /// Requests that one connection carries at once: streams, messages, or places in its pipeline.
    pub fn lanes(&self) -> u32 {
        match (self.streams(), &self.websocket) {
            (Some(plan), _) => plan.streams,
            (None, Some(websocket)) => websocket.in_flight,
            (None, None) => self.pipeline,
        }
    }

    /// The Host header.
    pub fn host(&self) -> &str {
        self.host.as_deref().unwrap_or_else(|| self.address.default_host())
    }
}

#[cfg(test)]
mod tests;
