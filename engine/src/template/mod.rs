//! Requests with placeholders: read and compiled once, rendered for every request without allocation.
//!
//! | placeholder | what stands there |
//! | --- | --- |
//! | `{{uniform FROM TO}}` | a whole number, both ends included, all equally likely |
//! | `{{zipf RANKS EXPONENT}}` | a rank from 1 to RANKS, rank k with a probability proportional to k^−EXPONENT |
//! | `{{sequence FROM}}` | FROM, FROM + 1, …: each once over all threads, the same throughout one request |
//! | `{{field NAME}}` | the text of a field of one row, uniformly drawn, the same row throughout one request |
//! | `{{{{` | `{{` |

mod message;
mod parse;
mod render;
mod zipf;

pub use message::{FirstSequence, Message, MessageBuilder, Position, Template};
pub use parse::{Part, Placeholder, parse};
pub use render::Renderer;
pub use zipf::Zipf;
