//! gRPC over HTTP/2, as far as bytes show it: the prefixes of messages, statuses, and their texts.
//!
//! <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>

use std::fmt;

/// Bytes in front of each message: whether it is compressed, and its length.
pub const PREFIX_BYTES: usize = 5;

/// A longer message is wrong: clients of gRPC refuse it unless they are told otherwise (`grpc.max_receive_message_length`,
/// 4 MiB). Bytes.
pub const MESSAGE_BYTES_LIMIT: usize = 4 << 20;

/// What the content type of a call and of its answer begins with.
pub const MEDIA_TYPE: &[u8] = b"application/grpc";

/// The status of a call that went well.
pub const OK: u16 = 0;

/// The status of a call whose answer is not whole in time.
pub const DEADLINE_EXCEEDED: u16 = 4;

/// The names of the statuses, each at its number.
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The name of a status; of one that has none, its number.
pub fn status_name(status: u16) -> String {
    NAMES.get(usize::from(status)).map_or_else(|| format!("status {status}"), |name| (*name).to_owned())
}

/// Why a prefix is none, or what comes behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Fault {
    /// The answer ends within a prefix.
    HalfPrefix { bytes: usize },
    /// The first byte is neither 0 nor 1.
    Flag(u8),
    /// The message is compressed, and the call has asked for none that is.
    Compressed,
    /// Longer than [`MESSAGE_BYTES_LIMIT`].
    TooLong { bytes: u32 },
    /// The answer ends within a message.
    HalfMessage { bytes: u64, whole: usize },
    /// No message came.
    None,
    /// More than the one message of a unary call came: so many bytes behind it.
    Surplus { bytes: u64 },
}

/// For people.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::HalfPrefix { bytes } => {
                write!(formatter, "{bytes} bytes where the {PREFIX_BYTES} before a message were to come")
            }
            Fault::Flag(flag) => write!(formatter, "a message begins with {flag}, not with 0 or 1"),
            Fault::Compressed => {
                formatter.write_str("a message is compressed, and grpc-accept-encoding is identity")
            }
            Fault::TooLong { bytes } => {
                write!(formatter, "a message of {bytes} bytes, above {} MiB", MESSAGE_BYTES_LIMIT >> 20)
            }
            Fault::HalfMessage { bytes, whole } => {
                write!(formatter, "{bytes} of a message's {whole} bytes came")
            }
            Fault::None => formatter.write_str("no message came"),
            Fault::Surplus { bytes } => {
                write!(formatter, "{bytes} bytes behind the one message of a unary call")
            }
        }
    }
}

/// The length of the message behind a prefix. Bytes.
///
/// # Errors
/// The prefix is none, or its message is not to be read.
pub fn message_bytes(prefix: [u8; PREFIX_BYTES]) -> Result<usize, Fault> {
    let [flag, length @ ..] = prefix;
    let bytes = u32::from_be_bytes(length);
    match flag {
        0 if bytes as usize <= MESSAGE_BYTES_LIMIT => Ok(bytes as usize),
        0 => Err(Fault::TooLong { bytes }),
        1 => Err(Fault::Compressed),
        _ => Err(Fault::Flag(flag)),
    }
}

/// The message of a unary call's answer, as far as it was kept. `body_bytes`: the length of the whole body, of which
/// `body` is the beginning.
///
/// # Errors
/// The body is no single message.
pub fn only_message(body: &[u8], body_bytes: u64) -> Result<&[u8], Fault> {
    if body_bytes == 0 {
        return Err(Fault::None);
    }
    let Some((prefix, message)) = body.split_first_chunk::<PREFIX_BYTES>() else {
        return Err(Fault::HalfPrefix { bytes: body.len() });
    };
    let whole = message_bytes(*prefix)?;
    let bytes = body_bytes - PREFIX_BYTES as u64;
    match bytes.checked_sub(whole as u64) {
        None => Err(Fault::HalfMessage { bytes, whole }),
        Some(0) => Ok(message),
        Some(bytes) => Err(Fault::Surplus { bytes }),
    }
}

/// Parses the messages of one answer as their bytes come.
#[derive(Debug, Default)]
pub struct MessageParser {
    /// What has come of a prefix, and of the message behind it, unless both came at once.
    part: Vec<u8>,
    /// The message in `part` was given.
    was_given: bool,
}

impl MessageParser {
    /// Forgets what has come.
    pub fn reset(&mut self) {
        self.part.clear();
        self.was_given = false;
    }

