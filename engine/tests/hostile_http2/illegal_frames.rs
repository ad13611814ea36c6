//! Servers that send frames which RFC 9113 forbids wherever they come.

use super::Outcome::Fails;
use super::frames::*;
use super::{Mode, breaks, each, post, whole};

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
            breaks("http2_padding", "DATA of 6 bytes with 6 of padding"),
        ),
        each(
            "padding beyond the HEADERS frame",
            |id| frame(HEADERS, END_HEADERS | PADDED, id, &[2, 0x88]),
            breaks("http2_padding", "HEADERS of 2 bytes with 2 of padding"),
        ),
        each(
            "no length of padding",
            |id| [right_head(id), frame(DATA, PADDED, id, b"")].concat(),
            breaks("http2_frame_size", "DATA of 0 bytes, too few for its flags"),
        ),
        each(
            "a frame above 16 KiB",
            |id| [right_head(id), piece(id, &[b'x'; 20_000])].concat(),
            breaks("http2_frame_size", "DATA of 20000 bytes, where 16384 are allowed"),
        ),
        each("DATA on stream 0", |_| hello(0), breaks("http2_stream_id", "DATA on stream 0")),
        each("HEADERS on stream 0", |_| right_head(0), breaks("http2_stream_id", "HEADERS on stream 0")),
        each(
            "HEADERS with half a priority",
            |id| frame(HEADERS, END_HEADERS | WITH_PRIORITY, id, &[0, 0, 0]),
            breaks("http2_frame_size", "HEADERS of 3 bytes, too few for its flags"),
        ),
        each(
            "PRIORITY of 4 bytes",
            |id| frame(PRIORITY, 0, id, &[0; 4]),
            breaks("http2_frame_size", "PRIORITY of 4 bytes"),
        ),
        each(
            "PRIORITY on stream 0",
            |_| frame(PRIORITY, 0, 0, &[0; 5]),
            breaks("http2_stream_id", "PRIORITY on stream 0"),
        ),
        each(
            "a stream that depends on itself",
            |id| frame(PRIORITY, 0, id, &[&id.to_be_bytes()[..], &[1]].concat()),
            breaks("http2_frames", "stream 1 depends on itself"),
        ),
        each(
            "RST_STREAM of 3 bytes",
            |id| frame(RST_STREAM, 0, id, &[0; 3]),
            breaks("http2_frame_size", "RST_STREAM of 3 bytes"),
        ),
        each(
            "RST_STREAM on stream 0",
            |_| rst_stream(0, 8),
            breaks("http2_stream_id", "RST_STREAM on stream 0"),
        ),
    ]
}

fn continuations() -> Vec<Mode> {
    vec![
        each(
            "CONTINUATION without HEADERS",
            |id| frame(CONTINUATION, END_HEADERS, id, &ok()),
            breaks("http2_continuation", "CONTINUATION on stream 1 of no head"),
        ),
        each(
            "CONTINUATION after a whole head",
            |id| [right_head(id), frame(CONTINUATION, 4, id, &ok())].concat(),
            breaks("http2_continuation", "CONTINUATION on stream 1 of no head"),
        ),
        each(
            "PING within a head",
            |id| [frame(HEADERS, 0, id, &ok()), ping(), frame(CONTINUATION, END_HEADERS, id, b"")].concat(),
            breaks("http2_continuation", "PING of stream 0 amid a head of stream 1"),
        ),
        each(
            "DATA within a head",
            |id| [frame(HEADERS, 0, id, &ok()), hello(id)].concat(),
            breaks("http2_continuation", "DATA of stream 1 amid a head of stream 1"),
        ),
        each(
            "CONTINUATION on another stream",
            |id| [frame(HEADERS, 0, id, &ok()), frame(CONTINUATION, END_HEADERS, id + 2, b"")].concat(),
            breaks("http2_continuation", "CONTINUATION of stream 3 amid a head of stream 1"),
        ),
    ]
}

