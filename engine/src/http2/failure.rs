//! Why a stream or a connection of HTTP/2 ended early.

use crate::driver::Failure;
use crate::record::ErrorKind;

/// Why what came, or what is to go, is not HTTP/2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// What came first was an answer of HTTP/1.
    Http1,
    /// Frames that RFC 9113 forbids.
    Frames,
    /// The plan's request cannot be written in HTTP/2.
    Request,
}

impl Cause {
    /// Its name in a summary.
    fn name(self) -> &'static str {
        match self {
            Cause::Http1 => "http1",
            Cause::Frames => "http2_frames",
            Cause::Request => "http2_request",
        }
    }

    pub(super) fn failure(self, explanation: impl Into<String>) -> Failure {
        let cause = Some(self.name());
        Failure { cause, ..failure(ErrorKind::Protocol, explanation) }
    }
}

pub(super) fn failure(kind: ErrorKind, explanation: impl Into<String>) -> Failure {
    Failure { kind, explanation: explanation.into().into(), cause: None }
}

pub(super) fn closed() -> Failure {
    failure(ErrorKind::Closed, "the server closed the connection")
}

pub(super) fn of_error(error: &h2::Error) -> Failure {
    if error.is_io() {
        failure(ErrorKind::Closed, error.to_string())
    } else if error.is_remote() && error.is_reset() {
        failure(ErrorKind::Reset, format!("RST_STREAM: {error}"))
    } else if error.is_remote() {
        failure(ErrorKind::Closed, format!("GOAWAY: {error}"))
    } else {
        Cause::Frames.failure(error.to_string())
    }
}
