//! Everything about a plan that can be done, or found impossible, before the first connect.

use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::clock;
use crate::dataset::Dataset;
use crate::driver::{self, Driver};
use crate::endpoint::Endpoint;
use crate::http1::request::{self, EncodedRequest};
use crate::mix::RequestMix;
use crate::plan::{BodyPlan, InvalidPlan, Load, Plan, RequestPlan};
use crate::processors;
use crate::record::{Record, Totals};
use crate::schedule::Quota;
use crate::session::SessionParts;
use crate::tls::TlsClient;
use crate::verify::Expectation;

/// Open files that are needed beside the connections: standard streams, wake-ups, epoll.
const OTHER_FILES: u64 = 64;

/// A prepared plan.
pub struct Run {
    pub(super) plan: Plan,
    pub(super) endpoint: Endpoint,
    pub(super) driver: Driver,
    /// Why it is not io_uring, where that was not asked for.
    pub(super) driver_fallback: Option<String>,
    pub(super) tls: Option<Arc<TlsClient>>,
    dataset: Option<Arc<Dataset>>,
    requests: Arc<[EncodedRequest]>,
}

impl Run {
    /// Prepares a plan, and binds the calling thread to the plan's processors.
    ///
    /// # Errors
    /// The key that cannot be followed.
    pub fn prepare(plan: Plan) -> Result<Run, InvalidPlan> {
        refuse_what_is_not_built(&plan)?;
        let dataset = match &plan.dataset {
            Some(spec) => {
                let dataset = Dataset::new(spec).map_err(|error| InvalidPlan(format!("dataset.{error}")))?;
                Some(Arc::new(dataset))
            }
            None => None,
        };
        let endpoint =
            Endpoint::resolve(&plan.address).map_err(|text| InvalidPlan(format!("address: {text}")))?;
        let host = plan.host();
        let mut requests = Vec::new();
        for (place, request) in plan.requests.iter().enumerate() {
            let invalid = |text| InvalidPlan(format!("requests[{place}].{text}"));
            requests.push(
                request::encode(request, host, plan.requests_per_connection != Some(1)).map_err(invalid)?,
            );
            Expectation::new(&request.expect, dataset.as_ref()).map_err(invalid)?;
        }
        let tls = match &plan.tls {
            Some(tls) => Some(
                TlsClient::new(tls, plan.address.host_name())
                    .map_err(|text| InvalidPlan(format!("tls.{text}")))?,
            ),
            None => None,
        };
        raise_file_limit(u64::from(plan.load.connections()))?;
        bind_to_all(&plan.cpus)?;
        let connections = plan.load.connections();
        let per_thread = connections.div_ceil(plan.threads.min(connections));
        let (driver, driver_fallback) = driver::choose(plan.driver, per_thread)
            .map_err(|reason| InvalidPlan(format!("driver: {reason}")))?;
        let (tls, requests) = (tls.map(Arc::new), requests.into());
        Ok(Run { plan, endpoint, driver, driver_fallback, tls, dataset, requests })
    }

    /// The parts of one thread's session.
    pub(super) fn session_parts(
        &self,
        thread: usize,
        connections: u64,
        share: Option<u64>,
        totals: Arc<Totals>,
    ) -> SessionParts {
        let plan = &self.plan;
        let expectations = plan
            .requests
            .iter()
            .map(|request| Expectation::new(&request.expect, self.dataset.as_ref()))
            .collect::<Result<Vec<_>, String>>()
            .expect("checked when the plan was prepared");
        let weights = plan.requests.iter().map(|request| request.weight);
        SessionParts {
            connections: connections as usize,
            requests: Arc::clone(&self.requests),
            expectations,
            mix: RequestMix::new(weights, plan.seed, thread as u64),
            quota: Quota::new(share),
            keep_alive: plan.requests_per_connection != Some(1),
            timeout_ns: clock::from_seconds(plan.timeout_seconds),
            record: Record::new(self.tallied_dataset()),
            totals,
        }
    }

    /// The dataset, if answered ids are tallied.
    pub(super) fn tallied_dataset(&self) -> Option<&Dataset> {
        let is_row = |body: &BodyPlan| matches!(body, BodyPlan::Row { .. });
        let has_rows = self.plan.requests.iter().any(|request| is_row(&request.expect.body));
        self.dataset.as_deref().filter(|_| has_rows)
    }
}

/// Keys that are read but not followed yet.
fn refuse_what_is_not_built(plan: &Plan) -> Result<(), InvalidPlan> {
    let is_planned = |key: &str| Err(InvalidPlan(format!("{key}: not built into this engine yet")));
    let templated = |request: &RequestPlan| request.template || request.body_file.is_some();
    match plan {
        Plan { pipeline: 2.., .. } => is_planned("pipeline"),
        Plan { requests_per_connection: Some(2..), .. } => is_planned("requests_per_connection: 2"),
        Plan { load: Load::Closed { think_time_seconds: 0.0, .. }, .. } => Ok(()),
        Plan { load, .. } if load.is_open() => is_planned("load.kind"),
        _ => is_planned("load.think_time_seconds"),
    }?;
    if plan.requests.iter().any(templated) { is_planned("requests[].template") } else { Ok(()) }
}

/// Connections are files; a common soft limit is 1024.
fn raise_file_limit(connections: u64) -> Result<(), InvalidPlan> {
    let needed = connections + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).map_err(
        |error| InvalidPlan(format!("load.connections: the file limit cannot be raised: {error}")),
    )?;
    match limit.maximum {
        Some(maximum) if maximum < needed => Err(InvalidPlan(format!(
            "load.connections: {connections} is above what the file limit of {maximum} allows (ulimit -Hn)"
        ))),
        _ => Ok(()),
    }
}

/// The coordinator shares the load threads' processors, so that it never takes time on the server's.
fn bind_to_all(cpus: &[u32]) -> Result<(), InvalidPlan> {
    let invalid = |error| InvalidPlan(format!("cpus: {error}"));
    for &cpu in cpus {
        processors::bind(&[cpu]).map_err(invalid)?;
    }
    if cpus.is_empty() { Ok(()) } else { processors::bind(cpus).map_err(invalid) }
}
