//! Why a request over HTTP/3 failed, by the causes that a summary names.

use quinn_proto::ConnectionError;

use crate::driver::Failure;
use crate::http2::failure;
use crate::record::ErrorKind;
use crate::tls::TlsClient;

/// Why a stream or a connection of HTTP/3 is of no use, or nothing comes on it. Sections are of RFC 9114, unless another
/// is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The server did not finish the handshake of QUIC in time.
    NoHandshake,
    /// The server speaks no version of QUIC that is known here (RFC 9000, section 6).
    Version,
    /// The server breaks a rule of QUIC (RFC 9000, section 11).
    Transport,
    /// The server ended the connection with an error (RFC 9000, section 19.19).
    Close,
    /// The server has forgotten the connection (RFC 9000, section 10.3).
    StatelessReset,
    /// Nothing came for as long as the server said that it keeps a silent connection (RFC 9000, section 10.1).
    Idle,
    /// The server reset the stream (RFC 9000, section 19.4).
    Reset,
    /// The server ends the connection, and left the request out (5.2).
    GoAway,
    /// A frame where none of its type may be (4.1, 7.2).
    FrameUnexpected,
    /// A frame that is cut, or not as long as its type is (7.1).
    FrameError,
    /// SETTINGS are missing, come twice, or have a setting of HTTP/2 (7.2.4).
    Settings,
    /// A stream of the server's that may not be, or that may not end (6.2).
    Streams,
    /// A push, which the client does not allow (4.6).
    Push,
    /// A head that QPACK cannot read (RFC 9204, section 6).
    Qpack,
    /// A head above [`crate::http1::response::HEAD_BYTES_LIMIT`] (4.2.2).
    HeadTooLong,
    /// A header's name with upper case, or with characters that no name has (4.2).
    HeaderName,
    /// A header's value with characters that no value has (4.2).
    HeaderValue,
    /// A header that belongs to connections of HTTP/1 (4.2).
    ConnectionHeader,
    /// A pseudo-header that is unknown, missing, repeated, wrong, or where none may be (4.3).
    PseudoHeader,
    /// A body of another length than its Content-Length, or a Content-Length that is none (4.1.2).
    ContentLength,
    /// A body, or the end, before a final status (4.1).
    NoHead,
    /// The server allows no stream, or all that it allows were in use for too long (RFC 9000, section 4.6).
    NoStream,
    /// A part of the answer came, and its end did not.
    NoEnd,
}

impl Cause {
    /// Its name in a summary.
    fn name(self) -> &'static str {
        match self {
            Cause::NoHandshake => "http3_no_handshake",
            Cause::Version => "http3_version",
            Cause::Transport => "http3_transport",
            Cause::Close => "http3_close",
            Cause::StatelessReset => "http3_stateless_reset",
            Cause::Idle => "http3_idle",
            Cause::Reset => "http3_reset",
            Cause::GoAway => "http3_goaway",
            Cause::FrameUnexpected => "http3_frame_unexpected",
            Cause::FrameError => "http3_frame_error",
            Cause::Settings => "http3_settings",
            Cause::Streams => "http3_streams",
            Cause::Push => "http3_push",
            Cause::Qpack => "http3_qpack",
            Cause::HeadTooLong => "http3_head_too_long",
            Cause::HeaderName => "http3_header_name",
            Cause::HeaderValue => "http3_header_value",
            Cause::ConnectionHeader => "http3_connection_header",
            Cause::PseudoHeader => "http3_pseudo_header",
            Cause::ContentLength => "http3_content_length",
            Cause::NoHead => "http3_no_head",
            Cause::NoStream => "http3_no_stream",
            Cause::NoEnd => "http3_no_end",
        }
    }

    /// How it is counted.
    fn kind(self) -> ErrorKind {
        match self {
            Cause::Reset | Cause::StatelessReset => ErrorKind::Reset,
            Cause::GoAway | Cause::Close | Cause::Idle => ErrorKind::Closed,
            Cause::NoHandshake | Cause::NoStream | Cause::NoEnd => ErrorKind::Timeout,
            _ => ErrorKind::Protocol,
        }
    }

    /// What the server is told of it: a code of RFC 9114, section 8.1, or of RFC 9204, section 6.
    fn code(self) -> u32 {
        match self {
            Cause::FrameUnexpected => 0x105,
            Cause::FrameError => 0x106,
            Cause::Settings => 0x10a,
            Cause::Streams => 0x103,
            Cause::Push => 0x108,
            Cause::Qpack => 0x200,
            _ => 0x10e,
        }
    }

    /// True if it ends the connection, not its stream alone.
    fn is_of_connection(self) -> bool {
        !matches!(self.code(), 0x10e)
    }

    /// `explanation`: what came, or did not.
    pub(super) fn failure(self, explanation: impl Into<String>) -> Failure {
        Failure { cause: Some(self.name()), ..failure::failure(self.kind(), explanation) }
    }
}

/// A rule of HTTP/3 that the server has broken.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub failure: Failure,
    /// With which the connection ends; `None`: only the stream does.
    pub ends_connection: Option<u32>,
}

