//! HTTP/2, and what it cannot be combined with.

use serde::Deserialize;

use super::{InvalidPlan, Plan};
use crate::http2;

/// Lanes of one thread or many cost memory as connections do.
const MOST_LANES: u64 = 1_000_000;

/// HTTP/2 to the server: over TLS by ALPN, else with prior knowledge (RFC 9113, 3.3).
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Http2Plan {
    /// Requests in flight on one connection.
    #[serde(default = "default_one")]
    pub streams: u32,
}

fn default_one() -> u32 {
    1
}

/// Checks what is said of HTTP/2.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let Some(Http2Plan { streams }) = plan.http2 else { return Ok(()) };
    let lanes = u64::from(streams) * u64::from(plan.load.connections());
    if streams == 0 || lanes > MOST_LANES {
        return Err(InvalidPlan(format!(
            "http2.streams: {streams} on each of {} connections; allowed are 1 or more, and {MOST_LANES} in all",
            plan.load.connections()
        )));
    }
    let reason = if plan.pipeline > 1 {
        "needs pipeline 1: streams do not wait for each other"
    } else if plan.requests_per_connection.is_some() {
        "needs requests_per_connection null: a connection is closed by its server or not at all"
    } else if plan.load.local_ports().is_some() {
        "needs load.local_ports null"
    } else if !plan.setup.is_empty() {
        "needs setup to be empty: setup requests are sent over HTTP/1.1 only"
    } else if plan.reference.is_some() {
        "needs reference null: answers are compared over HTTP/1.1 only"
    } else {
        return plan.requests.iter().enumerate().try_for_each(|(place, request)| {
            http2::check(&request.headers).map_err(|text| InvalidPlan(format!("requests[{place}].{text}")))
        });
    };
    Err(InvalidPlan(format!("http2: {reason}")))
}
