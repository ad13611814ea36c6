//! Requests, as far as a target has to understand them.

use crate::http1::head_end;

const HEAD_BYTES_LIMIT: usize = 64 * 1024;

/// A body above this is refused. Bytes.
const BODY_BYTES_LIMIT: u64 = 64 * 1024 * 1024;

/// What becomes of the connection after an answer, and what the answer says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// HTTP/1.1: it stays, and nothing is said.
    Default,
    /// HTTP/1.0 asked that it stays.
    KeepAlive,
    /// It closes.
    Close,
}

/// How an answer was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub reuse: Reuse,
    pub is_head: bool,
}

impl Asked {
    /// Every way, in the order of [`Asked::place`].
    pub(super) fn all() -> impl Iterator<Item = Asked> {
        [Reuse::Default, Reuse::KeepAlive, Reuse::Close]
            .into_iter()
            .flat_map(|reuse| [false, true].map(|is_head| Asked { reuse, is_head }))
    }

    #[inline]
    pub(super) fn place(self) -> usize {
        self.reuse as usize * 2 + usize::from(self.is_head)
    }
}

/// A request's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub asked: Asked,
    /// Length of the head.
    pub head_bytes: usize,
    /// Length of the body that follows.
    pub body_bytes: u64,
}

/// An answer that ends a connection whose requests are not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub &'static [u8]);

const BAD_REQUEST: Refusal =
    Refusal(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
const LENGTH_REQUIRED: Refusal =
    Refusal(b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
const TOO_LARGE: Refusal =
    Refusal(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
const HEAD_TOO_LARGE: Refusal = Refusal(
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
);

/// Reads heads. Load generators send the same head again and again, which is recognised without being parsed.
#[derive(Default)]
pub(super) struct RequestReader {
    last: Vec<u8>,
    last_request: Option<Request>,
}

impl RequestReader {
    /// The request at the front of `input`; `None` while its head is not complete.
    #[inline]
    pub(super) fn read(&mut self, input: &[u8]) -> Result<Option<Request>, Refusal> {
        if let Some(request) = self.last_request.filter(|_| input.starts_with(&self.last)) {
            return Ok(Some(request));
        }
        let Some(head_bytes) = head_end(input, 0) else {
            return if input.len() > HEAD_BYTES_LIMIT { Err(HEAD_TOO_LARGE) } else { Ok(None) };
        };
        if head_bytes > HEAD_BYTES_LIMIT {
            return Err(HEAD_TOO_LARGE);
        }
        let request = parse(&input[..head_bytes])?;
        self.last.clear();
        self.last.extend_from_slice(&input[..head_bytes]);
        self.last_request = Some(request);
        Ok(Some(request))
    }
}

fn parse(head: &[u8]) -> Result<Request, Refusal> {
    let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    let is_1_1 = match first {
        [.., b' ', b'H', b'T', b'T', b'P', b'/', b'1', b'.', minor @ (b'0' | b'1')] => *minor == b'1',
        _ => return Err(BAD_REQUEST),
    };
    let (mut close, mut keep_alive, mut length) = (false, false, None);
    for line in lines.take_while(|line| !line.is_empty()) {
        let colon = memchr::memchr(b':', line).ok_or(BAD_REQUEST)?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        // RFC 9112, 5.1 and 5.2: no space before the colon, and no line that continues another one.
        if name.is_empty() || name.iter().any(u8::is_ascii_whitespace) {
            return Err(BAD_REQUEST);
        }
        if name.eq_ignore_ascii_case(b"connection") {
            for token in value.split(|&byte| byte == b',') {
                close |= token.trim_ascii().eq_ignore_ascii_case(b"close");
                keep_alive |= token.trim_ascii().eq_ignore_ascii_case(b"keep-alive");
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            // RFC 9112, 6.3: lengths that disagree make the request's end unknown.
            let stated = content_length(value).ok_or(BAD_REQUEST)?;
            if length.is_some_and(|other| other != stated) {
                return Err(BAD_REQUEST);
            }
            length = Some(stated);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            return Err(LENGTH_REQUIRED);
        }
    }
    let body_bytes = length.unwrap_or(0);
    if body_bytes > BODY_BYTES_LIMIT {
        return Err(TOO_LARGE);
    }
    let reuse = match (is_1_1, close, keep_alive) {
        (_, true, _) | (false, _, false) => Reuse::Close,
        (true, ..) => Reuse::Default,
        (false, ..) => Reuse::KeepAlive,
    };
    let asked = Asked { reuse, is_head: first.starts_with(b"HEAD ") };
    Ok(Request { asked, head_bytes: head.len(), body_bytes })
}

/// Digits alone: RFC 9110, 8.6.
fn content_length(value: &[u8]) -> Option<u64> {
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(value).ok().filter(|_| is_number)?.parse().ok()
}

#[cfg(test)]
mod tests;
