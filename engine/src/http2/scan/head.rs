//! The rule that a head breaks, where HPACK's dynamic table is not needed to tell. It is looked for after the head was
//! refused.

use crate::http1::response::{HEAD_BYTES_LIMIT, LARGEST_BODY_BYTES};
use crate::http2::failure::Cause;
use crate::huffman;

/// By index less 1, the names of HPACK's static table (RFC 7541, appendix A).
#[rustfmt::skip]
const NAMES: [&str; 61] = [
    ":authority", ":method", ":method", ":path", ":path", ":scheme", ":scheme", ":status", ":status", ":status",
    ":status", ":status", ":status", ":status", "accept-charset", "accept-encoding", "accept-language",
    "accept-ranges", "accept", "access-control-allow-origin", "age", "allow", "authorization", "cache-control",
    "content-disposition", "content-encoding", "content-language", "content-length", "content-location",
    "content-range", "content-type", "cookie", "date", "etag", "expect", "expires", "from", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "link", "location",
    "max-forwards", "proxy-authenticate", "proxy-authorization", "range", "referer", "refresh", "retry-after",
    "server", "set-cookie", "strict-transport-security", "transfer-encoding", "user-agent", "vary", "via",
    "www-authenticate",
];

/// The statuses of the static table, from its index 8 on.
const STATUSES: [&str; 7] = ["200", "204", "206", "304", "400", "404", "500"];

/// Pseudo-headers of requests, which h2 reads over.
const OF_REQUESTS: [&str; 5] = [":authority", ":method", ":path", ":scheme", ":protocol"];

/// Headers of a connection, which no answer over HTTP/2 has (RFC 9113, section 8.2.2).
const OF_CONNECTIONS: [&str; 5] =
    ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// The most that the dynamic table may hold, unless the client says otherwise. Bytes.
const TABLE_BYTES: usize = 4096;

/// A rule that is broken, and how.
pub(super) type Fault = (Cause, String);

/// What HPACK has written of a head.
pub(super) struct Block<'b> {
    pub bytes: &'b [u8],
    pub is_trailer: bool,
    /// The stream ends with it.
    pub ends: bool,
}

/// A header; what only the dynamic table knows is `None`.
struct Field {
    name: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
}

/// What cannot be read.
struct Unreadable(&'static str);

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    /// The next header; `None` at the end.
    fn field(&mut self) -> Result<Option<Field>, Unreadable> {
        loop {
            let Some(&first) = self.0.first() else { return Ok(None) };
            if first >= 0x80 {
                return self.integer(7).and_then(entry).map(Some);
            }
            if first & 0xe0 == 0x20 {
                if self.integer(5)? > TABLE_BYTES {
                    return Err(Unreadable("it makes the dynamic table larger than the client allows"));
                }
                continue;
            }
            let index = self.integer(if first >= 0x40 { 6 } else { 4 })?;
            let name = if index == 0 { Some(self.string()?) } else { entry(index)?.name };
            return Ok(Some(Field { name, value: Some(self.string()?) }));
        }
    }

    /// A number whose first byte has so many bits of it (RFC 7541, section 5.1).
    fn integer(&mut self, bits: u32) -> Result<usize, Unreadable> {
        let most = (1 << bits) - 1;
        let mut value = usize::from(self.byte()?) & most;
        if value < most {
            return Ok(value);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value += usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Unreadable("it has a number that is too long"))
    }

    fn string(&mut self) -> Result<Vec<u8>, Unreadable> {
        let is_coded = self.0.first().is_some_and(|&byte| byte >= 0x80);
        let length = self.integer(7)?;
        let (text, rest) = self.0.split_at_checked(length).ok_or(CUT)?;
        self.0 = rest;
        Ok(if is_coded { huffman::decode(text).text } else { text.to_vec() })
    }

    fn byte(&mut self) -> Result<u8, Unreadable> {
        let (&byte, rest) = self.0.split_first().ok_or(CUT)?;
        self.0 = rest;
        Ok(byte)
    }
}

