//! Explains why TLS failed.

use rustls::{AlertDescription, Error, InvalidMessage, PeerIncompatible, PeerMisbehaved};

use super::cause::Cause;
use super::certificate;
use crate::driver::Failure;
use crate::record::ErrorKind;

/// Bytes of what a server said first that are kept, to see whether it speaks TLS at all.
pub(super) const BEGINNING_BYTES: usize = 64;

/// What is known of a connection when its TLS fails.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scene<'c> {
    /// The handshake is not done.
    pub is_handshaking: bool,
    /// While it is not: the first bytes that came.
    pub beginning: &'c [u8],
    /// HTTP/2 is asked for by ALPN.
    pub is_for_http2: bool,
    /// The plan has a certificate of the client's own.
    pub has_certificate: bool,
    /// A server of this run has asked for one.
    pub is_asked_for_certificate: bool,
    /// The server asked for another handshake, which was refused.
    pub has_refused_renegotiation: bool,
}

/// Why TLS is over where rustls reports an error.
pub(super) fn of_error(error: &Error, scene: &Scene) -> Failure {
    if let Some(failure) = plaintext(scene) {
        return failure;
    }
    match error {
        Error::InvalidCertificate(wrong) => certificate::failure(wrong),
        Error::NoCertificatesPresented => {
            Cause::CertificateMalformed.failure("the server shows no certificate")
        }
        Error::AlertReceived(alert) => of_alert(*alert, scene),
        Error::PeerIncompatible(why) => of_incompatible(why),
        Error::PeerMisbehaved(why) => of_misbehaviour(why, scene),
        Error::InvalidMessage(why) => of_invalid(*why, scene),
        Error::DecryptError => Cause::BadRecord.failure(format!("{}: it cannot be decrypted", record(scene))),
        Error::PeerSentOversizedRecord => oversized(scene),
        Error::InappropriateHandshakeMessage { got_type, .. } if !scene.is_handshaking => match got_type {
            rustls::HandshakeType::HelloRequest | rustls::HandshakeType::CertificateRequest => {
                renegotiation()
            }
            _ => bad_message(error, scene),
        },
        Error::InappropriateHandshakeMessage { .. } | Error::InappropriateMessage { .. } => {
            bad_message(error, scene)
        }
        _ => Failure { kind: ErrorKind::Tls, explanation: error.to_string().into(), cause: None },
    }
}

/// The connection ended before the handshake was done. `is_reset`: the peer reset it.
pub(super) fn of_end(scene: &Scene, is_reset: bool) -> Failure {
    if let Some(failure) = plaintext(scene) {
        return failure;
    }
    let (cause, ended) = match is_reset {
        true => (Cause::HandshakeReset, "reset"),
        false => (Cause::HandshakeClosed, "closed"),
    };
    let when = match scene.beginning {
        [] => ", without a word",
        _ => ", after its first words",
    };
    cause.failure(format!("the server {ended} the connection during the TLS handshake{when}"))
}

/// More came than any handshake or server needs, and nothing for the session.
pub(super) fn flood() -> Failure {
    Cause::Flood.failure("records without end that carry nothing, such as session tickets")
}

/// The handshake's end did not come before the request's.
pub(super) fn handshake_timeout() -> Failure {
    Cause::HandshakeTimeout.failure("the server took the connection, and did not finish the TLS handshake")
}

/// The connection ended without a close_notify.
pub(super) fn no_close_notify(scene: &Scene) -> Failure {
    if scene.has_refused_renegotiation {
        return renegotiation();
    }
    Cause::NoCloseNotify
        .failure("the connection ended without a close_notify, before the answer was complete")
}

/// A close_notify came.
pub(super) fn early_close_notify() -> Failure {
    Cause::EarlyCloseNotify.failure("the server's close_notify came before its answer was complete")
}

/// The handshake is done, and the server has not agreed to HTTP/2.
pub(super) fn no_http2() -> Failure {
    Cause::AlpnHttp2.failure("the server did not agree to HTTP/2 by ALPN; does it speak HTTP/1.1 only?")
}

