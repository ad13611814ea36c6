//! Servers that send frames on streams that are not there for them, or end streams otherwise than by an answer.

use std::io;

use serde_json::json;

use super::Outcome::{self, Fails, Partly, Verifies};
use super::frames::*;
use super::peer::Peer;
use super::{Mode, each, whole};

const MALFORMED: Outcome = Fails("protocol", "http2_frames", "");

pub fn modes() -> Vec<Mode> {
    [order(), other_streams(), resets(), without_end()].into_iter().flatten().collect()
}

fn order() -> Vec<Mode> {
    vec![
        // Wrong, as the next three: nobody asked for what comes after END_STREAM.
        each("DATA after END_STREAM", |id| [answer(id), hello(id)].concat(), Verifies),
        each("a head after END_STREAM", |id| [answer(id), right_head(id)].concat(), Verifies),
        each("trailers after END_STREAM", |id| [answer(id), trailers(id, "x", "y")].concat(), Verifies),
        each("every answer twice", |id| answer(id).repeat(2), Verifies),
        each("two heads", |id| [right_head(id), answer(id)].concat(), MALFORMED),
        each("DATA before the head", |id| [piece(id, b"hello"), answer(id)].concat(), MALFORMED),
        each(
            "an interim answer with END_STREAM",
            |id| frame(HEADERS, END_HEADERS | END_STREAM, id, &field(":status", "103")),
            MALFORMED,
        ),
        each(
            "an interim answer behind the head",
            |id| [right_head(id), early_hints(id), hello(id)].concat(),
            MALFORMED,
        ),
    ]
}

fn other_streams() -> Vec<Mode> {
    vec![
        each("a head on an even stream", |_| right_head(2), MALFORMED),
        each("a head on a stream never opened", |id| right_head(id + 100), MALFORMED),
        each("DATA on a stream never opened", |id| hello(id + 100), MALFORMED),
        each("RST_STREAM on a stream never opened", |id| rst_stream(id + 100, 8), MALFORMED),
        each("WINDOW_UPDATE on a stream never opened", |id| window_update(id + 100, 8), MALFORMED),
        whole("an answer before the request", answer_before_the_request, MALFORMED),
        each(
            "PUSH_PROMISE",
            |id| {
                let promise = [&[0, 0, 0, 2, 0x82, 0x86, 0x84][..], &field(":authority", "a")].concat();
                frame(PUSH_PROMISE, END_HEADERS, id, &promise)
            },
            MALFORMED,
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
            Partly("reset", "", "RST_STREAM"),
        ),
        each(
            "RST_STREAM within a body",
            |id| [right_head(id), piece(id, b"hel"), rst_stream(id, 2)].concat(),
            Fails("reset", "", "RST_STREAM"),
        ),
        each(
            "RST_STREAM with an unknown code",
            |id| rst_stream(id, 0xbeef),
            Fails("reset", "", "RST_STREAM"),
        ),
        each(
            "RST_STREAM with NO_ERROR instead of an answer",
            |id| rst_stream(id, 0),
            Fails("reset", "", "RST_STREAM"),
        ),
        each(
            "RST_STREAM with NO_ERROR within a body",
            |id| [right_head(id), piece(id, b"hel"), rst_stream(id, 0)].concat(),
            Fails("reset", "", "RST_STREAM"),
        )
        .plan(|plan| plan.expect(json!({"status": [200]}))),
        // Wrong: what was never processed is no error.
        each(
            "REFUSED_STREAM for every second stream",
            |id| if id % 4 == 3 { rst_stream(id, 7) } else { answer(id) },
            Partly("reset", "", "RST_STREAM"),
        ),
        each("REFUSED_STREAM for all", |id| rst_stream(id, 7), Fails("reset", "", "RST_STREAM"))
            .plan(|plan| plan.seconds(0.4)),
    ]
}

/// By all codes of RFC 9113, section 7, but NO_ERROR and REFUSED_STREAM.
fn every_second(id: u32) -> Vec<u8> {
    let codes = [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13];
    if id % 4 == 3 { rst_stream(id, codes[id as usize / 4 % codes.len()]) } else { answer(id) }
}

fn without_end() -> Vec<Mode> {
    let in_vain = Fails("timeout", "", "");
    vec![
        each("a body without an end", |id| [right_head(id), piece(id, b"hello")].concat(), in_vain).silent(),
        each("no answer", |_| vec![], in_vain).silent(),
        whole("a head without an end", head_without_an_end, in_vain).silent(),
        each("interim answers alone", early_hints, in_vain).silent(),
    ]
}

fn head_without_an_end(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let id = peer.request()?;
    peer.send(&frame(HEADERS, 0, id, &ok()))?;
    peer.fall_silent()
}
