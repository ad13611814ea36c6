//! Requests with placeholders: read and compiled once, rendered for every request without allocation.
//!
//! | placeholder | what stands there |
//! | --- | --- |
//! | `{{uniform FROM TO}}` | a whole number, both ends included, all equally likely |
//! | `{{zipf RANKS EXPONENT}}` | a rank from 1 to RANKS, rank k with a probability proportional to k^−EXPONENT |
//! | `{{sequence FROM}}` | FROM, FROM + 1, …: each once over all threads, the same throughout one request |
//! | `{{nonce LABEL FROM}}` | 16 digits that follow from LABEL, the number of `{{sequence FROM}}` and the plan's secret key |
//! | `{{field NAME}}` | the text of a field of one row, uniformly drawn, the same row throughout one request |
//! | `{{row NAME COLUMN}}` | a cell of one row of a table of the plan, the same row throughout one request |
//! | `{{var NAME}}` | a variable of the connection, taken from an answer before |
//! | `{{{{` | `{{` |

mod builder;
mod message;
mod nonce;
mod parse;
mod render;
mod row_text;
mod trace;
mod zipf;

pub use builder::{MessageBuilder, Position, Sources};
pub use message::{FirstSequence, Message, Template};
pub use nonce::nonce_key;
pub use parse::{Part, Placeholder, Spelling, parse};
pub use render::{Drawn, Renderer, Turn};
pub use row_text::RowText;
pub use trace::Tracer;
pub use zipf::Zipf;
