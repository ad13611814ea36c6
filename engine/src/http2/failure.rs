//! Why a request over HTTP/2 failed, by the causes that a summary names.

use h2::Reason;

use crate::driver::Failure;
use crate::record::ErrorKind;

/// Why a stream or a connection of HTTP/2 is of no use, or nothing comes on it. Sections are of RFC 9113.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// What came first was an answer of HTTP/1.
    Http1,
    /// The plan's request cannot be written in HTTP/2.
    Request,
    /// What came first was no SETTINGS frame (section 3.4).
    Preface,
    /// SETTINGS with a value, a length or an acknowledgement that is none (6.5).
    Settings,
    /// A frame on a stream that the client never opened, or that may not have this frame (5.1.1).
    StreamId,
    /// A frame on a stream that the server had ended (5.1).
    AfterEnd,
    /// PUSH_PROMISE, which the client's SETTINGS forbid (8.4).
    Push,
    /// A frame above 16,384 bytes, or not as long as its type is (4.2).
    FrameSize,
    /// More padding than frame (6.1).
    Padding,
    /// A head that another frame interrupts, or a CONTINUATION of none (6.10).
    Continuation,
    /// A head that HPACK cannot read (4.3).
    Hpack,
    /// A head above [`crate::http1::response::HEAD_BYTES_LIMIT`] (10.5.1).
    HeadTooLong,
    /// A header's name with upper case, or with characters that no name has (8.2.1).
    HeaderName,
    /// A header's value with characters that no value has (8.2.1).
    HeaderValue,
    /// A header that belongs to connections of HTTP/1 (8.2.2).
    ConnectionHeader,
    /// A pseudo-header that is unknown, missing, repeated, wrong, or where none may be (8.3).
    PseudoHeader,
    /// A body of another length than its Content-Length, or a Content-Length that is none (8.1.1).
    ContentLength,
    /// A second head, which would be trailers if it ended the stream (8.1).
    Trailers,
    /// A body, or the end, before a final status (8.1).
    NoHead,
    /// A body beyond its window, or a window beyond 2^31 - 1 (6.9).
    FlowControl,
    /// So many frames that say nothing that they are an attack (10.5).
    Flood,
    /// The server sends on, and does not read what it is sent.
    Unread,
    /// Another rule of RFC 9113 is broken.
    Frames,
    /// The server reset the stream (6.4).
    Reset,
    /// The server ended the connection with a GOAWAY (6.8).
    GoAway,
    /// The server's SETTINGS did not come in time.
    NoSettings,
    /// The server allows no stream, or all that it allows were in use for too long (5.1.2).
    NoStream,
    /// The server gives no window for the request's body (6.9).
    Window,
    /// A part of the answer came, and its end did not.
    NoEnd,
}

impl Cause {
    /// Its name in a summary.
    fn name(self) -> &'static str {
        match self {
            Cause::Http1 => "http1",
            Cause::Request => "http2_request",
            Cause::Preface => "http2_preface",
            Cause::Settings => "http2_settings",
            Cause::StreamId => "http2_stream_id",
            Cause::AfterEnd => "http2_after_end",
            Cause::Push => "http2_push",
            Cause::FrameSize => "http2_frame_size",
            Cause::Padding => "http2_padding",
            Cause::Continuation => "http2_continuation",
            Cause::Hpack => "http2_hpack",
            Cause::HeadTooLong => "http2_head_too_long",
            Cause::HeaderName => "http2_header_name",
            Cause::HeaderValue => "http2_header_value",
            Cause::ConnectionHeader => "http2_connection_header",
            Cause::PseudoHeader => "http2_pseudo_header",
            Cause::ContentLength => "http2_content_length",
            Cause::Trailers => "http2_trailers",
            Cause::NoHead => "http2_no_head",
            Cause::FlowControl => "http2_flow_control",
            Cause::Flood => "http2_flood",
            Cause::Unread => "http2_unread",
            Cause::Frames => "http2_frames",
            Cause::Reset => "http2_reset",
            Cause::GoAway => "http2_goaway",
            Cause::NoSettings => "http2_no_settings",
            Cause::NoStream => "http2_no_stream",
            Cause::Window => "http2_window",
            Cause::NoEnd => "http2_no_end",
        }
    }

    /// How it is counted.
    fn kind(self) -> ErrorKind {
        match self {
            Cause::Reset => ErrorKind::Reset,
            Cause::GoAway => ErrorKind::Closed,
            Cause::NoSettings | Cause::NoStream | Cause::Window | Cause::NoEnd => ErrorKind::Timeout,
            _ => ErrorKind::Protocol,
        }
    }

    /// `explanation`: what came, or did not.
    pub(super) fn failure(self, explanation: impl Into<String>) -> Failure {
        Failure { cause: Some(self.name()), ..failure(self.kind(), explanation) }
    }
}

pub(crate) fn failure(kind: ErrorKind, explanation: impl Into<String>) -> Failure {
    Failure { kind, explanation: explanation.into().into(), cause: None }
}

pub(crate) fn closed() -> Failure {
    failure(ErrorKind::Closed, "the server closed the connection")
}

/// An error of which nothing is known but what the crate h2 says.
pub(super) fn of_error(error: &h2::Error) -> Failure {
    let code = || error.reason().map_or(String::new(), code);
    if error.is_io() {
        failure(ErrorKind::Closed, "the server closed the connection before all was answered")
    } else if error.is_remote() && error.is_reset() {
        Cause::Reset.failure(format!("RST_STREAM {}", code()))
    } else if error.is_remote() {
        Cause::GoAway.failure(format!("GOAWAY {}", code()))
    } else {
        Cause::Frames.failure(error.to_string())
    }
}

/// A request was asked again and again, and not once processed.
pub(super) fn unprocessed(failure: Failure) -> Failure {
    let words = "it was asked again, and the server did not process it";
    Failure { explanation: format!("{}: {words}", failure.explanation).into(), ..failure }
}

/// An error code by its name, and what it means (RFC 9113, section 7).
pub(super) fn code(reason: Reason) -> String {
    match u32::from(reason) {
        0..=13 => format!("{reason:?}: {}", reason.description()),
        other => format!("with the unknown code {other:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names() {
        assert_eq!(
            code(Reason::ENHANCE_YOUR_CALM),
            "ENHANCE_YOUR_CALM: detected excessive load generating behavior"
        );
        assert_eq!(code(Reason::from(0xdead)), "with the unknown code 0xdead");
    }
}
