//! Servers that send frames on streams that are not there for them, or end streams otherwise than by an answer.

use std::io;

use serde_json::json;

use super::Outcome::{self, Fails, Partly, Unasked, Verifies};
use super::frames::*;
use super::peer::Peer;
use super::{Mode, breaks, each, whole};

const NO_END: Outcome = Fails("timeout", "http2_no_end", "bytes of DATA came on stream 1, and no END_STREAM");

pub fn modes() -> Vec<Mode> {
    [order(), other_streams(), resets(), without_end()].into_iter().flatten().collect()
}

fn order() -> Vec<Mode> {
    vec![
        each(
            "DATA after END_STREAM",
            |id| [answer(id), hello(id)].concat(),
            Unasked("http2_after_end", "DATA on stream 1 after its end"),
        ),
        each(
            "a head after END_STREAM",
            |id| [answer(id), right_head(id)].concat(),
            Unasked("http2_after_end", "HEADERS on stream 1 after its end"),
        ),
        each(
            "trailers after END_STREAM",
            |id| [answer(id), trailers(id, "x", "y")].concat(),
            Unasked("http2_after_end", "HEADERS on stream 1 after its end"),
        ),
        each(
            "every answer twice",
            |id| answer(id).repeat(2),
            Unasked("http2_after_end", "HEADERS on stream 1 after its end"),
        ),
        each(
            "two heads",
            |id| [right_head(id), answer(id)].concat(),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is in trailers"),
        ),
        each(
            "DATA before the head",
            |id| [piece(id, b"hello"), answer(id)].concat(),
            breaks("http2_no_head", "DATA on stream 1 before HEADERS"),
        ),
        each(
            "DATA after an interim answer",
            |id| [early_hints(id), hello(id)].concat(),
            breaks("http2_no_head", "DATA on stream 1 after an interim status alone"),
        ),
        each(
            "an interim answer with END_STREAM",
            |id| frame(HEADERS, END_HEADERS | END_STREAM, id, &field(":status", "103")),
            breaks("http2_no_head", "the stream ends with the interim status 103"),
        ),
        each(
            "an interim answer behind the head",
            |id| [right_head(id), early_hints(id), hello(id)].concat(),
            breaks("http2_pseudo_header", "the pseudo-header \":status\" is in trailers"),
        ),
    ]
}

fn other_streams() -> Vec<Mode> {
    vec![
        each(
            "a head on an even stream",
            |_| right_head(2),
            breaks("http2_stream_id", "HEADERS on stream 2, which the client never opened"),
        )
        .counts(&["unasked"]),
        each(
            "a head on a stream never opened",
            |id| right_head(id + 100),
            breaks("http2_stream_id", "HEADERS on stream 101, which the client never opened"),
        )
        .counts(&["unasked"]),
        each(
            "DATA on a stream never opened",
            |id| hello(id + 100),
            breaks("http2_stream_id", "DATA on stream 101, which the client never opened"),
        )
        .counts(&["unasked"]),
        each(
            "RST_STREAM on a stream never opened",
            |id| rst_stream(id + 100, 8),
            breaks("http2_stream_id", "RST_STREAM on stream 101, which the client never opened"),
        ),
        each(
            "WINDOW_UPDATE on a stream never opened",
            |id| window_update(id + 100, 8),
            breaks("http2_stream_id", "WINDOW_UPDATE on stream 101, which the client never opened"),
        ),
        whole(
            "an answer before the request",
            answer_before_the_request,
            breaks("http2_stream_id", "HEADERS on stream 1, which the client never opened"),
        )
        .counts(&["unasked"]),
        each(
            "PUSH_PROMISE",
            |id| {
                let promise = [&[0, 0, 0, 2, 0x82, 0x86, 0x84][..], &field(":authority", "a")].concat();
                frame(PUSH_PROMISE, END_HEADERS, id, &promise)
            },
            breaks("http2_push", "PUSH_PROMISE on stream 1, where SETTINGS forbid pushes"),
        ),
    ]
}

fn answer_before_the_request(peer: &mut Peer) -> io::Result<()> {
    peer.greet_with(&[settings(&[]), answer(1)].concat())?;
    peer.serve(answer)
}

fn resets() -> Vec<Mode> {
    vec![
        each(
            "RST_STREAM of every second stream, by each code",
            every_second,
            Partly("reset", "http2_reset", "RST_STREAM PROTOCOL_ERROR: unspecific protocol error detected"),
        ),
        each(
            "RST_STREAM within a body",
            |id| [right_head(id), piece(id, b"hel"), rst_stream(id, 2)].concat(),
            Fails("reset", "http2_reset", "RST_STREAM INTERNAL_ERROR: unexpected internal error encountered"),
        ),
        each(
            "RST_STREAM with an unknown code",
            |id| rst_stream(id, 0xbeef),
            Fails("reset", "http2_reset", "RST_STREAM with the unknown code 0xbeef"),
        ),
        each(
            "RST_STREAM with NO_ERROR instead of an answer",
            |id| rst_stream(id, 0),
            Fails("reset", "http2_reset", "RST_STREAM NO_ERROR: not a result of an error"),
        ),
        each(
            "RST_STREAM with NO_ERROR within a body",
            |id| [right_head(id), piece(id, b"hel"), rst_stream(id, 0)].concat(),
            Fails("reset", "http2_reset", "RST_STREAM NO_ERROR: not a result of an error"),
        )
        .plan(|plan| plan.expect(json!({"status": [200]}))),
        each(
            "REFUSED_STREAM for every second stream",
            |id| if id % 4 == 3 { rst_stream(id, 7) } else { answer(id) },
            Verifies,
        )
        .counts(&["retried"]),
        each(
            "REFUSED_STREAM for all",
            |id| rst_stream(id, 7),
            Fails("reset", "http2_reset", "it was asked again, and the server did not process it"),
        )
        .plan(|plan| plan.seconds(0.4))
        .counts(&["retried"]),
    ]
}

/// By all codes of RFC 9113, section 7, but NO_ERROR and REFUSED_STREAM.
fn every_second(id: u32) -> Vec<u8> {
    let codes = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13];
    if id % 4 == 3 { rst_stream(id, codes[id as usize / 4 % codes.len()]) } else { answer(id) }
}

fn without_end() -> Vec<Mode> {
    vec![
        each("a body without an end", |id| [right_head(id), piece(id, b"hello")].concat(), NO_END).silent(),
        each("no answer", |_| vec![], Fails("timeout", "", "")).silent(),
        whole("a head without an end", head_without_an_end, NO_END).silent(),
        each(
            "interim answers alone",
            early_hints,
            Fails("timeout", "http2_no_end", "interim answers alone came on stream 1"),
        )
        .silent(),
    ]
}

fn head_without_an_end(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let id = peer.request()?;
    peer.send(&frame(HEADERS, 0, id, &ok()))?;
    peer.fall_silent()
}
