//! Why connections of WebSocket fail.

use std::borrow::Cow;

use super::frame::{Breach, CONTROL_BYTES_LIMIT};
use crate::driver::Failure;
use crate::record::ErrorKind;

/// Why, as a summary names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Refused,
    Upgrade,
    Accept,
    Extension,
    Subprotocol,
    NoHandshake,
    HandshakeClosed,
    UnknownId,
    Unasked,
    NoId,
    SameId,
    Flood,
    Unfinished,
    NoClose,
    NoCopy,
    SecondCopy,
    CopiesDiffer,
}

impl Cause {
    pub(super) fn name(self) -> &'static str {
        match self {
            Cause::Refused => "websocket_refused",
            Cause::Upgrade => "websocket_upgrade",
            Cause::Accept => "websocket_accept",
            Cause::Extension => "websocket_extension",
            Cause::Subprotocol => "websocket_subprotocol",
            Cause::NoHandshake => "websocket_no_handshake",
            Cause::HandshakeClosed => "websocket_handshake_closed",
            Cause::UnknownId => "websocket_unknown_id",
            Cause::Unasked => "websocket_unasked",
            Cause::NoId => "websocket_no_id",
            Cause::SameId => "websocket_same_id",
            Cause::Flood => "websocket_flood",
            Cause::Unfinished => "websocket_unfinished",
            Cause::NoClose => "websocket_no_close",
            Cause::NoCopy => "websocket_no_copy",
            Cause::SecondCopy => "websocket_second_copy",
            Cause::CopiesDiffer => "websocket_copies_differ",
        }
    }

    fn kind(self) -> ErrorKind {
        match self {
            Cause::Refused => ErrorKind::Connect,
            Cause::NoHandshake | Cause::Unfinished | Cause::NoCopy => ErrorKind::Timeout,
            Cause::HandshakeClosed | Cause::NoClose => ErrorKind::Closed,
            _ => ErrorKind::Protocol,
        }
    }

    pub(super) fn failure(self, explanation: impl Into<Cow<'static, str>>) -> Failure {
        Failure { kind: self.kind(), explanation: explanation.into(), cause: Some(self.name()) }
    }

    /// The same, counted as another kind.
    pub(super) fn failure_of(self, kind: ErrorKind, explanation: impl Into<Cow<'static, str>>) -> Failure {
        Failure { kind, explanation: explanation.into(), cause: Some(self.name()) }
    }
}

/// The begin of what a server says: no more of it is shown.
pub(super) fn begin(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Why a message times out that waits for the handshake.
pub(super) fn no_handshake() -> Failure {
    Cause::NoHandshake.failure("the connection was taken, and the handshake not answered")
}

/// Why a message times out behind a part of another one.
pub(super) fn unfinished() -> Failure {
    Cause::Unfinished.failure("a message, or a frame of one, began to come and did not end")
}

/// What a breach is to whoever awaits an answer.
pub(super) fn of_breach(breach: Breach) -> Failure {
    let cause = match breach {
        Breach::Masked => "websocket_masked",
        Breach::Reserved => "websocket_reserved",
        Breach::Opcode(_) => "websocket_opcode",
        Breach::Control => "websocket_control",
        Breach::Continuation => "websocket_continuation",
        Breach::Length => "websocket_length",
        Breach::TooLong(_) => "websocket_too_long",
        Breach::Utf8 => "websocket_utf8",
        Breach::Close => "websocket_close_frame",
        Breach::Empty => Cause::Flood.name(),
    };
    let words: Cow<'static, str> = match breach {
        Breach::Masked => "a masked frame, which only clients send".into(),
        Breach::Reserved => "a frame with a reserved bit, without an extension".into(),
        Breach::Opcode(opcode) => format!("a frame of opcode {opcode}, which is none").into(),
        Breach::Control => {
            format!("a control frame in fragments, or above {CONTROL_BYTES_LIMIT} bytes").into()
        }
        Breach::Continuation => "a fragment of no message, or a message amid another's fragments".into(),
        Breach::Length => "a length in more bytes than it needs, or above 2^63".into(),
        Breach::TooLong(bytes) => format!("a message of {bytes} bytes or more, above message_bytes").into(),
        Breach::Utf8 => "a text that is not UTF-8".into(),
        Breach::Close => "a close frame without a code that may be sent".into(),
        Breach::Empty => "fragment after fragment without a byte".into(),
    };
    Failure { kind: ErrorKind::Protocol, explanation: words, cause: Some(cause) }
}

/// With which code the server hears of a breach (RFC 6455, section 7.4.1).
pub(super) fn code_for(breach: Breach) -> u16 {
    match breach {
        Breach::Utf8 => 1007,
        Breach::TooLong(_) => 1009,
        Breach::Empty => 1008,
        _ => 1002,
    }
}

/// The server has ended the connection with this code.
pub(super) fn of_close(code: Option<u16>, reason: &str) -> Failure {
    let cause = match code {
        None => "websocket_close_1005",
        Some(1000) => "websocket_close_1000",
        Some(1001) => "websocket_close_1001",
        Some(1002) => "websocket_close_1002",
        Some(1003) => "websocket_close_1003",
        Some(1007) => "websocket_close_1007",
        Some(1008) => "websocket_close_1008",
        Some(1009) => "websocket_close_1009",
        Some(1010) => "websocket_close_1010",
        Some(1011) => "websocket_close_1011",
        Some(1012) => "websocket_close_1012",
        Some(1013) => "websocket_close_1013",
        Some(1014) => "websocket_close_1014",
        Some(_) => "websocket_close_other",
    };
    let code = code.map_or("without a code".to_owned(), |code| format!("with code {code}"));
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let explanation = format!("the server closed the connection {code}{reason}").into();
    Failure { kind: ErrorKind::Closed, explanation, cause: Some(cause) }
}
