//! Frames (RFC 6455, section 5): written with a mask, and read as a server must send them.

/// The payload of a control frame is no longer (section 5.5). Bytes.
pub(super) const CONTROL_BYTES_LIMIT: usize = 125;

/// More frames of a message without any payload are a flood.
const MOST_EMPTY_FRAMES: u32 = 1000;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
const LENGTH_OF_2_BYTES: u8 = 126;
const LENGTH_OF_8_BYTES: u8 = 127;

/// What a frame is (section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Opcode {
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}

impl Opcode {
    fn of(number: u8) -> Option<Opcode> {
        use Opcode::{Binary, Close, Continuation, Ping, Pong, Text};
        [Continuation, Text, Binary, Close, Ping, Pong].into_iter().find(|&opcode| opcode as u8 == number)
    }

    fn is_control(self) -> bool {
        self as u8 >= Opcode::Close as u8
    }
}

/// What came whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Came<'a> {
    /// A message, text or binary.
    Message(Opcode, &'a [u8]),
    /// A ping, to be answered with the same payload.
    Ping(&'a [u8]),
    /// A pong, which nobody asked for.
    Pong,
    /// The end of the connection: the code, if there is one, and the reason.
    Close(Option<u16>, &'a str),
}

/// Which rule of RFC 6455 a frame breaks, or which bound of this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breach {
    /// A frame of the server is masked (section 5.1).
    Masked,
    /// A reserved bit is set, and no extension was agreed on (section 5.2).
    Reserved,
    /// There is no such opcode.
    Opcode(u8),
    /// A control frame is in fragments, or longer than [`CONTROL_BYTES_LIMIT`].
    Control,
    /// A message begins amid another one, or goes on that has not begun (section 5.4).
    Continuation,
    /// A length takes more bytes than it needs, or its first bit is set (section 5.2).
    Length,
    /// A message is longer than the plan allows; so many bytes.
    TooLong(u64),
    /// A text is not UTF-8 (section 8.1).
    Utf8,
    /// A close frame of one byte, or with a code that none may have (sections 5.5.1 and 7.4).
    Close,
    /// Frame after frame without a payload.
    Empty,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    opcode: Opcode,
    is_final: bool,
    left: u64,
}

/// Reads the frames of one connection. Its memory is bounded by the limit of a message.
#[derive(Debug)]
pub(super) struct FrameReader {
    limit: u64,
    /// What has come of a frame's head.
    head: Vec<u8>,
    /// The frame whose payload is awaited.
    frame: Option<Frame>,
    control: Vec<u8>,
    message: Vec<u8>,
    /// Text or binary, if a message has begun that is not complete.
    kind: Option<Opcode>,
    empty_frames: u32,
    /// What is in `message` was given.
    was_given: bool,
}

impl FrameReader {
    /// `limit`: of a message, in bytes.
    pub(super) fn new(limit: u64) -> FrameReader {
        FrameReader {
            limit,
            head: Vec::new(),
            frame: None,
            control: Vec::new(),
            message: Vec::new(),
            kind: None,
            empty_frames: 0,
            was_given: false,
        }
    }

    /// Awaits the first frame of another connection.
    pub(super) fn reset(&mut self) {
        *self = FrameReader::new(self.limit);
    }

    /// What has come of a message or a frame that is not complete, in words; `None`: nothing.
    pub(super) fn unfinished(&self) -> Option<String> {
        match (&self.frame, self.kind) {
            (Some(frame), _) => {
                let came = if frame.opcode.is_control() { self.control.len() } else { self.came() };
                Some(format!("{came} bytes of a message came, {} of its frame did not", frame.left))
            }
            (None, Some(_)) => {
                Some(format!("{} bytes of a message came in fragments, and no last one", self.came()))
            }
            (None, None) if !self.head.is_empty() => {
                Some(format!("{} bytes of a frame's head came, and no more", self.head.len()))
            }
            (None, None) => None,
        }
    }

    /// True if something has come of a message or a frame that is not complete.
    #[inline]
    pub(super) fn is_unfinished(&self) -> bool {
        self.frame.is_some() || self.kind.is_some() || !self.head.is_empty()
    }

    /// True if a message has begun that is not complete.
    pub(super) fn is_within_message(&self) -> bool {
        self.kind.is_some()
    }

    fn came(&self) -> usize {
        if self.was_given { 0 } else { self.message.len() }
    }

    /// Takes `input` up to the end of what came whole; `None`: nothing did, and all of it is taken.
    ///
    /// # Errors
    /// If the connection is of no more use.
    pub(super) fn next<'a, 'i: 'a>(&'a mut self, input: &mut &'i [u8]) -> Result<Option<Came<'a>>, Breach> {
        if std::mem::take(&mut self.was_given) {
            self.message.clear();
        }
        loop {
            let Some(mut frame) = self.frame.take() else {
                if !self.read_head(input)? {
                    return Ok(None);
                }
                continue;
            };
            if frame.opcode.is_control() {
                let piece = take(input, &mut frame.left);
                self.control.extend_from_slice(piece);
                if frame.left > 0 {
                    self.frame = Some(frame);
                    return Ok(None);
                }
                return self.control_frame(frame.opcode).map(Some);
            }
            let kind = self.kind.unwrap_or(frame.opcode);
            if frame.is_final && self.message.is_empty() && input.len() as u64 >= frame.left {
                // The usual case: it came in one read, and is not copied.
                let payload = take(input, &mut frame.left);
                (self.kind, self.empty_frames) = (None, 0);
                return whole(kind, payload).map(Some);
            }
            let piece = take(input, &mut frame.left);
            self.message.extend_from_slice(piece);
            if frame.left > 0 {
                self.frame = Some(frame);
                return Ok(None);
            }
            if frame.is_final {
                (self.kind, self.was_given, self.empty_frames) = (None, true, 0);
                return whole(kind, &self.message).map(Some);
            }
        }
    }

    /// True if a head is complete, which is in `frame` then.
    fn read_head(&mut self, input: &mut &[u8]) -> Result<bool, Breach> {
        loop {
            let wanted = match *self.head.as_slice() {
                [first, second, ..] => {
                    self.check(first, second)?;
                    match second {
                        LENGTH_OF_2_BYTES => 4,
                        LENGTH_OF_8_BYTES => 10,
                        _ => 2,
                    }
                }
                _ => 2,
            };
            if self.head.len() == wanted {
                break;
            }
            let Some((byte, rest)) = input.split_first() else { return Ok(false) };
            self.head.push(*byte);
            *input = rest;
        }
        let length = match self.head[2..] {
            [] => u64::from(self.head[1]),
            [high, low] => u64::from(u16::from_be_bytes([high, low])),
            ref bytes => bytes.iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
        };
        let least = match self.head.len() {
            2 => 0,
            4 => u64::from(LENGTH_OF_2_BYTES),
            _ => 1 << 16,
        };
        if length < least || length >> 63 == 1 {
            return Err(Breach::Length);
        }
        let is_final = self.head[0] & FINAL != 0;
        let opcode = Opcode::of(self.head[0] & 0x0f).ok_or(Breach::Opcode(self.head[0] & 0x0f))?;
        self.head.clear();
        if opcode.is_control() {
            self.control.clear();
        } else {
            self.begin_data(opcode, is_final, length)?;
        }
        self.frame = Some(Frame { opcode, is_final, left: length });
        Ok(true)
    }

    fn begin_data(&mut self, opcode: Opcode, is_final: bool, length: u64) -> Result<(), Breach> {
        let bytes = length.saturating_add(self.message.len() as u64);
        if bytes > self.limit {
            return Err(Breach::TooLong(bytes));
        }
        if opcode != Opcode::Continuation {
            self.kind = Some(opcode);
        }
        if length == 0 && !is_final {
            self.empty_frames += 1;
            if self.empty_frames > MOST_EMPTY_FRAMES {
                return Err(Breach::Empty);
            }
        }
        Ok(())
    }

    /// Checks the first two bytes of a frame.
    fn check(&self, first: u8, second: u8) -> Result<(), Breach> {
        if first & RESERVED != 0 {
            return Err(Breach::Reserved);
        }
        let opcode = Opcode::of(first & 0x0f).ok_or(Breach::Opcode(first & 0x0f))?;
        if second & MASKED != 0 {
            return Err(Breach::Masked);
        }
        if opcode.is_control() {
            let fits = first & FINAL != 0 && usize::from(second) <= CONTROL_BYTES_LIMIT;
            return if fits { Ok(()) } else { Err(Breach::Control) };
        }
        let goes_on = opcode == Opcode::Continuation;
        if goes_on == self.kind.is_some() { Ok(()) } else { Err(Breach::Continuation) }
    }

    fn control_frame(&self, opcode: Opcode) -> Result<Came<'_>, Breach> {
        match (opcode, self.control.as_slice()) {
            (Opcode::Ping, payload) => Ok(Came::Ping(payload)),
            (Opcode::Close, []) => Ok(Came::Close(None, "")),
            (Opcode::Close, [high, low, reason @ ..]) => {
                let code = u16::from_be_bytes([*high, *low]);
                let reason = std::str::from_utf8(reason).map_err(|_| Breach::Utf8)?;
                if may_be_sent(code) { Ok(Came::Close(Some(code), reason)) } else { Err(Breach::Close) }
            }
            (Opcode::Close, [_]) => Err(Breach::Close),
            _ => Ok(Came::Pong),
        }
    }
}

