//! Servers whose answers have wrong heads, trailers or lengths.

use serde_json::json;

use super::Outcome::Fails;
use super::frames::*;
use super::honest::split;
use super::{Mode, breaks, each};

pub fn modes() -> Vec<Mode> {
    [wrong_answers(), lengths(), fields(), pseudo_headers(), trailing(), blocks()]
        .into_iter()
        .flatten()
        .collect()
}

fn wrong_answers() -> Vec<Mode> {
    vec![
        each("status 500", |id| [head(id, &[0x8e]), hello(id)].concat(), Fails("status_5xx", "", "hello")),
        each(
            "status 204",
            |id| frame(HEADERS, END_HEADERS | END_STREAM, id, &[0x89]),
            Fails("status_2xx", "", ""),
        ),
        each(
            "another body",
            |id| [right_head(id), frame(DATA, END_STREAM, id, b"hullo")].concat(),
            Fails("wrong_body", "", "hullo"),
        ),
        each(
            "another content type",
            |id| {
                [head(id, &[vec![STATUS_200], field("content-type", "text/html")].concat()), hello(id)]
                    .concat()
            },
            Fails("wrong_header", "", "hello"),
        ),
        each(
            "a compressed body",
            |id| {
                [head_with(id, &[("content-encoding", "gzip")]), frame(DATA, END_STREAM, id, b"\x1f\x8b\x08")]
                    .concat()
            },
            Fails("wrong_body", "", ""),
        ),
    ]
}

fn lengths() -> Vec<Mode> {
    vec![
        each(
            "a body above its Content-Length",
            |id| of_length(id, "4"),
            breaks("http2_content_length", "5 bytes of DATA came on stream 1, and Content-Length says 4"),
        ),
        each(
            "a body below its Content-Length",
            |id| of_length(id, "6"),
            breaks("http2_content_length", "5 bytes of DATA came on stream 1, and Content-Length says 6"),
        ),
        each(
            "a Content-Length that is no number",
            |id| of_length(id, "5x"),
            breaks("http2_content_length", "a Content-Length of \"5x\", which is no number"),
        ),
        each(
            "a Content-Length beyond 64 bits",
            |id| of_length(id, "18446744073709551621"),
            breaks(
                "http2_content_length",
                "a Content-Length of \"18446744073709551621\", which is no number",
            ),
        ),
        // No body follows: they are named, and not waited for.
        each(
            "a Content-Length of 2^64 - 1",
            |id| head_with(id, &[("content-length", "18446744073709551615")]),
            breaks(
                "http2_content_length",
                "a Content-Length of \"18446744073709551615\", which is no number below 2^63",
            ),
        ),
        each(
            "a Content-Length of 2^63",
            |id| head_with(id, &[("content-length", "9223372036854775808")]),
            breaks(
                "http2_content_length",
                "a Content-Length of 9223372036854775808, which is no number below 2^63",
            ),
        ),
        each(
            "Content-Lengths that disagree",
            |id| [head_with(id, &[("content-length", "5"), ("content-length", "6")]), hello(id)].concat(),
            breaks("http2_content_length", "a Content-Length of 5 and one of 6"),
        ),
        each(
            "no body in spite of its Content-Length",
            |id| {
                let block = [ok(), field("content-length", "5")].concat();
                frame(HEADERS, END_HEADERS | END_STREAM, id, &block)
            },
            breaks("http2_content_length", "Content-Length is 5, and there is no body"),
        ),
        each(
            "a body to HEAD",
            answer,
            breaks(
                "http2_content_length",
                "5 bytes of DATA came on stream 1, and Content-Length says another number, or HEAD was asked",
            ),
        )
        .plan(|plan| {
            plan.with(
                "requests",
                json!([{"name": "only", "method": "HEAD", "path": "/", "expect": {"status": [200]}}]),
            )
        }),
        each(
            "a body with status 204",
            |id| [head(id, &[0x89]), hello(id)].concat(),
            breaks("http2_content_length", "a body on stream 1, whose status has none"),
        )
        .plan(|plan| plan.expect(json!({"status": [204]}))),
    ]
}

fn of_length(id: u32, length: &str) -> Vec<u8> {
    [head_with(id, &[("content-length", length)]), hello(id)].concat()
}

fn fields() -> Vec<Mode> {
    vec![
        each(
            "a Connection header",
            |id| with_field(id, "connection", "close"),
            breaks(
                "http2_connection_header",
                "the header \"connection\", which belongs to connections of HTTP/1.1",
            ),
        ),
        each(
            "a Transfer-Encoding header",
            |id| with_field(id, "transfer-encoding", "chunked"),
            breaks(
                "http2_connection_header",
                "the header \"transfer-encoding\", which belongs to connections of HTTP/1.1",
            ),
        ),
        each(
            "a Keep-Alive header",
            |id| with_field(id, "keep-alive", "timeout=5"),
            breaks(
                "http2_connection_header",
                "the header \"keep-alive\", which belongs to connections of HTTP/1.1",
            ),
        ),
        each(
            "an upper-case name",
            |id| with_field(id, "X-Upper", "x"),
            breaks("http2_header_name", "the header \"X-Upper\" has upper case"),
        ),
        each(
            "a space in a name",
            |id| with_field(id, "x y", "x"),
            breaks("http2_header_name", "\"x y\" is no name of a header"),
        ),
        each(
            "an empty name",
            |id| with_field(id, "", "x"),
            breaks("http2_header_name", "a header without a name"),
        ),
        each(
            "a line break in a value",
            |id| with_field(id, "x", "a\r\nb: c"),
            breaks("http2_header_value", "the header \"x\" has a control character: \"a\\r\\nb: c\""),
        ),
        each(
            "a zero byte in a value",
            |id| with_field(id, "x", "a\0b"),
            breaks("http2_header_value", "the header \"x\" has a control character: \"a\\x00b\""),
        ),
    ]
}

