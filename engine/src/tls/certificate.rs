//! Explains what is wrong with a server's certificate.

use rustls::CertificateError;

use super::cause::Cause;
use crate::driver::Failure;

/// Names of a certificate that are shown.
const NAMES_SHOWN: usize = 4;

/// Why a certificate is not accepted.
#[allow(deprecated, reason = "rustls still reports some errors by their older names")]
pub(super) fn failure(error: &CertificateError) -> Failure {
    match error {
        CertificateError::ExpiredContext { time, not_after } => {
            let ago = span(time.as_secs().saturating_sub(not_after.as_secs()));
            Cause::CertificateExpired.failure(format!("the server's certificate expired {ago} ago"))
        }
        CertificateError::Expired => {
            Cause::CertificateExpired.failure("the server's certificate has expired")
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            let ahead = span(not_before.as_secs().saturating_sub(time.as_secs()));
            Cause::CertificateNotYetValid
                .failure(format!("the server's certificate is not valid before {ahead} from now"))
        }
        CertificateError::NotValidYet => {
            Cause::CertificateNotYetValid.failure("the server's certificate is not valid yet")
        }
        CertificateError::UnknownIssuer => {
            Cause::CertificateIssuer.failure("nobody who is trusted here has signed the server's certificate")
        }
        CertificateError::Revoked => Cause::CertificateRevoked.failure("the server's certificate is revoked"),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let expected = expected.to_str();
            Cause::CertificateName.failure(match presented.as_slice() {
                [] => format!(
                    "the server's certificate is not for {expected}: it has no name in subjectAltName, and its common \
                     name does not count"
                ),
                names => {
                    format!("the server's certificate is for {}, not for {expected}", enumerated(names))
                }
            })
        }
        CertificateError::NotValidForName => {
            Cause::CertificateName.failure("the server's certificate is for another name")
        }
        CertificateError::InvalidPurposeContext { presented, .. } => {
            let purposes: Vec<String> = presented.iter().map(ToString::to_string).collect();
            Cause::CertificatePurpose.failure(format!(
                "the server's certificate is not for servers: its extended key usage is {}",
                purposes.join(", ")
            ))
        }
        CertificateError::InvalidPurpose => {
            Cause::CertificatePurpose.failure("the server's certificate is not for servers")
        }
        CertificateError::BadSignature => Cause::CertificateSignature.failure(
            "a signature does not fit the server's certificate: another key, or a changed certificate",
        ),
        CertificateError::UnsupportedSignatureAlgorithm
        | CertificateError::UnsupportedSignatureAlgorithmContext { .. }
        | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            Cause::CertificateAlgorithm
                .failure("the server's certificate has a signature or a key of a kind that is not taken")
        }
        CertificateError::BadEncoding => {
            Cause::CertificateMalformed.failure("the server's certificate cannot be read")
        }
        CertificateError::Other(other) => of_other(&format!("{:?}", other.0)),
        other => {
            Cause::CertificateMalformed.failure(format!("the server's certificate is not taken: {other}"))
        }
    }
}

/// `name`: as webpki names the error.
fn of_other(name: &str) -> Failure {
    match name {
        "CaUsedAsEndEntity" => Cause::CertificateAuthority
            .failure("the server's certificate is that of an authority (CA:TRUE), not of a server"),
        _ => Cause::CertificateMalformed.failure(format!("the server's certificate is not taken: {name}")),
    }
}

/// `localhost, 127.0.0.1 and 3 more`, from names as rustls presents them: `DnsName("localhost")`.
fn enumerated(names: &[String]) -> String {
    let plain = |name: &String| {
        let inner = name.split_once('(').map_or(name.as_str(), |(_, inner)| inner.trim_end_matches(')'));
        inner.trim_matches('"').to_owned()
    };
    let mut shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(plain).collect();
    let last = match names.len() - shown.len() {
        0 => shown.pop().unwrap_or_default(),
        more => format!("{more} more"),
    };
    if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) }
}

/// `3 days`, `5 hours` or `40 s`.
fn span(seconds: u64) -> String {
    match seconds {
        172_800.. => format!("{} days", seconds / 86_400),
        7_200.. => format!("{} hours", seconds / 3_600),
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_users_write_them() {
        let names = |count: usize| vec!["DnsName(\"a.test\")".to_owned(); count];
        assert_eq!(enumerated(&names(1)), "a.test");
        assert_eq!(
            enumerated(&["IpAddress(127.0.0.1)".to_owned(), names(1).remove(0)]),
            "127.0.0.1 and a.test"
        );
        assert_eq!(enumerated(&names(9)), "a.test, a.test, a.test, a.test and 5 more");
    }

    #[test]
    fn spans_are_rounded_down() {
        assert_eq!([59, 7_200, 172_799, 172_800].map(span), ["59 s", "2 hours", "47 hours", "2 days"]);
    }
}
