//! The plan's requests, and what must be true of their answers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use super::check::LONGEST_SECONDS;
use super::{EventsPlan, FieldPlan, GrpcPlan};
use crate::clock;
use crate::delay::Delay;

/// One request: of the mix, beside it, or of a connection's setup.
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
    /// A file that holds the body; never a template.
    #[serde(default)]
    pub body_file: Option<PathBuf>,
    /// The body as bytes, in base64 (RFC 4648, section 4); never a template.
    #[serde(default)]
    pub body_base64: Option<String>,
    /// Texts and files that are the body, one behind the other.
    #[serde(default)]
    pub body_parts: Vec<BodyPartPlan>,
    /// True: the body is sent in chunks, without a length.
    #[serde(default)]
    pub chunked: bool,
    /// True: `path`, header values and `body` hold placeholders, see [`crate::template`].
    #[serde(default)]
    pub template: bool,
    /// True: the summary says which numbers of its first sequence had no verified answer.
    #[serde(default)]
    pub acknowledge: bool,
    /// True: its answers are kept or compared, see [`super::ReferencePlan`].
    #[serde(default)]
    pub compared: bool,
    /// Its share is the weight over the sum of all weights.
    #[serde(default = "default_one")]
    pub weight: u32,
    /// Moments of the window. With any, it is a spot check: none of the mix, and sent once at each of them.
    #[serde(default)]
    pub spot_check_at_seconds: Vec<f64>,
    /// From its answer to the next request's intended start on the connection; none: the load's think time, and none
    /// between two steps of a journey.
    #[serde(default)]
    pub think_seconds: Option<ThinkPlan>,
    /// The journey of which it is a step: requests of one name that stand one behind the other follow each other.
    #[serde(default)]
    pub journey: Option<String>,
    /// By the name of a variable, where in the answer its value stands.
    #[serde(default)]
    pub take: BTreeMap<String, TakePlan>,
    /// So many redirects to the same origin are followed before an answer is judged.
    #[serde(default)]
    pub follow_redirects: u8,
    /// The request that is sent anew when the answer has status 401, and this one behind it: an earlier step of its
    /// journey, or a setup request.
    #[serde(default)]
    pub renew: Option<String>,
    /// What must be true of the answer.
    #[serde(default)]
    pub expect: Expect,
}

/// A part of a body.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyPartPlan {
    /// As `body`.
    Text(String),
    /// A file, as it is.
    File(PathBuf),
}

/// Who keeps cookies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum CookiesPlan {
    /// Each journey, or request that is in none: the next one of the connection has none.
    Journey,
    /// Whoever uses a connection, however often it is opened.
    Connection,
}

/// How long a client thinks.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ThinkPlan {
    /// Always the same.
    Seconds(f64),
    /// Drawn each time, as [`Delay`] reads it.
    Drawn(String),
}

impl ThinkPlan {
    /// The distribution.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn delay(&self) -> Result<Delay, String> {
        match self {
            ThinkPlan::Seconds(seconds) if (0.0..=LONGEST_SECONDS).contains(seconds) => {
                Ok(Delay::Constant(clock::from_seconds(*seconds)))
            }
            ThinkPlan::Seconds(seconds) => Err(format!("{seconds} is not from 0 to {LONGEST_SECONDS}")),
            ThinkPlan::Drawn(text) => match text.parse() {
                Ok(Delay::Histogram(_)) => Err("a histogram: write one of the other kinds".to_owned()),
                other => other,
            },
        }
    }
}

/// Where a variable stands: at a JSON pointer of the body, or in a header.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakePlan {
    /// RFC 6901.
    #[serde(default)]
    pub pointer: Option<String>,
    /// A header's name.
    #[serde(default)]
    pub header: Option<String>,
    /// A regular expression of one group, which is the value.
    #[serde(default)]
    pub pattern: Option<String>,
}

impl RequestPlan {
    /// True if it is none of the mix's.
    pub fn is_spot_check(&self) -> bool {
        !self.spot_check_at_seconds.is_empty()
    }
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
    /// Location is the text of this field of the row that was asked for.
    #[serde(default)]
    pub location_field: Option<String>,
    /// Fields of the trailer, and their values.
    #[serde(default)]
    pub trailer: BTreeMap<String, String>,
    /// How a call by gRPC must have ended; left out, it is none.
    #[serde(default)]
    pub grpc: Option<GrpcPlan>,
    /// Length of the body, in bytes.
    #[serde(default)]
    pub body_bytes: Option<ByteRange>,
    /// The body itself.
    #[serde(default)]
    pub body: BodyPlan,
    /// The body as a whole is compared in every such answer.
    #[serde(default = "default_one")]
    pub check_every: u32,
    /// True: the body of every such answer is handed on, if it is right so far.
    #[serde(default)]
    pub keep_bodies: bool,
}

impl Default for Expect {
    fn default() -> Expect {
        Expect {
            status: Vec::new(),
            content_type: None,
            location_field: None,
            trailer: BTreeMap::new(),
            grpc: None,
            body_bytes: None,
            body: BodyPlan::default(),
            check_every: 1,
            keep_bodies: false,
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
    /// Exactly this text, or these bytes.
    Exact {
        /// The text.
        #[serde(default)]
        text: Option<String>,
        /// The bytes, in base64 (RFC 4648, section 4).
        #[serde(default)]
        base64: Option<String>,
        /// Where texts of rows stand in it that change during the run, from front to back.
        #[serde(default)]
        changed: Vec<ChangedTextPlan>,
    },
    /// A JSON object that holds these fields of one row of the dataset.
    Row {
        /// Names of the fields; the id's is among them.
        fields: Vec<String>,
    },
    /// A JSON document that holds these values.
    Json {
        /// By JSON pointer (RFC 6901), a JSON text that may hold `{{row …}}`.
        values: BTreeMap<String, String>,
    },
    /// The bytes as they came, packed or not, have this SHA-256.
    Digest {
        /// 64 hexadecimal digits.
        sha256: String,
    },
    /// The one message of a unary call by gRPC.
    Message {
        /// What must stand in it; empty: anything.
        #[serde(default)]
        fields: Vec<FieldPlan>,
    },
    /// A stream of events.
    Events(EventsPlan),
    /// Over WebSocket, the message that was sent.
    Echo {},
}

impl BodyPlan {
    /// The bytes of an exact body.
    ///
    /// # Errors
    /// The key that does not fit.
    pub fn exact_bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            BodyPlan::Exact { text: Some(text), base64: None, .. } => Ok(text.clone().into_bytes()),
            BodyPlan::Exact { text: None, base64: Some(text), .. } => {
                STANDARD.decode(text).map_err(|error| format!("expect.body.base64: {error}"))
            }
            _ => Err("expect.body: needs one of text and base64".to_owned()),
        }
    }
}

/// A row's text within a body, which becomes another one of the same length during the run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedTextPlan {
    /// Of the row.
    pub id: u64,
    /// Byte of the body at which the text begins.
    pub at: u64,
    /// The new text.
    pub text: String,
}

impl Default for BodyPlan {
    fn default() -> BodyPlan {
        BodyPlan::Any {}
    }
}

fn default_one() -> u32 {
    1
}

fn default_method() -> String {
    "GET".to_owned()
}