const CUT: Unreadable = Unreadable("it ends amid a header");

/// A header of HPACK's tables.
fn entry(index: usize) -> Result<Field, Unreadable> {
    let text = |text: &str| text.as_bytes().to_vec();
    match index {
        0 => Err(Unreadable("it has an index of 0")),
        1..=61 => {
            let status = index.checked_sub(8).and_then(|place| STATUSES.get(place));
            Ok(Field { name: Some(text(NAMES[index - 1])), value: status.map(|status| text(status)) })
        }
        _ => Ok(Field { name: None, value: None }),
    }
}

/// The pseudo-header with which a head begins.
pub(super) fn first_pseudo_header(block: &[u8]) -> Option<String> {
    let field = Reader(block).field().ok().flatten()?;
    field.name.filter(|name| name.starts_with(b":")).map(|name| quoted(&name))
}

/// True if a head begins with a status that is no interim one for certain.
#[inline]
pub(super) fn has_final_status(block: &[u8]) -> bool {
    // The statuses of the static table are all final.
    matches!(block.first(), Some(0x88..=0x8e))
        || status(block).is_some_and(|status| !status.starts_with(b"1"))
}

/// True if a head begins with an interim status for certain.
pub(super) fn has_interim_status(block: &[u8]) -> bool {
    status(block).is_some_and(|status| status.starts_with(b"1"))
}

/// True if a head begins with a status for certain whose answers have no body (RFC 9110, section 6.4.1).
#[inline]
pub(super) fn is_bodiless(block: &[u8]) -> bool {
    // Of 200, the most frequent by far, the first byte tells.
    block.first() != Some(&0x88) && status(block).is_some_and(|status| status == b"204" || status == b"304")
}

/// The status with which a head begins, unless only the dynamic table has it.
#[cold]
fn status(block: &[u8]) -> Option<Vec<u8>> {
    let field = Reader(block).field().ok().flatten()?;
    field.value.filter(|_| field.name.as_deref() == Some(b":status"))
}

/// The length that a head announces.
pub(super) fn content_length(block: &[u8]) -> Option<u64> {
    let mut reader = Reader(block);
    while let Ok(Some(field)) = reader.field() {
        if field.name.as_deref() == Some(b"content-length") {
            return String::from_utf8(field.value?).ok()?.parse().ok();
        }
    }
    None
}

/// The rule that a head breaks; `None` if that cannot be told.
pub(super) fn fault(block: &Block<'_>) -> Option<Fault> {
    let mut seen = Seen::default();
    let mut reader = Reader(block.bytes);
    loop {
        match reader.field() {
            Ok(Some(field)) => {
                if let Some(fault) = seen.look_at(field, block) {
                    return Some(fault);
                }
            }
            Ok(None) => return seen.missing(block),
            Err(Unreadable(why)) => {
                return Some((Cause::Hpack, format!("a head that HPACK cannot read: {why}")));
            }
        }
    }
}

/// What a head has so far.
#[derive(Default)]
struct Seen {
    status: Option<Vec<u8>>,
    content_length: Option<u64>,
    has_regular: bool,
    has_unknown: bool,
    bytes: usize,
}

impl Seen {
    fn look_at(&mut self, field: Field, block: &Block<'_>) -> Option<Fault> {
        let length = |text: &Option<Vec<u8>>| text.as_ref().map_or(0, Vec::len);
        self.bytes += length(&field.name) + length(&field.value) + 32;
        if self.bytes >= HEAD_BYTES_LIMIT {
            let what = if block.is_trailer { "trailer" } else { "head" };
            let why = format!("a {what} above {} KiB", HEAD_BYTES_LIMIT / 1024);
            return Some((Cause::HeadTooLong, why));
        }
        let Some(name) = field.name else {
            self.has_unknown = true;
            return None;
        };
        let value = field.value.unwrap_or_default();
        match name.as_slice() {
            [] => Some((Cause::HeaderName, "a header without a name".to_owned())),
            [b':', ..] => self.look_at_pseudo_header(&name, value, block),
            _ => {
                self.has_regular = true;
                self.look_at_regular(&name, &value)
            }
        }
    }