/// What the server said, where its first byte begins no record (RFC 8446, 5.1).
fn plaintext(scene: &Scene) -> Option<Failure> {
    let first = *scene.beginning.first().filter(|_| scene.is_handshaking)?;
    if (20..=24).contains(&first) {
        return None;
    }
    let cause = if scene.beginning.starts_with(b"HTTP/") { Cause::PlainHttp } else { Cause::Plaintext };
    let text = String::from_utf8_lossy(scene.beginning);
    let text = text.lines().next().unwrap_or_default();
    Some(cause.failure(format!("the server does not speak TLS here; it said: {text}")))
}

pub(super) fn of_alert(alert: AlertDescription, scene: &Scene) -> Failure {
    use AlertDescription as Alert;
    let name = alert_name(alert);
    let wants_certificate = !scene.has_certificate && scene.is_asked_for_certificate;
    match alert {
        Alert::CertificateRequired => no_client_certificate(&name),
        Alert::HandshakeFailure if scene.has_refused_renegotiation => renegotiation(),
        Alert::HandshakeFailure | Alert::BadCertificate | Alert::CertificateUnknown | Alert::AccessDenied
            if wants_certificate =>
        {
            no_client_certificate(&name)
        }
        Alert::BadCertificate
        | Alert::UnsupportedCertificate
        | Alert::CertificateRevoked
        | Alert::CertificateExpired
        | Alert::CertificateUnknown
        | Alert::UnknownCA
        | Alert::AccessDenied
            if scene.has_certificate =>
        {
            Cause::ClientCertificateRefused
                .failure(format!("the server refuses the client's certificate, by the alert {name}"))
        }
        Alert::NoApplicationProtocol if scene.is_for_http2 => {
            Cause::AlpnHttp2.failure(format!("the server refuses HTTP/2, by the alert {name}"))
        }
        Alert::NoApplicationProtocol => {
            Cause::AlpnHttp1.failure(format!("the server refuses HTTP/1.1, by the alert {name}"))
        }
        Alert::ProtocolVersion => {
            Cause::Version.failure(format!("the server refuses TLS 1.2 and 1.3, by the alert {name}"))
        }
        Alert::HandshakeFailure | Alert::InsufficientSecurity if scene.is_handshaking => Cause::CipherSuites
            .failure(format!(
                "the server takes none of the offered cipher suites, groups and signatures, by the alert {name}"
            )),
        Alert::UnrecognisedName => Cause::ServerName
            .failure(format!("the server does not know the name that was sent (SNI), by the alert {name}")),
        Alert::NoRenegotiation => renegotiation(),
        _ => Cause::Alert.failure(format!("the server ended TLS by the alert {name}")),
    }
}

fn no_client_certificate(alert: &str) -> Failure {
    Cause::ClientCertificate.failure(format!("the server wants a client certificate, by the alert {alert}"))
}

fn of_incompatible(why: &PeerIncompatible) -> Failure {
    match why {
        PeerIncompatible::ServerDoesNotSupportTls12Or13
        | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig => {
            Cause::Version.failure("the server speaks an older version than TLS 1.2")
        }
        PeerIncompatible::NoCipherSuitesInCommon
        | PeerIncompatible::NoKxGroupsInCommon
        | PeerIncompatible::NoSignatureSchemesInCommon => {
            Cause::CipherSuites.failure(format!("the server's choice was not offered: {why:?}"))
        }
        _ => Cause::BadMessage.failure(format!("the server's handshake cannot be followed: {why:?}")),
    }
}

fn of_misbehaviour(why: &PeerMisbehaved, scene: &Scene) -> Failure {
    use PeerMisbehaved as Misbehaviour;
    match why {
        Misbehaviour::TooManyEmptyFragments => Cause::Flood.failure("empty records, one after the other"),
        Misbehaviour::TooManyKeyUpdateRequests => Cause::Flood.failure("KeyUpdates, one after the other"),
        Misbehaviour::TooManyWarningAlertsReceived => Cause::Flood.failure("warnings, one after the other"),
        Misbehaviour::TooManyRenegotiationRequests => renegotiation(),
        Misbehaviour::SelectedUnofferedApplicationProtocol => {
            let (cause, version) = match scene.is_for_http2 {
                true => (Cause::AlpnHttp2, "HTTP/2"),
                false => (Cause::AlpnHttp1, "HTTP/1.1"),
            };
            cause.failure(format!("the server agreed by ALPN to another protocol than {version}"))
        }
        Misbehaviour::SelectedUnofferedCipherSuite
        | Misbehaviour::SelectedUnusableCipherSuiteForVersion
        | Misbehaviour::SelectedUnofferedKxGroup => {
            Cause::CipherSuites.failure(format!("the server's choice was not offered: {why:?}"))
        }
        _ => Cause::BadMessage.failure(format!("{}: {why:?}", message(scene))),
    }
}

