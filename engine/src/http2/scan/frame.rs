//! Frames, split from bytes that come in any pieces. Payloads stay where they are.

use std::borrow::Cow;
use std::fmt;

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PUSH_PROMISE: u8 = 5;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;

/// By type, its name.
const NAMES: [&str; 10] = [
    "DATA",
    "HEADERS",
    "PRIORITY",
    "RST_STREAM",
    "SETTINGS",
    "PUSH_PROMISE",
    "PING",
    "GOAWAY",
    "WINDOW_UPDATE",
    "CONTINUATION",
];

/// Of DATA and HEADERS.
pub(super) const END_STREAM: u8 = 1;
/// Of SETTINGS and PING.
pub(super) const ACK: u8 = 1;
/// Of HEADERS, PUSH_PROMISE and CONTINUATION.
pub(super) const END_HEADERS: u8 = 4;
pub(super) const PADDED: u8 = 8;
const PRIORITIZED: u8 = 0x20;

/// The longest payload that a peer may send without being allowed more.
pub(super) const MOST_PAYLOAD_BYTES: u32 = 16_384;

const HEAD_BYTES: usize = 9;

/// The most bytes of padding that a frame can have, their number's own byte included.
const MOST_PADDING_BYTES: u32 = 256;

/// True if a frame that begins with these bytes, of a server, cannot be judged before more of them come: its head, and of
/// DATA whether it is more than padding.
#[inline]
pub(super) fn is_part(bytes: &[u8]) -> bool {
    bytes.split_first_chunk().is_none_or(|(head, payload)| {
        let head = Head::of(head);
        let needed = head.length.min(MOST_PADDING_BYTES) as usize;
        head.kind == DATA && head.has(PADDED) && payload.len() < needed
    })
}

/// A frame's first nine bytes (RFC 9113, section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// Of the payload, in bytes.
    pub length: u32,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl Head {
    #[inline]
    fn of(bytes: &[u8; HEAD_BYTES]) -> Head {
        let [a, b, c, kind, flags, stream @ ..] = *bytes;
        let length = u32::from_be_bytes([0, a, b, c]);
        Head { length, kind, flags, stream: u32::from_be_bytes(stream) & 0x7fff_ffff }
    }

    #[inline]
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    pub(super) fn ends_stream(&self) -> bool {
        self.kind <= HEADERS && self.has(END_STREAM)
    }

    /// The fewest bytes that the payload of DATA or HEADERS has with these flags.
    #[inline]
    pub(super) fn least_length(&self) -> u32 {
        let priority = if self.kind == HEADERS && self.has(PRIORITIZED) { 5 } else { 0 };
        u32::from(self.has(PADDED)) + priority
    }

    /// The bytes of padding, its length's own byte included.
    #[inline]
    pub(super) fn padding(&self, payload: &[u8]) -> u32 {
        match payload.first() {
            Some(&bytes) if self.has(PADDED) => u32::from(bytes) + 1,
            _ => 0,
        }
    }

    /// Of all of the frame.
    pub(super) fn frame_bytes(&self) -> usize {
        HEAD_BYTES + self.length as usize
    }

    /// True if it is DATA that carries nothing: no byte of a body, and not the end of a stream.
    #[inline]
    pub(super) fn is_hollow(&self, padding: u32) -> bool {
        self.kind == DATA
            && self.length == padding
            && self.length >= self.least_length()
            && !self.has(END_STREAM)
    }

    /// The part of a HEADERS or CONTINUATION frame that HPACK has written.
    pub(super) fn block<'p>(&self, payload: &'p [u8]) -> &'p [u8] {
        if self.kind != HEADERS {
            return payload;
        }
        let padding = self.padding(payload) as usize;
        let before = usize::from(padding > 0) + if self.has(PRIORITIZED) { 5 } else { 0 };
        let end = payload.len().saturating_sub(padding.saturating_sub(1));
        payload.get(before..end).unwrap_or_default()
    }
}

impl fmt::Display for Head {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.get(usize::from(self.kind)) {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "a frame of type {:#x}", self.kind),
        }
    }
}

/// A frame, and what has come of its payload: all of it, but for DATA and frames of unknown or forbidden lengths and types.
pub(super) type Frame<'b> = (Head, Cow<'b, [u8]>);

/// Splits one direction of a connection into frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Splitter {
    /// The beginning of a frame's head.
    head: [u8; HEAD_BYTES],
    head_bytes: usize,
    /// Bytes of a payload that have not come.
    left: u32,
    /// A frame whose payload is kept until all of it has come.
    kept: Option<(Head, Vec<u8>)>,
}

impl Splitter {
    /// A splitter that first passes over so many bytes.
    pub(super) fn after(bytes: u32) -> Splitter {
        Splitter { left: bytes, ..Splitter::default() }
    }

    /// No frame has come in part.
    pub(super) fn is_between(&self) -> bool {
        self.head_bytes == 0 && self.left == 0
    }