    fn look_at_pseudo_header(&mut self, name: &[u8], value: Vec<u8>, block: &Block<'_>) -> Option<Fault> {
        let why = if block.is_trailer {
            "is in trailers".to_owned()
        } else if self.has_regular {
            "comes after other headers".to_owned()
        } else if OF_REQUESTS.iter().any(|other| name == other.as_bytes()) {
            return None;
        } else if name != b":status" {
            "is none".to_owned()
        } else if self.status.is_some() {
            "comes twice".to_owned()
        } else if value.len() != 3 || !value.iter().all(u8::is_ascii_digit) || value[0] == b'0' {
            format!("is {}", quoted(&value))
        } else {
            self.status = Some(value);
            return None;
        };
        Some((Cause::PseudoHeader, format!("the pseudo-header {} {why}", quoted(name))))
    }

    fn look_at_regular(&mut self, name: &[u8], value: &[u8]) -> Option<Fault> {
        let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
        if name.iter().any(u8::is_ascii_uppercase) {
            return Some((Cause::HeaderName, format!("the header {} has upper case", quoted(name))));
        }
        if !name.iter().all(is_token) {
            return Some((Cause::HeaderName, format!("{} is no name of a header", quoted(name))));
        }
        if value.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
            let why = format!("the header {} has a control character: {}", quoted(name), quoted(value));
            return Some((Cause::HeaderValue, why));
        }
        let is_of_connections = OF_CONNECTIONS.iter().any(|other| name == other.as_bytes());
        if is_of_connections || name == b"te" && value != b"trailers" {
            let why = format!("the header {}, which belongs to connections of HTTP/1.1", quoted(name));
            return Some((Cause::ConnectionHeader, why));
        }
        if name == b"content-length" {
            return self.look_at_content_length(value);
        }
        None
    }

    fn look_at_content_length(&mut self, value: &[u8]) -> Option<Fault> {
        let length = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        let why = match (length.filter(|&length| length <= LARGEST_BODY_BYTES), self.content_length) {
            (None, _) => format!("a Content-Length of {}, which is no number below 2^63", quoted(value)),
            (Some(length), Some(other)) if length != other => {
                format!("a Content-Length of {other} and one of {length}")
            }
            _ => {
                self.content_length = length;
                return None;
            }
        };
        Some((Cause::ContentLength, why))
    }

    /// The fault of a head that has no other.
    fn missing(&self, block: &Block<'_>) -> Option<Fault> {
        if block.is_trailer {
            return None;
        }
        match (&self.status, self.content_length) {
            (None, _) if !self.has_unknown => {
                Some((Cause::PseudoHeader, "the pseudo-header \":status\" is missing".to_owned()))
            }
            (Some(status), _) if status[0] == b'1' && block.ends => {
                let status = String::from_utf8_lossy(status);
                Some((Cause::NoHead, format!("the stream ends with the interim status {status}")))
            }
            (_, Some(length @ 1..)) if block.ends => {
                Some((Cause::ContentLength, format!("Content-Length is {length}, and there is no body")))
            }
            _ => None,
        }
    }
}

