"""Failures of a TLS handshake as Python's OpenSSL tells them, by the names that the engine has for the same."""

import ssl

CERTIFICATE_CAUSES = {
    7: "certificate_signature",
    9: "certificate_not_yet_valid",
    10: "certificate_expired",
    23: "certificate_revoked",
    26: "certificate_purpose",
    62: "certificate_name",
    64: "certificate_name",
}
"""By the code of a verification that failed (X509_STORE_CTX_get_error(3)); the others are of the issuer."""

HANDSHAKE_CAUSES = {
    "WRONG_VERSION_NUMBER": "plaintext",
    "RECORD_LAYER_FAILURE": "plaintext",
    "HTTP_REQUEST": "plain_http",
    "UNSUPPORTED_PROTOCOL": "tls_version",
    "TLSV1_ALERT_PROTOCOL_VERSION": "tls_version",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "cipher_suites",
    "WRONG_CIPHER_RETURNED": "cipher_suites",
    "UNKNOWN_CIPHER_RETURNED": "cipher_suites",
    "TLSV1_UNRECOGNIZED_NAME": "server_name",
    "DECRYPTION_FAILED_OR_BAD_RECORD_MAC": "bad_record",
    "PACKET_LENGTH_TOO_LONG": "record_size",
    "DATA_LENGTH_TOO_LONG": "record_size",
    "ENCRYPTED_LENGTH_TOO_LONG": "record_size",
}
"""By the reason of any other failure."""


def handshake_cause(error: OSError, *, http2: bool = False) -> str | None:
    """The engine's name for why a handshake failed (docs/engine-protocol.md, "TLS"); None: it has none.

    Args:
        http2: it was HTTP/2 that was asked for by ALPN.
    """
    if isinstance(error, ssl.SSLCertVerificationError):
        return CERTIFICATE_CAUSES.get(error.verify_code, "certificate_issuer")
    if isinstance(error, ssl.SSLEOFError):
        return "handshake_closed"
    if isinstance(error, ssl.SSLError):
        if "no application protocol" in str(error):  # Python has no name for the reason
            return "alpn_http2" if http2 else "alpn_http1"
        return HANDSHAKE_CAUSES.get(error.reason or "", "tls_alert" if "_ALERT_" in (error.reason or "") else None)
    if isinstance(error, TimeoutError):
        return "handshake_timeout"
    return "handshake_reset" if isinstance(error, ConnectionError) else None


def handshake_words(error: OSError) -> str:
    """The same in words: `the certificate is not trusted: certificate has expired`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not trusted: {error.verify_message}"
    return f"the handshake failed: {'no answer' if isinstance(error, TimeoutError) else reason_in_words(error)}"


def reason_in_words(error: OSError) -> str:
    """OpenSSL's reason, or the system's: `tlsv1 alert protocol version`, `connection reset by peer`."""
    reason = getattr(error, "reason", None)
    return str(reason).lower().replace("_", " ") if reason else (error.strerror or str(error)).lower()