fn settings_and_ping() -> Vec<Mode> {
    vec![
        each(
            "SETTINGS of 5 bytes",
            |_| frame(SETTINGS, 0, 0, &[0; 5]),
            breaks("http2_frame_size", "SETTINGS of 5 bytes"),
        ),
        each(
            "SETTINGS on a stream",
            |id| frame(SETTINGS, 0, id, b""),
            breaks("http2_stream_id", "SETTINGS on stream 1"),
        ),
        each(
            "an acknowledgement of SETTINGS with a payload",
            |_| frame(SETTINGS, ACK, 0, &[0; 6]),
            breaks("http2_frame_size", "SETTINGS of 6 bytes"),
        ),
        each(
            "an initial window of 2^31",
            |_| settings(&[(INITIAL_WINDOW_SIZE, 1 << 31)]),
            breaks("http2_settings", "SETTINGS_INITIAL_WINDOW_SIZE of 2147483648"),
        ),
        each(
            "a maximal frame of 100 bytes",
            |_| settings(&[(5, 100)]),
            breaks("http2_settings", "SETTINGS_MAX_FRAME_SIZE of 100"),
        ),
        each(
            "a maximal frame of 2^24 bytes",
            |_| settings(&[(5, 1 << 24)]),
            breaks("http2_settings", "SETTINGS_MAX_FRAME_SIZE of 16777216"),
        ),
        each(
            "ENABLE_PUSH of 2",
            |_| settings(&[(2, 2)]),
            breaks("http2_settings", "SETTINGS_ENABLE_PUSH of 2"),
        ),
        each(
            "ENABLE_PUSH of a server",
            |id| [settings(&[(2, 1)]), answer(id)].concat(),
            breaks("http2_settings", "SETTINGS_ENABLE_PUSH of 1, which is for clients alone"),
        ),
        each(
            "PING of 7 bytes",
            |_| frame(PING, 0, 0, &[0; 7]),
            breaks("http2_frame_size", "PING of 7 bytes"),
        ),
        each(
            "PING on a stream",
            |id| frame(PING, 0, id, &[0; 8]),
            breaks("http2_stream_id", "PING on stream 1"),
        ),
    ]
}

fn windows() -> Vec<Mode> {
    vec![
        each(
            "WINDOW_UPDATE of 0 on the connection",
            |_| window_update(0, 0),
            breaks("http2_flow_control", "WINDOW_UPDATE by 0 bytes"),
        ),
        each(
            "WINDOW_UPDATE of 0 on a stream",
            |id| window_update(id, 0),
            breaks("http2_flow_control", "WINDOW_UPDATE by 0 bytes"),
        ),
        each(
            "WINDOW_UPDATE of 3 bytes",
            |_| frame(WINDOW_UPDATE, 0, 0, &[0; 3]),
            breaks("http2_frame_size", "WINDOW_UPDATE of 3 bytes"),
        ),
        each(
            "a window of the connection above 2^31",
            |_| window_update(0, i32::MAX as u32),
            breaks("http2_flow_control", "WINDOW_UPDATE to 2147549182 bytes, above 2^31 - 1"),
        ),
        whole(
            "a window of a stream above 2^31",
            |peer| {
                peer.greet_with(&settings(&[(INITIAL_WINDOW_SIZE, 0)]))?;
                peer.serve(|id| window_update(id, i32::MAX as u32).repeat(2))
            },
            breaks("http2_flow_control", "WINDOW_UPDATE to 4294967294 bytes, above 2^31 - 1"),
        )
        .plan(post),
    ]
}

fn ends() -> Vec<Mode> {
    vec![
        each(
            "GOAWAY of 4 bytes",
            |_| frame(GOAWAY, 0, 0, &[0; 4]),
            breaks("http2_frame_size", "GOAWAY of 4 bytes"),
        ),
        each(
            "GOAWAY on a stream",
            |id| frame(GOAWAY, 0, id, &[0; 8]),
            breaks("http2_stream_id", "GOAWAY on stream 1"),
        ),
        each(
            "GOAWAY whose last stream grows",
            |_| [go_away(7, 0, ""), go_away(9, 0, "")].concat(),
            breaks("http2_frames", "GOAWAY with the last stream 9 after one with 7"),
        ),
        whole(
            "half a frame, and a close",
            |peer| {
                peer.greet()?;
                let id = peer.request()?;
                peer.send(&answer(id)[..12])?;
                peer.close()
            },
            Fails("closed", "", "the server closed the connection amid"),
        ),
    ]
}
