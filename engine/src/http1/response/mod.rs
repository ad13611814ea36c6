//! Answers, parsed as their bytes come in.
//!
//! The parser is asked for the head, then for the body's pieces. It copies a head only when that comes in more
//! than one part, and a body never. Its memory is bounded by [`HEAD_BYTES_LIMIT`].

mod chunked;
mod coding;
mod head;
mod malformed;

use std::ops::Range;

use chunked::Chunks;
pub use coding::{Accepted, Coding};
use head::{Framing, ParsedHead};
pub use malformed::Malformed;

use super::head_end;

/// A head, or the trailer of a chunked body, longer than this is malformed. Bytes.
pub const HEAD_BYTES_LIMIT: usize = 64 * 1024;

/// No body is as long as a larger Content-Length or chunk says: who announces it does not send it. Bytes.
pub const LARGEST_BODY_BYTES: u64 = i64::MAX as u64;

/// The status of a part of a body (RFC 9110, section 15.3.7).
pub const PARTIAL_CONTENT: u16 = 206;

/// The status of an answer without a body: what the client has is still valid (RFC 9110, section 15.4.5).
pub const NOT_MODIFIED: u16 = 304;

/// What an answer's head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// Any three digits, but other 1xx than 101 are skipped.
    pub status: u16,
    /// The value of Content-Type, without space around it.
    pub content_type: Option<&'a [u8]>,
    /// The value of Location, without space around it.
    pub location: Option<&'a [u8]>,
    /// How the body is coded.
    pub coding: Option<Coding>,
    /// All of it, with the blank line.
    pub bytes: &'a [u8],
    /// True if the connection can carry another request after this answer.
    pub reusable: bool,
    /// True if there is a Content-Length beside a Transfer-Encoding, which overrides it (RFC 9112, 6.3).
    pub has_two_framings: bool,
}

/// The next part of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart<'a> {
    /// The input is used up and the body not complete.
    NeedMore,
    /// Some bytes of the body, at least one.
    Piece(&'a [u8]),
    /// Some bytes of the trailer, at least one: lines as a head has them.
    Trailer(&'a [u8]),
    /// The answer is complete.
    End,
}

/// What is missing of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The end of its head.
    Head,
    /// So many bytes of its body.
    Bytes(u64),
    /// The last of its chunks.
    Chunks,
    /// The peer's close, which ends its body.
    Close,
}

/// Parses one answer after the other on one connection.
#[derive(Debug)]
pub struct ResponseParser {
    state: State,
    /// What has come of a head that is not complete; also a complete head that came in parts.
    carry: Vec<u8>,
}

#[derive(Debug)]
enum State {
    Head,
    Fixed { left: u64 },
    Chunked(Chunks),
    UntilClose,
    Complete,
}

enum HeadPlace {
    Incomplete,
    Carried,
    Input { bytes: usize },
}

impl Default for ResponseParser {
    fn default() -> ResponseParser {
        ResponseParser::new()
    }
}

impl ResponseParser {
    /// A parser that awaits an answer.
    pub fn new() -> ResponseParser {
        ResponseParser { state: State::Head, carry: Vec::new() }
    }

