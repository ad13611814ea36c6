//! TLS between a session and its driver, without sockets: the driver sees ciphertext, the session plaintext.
//!
//! Sessions are not resumed: every connection makes a full handshake, so that the cost of one is the cost of each.

mod cause;
mod certificate;
mod channel;
mod client;
mod conversation;
mod failure;
mod files;
mod insecure;
mod no_certificate;
mod quic;
mod server;

pub(crate) use channel::Channel;
pub use client::TlsClient;
pub use conversation::TlsConversation;
pub use server::{ServerTls, TlsServerSpec, TlsVersion};

/// The protocol asked for by ALPN.
const ALPN: &[u8] = b"http/1.1";

/// The same for HTTP/2 (RFC 9113, 3.2).
const ALPN_HTTP2: &[u8] = b"h2";

/// The same for HTTP/3 (RFC 9114, 3.1).
const ALPN_HTTP3: &[u8] = b"h3";
