//! The servers, and what comes of them.

use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa, date_time_ymd};
use rustls::pki_types::CertificateDer;
use serde_json::json;

use super::identities::{Authority, Habits, Identity, OLDER, USUAL, config, self_signed};
use super::sealed::{HANDSHAKE, alert, server_hello};
use super::servers::{Behaviour, greets, in_the_handshake, resets, right, says, stops_after};
use super::{Case, Expected, records};

/// TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256.
const SUITE: [u8; 2] = [0xcc, 0xa9];

/// The one that clients trust, and another one.
pub struct Authorities {
    pub trusted: Authority,
    pub stranger: Authority,
}

impl Authorities {
    pub fn new() -> Authorities {
        Authorities { trusted: Authority::new("trusted"), stranger: Authority::new("stranger") }
    }

    /// What servers have by right.
    pub fn right(&self) -> Identity {
        self.trusted.identity(|_| {})
    }

    pub fn case(
        &self,
        name: &'static str,
        behaviour: Behaviour,
        kind: &'static str,
        cause: &'static str,
        words: &'static str,
    ) -> Case {
        let cause = if cause.is_empty() { None } else { Some(cause) };
        let expected = Expected::Wrong(kind, cause, words);
        Case { name, behaviour, plan: Vec::new(), tls: self.trusted.trusting(), expected }
    }

    pub fn tls(
        &self,
        name: &'static str,
        behaviour: Behaviour,
        cause: &'static str,
        words: &'static str,
    ) -> Case {
        self.case(name, behaviour, "tls", cause, words)
    }
}

