//! Servers whose answers have wrong heads, trailers or lengths.

use serde_json::json;

use super::Outcome::{self, Fails, Verifies};
use super::frames::*;
use super::honest::split;
use super::{Mode, each};

const MALFORMED: Outcome = Fails("protocol", "http2_frames", "");

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
        // Wrong: it does not say gzip.
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
        each("a body above its Content-Length", |id| of_length(id, "4"), MALFORMED),
        each("a body below its Content-Length", |id| of_length(id, "6"), MALFORMED),
        each("a Content-Length that is no number", |id| of_length(id, "5x"), MALFORMED),
        each("a Content-Length beyond 64 bits", |id| of_length(id, "18446744073709551621"), MALFORMED),
        each(
            "Content-Lengths that disagree",
            |id| [head_with(id, &[("content-length", "5"), ("content-length", "6")]), hello(id)].concat(),
            MALFORMED,
        ),
        each(
            "no body in spite of its Content-Length",
            |id| {
                let block = [ok(), field("content-length", "5")].concat();
                frame(HEADERS, END_HEADERS | END_STREAM, id, &block)
            },
            MALFORMED,
        ),
        each("a body to HEAD", answer, MALFORMED).plan(|plan| {
            plan.with(
                "requests",
                json!([{"name": "only", "method": "HEAD", "path": "/", "expect": {"status": [200]}}]),
            )
        }),
        // Wrong: an answer with status 204 has no body (RFC 9110, section 15.3.5).
        each("a body with status 204", |id| [head(id, &[0x89]), hello(id)].concat(), Verifies)
            .plan(|plan| plan.expect(json!({"status": [204]}))),
    ]
}

fn of_length(id: u32, length: &str) -> Vec<u8> {
    [head_with(id, &[("content-length", length)]), hello(id)].concat()
}

fn fields() -> Vec<Mode> {
    vec![
        each("a Connection header", |id| with_field(id, "connection", "close"), MALFORMED),
        each("a Transfer-Encoding header", |id| with_field(id, "transfer-encoding", "chunked"), MALFORMED),
        each("a Keep-Alive header", |id| with_field(id, "keep-alive", "timeout=5"), MALFORMED),
        each("an upper-case name", |id| with_field(id, "X-Upper", "x"), MALFORMED),
        each("a space in a name", |id| with_field(id, "x y", "x"), MALFORMED),
        each("an empty name", |id| with_field(id, "", "x"), MALFORMED),
        each("a line break in a value", |id| with_field(id, "x", "a\r\nb: c"), MALFORMED),
        each("a zero byte in a value", |id| with_field(id, "x", "a\0b"), MALFORMED),
    ]
}

fn with_field(id: u32, name: &str, value: &str) -> Vec<u8> {
    [head_with(id, &[(name, value)]), hello(id)].concat()
}

fn pseudo_headers() -> Vec<Mode> {
    vec![
        each("no :status", |id| of_block(id, &field("content-type", "text/plain")), MALFORMED),
        each("two of :status", |id| of_block(id, &[vec![STATUS_200], ok()].concat()), MALFORMED),
        each(
            ":status behind a field",
            |id| of_block(id, &[field("content-type", "text/plain"), vec![STATUS_200]].concat()),
            MALFORMED,
        ),
        each(":status of letters", |id| of_status(id, "abc"), MALFORMED),
        each(":status below 100", |id| of_status(id, "099"), MALFORMED),
        each(":status of four digits", |id| of_status(id, "2000"), MALFORMED),
        each(":status 101", |id| of_status(id, "101"), MALFORMED),
        each("a pseudo-header of requests", |id| of_block(id, &[ok(), vec![0x84]].concat()), MALFORMED),
        each("an unknown pseudo-header", |id| of_block(id, &[field(":odd", "x"), ok()].concat()), MALFORMED),
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
        // Wrong, as the next: no trailers have a pseudo-header (RFC 9113, section 8.1).
        each("trailers with :status", |id| of_trailers(id, ":status", "500"), Verifies),
        each("trailers with :odd", |id| of_trailers(id, ":odd", "x"), MALFORMED),
        each(
            "trailers without END_STREAM",
            |id| [right_head(id), piece(id, b"hello"), head(id, &field("x", "y"))].concat(),
            MALFORMED,
        ),
    ]
}

fn of_trailers(id: u32, name: &str, value: &str) -> Vec<u8> {
    [right_head(id), piece(id, b"hello"), trailers(id, name, value)].concat()
}

fn blocks() -> Vec<Mode> {
    vec![
        each("a block of garbage", |id| of_block(id, b"\xff\xff\xff\xff\xff\xff\xff\xff"), MALFORMED),
        each("an index of zero", |id| of_block(id, &[0x80]), MALFORMED),
        each("an index beyond the table", |id| of_block(id, &[STATUS_200, 0x80 | 100]), MALFORMED),
        each("a string beyond its block", |id| of_block(id, &[STATUS_200, 0, 1, b'x', 100, b'y']), MALFORMED),
        each(
            "a wrong Huffman code",
            |id| of_block(id, &[STATUS_200, 0, 1, b'x', 0x84, 255, 255, 255, 255]),
            MALFORMED,
        ),
        each(
            "a table larger than allowed",
            |id| of_block(id, &[&[0x3f, 0xe1, 0xff, 0x03], &ok()[..]].concat()),
            MALFORMED,
        ),
        each("a table resized within a block", |id| of_block(id, &[&ok()[..], &[0x20]].concat()), MALFORMED),
        each("an HPACK bomb", |id| [bomb(id), hello(id)].concat(), MALFORMED),
        each(
            "a head above 64 KiB",
            |id| {
                let fields = (0..600).map(|number| field(&format!("x-{number}"), &"v".repeat(110)));
                let block = [ok(), fields.flatten().collect()].concat();
                [split(id, block.chunks(16_384)), hello(id)].concat()
            },
            MALFORMED,
        ),
    ]
}

/// An entry of 4,000 bytes, which 10,000 bytes then name.
fn bomb(id: u32) -> Vec<u8> {
    let entry = [&[0x40, 1, b'x', 0x7f, 0xa1, 0x1e][..], &[b'v'; 4000]].concat();
    head(id, &[ok(), entry, vec![0x80 | 62; 10_000]].concat())
}