fn of_invalid(why: InvalidMessage, scene: &Scene) -> Failure {
    match why {
        InvalidMessage::MessageTooLarge => oversized(scene),
        InvalidMessage::InvalidContentType
        | InvalidMessage::UnknownProtocolVersion
        | InvalidMessage::InvalidEmptyPayload => {
            Cause::BadRecord.failure(format!("{}: {why:?}", record(scene)))
        }
        _ => Cause::BadMessage.failure(format!("{}: {why:?}", message(scene))),
    }
}

fn bad_message(error: &Error, scene: &Scene) -> Failure {
    Cause::BadMessage.failure(format!("{}: {error}", message(scene)))
}

fn oversized(scene: &Scene) -> Failure {
    Cause::RecordSize.failure(format!("{}: it is above 16 KiB", record(scene)))
}

fn renegotiation() -> Failure {
    Cause::Renegotiation.failure("the server asked for another handshake on the connection")
}

fn record(scene: &Scene) -> &'static str {
    match scene.is_handshaking {
        true => "a bad record in the handshake",
        false => "a bad record after the handshake",
    }
}

fn message(scene: &Scene) -> &'static str {
    match scene.is_handshaking {
        true => "a message that breaks TLS, in the handshake",
        false => "a message that breaks TLS, after the handshake",
    }
}

/// As RFC 8446, 6 names it: `handshake_failure`.
fn alert_name(alert: AlertDescription) -> String {
    let mut name = String::new();
    let mut after_lower = false;
    for letter in format!("{alert:?}").chars() {
        if letter.is_ascii_uppercase() && after_lower {
            name.push('_');
        }
        after_lower = letter.is_ascii_lowercase();
        name.push(letter.to_ascii_lowercase());
    }
    name.replace("unrecognised", "unrecognized")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alerts_are_named_as_the_rfc_names_them() {
        let names = [
            AlertDescription::HandshakeFailure,
            AlertDescription::UnknownCA,
            AlertDescription::UnrecognisedName,
            AlertDescription::NoApplicationProtocol,
        ]
        .map(alert_name);
        assert_eq!(
            names,
            ["handshake_failure", "unknown_ca", "unrecognized_name", "no_application_protocol"]
        );
    }

    #[test]
    fn a_refusal_of_a_certificate_depends_on_whose_it_is() {
        let cause = |alert, scene: Scene| of_error(&Error::AlertReceived(alert), &scene).cause.unwrap();
        let (shown, asked) = (
            Scene { has_certificate: true, ..Scene::default() },
            Scene { is_asked_for_certificate: true, is_handshaking: true, ..Scene::default() },
        );
        assert_eq!(cause(AlertDescription::UnknownCA, shown), "client_certificate_refused");
        assert_eq!(cause(AlertDescription::CertificateRevoked, shown), "client_certificate_refused");
        assert_eq!(cause(AlertDescription::HandshakeFailure, asked), "client_certificate");
        let unasked = Scene { is_handshaking: true, ..Scene::default() };
        assert_eq!(cause(AlertDescription::HandshakeFailure, unasked), "cipher_suites");
        assert_eq!(cause(AlertDescription::CertificateUnknown, unasked), "tls_alert");
    }

    #[test]
    fn what_the_server_said_instead_of_tls_is_shown() {
        let said = |beginning| of_end(&Scene { is_handshaking: true, beginning, ..Scene::default() }, false);
        assert_eq!(
            said(b"HTTP/1.0 400 Bad\r\nServer: x").explanation.rsplit_once(": ").unwrap().1,
            "HTTP/1.0 400 Bad"
        );
        assert_eq!(said(b"220 mail\r\n").cause, Some("plaintext"));
        assert_eq!(said(b"\x16\x03").cause, Some("handshake_closed"));
        assert!(said(b"").explanation.ends_with("without a word"));
    }
}
