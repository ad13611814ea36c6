//! The head of an answer: status line and the headers that decide about framing and reuse.

use std::ops::Range;

use memchr::memchr;

use super::{Coding, Malformed};

/// How the length of the body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Fixed(u64),
    Chunked,
    UntilClose,
}

/// A head; `content_type` and `location` are places in its bytes.
#[derive(Debug)]
pub(super) struct ParsedHead {
    pub status: u16,
    pub framing: Framing,
    pub reusable: bool,
    pub has_two_framings: bool,
    pub content_type: Option<Range<usize>>,
    pub location: Option<Range<usize>>,
    pub coding: Option<Coding>,
}

/// False if no answer begins with these bytes, so that garbage is known at once.
pub(super) fn may_begin_with(bytes: &[u8]) -> bool {
    let compared = bytes.len().min(VERSION.len());
    bytes[..compared] == VERSION[..compared]
}

const VERSION: &[u8] = b"HTTP/1.";

/// Parses a complete head.
pub(super) fn parse(bytes: &[u8]) -> Result<ParsedHead, Malformed> {
    let mut start = line_end(bytes, 0)?;
    let (status, is_1_1) = parse_status_line(trim_line_end(&bytes[..start]))?;
    let mut fields = Fields::default();
    loop {
        let end = line_end(bytes, start)?;
        let line = trim_line_end(&bytes[start..end]);
        if line.is_empty() {
            break;
        }
        match line {
            [b' ' | b'\t', ..] => fields.fold(line)?,
            _ => fields.read(line, start)?,
        }
        start = end;
    }
    Ok(fields.conclude(status, is_1_1))
}

#[inline]
fn line_end(bytes: &[u8], start: usize) -> Result<usize, Malformed> {
    memchr(b'\n', &bytes[start..]).map(|at| start + at + 1).ok_or(Malformed::HeaderLine)
}

#[inline]
fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[inline]
fn parse_status_line(line: &[u8]) -> Result<(u16, bool), Malformed> {
    let rest = line.strip_prefix(VERSION).ok_or_else(|| Malformed::of_beginning(line))?;
    let [minor, b' ', hundreds @ b'0'..=b'9', tens @ b'0'..=b'9', ones @ b'0'..=b'9', reason @ ..] = rest
    else {
        return Err(Malformed::StatusLine);
    };
    if !matches!(minor, b'0' | b'1') || !matches!(reason, [] | [b' ', ..]) {
        return Err(Malformed::StatusLine);
    }
    let digit = |byte: &u8| u16::from(byte - b'0');
    Ok((digit(hundreds) * 100 + digit(tens) * 10 + digit(ones), *minor == b'1'))
}

/// The headers that matter, as far as they have been read.
#[derive(Default)]
struct Fields {
    content_length: Option<u64>,
    content_type: Option<Range<usize>>,
    location: Option<Range<usize>>,
    coding: Option<Coding>,
    has_transfer_encoding: bool,
    is_chunked: bool,
    close: bool,
    keep_alive: bool,
    /// The last line was one whose value we read.
    was_read: bool,
    has_lines: bool,
}

impl Fields {
    /// `start`: place of the line in the head.
    #[inline]
    fn read(&mut self, line: &[u8], start: usize) -> Result<(), Malformed> {
        let colon = memchr(b':', line).ok_or(Malformed::HeaderLine)?;
        let name = &line[..colon];
        if matches!(name, [] | [.., b' ' | b'\t']) {
            return Err(Malformed::HeaderLine);
        }
        (self.was_read, self.has_lines) = (true, true);
        match name.len() {
            8 if name.eq_ignore_ascii_case(b"location") => {
                self.location = Some(value_place(line, colon, start));
            }
            10 if name.eq_ignore_ascii_case(b"connection") => {
                for token in line[colon + 1..].split(|&byte| byte == b',') {
                    let token = token.trim_ascii();
                    self.close |= token.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            12 if name.eq_ignore_ascii_case(b"content-type") => {
                self.content_type = Some(value_place(line, colon, start));
            }
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let length = parse_length(line[colon + 1..].trim_ascii())?;
                if self.content_length.is_some_and(|other| other != length) {
                    return Err(Malformed::LengthsDisagree);
                }
                self.content_length = Some(length);
            }
            16 if name.eq_ignore_ascii_case(b"content-encoding") => {
                self.coding = Coding::and(self.coding, Coding::of(&line[colon + 1..]));
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                let last = line[colon + 1..].rsplit(|&byte| byte == b',').next().unwrap_or_default();
                self.has_transfer_encoding = true;
                self.is_chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            }
            _ => self.was_read = false,
        }
        Ok(())
    }

    /// A line that continues the one before (RFC 9112, 5.2). Obsolete, but some servers still fold long values; where
    /// framing would depend on it, it is not trusted.
    #[cold]
    fn fold(&mut self, line: &[u8]) -> Result<(), Malformed> {
        let is_blank = line.trim_ascii().is_empty();
        if self.was_read || !self.has_lines || is_blank { Err(Malformed::HeaderLine) } else { Ok(()) }
    }

    fn conclude(self, status: u16, is_1_1: bool) -> ParsedHead {
        let framing = match self.content_length {
            _ if self.is_chunked => Framing::Chunked,
            Some(length) if !self.has_transfer_encoding => Framing::Fixed(length),
            _ => Framing::UntilClose,
        };
        let has_two_framings = self.has_transfer_encoding && self.content_length.is_some();
        // Two framings at once, or chunks from an HTTP/1.0 peer, leave doubt where the next answer begins.
        let doubtful = has_two_framings || (self.has_transfer_encoding && !is_1_1);
        let reusable = !self.close && (is_1_1 || self.keep_alive) && !doubtful && status != 101;
        let Fields { content_type, location, coding, .. } = self;
        ParsedHead { status, framing, reusable, has_two_framings, content_type, location, coding }
    }
}

/// Where the value behind a line's colon stands in the head, without space around it. `start`: place of the line.
#[inline]
fn value_place(line: &[u8], colon: usize, start: usize) -> Range<usize> {
    let value = &line[colon + 1..];
    let from = start + colon + 1 + (value.len() - value.trim_ascii_start().len());
    from..from + value.trim_ascii().len()
}

/// A length up to [`super::LARGEST_BODY_BYTES`].
#[inline]
fn parse_length(digits: &[u8]) -> Result<u64, Malformed> {
    if digits.is_empty() {
        return Err(Malformed::BadLength);
    }
    let mut length: i64 = 0;
    for byte in digits {
        if !byte.is_ascii_digit() {
            return Err(Malformed::BadLength);
        }
        length = length
            .checked_mul(10)
            .and_then(|length| length.checked_add(i64::from(byte - b'0')))
            .ok_or(Malformed::BadLength)?;
    }
    Ok(length.unsigned_abs())
}
