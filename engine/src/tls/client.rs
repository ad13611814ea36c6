//! The TLS configuration that all connections of a run share.

use std::sync::{Arc, Mutex, OnceLock};

use rustls::client::danger::ServerCertVerifier;
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, RootCertStore};

use super::channel::Channel;
use super::failure::{self, Scene};
use super::files;
use super::insecure::AnyCertificate;
use super::no_certificate::NoCertificate;
use super::quic::NotedVerifier;
use crate::driver::Failure;
use crate::plan::TlsPlan;
use crate::record::{Handshakes, TlsFacts};

/// TLS as the plan wants it, and what became of it.
#[derive(Debug)]
pub struct TlsClient {
    pub(super) config: Arc<ClientConfig>,
    pub(super) verifier: Arc<dyn ServerCertVerifier>,
    /// The same, over QUIC.
    pub(super) noted: Option<Arc<NotedVerifier>>,
    is_for_http2: bool,
    has_certificate: bool,
    no_certificate: Arc<NoCertificate>,
    pub(super) server_name: ServerName<'static>,
    pub(super) facts: OnceLock<TlsFacts>,
    wire: Mutex<WireUse>,
}

/// What TLS came to in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireUse {
    /// Bytes of ciphertext from the peer.
    pub received_bytes: u64,
    /// Bytes of ciphertext to the peer.
    pub sent_bytes: u64,
    /// Finished handshakes.
    pub handshakes: Handshakes,
}

impl TlsClient {
    /// Reads the plan's files. `host` is the name to verify where the plan names none: a host name or an address,
    /// without brackets and port.
    ///
    /// # Errors
    /// What cannot be followed, with its key inside `tls`.
    pub fn new(plan: &TlsPlan, host: &str) -> Result<TlsClient, String> {
        let provider = Arc::new(ring::default_provider());
        let name = plan.server_name.as_deref().unwrap_or(host);
        let server_name = ServerName::try_from(name.to_owned())
            .map_err(|_| format!("server_name: {name:?} is neither a host name nor an address"))?;
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let verifier: Arc<dyn ServerCertVerifier> = if plan.insecure {
            Arc::new(AnyCertificate { provider })
        } else {
            WebPkiServerVerifier::builder_with_provider(Arc::new(trusted(plan)?), provider)
                .build()
                .map_err(|error| format!("ca_file: {error}"))?
        };
        let builder = builder.dangerous().with_custom_certificate_verifier(Arc::clone(&verifier));
        let no_certificate = Arc::new(NoCertificate::default());
        let mut config = match (&plan.certificate_file, &plan.key_file) {
            (Some(certificates), Some(key)) => {
                let certificates = files::certificates(certificates)
                    .map_err(|error| format!("certificate_file: {error}"))?;
                let key = files::key(key).map_err(|error| format!("key_file: {error}"))?;
                builder
                    .with_client_auth_cert(certificates, key)
                    .map_err(|error| format!("key_file: {error}"))?
            }
            (None, None) => builder.with_client_cert_resolver(no_certificate.clone()),
            _ => return Err("certificate_file and key_file need each other".to_owned()),
        };
        config.alpn_protocols = vec![super::ALPN.to_vec()];
        if !plan.resume {
            config.resumption = Resumption::disabled();
        }
        Ok(TlsClient {
            config: Arc::new(config),
            verifier,
            noted: None,
            is_for_http2: false,
            has_certificate: plan.certificate_file.is_some(),
            no_certificate,
            server_name,
            facts: OnceLock::new(),
            wire: Mutex::default(),
        })
    }

    /// Asks for HTTP/2 by ALPN, and takes nothing else.
    #[must_use]
    pub fn for_http2(mut self) -> TlsClient {
        Arc::make_mut(&mut self.config).alpn_protocols = vec![super::ALPN_HTTP2.to_vec()];
        self.is_for_http2 = true;
        self
    }

    /// True if a finished handshake has agreed to the protocol that the connection is to speak.
    pub(super) fn is_agreed(&self, connection: &ClientConnection) -> bool {
        !self.is_for_http2 || connection.alpn_protocol() == Some(super::ALPN_HTTP2)
    }

    /// What is known of every connection.
    pub(super) fn scene(&self) -> Scene<'static> {
        Scene {
            is_for_http2: self.is_for_http2,
            has_certificate: self.has_certificate,
            is_asked_for_certificate: self.no_certificate.is_asked(),
            ..Scene::default()
        }
    }

    /// What the first finished handshake came to.
    pub fn facts(&self) -> Option<TlsFacts> {
        self.facts.get().cloned()
    }

    /// Of all threads that have concluded.
    pub fn wire_use(&self) -> WireUse {
        *self.wire.lock().expect("nobody panics while holding it")
    }

    pub(super) fn connect(&self) -> Result<ClientConnection, rustls::Error> {
        ClientConnection::new(Arc::clone(&self.config), self.server_name.clone())
    }

    /// A connection that has its first flight to send.
    ///
    /// # Errors
    /// If this client can send none.
    pub(crate) fn channel(&self) -> Result<Channel, Failure> {
        self.connect().map(Channel::new).map_err(|error| failure::of_error(&error, &self.scene()))
    }

    /// Notes what a handshake came to; only the first counts.
    pub(crate) fn note(&self, connection: &ClientConnection) {
        if self.facts.get().is_some() {
            return;
        }
        let version = match connection.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => "1.2",
            Some(ProtocolVersion::TLSv1_3) => "1.3",
            _ => "unknown",
        };
        let suite = connection.negotiated_cipher_suite().map(|suite| suite.suite());
        // rustls has names of its own for the suites of TLS 1.3.
        let cipher_suite =
            suite.and_then(|suite| suite.as_str()).unwrap_or("unknown").replace("TLS13_", "TLS_");
        let _ = self.facts.set(TlsFacts { version: version.into(), cipher_suite });
    }

    pub(super) fn add(&self, wire: WireUse) {
        let mut sum = self.wire.lock().expect("nobody panics while holding it");
        sum.received_bytes += wire.received_bytes;
        sum.sent_bytes += wire.sent_bytes;
        sum.handshakes = sum.handshakes.plus(wire.handshakes);
    }
}

/// The plan's certificates, or the system's.
fn trusted(plan: &TlsPlan) -> Result<RootCertStore, String> {
    if let Some(file) = &plan.ca_file {
        return files::roots(file).map_err(|error| format!("ca_file: {error}"));
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("ca_file: this system has no certificates to trust; name a file with some".to_owned());
    }
    Ok(roots)
}