/// All cases.
pub fn all(authorities: &Authorities) -> Vec<Case> {
    [
        plaintext(authorities),
        handshakes(authorities),
        agreements(authorities),
        certificates(authorities),
        clients(authorities),
        records::broken(authorities),
        records::floods(authorities),
        records::ends(authorities),
        records::over_http2(authorities),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn plaintext(with: &Authorities) -> Vec<Case> {
    vec![
        with.tls(
            "plain HTTP",
            says(*b"HTTP/1.1 400 Bad Request\r\n\r\n"),
            "plain_http",
            "HTTP/1.1 400 Bad Request",
        ),
        with.tls("an SSH banner", greets(b"SSH-2.0-OpenSSH_9.6\r\n"), "plaintext", "SSH-2.0-OpenSSH_9.6"),
        with.tls("a word that is shorter than a record's header", says(*b"no\n"), "plaintext", "it said: no"),
    ]
}

fn handshakes(with: &Authorities) -> Vec<Case> {
    let config = || config(&with.right(), USUAL);
    let timeout = |name, behaviour| {
        with.case(name, behaviour, "timeout", "handshake_timeout", "did not finish the TLS handshake")
            .with("timeout_seconds", json!(0.2))
    };
    vec![
        with.tls("a close without a word", says(*b""), "handshake_closed", "without a word"),
        with.tls("a reset without a word", resets(), "handshake_reset", "without a word"),
        with.tls(
            "a close after the ServerHello",
            in_the_handshake(config(), false, |hello, _| hello),
            "handshake_closed",
            "after its first words",
        ),
        with.tls(
            "a reset after the ServerHello",
            in_the_handshake(config(), true, |hello, _| hello),
            "handshake_reset",
            "after its first words",
        ),
        timeout("silence", stops_after(b"")),
        timeout("silence within the ServerHello", stops_after(&[HANDSHAKE, 3, 3, 0, 90, 2, 0])),
    ]
}

fn agreements(with: &Authorities) -> Vec<Case> {
    let only = |alpn: &'static [&'static str]| right(config(&with.right(), Habits { alpn, ..USUAL }));
    // renegotiation_info and ALPN: RFC 7301, 3.1.
    let other_protocol = [0xff, 1, 0, 1, 0, 0, 16, 0, 5, 0, 3, 2, b'h', b'3'];
    vec![
        Case {
            expected: Expected::Right,
            ..with.tls("TLS 1.2 alone", right(config(&with.right(), OLDER)), "", "")
        },
        Case { expected: Expected::Right, ..with.tls("no ALPN", only(&[]), "", "") },
        with.tls("HTTP/2 alone", only(&["h2"]), "alpn_http1", "no_application_protocol"),
        with.tls("HTTP/1.1 alone", only(&["http/1.1"]), "alpn_http2", "no_application_protocol").over_http2(),
        with.tls("HTTP/2 without ALPN", only(&[]), "alpn_http2", "did not agree to HTTP/2").over_http2(),
        with.tls(
            "another protocol",
            says(server_hello([3, 3], SUITE, &other_protocol)),
            "alpn_http1",
            "another protocol than HTTP/1.1",
        ),
        with.tls(
            "TLS 1.1",
            says(server_hello([3, 2], SUITE, &[])),
            "tls_version",
            "older version than TLS 1.2",
        ),
        with.tls("TLS 1.1, by an alert", says(alert(70)), "tls_version", "protocol_version"),
        with.tls("no cipher suite", says(alert(40)), "cipher_suites", "handshake_failure"),
        with.tls("too little security", says(alert(71)), "cipher_suites", "insufficient_security"),
        with.tls("RC4", says(server_hello([3, 3], [0, 5], &[])), "cipher_suites", "was not offered"),
        with.tls("an unknown name", says(alert(112)), "server_name", "unrecognized_name"),
        with.tls("another alert", says(alert(80)), "tls_alert", "internal_error"),
    ]
}

fn certificates(with: &Authorities) -> Vec<Case> {
    let shows = |name, identity: &Identity, cause, words| {
        with.tls(name, right(config(identity, USUAL)), cause, words)
    };
    let signed = |change: fn(&mut rcgen::CertificateParams)| with.trusted.identity(change);
    let authority = self_signed(|params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let other_key = Identity { certificate: with.right().certificate, key: with.right().key };
    let mut changed = with.right();
    let mut bytes = changed.certificate.to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    changed.certificate = CertificateDer::from(bytes);
    let malformed =
        Identity { certificate: CertificateDer::from(vec![0x30, 3, 1, 2, 3]), key: with.right().key };
    vec![
        shows(
            "an expired certificate",
            &signed(|params| params.not_after = date_time_ymd(2020, 1, 1)),
            "certificate_expired",
            " days ago",
        ),
        shows(
            "one of the future",
            &signed(|params| params.not_before = date_time_ymd(2190, 1, 1)),
            "certificate_not_yet_valid",
            " days from now",
        ),
        shows(
            "one of a stranger",
            &with.stranger.identity(|_| {}),
            "certificate_issuer",
            "nobody who is trusted",
        ),
        shows("one signed by itself", &self_signed(|_| {}), "certificate_issuer", "nobody who is trusted"),
        Case {
            tls: with.trusted.trusting_only(&authority),
            ..shows("an authority's own", &authority, "certificate_authority", "CA:TRUE")
        },
        shows(
            "one for clients",
            &signed(|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]),
            "certificate_purpose",
            "client authentication",
        ),
        shows(
            "one for other names",
            &signed(|params| {
                let names =
                    ["a.test", "*.b.test"].map(|name| rcgen::SanType::DnsName(name.try_into().unwrap()));
                params.subject_alt_names = names.to_vec();
            }),
            "certificate_name",
            "is for a.test and *.b.test, not for localhost",
        ),
        shows(
            "one without a name",
            &signed(|params| params.subject_alt_names = Vec::new()),
            "certificate_name",
            "no name in subjectAltName",
        ),
        shows("one of another key", &other_key, "certificate_signature", "another key"),
        shows("a changed one", &changed, "certificate_signature", "a changed certificate"),
        shows("one that cannot be read", &malformed, "certificate_malformed", "cannot be read"),
    ]
}

fn clients(with: &Authorities) -> Vec<Case> {
    let demanding = |habits: Habits| {
        let clients = Some(with.trusted.roots());
        right(config(&with.right(), Habits { clients, ..habits }))
    };
    let stranger = || with.stranger.trusting_with_client(&with.trusted);
    // RFC 5246: CertificateRequest is optional, and a server that misses the answer may say handshake_failure.
    vec![
        with.tls("a client certificate", demanding(USUAL), "client_certificate", "certificate_required"),
        with.tls("a client certificate, TLS 1.2", demanding(OLDER), "client_certificate", "wants a client"),
        Case {
            tls: stranger(),
            ..with.tls("a stranger's", demanding(USUAL), "client_certificate_refused", "the alert ")
        },
        Case {
            tls: stranger(),
            ..with.tls("a stranger's, TLS 1.2", demanding(OLDER), "client_certificate_refused", "the alert ")
        },
    ]
}
