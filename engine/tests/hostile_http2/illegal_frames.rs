//! Servers that send frames which RFC 9113 forbids wherever they come.

use super::Outcome::{self, Fails, Verifies};
use super::frames::*;
use super::{Mode, each, whole};

const ILLEGAL: Outcome = Fails("protocol", "http2_frames", "");

pub fn modes() -> Vec<Mode> {
    [bodies_and_heads(), continuations(), settings_and_ping(), windows(), ends()]
        .into_iter()
        .flatten()
        .collect()
}

fn bodies_and_heads() -> Vec<Mode> {
    vec![
        each(
            "padding beyond the DATA frame",
            |id| [right_head(id), frame(DATA, PADDED, id, b"\x06hello")].concat(),
            ILLEGAL,
        ),
        each(
            "padding beyond the HEADERS frame",
            |id| frame(HEADERS, END_HEADERS | PADDED, id, &[2, 0x88]),
            ILLEGAL,
        ),
        each("no length of padding", |id| [right_head(id), frame(DATA, PADDED, id, b"")].concat(), ILLEGAL),
        each("a frame above 16 KiB", |id| [right_head(id), piece(id, &[b'x'; 20_000])].concat(), ILLEGAL),
        each("DATA on stream 0", |_| hello(0), ILLEGAL),
        each("HEADERS on stream 0", |_| right_head(0), ILLEGAL),
        each(
            "HEADERS with half a priority",
            |id| frame(HEADERS, END_HEADERS | WITH_PRIORITY, id, &[0, 0, 0]),
            ILLEGAL,
        ),
        each("PRIORITY of 4 bytes", |id| frame(PRIORITY, 0, id, &[0; 4]), ILLEGAL),
        each("PRIORITY on stream 0", |_| frame(PRIORITY, 0, 0, &[0; 5]), ILLEGAL),
        each(
            "a stream that depends on itself",
            |id| frame(PRIORITY, 0, id, &[&id.to_be_bytes()[..], &[1]].concat()),
            ILLEGAL,
        ),
        each("RST_STREAM of 3 bytes", |id| frame(RST_STREAM, 0, id, &[0; 3]), ILLEGAL),
        each("RST_STREAM on stream 0", |_| rst_stream(0, 8), ILLEGAL),
    ]
}

fn continuations() -> Vec<Mode> {
    vec![
        each("CONTINUATION without HEADERS", |id| frame(CONTINUATION, END_HEADERS, id, &ok()), ILLEGAL),
        each(
            "CONTINUATION after a whole head",
            |id| [right_head(id), frame(CONTINUATION, 4, id, &ok())].concat(),
            ILLEGAL,
        ),
        each(
            "PING within a head",
            |id| [frame(HEADERS, 0, id, &ok()), ping(), frame(CONTINUATION, END_HEADERS, id, b"")].concat(),
            ILLEGAL,
        ),
        each("DATA within a head", |id| [frame(HEADERS, 0, id, &ok()), hello(id)].concat(), ILLEGAL),
        each(
            "CONTINUATION on another stream",
            |id| [frame(HEADERS, 0, id, &ok()), frame(CONTINUATION, END_HEADERS, id + 2, b"")].concat(),
            ILLEGAL,
        ),
    ]
}

fn settings_and_ping() -> Vec<Mode> {
    vec![
        each("SETTINGS of 5 bytes", |_| frame(SETTINGS, 0, 0, &[0; 5]), ILLEGAL),
        each("SETTINGS on a stream", |id| frame(SETTINGS, 0, id, b""), ILLEGAL),
        each("an acknowledgement of SETTINGS with a payload", |_| frame(SETTINGS, ACK, 0, &[0; 6]), ILLEGAL),
        each("an initial window of 2^31", |_| settings(&[(INITIAL_WINDOW_SIZE, 1 << 31)]), ILLEGAL),
        each("a maximal frame of 100 bytes", |_| settings(&[(5, 100)]), ILLEGAL),
        each("a maximal frame of 2^24 bytes", |_| settings(&[(5, 1 << 24)]), ILLEGAL),
        each("ENABLE_PUSH of 2", |_| settings(&[(2, 2)]), ILLEGAL),
        // Wrong: that is for clients alone (RFC 9113, section 6.5.2).
        each("ENABLE_PUSH of a server", |id| [settings(&[(2, 1)]), answer(id)].concat(), Verifies),
        each("PING of 7 bytes", |_| frame(PING, 0, 0, &[0; 7]), ILLEGAL),
        each("PING on a stream", |id| frame(PING, 0, id, &[0; 8]), ILLEGAL),
    ]
}

fn windows() -> Vec<Mode> {
    vec![
        each("WINDOW_UPDATE of 0 on the connection", |_| window_update(0, 0), ILLEGAL),
        each("WINDOW_UPDATE of 0 on a stream", |id| window_update(id, 0), ILLEGAL),
        each("WINDOW_UPDATE of 3 bytes", |_| frame(WINDOW_UPDATE, 0, 0, &[0; 3]), ILLEGAL),
        each("a window of the connection above 2^31", |_| window_update(0, i32::MAX as u32), ILLEGAL),
        each(
            "a window of a stream above 2^31",
            |id| window_update(id, i32::MAX as u32),
            Fails("timeout", "", ""),
        )
        .silent(),
    ]
}

fn ends() -> Vec<Mode> {
    vec![
        each("GOAWAY of 4 bytes", |_| frame(GOAWAY, 0, 0, &[0; 4]), ILLEGAL),
        each("GOAWAY on a stream", |id| frame(GOAWAY, 0, id, &[0; 8]), ILLEGAL),
        each("GOAWAY whose last stream grows", |_| [go_away(7, 0, ""), go_away(9, 0, "")].concat(), ILLEGAL),
        whole(
            "half a frame, and a close",
            |peer| {
                peer.greet()?;
                let id = peer.request()?;
                peer.send(&answer(id)[..12])?;
                peer.close()
            },
            Fails("closed", "", ""),
        ),
    ]
}