    /// Forgets what has come and awaits a new answer.
    #[inline]
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.carry.clear();
    }

    /// What has come of a head in earlier parts.
    pub fn carried(&self) -> &[u8] {
        &self.carry
    }

    /// True until the head is complete.
    #[inline]
    pub fn awaits_head(&self) -> bool {
        matches!(self.state, State::Head)
    }

    /// Takes the head from the front of `input`; `None` while it is not complete, with all of `input` taken.
    /// `to_head_request`: the answer has no body, whatever its head says.
    ///
    /// # Errors
    /// If this is no HTTP/1 head or one above the limit.
    pub fn head<'p, 'i: 'p>(
        &'p mut self,
        input: &mut &'i [u8],
        to_head_request: bool,
    ) -> Result<Option<Head<'p>>, Malformed> {
        loop {
            let place = self.locate_head(input)?;
            let bytes = match place {
                HeadPlace::Incomplete => return Ok(None),
                HeadPlace::Carried => self.carry.as_slice(),
                HeadPlace::Input { bytes } => &input[..bytes],
            };
            let parsed = head::parse(bytes)?;
            let is_interim = (100..200).contains(&parsed.status) && parsed.status != 101;
            if is_interim {
                self.carry.clear();
                if let HeadPlace::Input { bytes } = place {
                    *input = &input[bytes..];
                }
                continue;
            }
            self.state = first_body_state(&parsed, to_head_request);
            let reusable = parsed.reusable && !matches!(self.state, State::UntilClose);
            let bytes: &'p [u8] = match place {
                HeadPlace::Input { bytes } => {
                    let (head, rest) = input.split_at(bytes);
                    *input = rest;
                    head
                }
                _ => &self.carry,
            };
            let value = |range: Range<usize>| &bytes[range];
            return Ok(Some(Head {
                status: parsed.status,
                content_type: parsed.content_type.map(value),
                location: parsed.location.map(value),
                coding: parsed.coding,
                bytes,
                reusable,
                has_two_framings: parsed.has_two_framings,
            }));
        }
    }

    /// Takes the next part of the body from the front of `input`.
    ///
    /// # Errors
    /// If a chunk's framing is wrong.
    #[inline]
    pub fn body<'i>(&mut self, input: &mut &'i [u8]) -> Result<BodyPart<'i>, Malformed> {
        match &mut self.state {
            State::Fixed { left } => {
                if *left == 0 {
                    self.state = State::Complete;
                    return Ok(BodyPart::End);
                }
                Ok(take(input, left))
            }
            State::Chunked(chunks) => {
                let part = chunks.next(input)?;
                if part == BodyPart::End {
                    self.state = State::Complete;
                }
                Ok(part)
            }
            State::UntilClose => {
                let mut unlimited = u64::MAX;
                Ok(take(input, &mut unlimited))
            }
            State::Head | State::Complete => Ok(BodyPart::End),
        }
    }

    /// The peer has closed: true if that completes the answer.
    pub fn is_complete_at_close(&self) -> bool {
        matches!(self.state, State::UntilClose | State::Complete)
    }

    /// What is missing of the awaited answer.
    pub fn left(&self) -> Left {
        match self.state {
            State::Head => Left::Head,
            State::Fixed { left } => Left::Bytes(left),
            State::Chunked(_) => Left::Chunks,
            State::UntilClose => Left::Close,
            State::Complete => Left::Bytes(0),
        }
    }

    fn locate_head(&mut self, input: &mut &[u8]) -> Result<HeadPlace, Malformed> {
        if self.carry.is_empty()
            && let Some(bytes) = head_end(input, 0)
        {
            return match bytes {
                ..=HEAD_BYTES_LIMIT => Ok(HeadPlace::Input { bytes }),
                _ => Err(Malformed::of_long_head(input)),
            };
        }
        let carried = self.carry.len();
        let room = HEAD_BYTES_LIMIT + 1 - carried;
        self.carry.extend_from_slice(&input[..input.len().min(room)]);
        // The blank line may have begun with the last two bytes of what was carried.
        let end = if carried == 0 { None } else { head_end(&self.carry, carried.saturating_sub(2)) };
        match end {
            Some(bytes) if bytes <= HEAD_BYTES_LIMIT => {
                self.carry.truncate(bytes);
                *input = &input[bytes - carried..];
                Ok(HeadPlace::Carried)
            }
            None if self.carry.len() <= HEAD_BYTES_LIMIT && head::may_begin_with(&self.carry) => {
                *input = &[];
                Ok(HeadPlace::Incomplete)
            }
            _ => Err(Malformed::of_long_head(&self.carry)),
        }
    }
}

fn first_body_state(head: &ParsedHead, to_head_request: bool) -> State {
    if to_head_request || matches!(head.status, 101 | 204 | NOT_MODIFIED) {
        return State::Fixed { left: 0 };
    }
    match head.framing {
        Framing::Fixed(left) => State::Fixed { left },
        Framing::Chunked => State::Chunked(Chunks::new()),
        Framing::UntilClose => State::UntilClose,
    }
}

/// At most `left` bytes from the front of `input`.
#[inline]
fn take<'i>(input: &mut &'i [u8], left: &mut u64) -> BodyPart<'i> {
    if input.is_empty() {
        return BodyPart::NeedMore;
    }
    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
    let (piece, rest) = input.split_at(taken);
    *input = rest;
    *left -= taken as u64;
    BodyPart::Piece(piece)
}

#[cfg(test)]
mod tests;
