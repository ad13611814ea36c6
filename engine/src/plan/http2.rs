//! HTTP/2 and HTTP/3, and what they cannot be combined with.

use serde::Deserialize;

use super::{Address, DriverChoice, InvalidPlan, Plan};
use crate::http2;

/// Lanes of one thread or many cost memory as connections do.
const MOST_LANES: u64 = 1_000_000;

/// HTTP/2 to the server: over TLS by ALPN, else with prior knowledge (RFC 9113, 3.3). Or HTTP/3, over QUIC.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct StreamsPlan {
    /// Requests in flight on one connection.
    #[serde(default = "default_one")]
    pub streams: u32,
}

fn default_one() -> u32 {
    1
}

/// Checks what is said of HTTP/2 or HTTP/3.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let Some(StreamsPlan { streams }) = plan.streams() else { return Ok(()) };
    let (key, protocol) = if plan.http2.is_some() { ("http2", "HTTP/2") } else { ("http3", "HTTP/3") };
    let lanes = u64::from(streams) * u64::from(plan.load.connections());
    if streams == 0 || lanes > MOST_LANES {
        return Err(InvalidPlan(format!(
            "{key}.streams: {streams} on each of {} connections; allowed are 1 or more, and {MOST_LANES} in all",
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
    } else if plan.http3.is_some() && plan.http2.is_some() {
        "needs http3 null"
    } else if plan.http3.is_some() && plan.tls.is_none() {
        "needs tls: QUIC has no connections without"
    } else if plan.http3.is_some() && matches!(plan.address, Address::Unix(_)) {
        "needs an address with a port: QUIC goes by UDP"
    } else if plan.http3.is_some() && plan.driver == DriverChoice::IoUring {
        "needs driver \"auto\" or \"epoll\": datagrams go by epoll alone"
    } else {
        return plan.requests.iter().enumerate().try_for_each(|(place, request)| {
            let checked = http2::check(&request.headers, protocol);
            checked.map_err(|text| InvalidPlan(format!("requests[{place}].{text}")))
        });
    };
    Err(InvalidPlan(format!("{key}: {reason}")))
}
