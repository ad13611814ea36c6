//! Why bytes are no HTTP/1 answer.

/// The bytes are not an HTTP/1 answer, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The first byte is that of a TLS alert or handshake record (RFC 8446, 5.1).
    Tls,
    /// The first byte is zero, as in the SETTINGS frame with which a server of HTTP/2 begins (RFC 9113, 3.4).
    Http2,
    /// They begin with no `HTTP/1.`.
    NotHttp,
    /// `HTTP/1.`, and then no `0` or `1`, or no status of three digits.
    StatusLine,
    /// The head, or the trailer of a chunked body, is above the parser's limit.
    HeadTooLong,
    /// A line of the head without a colon or a name, with space before the colon, or folded where framing depends on it.
    HeaderLine,
    /// A Content-Length that is no number below 2^63.
    BadLength,
    /// Several values of Content-Length.
    LengthsDisagree,
    /// A chunk without a size below 2^63, or longer than its size.
    BadChunk,
    /// The answer is complete, and another one follows that nobody asked for.
    SecondAnswer,
    /// The answer is complete, and bytes follow that begin no other.
    Surplus,
    /// Bytes came before the request had been sent.
    Unasked,
}

impl Malformed {
    /// Its name in a summary.
    pub fn name(self) -> &'static str {
        match self {
            Malformed::Tls => "tls",
            Malformed::Http2 => "http2",
            Malformed::NotHttp => "not_http",
            Malformed::StatusLine => "status_line",
            Malformed::HeadTooLong => "head_too_long",
            Malformed::HeaderLine => "header_line",
            Malformed::BadLength => "bad_length",
            Malformed::LengthsDisagree => "lengths_disagree",
            Malformed::BadChunk => "bad_chunk",
            Malformed::SecondAnswer => "second_answer",
            Malformed::Surplus => "surplus",
            Malformed::Unasked => "unasked",
        }
    }

    /// Of a head that is longer than the parser's limit: the same whether it came at once or in parts.
    #[cold]
    pub(super) fn of_long_head(bytes: &[u8]) -> Malformed {
        if super::head::may_begin_with(bytes) {
            Malformed::HeadTooLong
        } else {
            Malformed::of_beginning(bytes)
        }
    }

    /// Of bytes that begin no answer. The first one decides, so that it is the same however they are split.
    #[cold]
    pub(super) fn of_beginning(bytes: &[u8]) -> Malformed {
        match bytes.first() {
            Some(0x15 | 0x16) => Malformed::Tls,
            Some(0) => Malformed::Http2,
            _ => Malformed::NotHttp,
        }
    }

    /// Of bytes behind a complete answer that was the last one asked for.
    #[cold]
    pub fn of_surplus(bytes: &[u8]) -> Malformed {
        if super::head::may_begin_with(bytes) { Malformed::SecondAnswer } else { Malformed::Surplus }
    }
}
