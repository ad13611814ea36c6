//! Why a connection's TLS failed, by the name that a summary shows.

use crate::driver::Failure;
use crate::record::ErrorKind;

/// What ended a connection's TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The handshake was answered by plain HTTP.
    PlainHttp,
    /// It was answered, or forestalled, by other bytes that are no TLS.
    Plaintext,
    /// The server closed the connection before the handshake was done.
    HandshakeClosed,
    /// It reset the connection before.
    HandshakeReset,
    /// It did not finish the handshake in time.
    HandshakeTimeout,
    /// It speaks no version that the engine speaks.
    Version,
    /// It has no cipher suite, key exchange or signature in common with the engine.
    CipherSuites,
    /// HTTP/2 was asked for by ALPN, and not agreed to.
    AlpnHttp2,
    /// The same of HTTP/3.
    AlpnHttp3,
    /// The same of HTTP/1.1.
    AlpnHttp1,
    /// The server does not know the name that SNI sends.
    ServerName,
    /// Its certificate does not hold the name.
    CertificateName,
    /// Its certificate is over.
    CertificateExpired,
    /// Its certificate has not begun.
    CertificateNotYetValid,
    /// Nobody who is trusted has signed it.
    CertificateIssuer,
    /// It is revoked.
    CertificateRevoked,
    /// It may not be used for servers.
    CertificatePurpose,
    /// It is an authority's own.
    CertificateAuthority,
    /// A signature does not fit.
    CertificateSignature,
    /// A signature or key is of a kind that the engine does not take.
    CertificateAlgorithm,
    /// It is missing, or cannot be read.
    CertificateMalformed,
    /// The server wants a certificate of the client's, and there is none.
    ClientCertificate,
    /// It does not take the client's certificate.
    ClientCertificateRefused,
    /// A record that cannot be one, or was changed on the way.
    BadRecord,
    /// A record above the limit.
    RecordSize,
    /// A message that is malformed, or not allowed where it came.
    BadMessage,
    /// The server asked for another handshake.
    Renegotiation,
    /// Records without end that carry nothing.
    Flood,
    /// Any other fatal alert.
    Alert,
    /// The connection ended within an answer, and not by TLS.
    NoCloseNotify,
    /// TLS ended within an answer.
    EarlyCloseNotify,
}

impl Cause {
    /// Its name in a summary.
    fn name(self) -> &'static str {
        match self {
            Cause::PlainHttp => "plain_http",
            Cause::Plaintext => "plaintext",
            Cause::HandshakeClosed => "handshake_closed",
            Cause::HandshakeReset => "handshake_reset",
            Cause::HandshakeTimeout => "handshake_timeout",
            Cause::Version => "tls_version",
            Cause::CipherSuites => "cipher_suites",
            Cause::AlpnHttp2 => "alpn_http2",
            Cause::AlpnHttp3 => "alpn_http3",
            Cause::AlpnHttp1 => "alpn_http1",
            Cause::ServerName => "server_name",
            Cause::CertificateName => "certificate_name",
            Cause::CertificateExpired => "certificate_expired",
            Cause::CertificateNotYetValid => "certificate_not_yet_valid",
            Cause::CertificateIssuer => "certificate_issuer",
            Cause::CertificateRevoked => "certificate_revoked",
            Cause::CertificatePurpose => "certificate_purpose",
            Cause::CertificateAuthority => "certificate_authority",
            Cause::CertificateSignature => "certificate_signature",
            Cause::CertificateAlgorithm => "certificate_algorithm",
            Cause::CertificateMalformed => "certificate_malformed",
            Cause::ClientCertificate => "client_certificate",
            Cause::ClientCertificateRefused => "client_certificate_refused",
            Cause::BadRecord => "bad_record",
            Cause::RecordSize => "record_size",
            Cause::BadMessage => "bad_message",
            Cause::Renegotiation => "renegotiation",
            Cause::Flood => "tls_flood",
            Cause::Alert => "tls_alert",
            Cause::NoCloseNotify => "no_close_notify",
            Cause::EarlyCloseNotify => "early_close_notify",
        }
    }

    /// How it is counted.
    fn kind(self) -> ErrorKind {
        match self {
            Cause::HandshakeTimeout => ErrorKind::Timeout,
            Cause::NoCloseNotify | Cause::EarlyCloseNotify => ErrorKind::Closed,
            _ => ErrorKind::Tls,
        }
    }

    /// The failure that it is, explained in a sentence.
    pub(super) fn failure(self, explanation: impl Into<std::borrow::Cow<'static, str>>) -> Failure {
        Failure { kind: self.kind(), explanation: explanation.into(), cause: Some(self.name()) }
    }
}
