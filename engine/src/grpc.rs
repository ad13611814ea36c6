//! gRPC over HTTP/2, as far as bytes show it: the prefixes of messages, statuses, and their texts.
//!
//! <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>

use std::fmt;

/// Bytes in front of each message: whether it is compressed, and its length.
pub const PREFIX_BYTES: usize = 5;

/// A longer message is wrong: clients of gRPC refuse it unless they are told otherwise (`grpc.max_receive_message_length`,
/// 4 MiB). Bytes.
pub const MESSAGE_BYTES_LIMIT: usize = 4 << 20;

/// The status of a call that went well.
pub const OK: u16 = 0;

/// The status of a call whose answer is whole too late.
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
