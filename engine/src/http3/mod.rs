//! HTTP/3 (RFC 9114) as a link between a session and its driver: the lanes of a connection are its streams.
//!
//! QUIC is the crate quinn-proto's, without sockets and clocks of its own: datagrams in, datagrams out. Frames and QPACK,
//! whose dynamic table nobody needs here, are read by hand, so that each fault of a server's has its name. What leads from
//! lanes to streams is HTTP/2's.

mod channel;
mod client;
mod control;
mod failure;
mod frame;
mod message;
mod qpack;
mod stream;
mod table;
mod varint;

pub use channel::Channel;
pub use client::QuicClient;

use crate::http2::MultiplexConversation;

/// A session whose lanes are streams of HTTP/3.
pub type Http3Conversation = MultiplexConversation<Channel>;
