//! The load engine of Fairtrial: offers load, measures, verifies answers.
//!
//! Protocols ([`http1`], [`http2`], [`http3`]), [`schedule`], verification ([`verify`]) and recording ([`record`]) know no sockets; a
//! [`session`] joins them for one thread, and a [`driver`] moves the bytes.

pub mod clock;
pub mod cookies;
pub mod coordinator;
pub mod dataset;
pub mod delay;
pub mod driver;
pub mod endpoint;
pub mod event_stream;
pub mod events;
pub mod exchange;
pub mod grpc;
pub mod halt;
pub mod hold;
pub mod http1;
pub mod http2;
pub mod http3;
mod huffman;
pub mod listen;
pub mod mix;
pub mod pipelining;
pub mod plan;
pub mod proxy;
pub mod record;
pub mod redirects;
pub mod reference;
pub mod requests;
pub mod rows;
pub mod schedule;
mod send_buffer;
pub mod session;
mod sources;
pub mod target;
pub mod template;
mod timers;
pub mod tls;
pub mod unpack;
pub mod variables;
pub mod verify;
pub mod wait;
pub mod warm_up;
pub mod websocket;

/// The version of the protocol that this engine speaks.
pub const PROTOCOL: u32 = 2;

pub use fairtrial_guard::{parent, processors, signals};
