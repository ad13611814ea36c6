//! QPACK (RFC 9204) without a dynamic table: the client allows none, and makes none.

use http::Request;

use super::table::STATIC;
use crate::huffman;

const DYNAMIC: &str = "it refers to the dynamic table, which has no room";

/// Names and values in their order.
pub(super) type Fields = Vec<(Vec<u8>, Vec<u8>)>;

/// A request's head as a field section.
pub(super) fn encode(head: &Request<()>) -> Vec<u8> {
    // No entry of the dynamic table is needed.
    let mut out = vec![0, 0];
    let uri = head.uri();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    put_field(":method", head.method().as_str().as_bytes(), &mut out);
    put_field(":scheme", uri.scheme_str().unwrap_or("https").as_bytes(), &mut out);
    put_field(":authority", uri.authority().map_or("", |authority| authority.as_str()).as_bytes(), &mut out);
    put_field(":path", path.as_bytes(), &mut out);
    for (name, value) in head.headers() {
        put_field(name.as_str(), value.as_bytes(), &mut out);
    }
    out
}

fn put_field(name: &str, value: &[u8], out: &mut Vec<u8>) {
    let mut named = None;
    for (place, (known, text)) in STATIC.iter().enumerate() {
        if *known == name {
            if text.as_bytes() == value {
                return put_number(place, 6, 0b1100_0000, out);
            }
            named = named.or(Some(place));
        }
    }
    match named {
        Some(place) => put_number(place, 4, 0b0101_0000, out),
        None => {
            put_number(name.len(), 3, 0b0010_0000, out);
            out.extend_from_slice(name.as_bytes());
        }
    }
    put_number(value.len(), 7, 0, out);
    out.extend_from_slice(value);
}

/// Appends an integer whose first byte has so many `bits` for it, and these `flags` before (RFC 7541, section 5.1).
fn put_number(number: usize, bits: u32, flags: u8, out: &mut Vec<u8>) {
    let most = (1 << bits) - 1;
    if number < most {
        return out.push(flags | number as u8);
    }
    out.push(flags | most as u8);
    let mut left = number - most;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// A field section's fields.
///
/// # Errors
/// What cannot be read.
pub(super) fn decode(mut bytes: &[u8]) -> Result<Fields, String> {
    let bytes = &mut bytes;
    let required = take_number(bytes, 8)?;
    let _base = take_number(bytes, 7)?;
    if required != 0 {
        return Err(format!("it needs {required} entries of the dynamic table, which has no room"));
    }
    let mut fields = Fields::new();
    while let Some(&first) = bytes.first() {
        let is_static = |bit: u8| if first & bit == 0 { Err(DYNAMIC.to_owned()) } else { Ok(()) };
        fields.push(if first & 0x80 != 0 {
            is_static(0x40)?;
            let (name, value) = entry(take_number(bytes, 6)?)?;
            (name.as_bytes().to_vec(), value.as_bytes().to_vec())
        } else if first & 0x40 != 0 {
            is_static(0x10)?;
            let (name, _) = entry(take_number(bytes, 4)?)?;
            (name.as_bytes().to_vec(), take_text(bytes, 7)?)
        } else if first & 0x20 != 0 {
            let name = take_text(bytes, 3)?;
            (name, take_text(bytes, 7)?)
        } else {
            return Err(DYNAMIC.to_owned());
        });
    }
    Ok(fields)
}

fn entry(place: usize) -> Result<(&'static str, &'static str), String> {
    STATIC.get(place).copied().ok_or_else(|| format!("the static table has no entry {place}"))
}

/// A text whose length has so many bits in its first byte, below the bit that says whether it is coded.
fn take_text(bytes: &mut &[u8], bits: u32) -> Result<Vec<u8>, String> {
    let is_coded = bytes.first().is_some_and(|first| first >> bits & 1 == 1);
    let length = take_number(bytes, bits)?;
    let (text, rest) = bytes.split_at_checked(length).ok_or("a text ends beyond the head")?;
    *bytes = rest;
    if !is_coded {
        return Ok(text.to_vec());
    }
    let decoded = huffman::decode(text);
    if decoded.is_whole { Ok(decoded.text) } else { Err("a text is no Huffman code".to_owned()) }
}

fn take_number(bytes: &mut &[u8], bits: u32) -> Result<usize, String> {
    let mut next = || {
        let (&first, rest) = bytes.split_first().ok_or("it ends within a number")?;
        *bytes = rest;
        Ok::<usize, String>(first.into())
    };
    let most = (1 << bits) - 1;
    let mut number = next()? & most;
    if number < most {
        return Ok(number);
    }
    // Heads are far shorter than what four bytes can say.
    for shift in [0, 7, 14, 21] {
        let byte = next()?;
        number += (byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err("a number is far too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let long = "x".repeat(300);
        let request = Request::get("https://there:81/a?b=c")
            .header("user-agent", "me")
            .header("accept", "*/*")
            .header("x-long", &long)
            .body(())
            .unwrap();
        let fields = decode(&encode(&request)).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let fields: Vec<_> = fields.iter().map(|(name, value)| (text(name), text(value))).collect();
        let expected = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", "there:81"),
            (":path", "/a?b=c"),
            ("user-agent", "me"),
            ("accept", "*/*"),
            ("x-long", &long),
        ];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn an_example_of_the_standard_is_read() {
        // RFC 9204, appendix B.1.
        let bytes = b"\0\0\x51\x0b/index.html";
        assert_eq!(decode(bytes).unwrap(), [(b":path".to_vec(), b"/index.html".to_vec())]);
    }

    #[test]
    fn what_needs_the_dynamic_table_is_refused() {
        for bytes in [&[2, 0, 0x80][..], &[0, 0, 0x80], &[0, 0, 0x40, 0], &[0, 0, 0x10], &[0, 0, 0x00, 0]] {
            assert!(decode(bytes).unwrap_err().contains("dynamic table"), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_cut_or_too_large_is_refused() {
        for (bytes, words) in [
            (&[0][..], "within a number"),
            (&[0, 0, 0xff, 99 - 63], "no entry 99"),
            (&[0, 0, 0x51, 5, b'a'], "beyond the head"),
            (&[0, 0, 0x51, 0x81, 0xff], "no Huffman code"),
            (&[0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], "too large"),
        ] {
            assert!(decode(bytes).unwrap_err().contains(words), "{bytes:?}");
        }
    }
}