/// Bytes of a peer, made printable and short.
pub(super) fn quoted(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let text = bytes[..bytes.len().min(MOST)].escape_ascii();
    format!("\"{text}{}\"", if bytes.len() > MOST { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(name: &[u8], value: &[u8]) -> Vec<u8> {
        [&[0, name.len() as u8], name, &[value.len() as u8], value].concat()
    }

    fn found(bytes: &[u8], is_trailer: bool, ends: bool) -> Option<Fault> {
        fault(&Block { bytes, is_trailer, ends })
    }

    #[test]
    fn each_rule_that_a_head_breaks_is_named() {
        let after_status = |rest: &[u8]| [&[0x88], rest].concat();
        let cases = [
            (vec![], Cause::PseudoHeader, "\":status\" is missing"),
            (vec![0x88, 0x88], Cause::PseudoHeader, "comes twice"),
            (literal(b":what", b"x"), Cause::PseudoHeader, "\":what\" is none"),
            (literal(b":status", b"20"), Cause::PseudoHeader, "\":status\" is \"20\""),
            ([literal(b"a", b"b"), vec![0x88]].concat(), Cause::PseudoHeader, "after other headers"),
            (after_status(&literal(b"X-One", b"1")), Cause::HeaderName, "\"X-One\" has upper case"),
            (after_status(&literal(b"x one", b"1")), Cause::HeaderName, "\"x one\" is no name"),
            (after_status(&literal(b"", b"1")), Cause::HeaderName, "without a name"),
            (after_status(&literal(b"x", b"a\r\nb")), Cause::HeaderValue, "\"a\\r\\nb\""),
            (after_status(&literal(b"connection", b"close")), Cause::ConnectionHeader, "\"connection\""),
            (after_status(&[0x0f, 0x2a, 7]), Cause::Hpack, "ends amid a header"),
            (after_status(b"\x0f\x2a\x07chunked"), Cause::ConnectionHeader, "\"transfer-encoding\""),
            (after_status(&literal(b"te", b"gzip")), Cause::ConnectionHeader, "\"te\""),
            (after_status(&literal(b"content-length", b"5x")), Cause::ContentLength, "\"5x\""),
            (after_status(&[0x80]), Cause::Hpack, "an index of 0"),
            (vec![0x3f, 0xff, 0xff, 0x03, 0x88], Cause::Hpack, "larger than the client allows"),
        ];
        for (bytes, cause, words) in cases {
            let (named, why) = found(&bytes, false, false).expect(words);
            assert_eq!(named, cause, "{why}");
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn codes_of_huffman_are_read() {
        // "custom-key" and "custom-value", as in RFC 7541, C.4.3; then a name in upper case.
        let coded = [0x88, 0x40, 0x88, 0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xa9, 0x7d, 0x7f, 0x01, b'v'];
        assert_eq!(found(&coded, false, false), None);
        // "A" is 0x21 in 6 bits, then ones.
        let upper = [0x88, 0x40, 0x81, 0b1000_0111, 0x01, b'v'];
        assert_eq!(found(&upper, false, false).unwrap().0, Cause::HeaderName);
    }

    #[test]
    fn ends_and_lengths_are_looked_at_together() {
        let five = b"\x88\x0f\x0d\x015".to_vec();
        assert_eq!(found(&five, false, false), None);
        assert_eq!(found(&five, false, true).unwrap().0, Cause::ContentLength);
        let two = [five, b"\x0f\x0d\x016".to_vec()].concat();
        assert!(found(&two, false, false).unwrap().1.contains("5 and one of 6"));
        assert_eq!(found(b"\x08\x03103", false, true).unwrap().0, Cause::NoHead);
        let long = literal(b"x", &[b'y'; 100]).repeat(500);
        assert_eq!(found(&[vec![0x88], long].concat(), false, false).unwrap().0, Cause::HeadTooLong);
    }

    #[test]
    fn trailers_have_no_pseudo_header() {
        assert_eq!(first_pseudo_header(&[0x8e]).as_deref(), Some("\":status\""));
        assert_eq!(first_pseudo_header(&literal(b"grpc-status", b"0")), None);
        assert_eq!(found(&literal(b"grpc-status", b"0"), true, true), None);
        assert!(found(&[0x8e], true, true).unwrap().1.contains("in trailers"));
        // What the dynamic table holds is not known.
        assert_eq!((first_pseudo_header(&[0xbe]), found(&[0xbe], false, false)), (None, None));
    }
}
