//! The frames of one stream, out of its bytes (RFC 9114, section 7).

use bytes::{Buf, Bytes};

use super::failure::{Cause, Fault};
use super::varint;
use crate::http1::response::HEAD_BYTES_LIMIT;

pub(super) const DATA: u64 = 0;
pub(super) const HEADERS: u64 = 1;
pub(super) const CANCEL_PUSH: u64 = 3;
pub(super) const SETTINGS: u64 = 4;
pub(super) const PUSH_PROMISE: u64 = 5;
pub(super) const GOAWAY: u64 = 7;
pub(super) const MAX_PUSH_ID: u64 = 0xd;

/// Frames of HTTP/2 that HTTP/3 has no use for, and that may not be sent (section 7.2.8).
const OF_HTTP2: [u64; 4] = [2, 6, 8, 9];

/// Two integers.
const MOST_HEAD_BYTES: usize = 16;

/// A part of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A whole frame.
    Frame(u64, Vec<u8>),
    /// A piece of a body.
    Data(Bytes),
}

/// What the bytes that come next belong to.
#[derive(Debug)]
enum Place {
    /// Type and length of a frame, as far as they have come.
    Head(Vec<u8>),
    Data(u64),
    /// A frame that is wanted whole, and how long it is.
    Whole(u64, usize, Vec<u8>),
    /// A frame that is not known.
    Skipped(u64),
}

#[derive(Debug)]
pub(super) struct Frames {
    place: Place,
}

impl Default for Frames {
    fn default() -> Frames {
        Frames { place: Place::Head(Vec::new()) }
    }
}

impl Frames {
    /// True between two frames.
    pub(super) fn is_between(&self) -> bool {
        matches!(&self.place, Place::Head(head) if head.is_empty())
    }

    /// Takes the next part from the front. `None`: more has to come.
    pub(super) fn take(&mut self, bytes: &mut Bytes) -> Result<Option<Part>, Fault> {
        loop {
            match &mut self.place {
                Place::Head(head) => {
                    let had = head.len();
                    head.extend_from_slice(&bytes[..bytes.len().min(MOST_HEAD_BYTES - had)]);
                    let mut left = &head[..];
                    let (Some(kind), Some(length)) = (varint::take(&mut left), varint::take(&mut left))
                    else {
                        bytes.clear();
                        return Ok(None);
                    };
                    bytes.advance(head.len() - left.len() - had);
                    self.place = begun(kind, length)?;
                }
                Place::Data(0) | Place::Skipped(0) => self.place = Place::Head(Vec::new()),
                Place::Data(_) | Place::Skipped(_) if bytes.is_empty() => return Ok(None),
                Place::Data(left) => {
                    let piece = bytes.split_to(bytes.len().min((*left).try_into().unwrap_or(usize::MAX)));
                    *left -= piece.len() as u64;
                    if *left == 0 {
                        self.place = Place::Head(Vec::new());
                    }
                    return Ok(Some(Part::Data(piece)));
                }
                Place::Skipped(left) => {
                    let skipped = bytes.len().min((*left).try_into().unwrap_or(usize::MAX));
                    bytes.advance(skipped);
                    *left -= skipped as u64;
                }
                Place::Whole(kind, length, payload) => {
                    let piece = bytes.split_to(bytes.len().min(*length - payload.len()));
                    payload.extend_from_slice(&piece);
                    if payload.len() == *length {
                        let part = Part::Frame(*kind, std::mem::take(payload));
                        self.place = Place::Head(Vec::new());
                        return Ok(Some(part));
                    }
                    return Ok(None);
                }
            }
        }
    }
}

/// Where a stream is behind a frame's type and length.
fn begun(kind: u64, length: u64) -> Result<Place, Fault> {
    match kind {
        DATA => Ok(Place::Data(length)),
        HEADERS if length > HEAD_BYTES_LIMIT as u64 => Err(Fault::new(
            Cause::HeadTooLong,
            format!("a head of {length} bytes, coded; allowed are {HEAD_BYTES_LIMIT}"),
        )),
        HEADERS | CANCEL_PUSH | SETTINGS | GOAWAY | MAX_PUSH_ID => match usize::try_from(length) {
            Ok(bytes) if bytes <= HEAD_BYTES_LIMIT => Ok(Place::Whole(kind, bytes, Vec::new())),
            _ => Err(Fault::new(Cause::FrameError, format!("a frame of type {kind} with {length} bytes"))),
        },
        PUSH_PROMISE => Err(Fault::new(Cause::Push, "PUSH_PROMISE, although the client allows no push")),
        _ if OF_HTTP2.contains(&kind) => {
            Err(Fault::new(Cause::FrameUnexpected, format!("a frame of type {kind}, which only HTTP/2 has")))
        }
        _ => Ok(Place::Skipped(length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(stream: &[u8], step: usize) -> (Vec<Part>, Frames) {
        let mut frames = Frames::default();
        let mut parts: Vec<Part> = Vec::new();
        for piece in stream.chunks(step) {
            let mut bytes = Bytes::copy_from_slice(piece);
            while let Some(part) = frames.take(&mut bytes).unwrap() {
                match (parts.last_mut(), part) {
                    (Some(Part::Data(before)), Part::Data(piece)) => {
                        *before = [&before[..], &piece].concat().into();
                    }
                    (_, part) => parts.push(part),
                }
            }
        }
        (parts, frames)
    }

    #[test]
    fn frames_come_whole_however_they_are_cut() {
        let stream = b"\x01\x02ab\x21\x40\x03xyz\x00\x05hello\x00\x00\x01\x00";
        for step in 1..=stream.len() {
            let (parts, frames) = parts(stream, step);
            assert_eq!(
                parts,
                [
                    Part::Frame(HEADERS, b"ab".to_vec()),
                    Part::Data(Bytes::from_static(b"hello")),
                    Part::Frame(HEADERS, Vec::new()),
                ]
            );
            assert!(frames.is_between());
        }
    }

    #[test]
    fn a_frame_that_is_cut_is_not_the_end() {
        for stream in [&b"\x01"[..], b"\x00\x05hell", b"\x01\x05hell", b"\x21\x05hell"] {
            assert!(!parts(stream, 3).1.is_between(), "{stream:?}");
        }
    }

    #[test]
    fn frames_that_may_not_be_are_faults() {
        for (stream, words) in [
            (&b"\x05\x00"[..], "no push"),
            (b"\x06\x00", "only HTTP/2"),
            (b"\x01\x80\x01\x00\x01", "allowed are 65536"),
            (b"\x04\x80\x01\x00\x01", "a frame of type 4"),
        ] {
            let fault = Frames::default().take(&mut Bytes::copy_from_slice(stream)).unwrap_err();
            assert!(fault.failure.explanation.contains(words), "{fault:?}");
        }
    }
}