impl Fault {
    pub(super) fn new(cause: Cause, explanation: impl Into<String>) -> Fault {
        let ends_connection = cause.is_of_connection().then(|| cause.code());
        Fault { failure: cause.failure(explanation), ends_connection }
    }
}

/// Without an error: RFC 9114, section 8.1.
pub(super) const NO_ERROR: u32 = 0x100;
/// The request was not processed.
const REQUEST_REJECTED: u64 = 0x10b;
/// The client no longer wants the answer.
pub(super) const REQUEST_CANCELLED: u32 = 0x10c;
/// A stream of a type that is unknown.
pub(super) const STREAM_CREATION_ERROR: u32 = 0x103;
/// A stream that may not end has ended.
const CLOSED_CRITICAL_STREAM: u32 = 0x104;
/// A number that may not be.
const ID_ERROR: u32 = 0x108;

impl Fault {
    pub(super) fn of_critical_stream() -> Fault {
        let failure = Cause::Streams.failure("the server ended its control stream or a stream of QPACK");
        Fault { failure, ends_connection: Some(CLOSED_CRITICAL_STREAM) }
    }

    pub(super) fn of_goaway_number(number: u64) -> Fault {
        let failure =
            Cause::FrameError.failure(format!("GOAWAY with {number}, which no stream can have next"));
        Fault { failure, ends_connection: Some(ID_ERROR) }
    }
}

/// The server reset a stream with this code. True: it did nothing with the request.
pub(super) fn of_reset(code: u64) -> (Failure, bool) {
    (Cause::Reset.failure(format!("RESET_STREAM with {}", code_name(code))), code == REQUEST_REJECTED)
}

/// Why QUIC has ended.
pub(super) fn of_connection(error: &ConnectionError, tls: &TlsClient) -> Failure {
    match error {
        ConnectionError::VersionMismatch => Cause::Version
            .failure("the server speaks no version of QUIC that is known here: version 1 alone is"),
        ConnectionError::TransportError(error) => match alert(u64::from(error.code)) {
            Some(code) => tls.quic_failure(code, &error.reason, false),
            None => Cause::Transport.failure(format!("the server breaks QUIC: {error}")),
        },
        ConnectionError::ConnectionClosed(close) => match alert(u64::from(close.error_code)) {
            Some(code) => tls.quic_failure(code, "", true),
            None => Cause::Close.failure(format!(
                "the server closed the connection: {:?}{}",
                close.error_code,
                said(&close.reason)
            )),
        },
        ConnectionError::ApplicationClosed(close) => {
            let code = close.error_code.into_inner();
            if code == u64::from(NO_ERROR) {
                return failure::closed();
            }
            let said = said(&close.reason);
            Cause::Close.failure(format!("the server closed the connection with {}{said}", code_name(code)))
        }
        ConnectionError::Reset => {
            Cause::StatelessReset.failure("a stateless reset: the server no longer knows the connection")
        }
        ConnectionError::TimedOut => {
            Cause::Idle.failure("nothing came for as long as the server keeps a silent connection")
        }
        ConnectionError::LocallyClosed | ConnectionError::CidsExhausted => failure::closed(),
    }
}

/// The number of a TLS alert by which a connection ended (RFC 9001, section 4.8).
fn alert(code: u64) -> Option<u8> {
    u8::try_from(code.checked_sub(0x100)?).ok()
}

fn said(reason: &[u8]) -> String {
    match reason {
        [] => String::new(),
        reason => format!(": {}", String::from_utf8_lossy(&reason[..reason.len().min(200)])),
    }
}

/// A code by its name (RFC 9114, section 8.1; RFC 9204, section 6).
fn code_name(code: u64) -> String {
    const NAMES: [&str; 17] = [
        "H3_NO_ERROR",
        "H3_GENERAL_PROTOCOL_ERROR",
        "H3_INTERNAL_ERROR",
        "H3_STREAM_CREATION_ERROR",
        "H3_CLOSED_CRITICAL_STREAM",
        "H3_FRAME_UNEXPECTED",
        "H3_FRAME_ERROR",
        "H3_EXCESSIVE_LOAD",
        "H3_ID_ERROR",
        "H3_SETTINGS_ERROR",
        "H3_MISSING_SETTINGS",
        "H3_REQUEST_REJECTED",
        "H3_REQUEST_CANCELLED",
        "H3_REQUEST_INCOMPLETE",
        "H3_MESSAGE_ERROR",
        "H3_CONNECT_ERROR",
        "H3_VERSION_FALLBACK",
    ];
    let place = code.checked_sub(0x100).and_then(|place| usize::try_from(place).ok());
    match place.and_then(|place| NAMES.get(place)) {
        Some(name) => (*name).to_owned(),
        None if code == 0x200 => String::from("QPACK_DECOMPRESSION_FAILED"),
        None => format!("the unknown code {code:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names() {
        assert_eq!(code_name(0x10e), "H3_MESSAGE_ERROR");
        assert_eq!(code_name(0x200), "QPACK_DECOMPRESSION_FAILED");
        assert_eq!(code_name(7), "the unknown code 0x7");
    }
}
