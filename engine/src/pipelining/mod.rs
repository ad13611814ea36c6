//! HTTP/1.1 with several requests in flight on a connection (RFC 9112, section 9.3.2), as a link between a session and its
//! driver: the lanes of a connection are the places in its pipeline.
//!
//! Answers come in the order of the requests. If the connection breaks, every request that was sent on it has failed:
//! whether the server did their work is not known.

mod conversation;
mod link;

pub use conversation::PipelinedConversation;
