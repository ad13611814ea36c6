//! What must be true of the answer to a call by gRPC.

use serde::Deserialize;

use super::{BodyPlan, InvalidPlan, Plan};
use crate::grpc::OK;

/// What must be true of how a call ended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcPlan {
    /// The statuses that are right.
    #[serde(default = "only_ok")]
    pub status: Vec<u16>,
    /// A call whose answer is not whole so long after it was sent is reset, and has the status DEADLINE_EXCEEDED.
    #[serde(default)]
    pub deadline_seconds: Option<f64>,
}

fn only_ok() -> Vec<u16> {
    vec![OK]
}

/// What must stand in one field of a message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldPlan {
    /// What people call it.
    pub name: String,
    /// Its number in the message.
    pub number: u32,
    /// Its type.
    pub kind: FieldKind,
    /// How often it occurs.
    #[serde(default)]
    pub occurs: Occurs,
    /// What stands there; of a field that occurs once, one.
    pub values: Vec<FieldValue>,
}

/// The types of fields; an `enum` is an int32.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum FieldKind {
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Bool,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
    Message,
}

/// How often a field occurs.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Occurs {
    /// Once, or not at all, which is zero or empty.
    #[default]
    Once,
    /// As often as there are values, in their order.
    Repeated,
    /// In any order, and maybe others as well: each value is a message whose field 1 is the key.
    Map,
}

/// A value.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// Of a number: the bits that are sent, before they are packed.
    Bits(u64),
    /// Of `string` and `bytes`: base64 (RFC 4648, section 4). Of them and of numbers: `{{row NAME COLUMN base64}}`, a cell
    /// that holds what is sent, of a number its bits in 8 bytes, the lowest first.
    Base64(String),
    /// Of `message`: what must stand in it.
    Fields(Vec<FieldPlan>),
}

/// Checks calls: they need HTTP/2, and their messages a status.
pub(super) fn check(plan: &Plan) -> Result<(), InvalidPlan> {
    for (key, request) in plan.entries() {
        let invalid = |text: &str| Err(InvalidPlan(format!("{key}.expect.{text}")));
        match &request.expect.grpc {
            None if holds_messages(&request.expect.body) => return invalid("body: of messages, needs grpc"),
            Some(_) if matches!(&request.expect.body, BodyPlan::Events(events) if events.messages.is_none()) =>
            {
                return invalid("body: of kind \"events\", needs messages with grpc");
            }
            Some(_) if plan.http2.is_none() => return invalid("grpc: needs http2"),
            Some(grpc) if grpc.status.is_empty() => {
                return invalid("grpc.status: empty, at least one is needed");
            }
            Some(GrpcPlan { deadline_seconds: Some(seconds), .. }) if *seconds <= 0.0 => {
                return invalid("grpc.deadline_seconds: is not above 0");
            }
            _ => {}
        }
    }
    Ok(())
}

fn holds_messages(body: &BodyPlan) -> bool {
    match body {
        BodyPlan::Message { .. } => true,
        BodyPlan::Events(events) => events.messages.is_some(),
        _ => false,
    }
}