fn with_field(id: u32, name: &str, value: &str) -> Vec<u8> {
    [head_with(id, &[(name, value)]), hello(id)].concat()
}

fn pseudo_headers() -> Vec<Mode> {
    vec![
        each(
            "no :status",
            |id| of_block(id, &field("content-type", "text/plain")),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is missing"),
        ),
        each(
            "two of :status",
            |id| of_block(id, &[vec![STATUS_200], ok()].concat()),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" comes twice"),
        ),
        each(
            ":status behind a field",
            |id| of_block(id, &[field("content-type", "text/plain"), vec![STATUS_200]].concat()),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" comes after other headers"),
        ),
        each(
            ":status of letters",
            |id| of_status(id, "abc"),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is \"abc\""),
        ),
        each(
            ":status below 100",
            |id| of_status(id, "099"),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is \"099\""),
        ),
        each(
            ":status of four digits",
            |id| of_status(id, "2000"),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is \"2000\""),
        ),
        each(
            ":status 101",
            |id| of_status(id, "101"),
            breaks("http2_no_head", "DATA on stream 1 after an interim status alone"),
        ),
        each(
            "a pseudo-header of requests",
            |id| of_block(id, &[ok(), vec![0x84]].concat()),
            breaks("http2_pseudo_header", "the pseudo-header \":path\" comes after other headers"),
        ),
        each(
            "an unknown pseudo-header",
            |id| of_block(id, &[field(":odd", "x"), ok()].concat()),
            breaks("http2_pseudo_header", "the pseudo-header \":odd\" is none"),
        ),
    ]
}

fn of_block(id: u32, block: &[u8]) -> Vec<u8> {
    [head(id, block), hello(id)].concat()
}

fn of_status(id: u32, status: &str) -> Vec<u8> {
    of_block(id, &[field(":status", status), field("content-type", "text/plain")].concat())
}

fn trailing() -> Vec<Mode> {
    vec![
        each(
            "trailers with :status",
            |id| of_trailers(id, ":status", "500"),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is in trailers"),
        ),
        each(
            "trailers with :odd",
            |id| of_trailers(id, ":odd", "x"),
            breaks("http2_pseudo_header", "the pseudo-header \":odd\" is in trailers"),
        ),
        each(
            "trailers without END_STREAM",
            |id| [right_head(id), piece(id, b"hello"), head(id, &field("x", "y"))].concat(),
            breaks("http2_trailers", "a second head on stream 1 without END_STREAM"),
        ),
    ]
}

fn of_trailers(id: u32, name: &str, value: &str) -> Vec<u8> {
    [right_head(id), piece(id, b"hello"), trailers(id, name, value)].concat()
}

fn blocks() -> Vec<Mode> {
    vec![
        each(
            "a block of garbage",
            |id| of_block(id, b"\xff\xff\xff\xff\xff\xff\xff\xff"),
            breaks("http2_hpack", "a head that HPACK cannot read: it has a number that is too long"),
        ),
        each(
            "an index of zero",
            |id| of_block(id, &[0x80]),
            breaks("http2_hpack", "a head that HPACK cannot read: it has an index of 0"),
        ),
        each(
            "an index beyond the table",
            |id| of_block(id, &[STATUS_200, 0x80 | 100]),
            breaks("http2_hpack", "a head that HPACK cannot read"),
        ),
        each(
            "a string beyond its block",
            |id| of_block(id, &[STATUS_200, 0, 1, b'x', 100, b'y']),
            breaks("http2_hpack", "a head that HPACK cannot read: it ends amid a header"),
        ),
        each(
            "a wrong Huffman code",
            |id| of_block(id, &[STATUS_200, 0, 1, b'x', 0x84, 255, 255, 255, 255]),
            breaks("http2_hpack", "a head that HPACK cannot read"),
        ),
        each(
            "a table larger than allowed",
            |id| of_block(id, &[&[0x3f, 0xe1, 0xff, 0x03], &ok()[..]].concat()),
            breaks(
                "http2_hpack",
                "a head that HPACK cannot read: it makes the dynamic table larger than the client allows",
            ),
        ),
        each(
            "a table resized within a block",
            |id| of_block(id, &[&ok()[..], &[0x20]].concat()),
            breaks("http2_hpack", "a head that HPACK cannot read"),
        ),
        each(
            "an HPACK bomb",
            |id| [bomb(id), hello(id)].concat(),
            breaks("http2_head_too_long", "a head above 64 KiB"),
        ),
        each(
            "a head above 64 KiB",
            |id| {
                let fields = (0..600).map(|number| field(&format!("x-{number}"), &"v".repeat(110)));
                let block = [ok(), fields.flatten().collect()].concat();
                [split(id, block.chunks(16_384)), hello(id)].concat()
            },
            breaks("http2_head_too_long", "a head above 64 KiB"),
        ),
    ]
}

/// An entry of 4,000 bytes, which 10,000 bytes then name.
fn bomb(id: u32) -> Vec<u8> {
    let entry = [&[0x40, 1, b'x', 0x7f, 0xa1, 0x1e][..], &[b'v'; 4000]].concat();
    head(id, &[ok(), entry, vec![0x80 | 62; 10_000]].concat())
}
