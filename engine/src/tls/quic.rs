//! TLS inside QUIC, which has neither records nor bytes of its own (RFC 9001).

use std::sync::{Arc, Mutex};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{AlertDescription, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};

use super::cause::Cause;
use super::client::{TlsClient, WireUse};
use super::failure;
use crate::driver::Failure;
use crate::record::{ErrorKind, TlsFacts};

/// Notes why a certificate was refused: QUIC tells it as a text alone.
#[derive(Debug)]
pub(super) struct NotedVerifier {
    inner: Arc<dyn ServerCertVerifier>,
    refused: Mutex<Option<Error>>,
}

impl NotedVerifier {
    fn note<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result {
            *self.refused.lock().expect("nobody panics while holding it") = Some(error.clone());
        }
        result
    }
}

impl ServerCertVerifier for NotedVerifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.note(self.inner.verify_server_cert(certificate, between, name, ocsp, now))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(self.inner.verify_tls13_signature(message, certificate, signed))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

impl TlsClient {
    /// Asks for HTTP/3 by ALPN, which QUIC takes alone.
    #[must_use]
    pub fn for_http3(mut self) -> TlsClient {
        let noted = Arc::new(NotedVerifier { inner: Arc::clone(&self.verifier), refused: Mutex::default() });
        let config = Arc::make_mut(&mut self.config);
        config.alpn_protocols = vec![super::ALPN_HTTP3.to_vec()];
        config.dangerous().set_certificate_verifier(noted.clone());
        self.noted = Some(noted);
        self
    }

    pub(crate) fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.config)
    }

    /// The name to verify, as text.
    pub(crate) fn server_name(&self) -> String {
        self.server_name.to_str().into_owned()
    }

    /// A handshake of QUIC has ended by an alert of this number; `reason`: what rustls said of it here.
    pub(crate) fn quic_failure(&self, alert: u8, reason: &str, is_by_peer: bool) -> Failure {
        let alert = AlertDescription::from(alert);
        if alert == AlertDescription::NoApplicationProtocol {
            return Cause::AlpnHttp3.failure("the server did not agree to HTTP/3 by ALPN (h3)");
        }
        if is_by_peer {
            return failure::of_alert(alert, &self.scene());
        }
        let refused = self.noted.as_ref().and_then(|noted| {
            let refused = noted.refused.lock().expect("nobody panics while holding it");
            refused.clone().filter(|error| error.to_string() == reason)
        });
        match refused {
            Some(error) => failure::of_error(&error, &self.scene()),
            None => Failure { kind: ErrorKind::Tls, explanation: reason.to_owned().into(), cause: None },
        }
    }

    /// A handshake of QUIC has finished. quinn-proto does not tell its cipher suite.
    pub(crate) fn has_agreed_over_quic(&self, is_in_window: bool) {
        let _ = self.facts.set(TlsFacts { version: "1.3".into(), cipher_suite: "unknown".to_owned() });
        let mut wire = WireUse::default();
        if is_in_window {
            wire.handshakes.add(false);
        }
        self.add(wire);
    }
}