    /// Bytes of the payload of the frame under way that have not come.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// Takes the next frame off `rest`; `None`: it is used up.
    #[inline]
    pub(super) fn next<'b>(&mut self, rest: &mut &'b [u8]) -> Option<Frame<'b>> {
        self.pass_over(rest);
        if !self.is_between() {
            return self.go_on(rest);
        }
        let Some((head, payload)) = rest.split_first_chunk() else {
            self.head[..rest.len()].copy_from_slice(rest);
            self.head_bytes = rest.len();
            *rest = &[];
            return None;
        };
        *rest = payload;
        self.begin(Head::of(head), rest)
    }

    /// Takes what is left of a payload that nobody keeps.
    #[inline]
    pub(super) fn pass_over(&mut self, rest: &mut &[u8]) {
        if self.kept.is_none() {
            let bytes = rest.len().min(self.left as usize);
            *rest = &rest[bytes..];
            self.left -= bytes as u32;
        }
    }

    /// A frame's head has come.
    #[inline]
    fn begin<'b>(&mut self, head: Head, rest: &mut &'b [u8]) -> Option<Frame<'b>> {
        let here = rest.len().min(head.length as usize);
        let (payload, after) = rest.split_at(here);
        *rest = after;
        self.left = head.length - here as u32;
        let is_kept = (HEADERS..=CONTINUATION).contains(&head.kind) && head.length <= MOST_PAYLOAD_BYTES;
        if self.left == 0 || !is_kept {
            return Some((head, Cow::Borrowed(payload)));
        }
        self.kept = Some((head, payload.to_vec()));
        None
    }

    /// The rest of a frame that has come in part.
    #[cold]
    fn go_on<'b>(&mut self, rest: &mut &'b [u8]) -> Option<Frame<'b>> {
        if let Some((_, payload)) = &mut self.kept {
            let (part, after) = rest.split_at(rest.len().min(self.left as usize));
            *rest = after;
            self.left -= part.len() as u32;
            payload.extend_from_slice(part);
            let whole = self.kept.take_if(|_| self.left == 0);
            return whole.map(|(head, payload)| (head, Cow::Owned(payload)));
        }
        if self.left > 0 {
            return None;
        }
        let (part, after) = rest.split_at(rest.len().min(HEAD_BYTES - self.head_bytes));
        *rest = after;
        self.head[self.head_bytes..][..part.len()].copy_from_slice(part);
        self.head_bytes += part.len();
        if self.head_bytes < HEAD_BYTES {
            return None;
        }
        self.head_bytes = 0;
        let head = Head::of(&self.head);
        self.begin(head, rest)
    }
}

#[cfg(test)]
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heads and payloads, of DATA the length alone.
    fn frames(pieces: &[&[u8]]) -> Vec<(Head, Vec<u8>)> {
        let mut splitter = Splitter::default();
        let mut frames = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some((head, payload)) = splitter.next(&mut rest) {
                let payload = if head.kind == DATA { Vec::new() } else { payload.into_owned() };
                frames.push((head, payload));
            }
            assert!(rest.is_empty());
        }
        frames
    }

    #[test]
    fn frames_are_the_same_however_their_bytes_are_cut() {
        let bytes = [
            frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 9]),
            frame(HEADERS, END_HEADERS, 1, &[0x88]),
            frame(DATA, 0, 1, &[7; 300]),
            frame(DATA, END_STREAM, 1, b""),
            frame(RST_STREAM, 0, 3, &[0, 0, 0, 2]),
            frame(0xbe, 0xff, 5, b"what"),
        ]
        .concat();
        let whole = frames(&[&bytes]);
        let kinds: Vec<u8> = whole.iter().map(|(head, _)| head.kind).collect();
        assert_eq!(kinds, [SETTINGS, HEADERS, DATA, DATA, RST_STREAM, 0xbe]);
        assert_eq!(
            (whole[2].0.length, whole[4].1.as_slice(), whole[4].0.stream),
            (300, &[0, 0, 0, 2][..], 3)
        );
        for cut in 0..bytes.len() {
            let (first, second) = bytes.split_at(cut);
            let cut_frames = frames(&[first, second]);
            assert_eq!(cut_frames[..5], whole[..5], "{cut}");
        }
        let bytewise: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(frames(&bytewise)[..5], whole[..5]);
    }

    #[test]
    fn parts_of_frames_are_told_from_such_as_can_be_judged() {
        let padded = |payload: &[u8]| frame(DATA, PADDED, 1, payload);
        assert!(is_part(b"") && is_part(&frame(DATA, 0, 1, b"")[..8]));
        assert!(!is_part(&frame(DATA, 0, 1, b"body")[..9]) && !is_part(&padded(b"")));
        assert!(is_part(&padded(&[2, 0, 0])[..11]) && !is_part(&padded(&[2, 0, 0])));
        assert!(is_part(&padded(&[255; 300])[..264]) && !is_part(&padded(&[255; 300])[..265]));
    }

    #[test]
    fn a_head_is_without_padding_and_priority() {
        let head = Head { kind: HEADERS, flags: PADDED | PRIORITIZED, ..Head::default() };
        assert_eq!(head.block(&[2, 0, 0, 0, 0, 16, 0x88, 0x89, 0, 0]), [0x88, 0x89]);
        assert_eq!(head.block(&[200, 0, 0, 0, 0, 16, 0x88]), [0; 0]);
        let plain = Head { kind: HEADERS, ..Head::default() };
        assert_eq!(plain.block(&[0x88]), [0x88]);
    }

    #[test]
    fn a_frame_above_the_limit_is_told_at_once() {
        let mut splitter = Splitter::default();
        let mut rest = &b"220 mail ready\r\n"[..];
        let (head, _) = splitter.next(&mut rest).unwrap();
        assert!(head.length > MOST_PAYLOAD_BYTES);
    }
}