    /// Takes `input` up to the end of the next message; `None`: none ends in it, and all of it is taken.
    ///
    /// # Errors
    /// The prefix is none, or its message is not to be read. The parser is of no more use then, until it is reset.
    pub fn next<'m, 'i: 'm>(&'m mut self, input: &mut &'i [u8]) -> Result<Option<&'m [u8]>, Fault> {
        if std::mem::take(&mut self.was_given) {
            self.part.clear();
        }
        if self.part.is_empty()
            && let Some((prefix, behind)) = input.split_first_chunk::<PREFIX_BYTES>()
            && let Some((message, rest)) = behind.split_at_checked(message_bytes(*prefix)?)
        {
            *input = rest;
            return Ok(Some(message));
        }
        if !self.keep(input, PREFIX_BYTES) {
            return Ok(None);
        }
        let prefix = *self.part.first_chunk().expect("as long as a prefix");
        self.was_given = self.keep(input, PREFIX_BYTES + message_bytes(prefix)?);
        Ok(self.was_given.then(|| &self.part[PREFIX_BYTES..]))
    }

    /// What is wrong with an answer that ends here.
    pub fn unfinished(&self) -> Option<Fault> {
        let bytes = if self.was_given { 0 } else { self.part.len() };
        match self.part.first_chunk() {
            _ if bytes == 0 => None,
            None => Some(Fault::HalfPrefix { bytes }),
            Some(prefix) => {
                let whole = message_bytes(*prefix).ok()?;
                Some(Fault::HalfMessage { bytes: (bytes - PREFIX_BYTES) as u64, whole })
            }
        }
    }

    /// Keeps `input` until so many bytes are kept. True if they are.
    fn keep(&mut self, input: &mut &[u8], bytes: usize) -> bool {
        let missing = bytes.saturating_sub(self.part.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.part.extend_from_slice(taken);
        *input = rest;
        self.part.len() >= bytes
    }
}

/// A `grpc-message`, whose bytes may be percent-encoded; what is no such encoding stays as it is.
pub fn decoded(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| first == b'%');
        let byte = digits.and_then(|digits| {
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            is_hex.then(|| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok())?
        });
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unary_answer_is_one_message() {
        let body = b"\0\0\0\0\x03abcd";
        assert_eq!(only_message(&body[..8], 8), Ok(&b"abc"[..]));
        assert_eq!(only_message(&body[..6], 8), Ok(&b"a"[..]));
        for (body, body_bytes, fault) in [
            (&body[..0], 0, Fault::None),
            (&body[..4], 4, Fault::HalfPrefix { bytes: 4 }),
            (&body[..7], 7, Fault::HalfMessage { bytes: 2, whole: 3 }),
            (&body[..9], 9, Fault::Surplus { bytes: 1 }),
            (b"\x01\0\0\0\0", 5, Fault::Compressed),
            (b"\x02\0\0\0\0", 5, Fault::Flag(2)),
            (b"\0\xff\xff\xff\xff", 5, Fault::TooLong { bytes: u32::MAX }),
        ] {
            assert_eq!(only_message(body, body_bytes), Err(fault));
            assert!(!fault.to_string().is_empty());
        }
    }

    #[test]
    fn messages_are_the_same_wherever_their_bytes_are_cut() {
        let bytes = b"\0\0\0\0\x03abc\0\0\0\0\0\0\0\0\0\x02de";
        for size in 1..=bytes.len() {
            let (mut parser, mut messages) = (MessageParser::default(), Vec::new());
            for mut piece in bytes.chunks(size) {
                while let Some(message) = parser.next(&mut piece).unwrap() {
                    messages.push(message.to_vec());
                }
                assert!(piece.is_empty());
            }
            assert_eq!(messages, [&b"abc"[..], b"", b"de"], "pieces of {size}");
            assert_eq!(parser.unfinished(), None);
        }
    }

    #[test]
    fn messages_that_are_cut_or_none_are_told() {
        for (bytes, fault) in [
            (&b"\0\0\0\0\x01a\0\0"[..], Fault::HalfPrefix { bytes: 2 }),
            (b"\0\0\0\0\x03ab", Fault::HalfMessage { bytes: 2, whole: 3 }),
            (b"\x01\0\0\0\0", Fault::Compressed),
            (b"\0\xff\xff\xff\xff", Fault::TooLong { bytes: u32::MAX }),
        ] {
            for size in [1, bytes.len()] {
                let mut parser = MessageParser::default();
                let mut heard = Ok(());
                for mut piece in bytes.chunks(size) {
                    while heard.is_ok() && !piece.is_empty() {
                        heard = parser.next(&mut piece).map(drop);
                    }
                }
                assert_eq!(heard.err().or(parser.unfinished()), Some(fault));
                assert!(parser.part.len() <= PREFIX_BYTES + 3);
            }
        }
    }

    #[test]
    fn texts_are_percent_encoded() {
        for (text, wanted) in [
            ("no%20such%20row%3a 7", "no such row: 7"),
            ("%E2%82%AC", "€"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%+1", "%zz%+1"),
            ("%ff", "\u{fffd}"),
            ("", ""),
        ] {
            assert_eq!(decoded(text.as_bytes()), wanted);
        }
    }

    #[test]
    fn statuses_have_their_names() {
        assert_eq!(
            [0, 4, 16, 17].map(status_name),
            ["OK", "DEADLINE_EXCEEDED", "UNAUTHENTICATED", "status 17"]
        );
    }
}