/// Whether a close frame may have this code (RFC 6455, section 7.4, and the registry that it began).
fn may_be_sent(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999)
}

fn whole(kind: Opcode, payload: &[u8]) -> Result<Came<'_>, Breach> {
    if kind == Opcode::Text && std::str::from_utf8(payload).is_err() {
        return Err(Breach::Utf8);
    }
    Ok(Came::Message(kind, payload))
}

/// At most `left` bytes from the front of `input`.
fn take<'i>(input: &mut &'i [u8], left: &mut u64) -> &'i [u8] {
    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
    let (piece, rest) = input.split_at(taken);
    *input = rest;
    *left -= taken as u64;
    piece
}

/// Appends a whole message, or a control frame, as a client sends it. `mask`: one that the server cannot foresee.
pub(super) fn write(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8], mask: [u8; 4]) {
    out.push(FINAL | opcode as u8);
    match payload.len() {
        short @ 0..=CONTROL_BYTES_LIMIT => out.push(MASKED | short as u8),
        medium @ ..=0xffff => {
            out.push(MASKED | LENGTH_OF_2_BYTES);
            out.extend_from_slice(&(medium as u16).to_be_bytes());
        }
        long => {
            out.push(MASKED | LENGTH_OF_8_BYTES);
            out.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&mask);
    let begin = out.len();
    out.extend_from_slice(payload);
    let wide = u64::from_ne_bytes([mask, mask].concat().try_into().unwrap_or_default());
    let mut words = out[begin..].chunks_exact_mut(8);
    for word in &mut words {
        let masked =
            u64::from_ne_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]])
                ^ wide;
        word.copy_from_slice(&masked.to_ne_bytes());
    }
    for (byte, mask) in words.into_remainder().iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A frame as a server sends it; `first`: FIN, reserved bits and opcode.
    pub(crate) fn served(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match payload.len() {
            short @ 0..=125 => frame.push(short as u8),
            medium @ ..=0xffff => {
                frame.push(126);
                frame.extend((medium as u16).to_be_bytes());
            }
            long => {
                frame.push(127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        frame.extend(payload);
        frame
    }

    /// What comes of bytes in these pieces: each thing that came whole, as text, or the breach.
    fn came(pieces: &[&[u8]], limit: u64) -> Result<Vec<String>, Breach> {
        let (mut reader, mut all) = (FrameReader::new(limit), Vec::new());
        for piece in pieces {
            let mut input = *piece;
            while let Some(came) = reader.next(&mut input)? {
                all.push(match came {
                    Came::Message(_, payload) => String::from_utf8_lossy(payload).into_owned(),
                    other => format!("{other:?}"),
                });
            }
            assert!(input.is_empty());
        }
        Ok(all)
    }

    #[test]
    fn messages_are_the_same_wherever_their_bytes_are_cut() {
        let long = "x".repeat(70_000);
        let bytes = [
            served(0x81, b"hello"),
            served(0x01, b"fra"),
            served(0x89, b"ping"),
            served(0x00, b""),
            served(0x80, b"gments"),
            served(0x82, &[b'y'; 200]),
            served(0x81, b""),
            served(0x8a, b""),
            served(0x81, long.as_bytes()),
            served(0x88, &[&1001_u16.to_be_bytes()[..], b"bye"].concat()),
        ]
        .concat();
        let whole = came(&[&bytes], 100_000).unwrap();
        let ping = "Ping([112, 105, 110, 103])";
        let y = "y".repeat(200);
        assert_eq!(whole, ["hello", ping, "fragments", &y, "", "Pong", &long, "Close(Some(1001), \"bye\")"]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(came(&single, 100_000).unwrap(), whole);
        for split in 0..300 {
            assert_eq!(came(&[&bytes[..split], &bytes[split..]], 100_000).unwrap(), whole, "cut at {split}");
        }
    }

    #[test]
    fn each_rule_that_a_frame_breaks_is_told_by_itself() {
        let cases: Vec<(&str, Vec<u8>, Breach)> = vec![
            ("a mask", vec![0x81, 0x82, 1, 2, 3, 4, b'o', b'k'], Breach::Masked),
            ("a reserved bit", served(0xc1, b"ok"), Breach::Reserved),
            ("an opcode", served(0x83, b"ok"), Breach::Opcode(3)),
            ("a control opcode", served(0x8b, b""), Breach::Opcode(11)),
            ("a ping in fragments", served(0x09, b""), Breach::Control),
            ("a long ping", served(0x89, &[0; 126]), Breach::Control),
            ("a continuation of nothing", served(0x80, b"ok"), Breach::Continuation),
            (
                "a message amid another",
                [served(0x01, b"a"), served(0x81, b"b")].concat(),
                Breach::Continuation,
            ),
            ("two bytes of a short length", vec![0x81, 126, 0, 5], Breach::Length),
            ("eight bytes of a short length", vec![0x81, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff], Breach::Length),
            ("a length with its first bit", vec![0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], Breach::Length),
            ("a huge length", vec![0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], {
                Breach::TooLong(i64::MAX as u64)
            }),
            ("fragments without end", served(0x00, &[b'x'; 60]).repeat(20), Breach::Continuation),
            ("no UTF-8", served(0x81, b"\xff\xfe"), Breach::Utf8),
            ("no UTF-8 in fragments", [served(0x01, b"\xc3"), served(0x80, b"(")].concat(), Breach::Utf8),
            ("a close of one byte", served(0x88, b"x"), Breach::Close),
            ("a close with the code of none", served(0x88, &1005_u16.to_be_bytes()), Breach::Close),
            ("a close with a code of HTTP", served(0x88, &200_u16.to_be_bytes()), Breach::Close),
            ("a reason that is not UTF-8", served(0x88, b"\x03\xe8\xff"), Breach::Utf8),
        ];
        for (what, bytes, breach) in cases {
            assert_eq!(came(&[&bytes], 1000), Err(breach), "{what}");
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(came(&single, 1000), Err(breach), "{what}, byte by byte");
        }
    }

    #[test]
    fn what_has_no_end_is_bounded() {
        let endless = [served(0x01, &[b'x'; 60]), served(0x00, &[b'x'; 60]).repeat(20)].concat();
        assert_eq!(came(&[&endless], 1000), Err(Breach::TooLong(1020)));
        let empty = [served(0x01, b""), served(0x00, b"").repeat(2000)].concat();
        assert_eq!(came(&[&empty], 1000), Err(Breach::Empty));
        let begun_empty = [served(0x01, b""), served(0x80, b"x")].concat().repeat(1100);
        assert_eq!(came(&[&begun_empty], 1000).unwrap(), vec!["x"; 1100]);
        let mut reader = FrameReader::new(1000);
        assert_eq!(reader.next(&mut &endless[..500]), Ok(None));
        assert!(reader.unfinished().unwrap().contains("of a message came"));
        assert!(reader.message.capacity() <= 2000);
    }

    #[test]
    fn characters_may_be_cut_by_fragments() {
        let (text, bytes) = ("ä€", "ä€".as_bytes());
        let pieces = [served(0x01, &bytes[..1]), served(0x00, &bytes[1..3]), served(0x80, &bytes[3..])];
        assert_eq!(came(&[&pieces.concat()], 100).unwrap(), [text]);
    }

    #[test]
    fn what_is_written_is_masked() {
        for length in [0, 5, 8, 125, 126, 1000, 65_535, 65_536] {
            let payload: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut out = Vec::new();
            write(&mut out, Opcode::Binary, &payload, [1, 2, 3, 4]);
            let head = match length {
                0..=125 => 2,
                126..=0xffff => 4,
                _ => 10,
            };
            assert_eq!((out[0], out[1] & MASKED), (0x82, MASKED));
            assert_eq!(out[head..head + 4], [1, 2, 3, 4]);
            let unmasked =
                out[head + 4..].iter().zip([1, 2, 3, 4].iter().cycle()).map(|(byte, mask)| byte ^ mask);
            assert_eq!(unmasked.collect::<Vec<u8>>(), payload, "{length} bytes");
        }
    }
}
