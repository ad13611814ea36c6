//! WebSocket, and what it cannot be combined with.

use serde::Deserialize;

use super::{BodyPlan, InvalidPlan, Plan, RequestPlan};
use crate::websocket;

const MOST_IN_FLIGHT: u32 = 1000;
const LONGEST_MESSAGE_BYTES: u64 = 1 << 30;
/// Lanes of one thread or many cost memory as connections do.
const MOST_LANES: u64 = 1_000_000;

/// Each connection is a WebSocket (RFC 6455): a request's body is a message, its answer one of the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSocketPlan {
    /// The JSON pointer at which a message and its answer have the same id; left out: answers come in order.
    #[serde(default)]
    pub id: Option<String>,
    /// The server sends each message on to these connections; left out: to its sender, as its answer.
    #[serde(default)]
    pub broadcast: Option<Broadcast>,
    /// Messages in flight on one connection.
    #[serde(default = "default_one")]
    pub in_flight: u32,
    /// A longer message of the server breaks the connection.
    #[serde(default = "default_message_bytes")]
    pub message_bytes: u64,
}

/// To which connections of the load a message goes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Broadcast {
    /// To each, its sender's as well.
    All,
    /// To each but its sender's.
    Others,
}

fn default_one() -> u32 {
    1
}

fn default_message_bytes() -> u64 {
    1 << 20
}

/// Checks what is said of WebSockets.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    let invalid = |text: String| Err(InvalidPlan(format!("websocket{text}")));
    let Some(WebSocketPlan { id, broadcast, in_flight, message_bytes }) = &plan.websocket else {
        let echo = plan.requests.iter().position(|request| matches!(request.expect.body, BodyPlan::Echo {}));
        return match echo {
            Some(place) => Err(InvalidPlan(format!(
                "requests[{place}].expect.body: kind \"echo\" needs the key websocket"
            ))),
            None => Ok(()),
        };
    };
    let (&in_flight, &message_bytes) = (in_flight, message_bytes);
    let connections = plan.load.connections();
    if !(1..=MOST_IN_FLIGHT).contains(&in_flight)
        || u64::from(in_flight) * u64::from(connections) > MOST_LANES
    {
        return invalid(format!(
            ".in_flight: {in_flight} on each of {connections} connections; allowed are 1 to {MOST_IN_FLIGHT}, and \
             {MOST_LANES} in all"
        ));
    }
    if !(1..=LONGEST_MESSAGE_BYTES).contains(&message_bytes) {
        return invalid(format!(".message_bytes: {message_bytes} is not from 1 to {LONGEST_MESSAGE_BYTES}"));
    }
    let reason = if plan.pipeline > 1 || plan.streams().is_some() {
        "needs pipeline 1 and http2 null: messages do not wait for each other"
    } else if plan.requests_per_connection.is_some() {
        "needs requests_per_connection null: a connection is closed by its server or not at all"
    } else if plan.load.local_ports().is_some() {
        "needs load.local_ports null"
    } else if plan.cookies.is_some() || plan.trace_share > 0.0 {
        "needs cookies null and trace_share 0: messages have no headers"
    } else if plan.reference.is_some() {
        "needs reference null: answers are compared over HTTP/1.1 only"
    } else if broadcast.is_some()
        && (id.is_none()
            || connections < 2
            || plan.threads > 1
            || plan.part.as_ref().is_some_and(|part| part.of > 1)
            || !plan.setup.is_empty())
    {
        "broadcast needs an id, two connections or more, threads 1, no part of several and no setup"
    } else if in_flight > 1 && !plan.setup.is_empty() {
        "needs in_flight 1 where there is a setup"
    } else {
        let first = &plan.requests[0];
        return plan.entries().try_for_each(|(key, request)| {
            message(request, first).map_err(|text| InvalidPlan(format!("{key}.{text}")))
        });
    };
    invalid(format!(": {reason}"))
}

fn message(request: &RequestPlan, first: &RequestPlan) -> Result<(), String> {
    let RequestPlan { method, path, headers, body, body_base64, body_file, chunked, take, expect, .. } =
        request;
    if method != "GET" || *chunked {
        return Err("method: a WebSocket is opened by GET, and its messages are in no chunks".to_owned());
    }
    if (path, headers) != (&first.path, &first.headers) {
        return Err(
            "path: all messages go by the same WebSocket, with the path and headers of the first".into()
        );
    }
    if body_base64.is_some() {
        return Err("body_base64: a message is written as body or body_file".to_owned());
    }
    if body.is_none() && body_file.is_none() {
        return Err("body: missing, it is the message".to_owned());
    }
    if take.values().any(|take| take.header.is_some()) {
        return Err("take: a message has no headers".to_owned());
    }
    if !expect.status.is_empty()
        || expect.content_type.is_some()
        || expect.location_field.is_some()
        || !expect.trailer.is_empty()
    {
        return Err("expect: a message has no status, content_type, location_field or trailer".to_owned());
    }
    headers.iter().try_for_each(|(name, _)| websocket::check_header(name))
}
