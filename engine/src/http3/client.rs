//! What all connections of a run share.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, Endpoint, EndpointConfig, NoneTokenStore, TransportConfig,
    VarInt,
};

use super::failure;
use crate::driver::Failure;
use crate::tls::TlsClient;

/// What a stream may send before its window is opened again, bytes. Windows are opened as bytes are read, so this holds a
/// server up only if it fills it within one round trip.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;

/// Streams of the server's own: its control stream, two of QPACK, and a few that nobody knows.
const SERVER_STREAMS: u32 = 16;

/// What quinn-proto tells paths apart by. The socket is connected, so there is one.
pub(super) const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 443);

/// QUIC as the plan wants it.
pub struct QuicClient {
    config: ClientConfig,
    endpoint: Arc<EndpointConfig>,
    pub(super) tls: Arc<TlsClient>,
}

impl QuicClient {
    /// `tls`: it asks for HTTP/3 by ALPN.
    ///
    /// # Errors
    /// Why there can be no QUIC.
    pub fn new(tls: Arc<TlsClient>) -> Result<QuicClient, String> {
        let crypto = QuicClientConfig::try_from(tls.config()).map_err(|error| error.to_string())?;
        let mut config = ClientConfig::new(Arc::new(crypto));
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .max_concurrent_uni_streams(VarInt::from_u32(SERVER_STREAMS))
            .stream_receive_window(VarInt::from_u32(STREAM_WINDOW_BYTES))
            // Requests have a timeout of their own; how long a silent connection is kept is up to the server.
            .max_idle_timeout(None)
            .datagram_receive_buffer_size(None)
            .enable_segmentation_offload(false);
        config.transport_config(Arc::new(transport)).token_store(Arc::new(NoneTokenStore));
        Ok(QuicClient { config, endpoint: Arc::new(EndpointConfig::default()), tls })
    }

    pub(super) fn connect(&self) -> Result<(Endpoint, ConnectionHandle, Connection), Failure> {
        let mut endpoint = Endpoint::new(Arc::clone(&self.endpoint), None, false, None);
        let name = self.tls.server_name();
        let begun = endpoint.connect(Instant::now(), self.config.clone(), PEER, &name);
        let (handle, connection) = begun.map_err(|error| {
            failure::Cause::Transport.failure(format!("the handshake could not begin: {error}"))
        })?;
        Ok((endpoint, handle, connection))
    }
}
