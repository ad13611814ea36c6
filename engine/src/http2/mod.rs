//! HTTP/2 (RFC 9113) as a link between a session and its driver: the lanes of a connection are its streams.
//!
//! Framing, HPACK, flow control and the states of streams are the crate h2's. It is made for sockets that a runtime polls;
//! here it reads from a buffer and writes to one ([`pipe`]), and is polled when bytes have come, or are to go. What it does
//! not tell of the server's faults, a look at the frames as they pass by does ([`scan`]).

mod channel;
mod connection;
mod conversation;
mod ends;
pub(crate) mod failure;
mod lanes;
mod link;
mod multiplex;
mod pipe;
mod request;
mod scan;
mod stream;

use channel::Channel;
pub(crate) use conversation::MultiplexConversation;
pub(crate) use multiplex::{Heard, Multiplex, Unasked};
#[cfg(test)]
pub(crate) use pipe::Pipe;
pub(crate) use request::Encoded;
pub use request::check;

/// A session whose lanes are streams of HTTP/2.
pub type Http2Conversation = MultiplexConversation<Channel>;
