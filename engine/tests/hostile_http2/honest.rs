//! Servers that keep to RFC 9113 in ways that few do: every answer is right.

use std::collections::VecDeque;
use std::io;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::Outcome::Verifies;
use super::frames::*;
use super::peer::Peer;
use super::{Mode, each, post, whole};

pub fn modes() -> Vec<Mode> {
    [answers(), connections(), requests_with_a_body(), ends()].into_iter().flatten().collect()
}

fn answers() -> Vec<Mode> {
    vec![
        each("plain", answer, Verifies),
        each(
            "interim answers",
            |id| [early_hints(id), early_hints(id), early_hints(id), answer(id)].concat(),
            Verifies,
        ),
        each(
            "padding",
            |id| {
                [
                    frame(HEADERS, END_HEADERS | PADDED, id, &padded(&ok(), 255)),
                    frame(DATA, PADDED, id, &padded(b"", 200)),
                    frame(DATA, END_STREAM | PADDED, id, &padded(b"hello", 255)),
                ]
                .concat()
            },
            Verifies,
        ),
        each(
            "priorities",
            |id| {
                let weight = [0, 0, 0, 0, 200];
                let block = [&weight[..], &ok()].concat();
                [
                    frame(HEADERS, END_HEADERS | WITH_PRIORITY, id, &block),
                    frame(PRIORITY, 0, id, &weight),
                    frame(PRIORITY, 0, id + 1000, &weight),
                    hello(id),
                    frame(PRIORITY, 0, id, &weight),
                ]
                .concat()
            },
            Verifies,
        ),
        each(
            "unknown frames",
            |id| {
                let unknown = |id| frame(0xee, 0xff, id, b"unknown");
                [unknown(0), right_head(id), unknown(id), frame(0x0a, 0, 0, b"\0\0"), hello(id), unknown(id)]
                    .concat()
            },
            Verifies,
        ),
        each(
            "trailers",
            |id| [right_head(id), piece(id, b"hello"), trailers(id, "grpc-status", "0")].concat(),
            Verifies,
        ),
        each(
            "a DATA frame for each byte",
            |id| {
                let bytes: Vec<u8> = b"hello".iter().flat_map(|&byte| piece(id, &[byte])).collect();
                [right_head(id), bytes, end(id)].concat()
            },
            Verifies,
        ),
        each(
            "empty DATA frames",
            |id| [right_head(id), piece(id, b"").repeat(4), hello(id)].concat(),
            Verifies,
        ),
        // RFC 9113 allows as many as a server likes; h2 would take 100 on a connection.
        each(
            "hundreds of empty DATA frames",
            |id| [right_head(id), piece(id, b"").repeat(100), piece(id, b"hello"), end(id)].concat(),
            Verifies,
        ),
        each(
            "empty DATA frames around each byte",
            |id| {
                let bytes =
                    b"hello".map(|byte| [piece(id, b""), piece(id, &[byte]), piece(id, b"")].concat());
                [right_head(id), bytes.concat(), end(id)].concat()
            },
            Verifies,
        ),
        each(
            "hundreds of DATA frames of padding alone",
            |id| {
                let padding = frame(DATA, PADDED, id, &padded(b"", 199)).repeat(200);
                [right_head(id), padding, hello(id)].concat()
            },
            Verifies,
        ),
        each("a head in four frames", |id| [in_frames(id, 4), hello(id)].concat(), Verifies),
        each(
            "a head of 60,000 bytes",
            |id| {
                let fields = (0..400).map(|number| field(&format!("x-{number}"), &"v".repeat(110)));
                let block = [ok(), fields.flatten().collect()].concat();
                [split(id, block.chunks(16_384)), hello(id)].concat()
            },
            Verifies,
        ),
        each(
            "bodies of full frames",
            |id| [right_head(id), piece(id, &[b'x'; 16_384]).repeat(4), end(id)].concat(),
            Verifies,
        )
        .plan(|plan| plan.expect(json!({"body_bytes": {"min": 65_536, "max": 65_536}}))),
        // A stream's window is 1 MiB. It is opened as bytes come, whether the server waits for that or not.
        each(
            "three windows at once",
            |id| [right_head(id), piece(id, &[b'x'; 16_384]).repeat(192), end(id)].concat(),
            Verifies,
        )
        .plan(|plan| plan.requests(8).expect(json!({"body_bytes": {"min": 3_145_728, "max": 3_145_728}}))),
        each("the reserved bit", |id| answer(id | 1 << 31), Verifies),
        each(
            "an empty table before each head",
            |id| [head(id, &[&[0x20], &ok()[..]].concat()), hello(id)].concat(),
            Verifies,
        ),
        each(
            "RST_STREAM with NO_ERROR and WINDOW_UPDATE after END_STREAM",
            |id| [answer(id), window_update(id, 1), rst_stream(id, 0)].concat(),
            Verifies,
        ),
        each(
            "a status without content",
            |id| frame(HEADERS, END_HEADERS | END_STREAM, id, &[0x89]),
            Verifies,
        )
        .plan(|plan| plan.expect(json!({"status": [204]}))),
        each(
            "an answer to HEAD",
            |id| {
                let block = [ok(), field("content-length", "5")].concat();
                frame(HEADERS, END_HEADERS | END_STREAM, id, &block)
            },
            Verifies,
        )
        .plan(|plan| {
            plan.with(
                "requests",
                json!([{"name": "only", "method": "HEAD", "path": "/", "expect": {"status": [200]}}]),
            )
        }),
        whole("one byte at a time", one_byte_at_a_time, Verifies),
        whole("fields from the table", fields_from_the_table, Verifies),
    ]
}

fn connections() -> Vec<Mode> {
    vec![
        whole("unknown settings", |peer| serve_with(peer, &[(0x0a0a, 7), (0xffff, u32::MAX)]), Verifies),
        whole("ENABLE_PUSH of 0", |peer| serve_with(peer, &[(2, 0)]), Verifies),
        whole("one stream", |peer| serve_with(peer, &[(MAX_CONCURRENT_STREAMS, 1)]), Verifies),
        whole("no table", |peer| serve_with(peer, &[(1, 0)]), Verifies),
        whole("larger frames and table", |peer| serve_with(peer, &[(1, 65_536), (5, 1 << 20)]), Verifies),
        whole("streams after a while", streams_after_a_while, Verifies),
        whole("fewer streams under way", fewer_streams_under_way, Verifies),
        whole("SETTINGS before the preface", settings_before_the_preface, Verifies),
        whole("SETTINGS are not acknowledged", settings_are_not_acknowledged, Verifies),
        whole("PING before each answer", ping_before_each_answer, Verifies),
        whole("answers in reverse", answers_in_reverse, Verifies),
        whole("bodies byte by byte in turn", bodies_in_turn, Verifies),
    ]
}

fn requests_with_a_body() -> Vec<Mode> {
    vec![
        whole("a window of one byte", |peer| opening_windows(peer, 1), Verifies).plan(post),
        whole("a window opened by each request", |peer| opening_windows(peer, 0), Verifies).plan(post),
        whole("an answer before the body, and RST_STREAM with NO_ERROR", answers_before_the_body, Verifies)
            .plan(post),
    ]
}

fn ends() -> Vec<Mode> {
    vec![
        whole("GOAWAY in two steps, and a close", go_away_in_two_steps, Verifies),
        whole("GOAWAY below requests that were sent", go_away_below_requests, Verifies),
    ]
}

/// A DATA frame that ends the stream and carries nothing else.
fn end(id: u32) -> Vec<u8> {
    frame(DATA, END_STREAM, id, b"")
}

/// The right head in so many frames.
fn in_frames(id: u32, frames: usize) -> Vec<u8> {
    let block = ok();
    split(id, block.chunks(block.len().div_ceil(frames)))
}

/// A head of which these are the parts.
pub fn split<'b>(id: u32, parts: impl ExactSizeIterator<Item = &'b [u8]>) -> Vec<u8> {
    let last = parts.len() - 1;
    let part = |(place, part)| {
        let kind = if place == 0 { HEADERS } else { CONTINUATION };
        frame(kind, if place == last { END_HEADERS } else { 0 }, id, part)
    };
    parts.enumerate().flat_map(part).collect()
}

fn serve_with(peer: &mut Peer, values: &[(u16, u32)]) -> io::Result<()> {
    peer.greet_with(&settings(values))?;
    peer.serve(answer)
}

fn one_byte_at_a_time(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    loop {
        let id = peer.request()?;
        for byte in answer(id) {
            peer.send(&[byte])?;
            thread::yield_now();
        }
    }
}

/// The first answer puts the content type into the table, the others take it from there.
fn fields_from_the_table(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let mut block = vec![STATUS_200, 0x40 | 31, 10];
    block.extend(b"text/plain");
    peer.serve(|id| {
        let block = std::mem::replace(&mut block, vec![STATUS_200, 0x80 | 62]);
        [head(id, &block), hello(id)].concat()
    })
}

fn streams_after_a_while(peer: &mut Peer) -> io::Result<()> {
    peer.greet_with(&settings(&[(MAX_CONCURRENT_STREAMS, 0)]))?;
    thread::sleep(Duration::from_millis(50));
    peer.send(&settings(&[(MAX_CONCURRENT_STREAMS, 100)]))?;
    peer.serve(answer)
}

fn fewer_streams_under_way(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    peer.four_requests()?;
    peer.send(
        &[settings(&[(MAX_CONCURRENT_STREAMS, 1)]), answer(1), answer(3), answer(5), answer(7)].concat(),
    )?;
    peer.serve(answer)
}

fn settings_before_the_preface(peer: &mut Peer) -> io::Result<()> {
    peer.send(&settings(&[]))?;
    peer.greet_with(b"")?;
    peer.serve(answer)
}

fn settings_are_not_acknowledged(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    loop {
        let frame = peer.unacknowledged_frame()?;
        if frame.kind == HEADERS {
            peer.send(&answer(frame.stream))?;
        }
    }
}

fn ping_before_each_answer(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let mut requests = VecDeque::new();
    loop {
        let frame = peer.frame()?;
        match frame.kind {
            HEADERS => {
                requests.push_back(frame.stream);
                peer.send(&ping())?;
            }
            PING if frame.flags == ACK && frame.payload == b"8 bytes." => {
                peer.send(&answer(requests.pop_front().unwrap()))?;
            }
            _ => {}
        }
    }
}

fn answers_in_reverse(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    loop {
        let answers: Vec<u8> = peer.four_requests()?.into_iter().rev().flat_map(answer).collect();
        peer.send(&answers)?;
    }
}

fn bodies_in_turn(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    loop {
        let requests = peer.four_requests()?;
        peer.send(&requests.map(right_head).concat())?;
        for byte in b"hello" {
            peer.send(&requests.map(|id| piece(id, &[*byte])).concat())?;
        }
        peer.send(&requests.map(end).concat())?;
    }
}

/// Takes so many bytes of a body before it opens the window further.
fn opening_windows(peer: &mut Peer, bytes: u32) -> io::Result<()> {
    peer.greet_with(&settings(&[(INITIAL_WINDOW_SIZE, bytes)]))?;
    loop {
        let frame = peer.frame()?;
        match frame.kind {
            HEADERS if bytes == 0 => peer.send(&window_update(frame.stream, 100))?,
            DATA if frame.flags & END_STREAM != 0 => peer.send(&answer(frame.stream))?,
            DATA => peer.send(&window_update(frame.stream, bytes))?,
            _ => {}
        }
    }
}

/// Says by RST_STREAM that it needs no body (RFC 9113, section 8.1).
fn answers_before_the_body(peer: &mut Peer) -> io::Result<()> {
    peer.greet_with(&settings(&[(INITIAL_WINDOW_SIZE, 0)]))?;
    peer.serve(|id| [answer(id), rst_stream(id, 0)].concat())
}

fn go_away_in_two_steps(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let answers = peer.four_requests()?.map(answer).concat();
    peer.send(&[go_away(i32::MAX as u32, 0, ""), answers, go_away(7, 0, "")].concat())?;
    peer.close()
}

fn go_away_below_requests(peer: &mut Peer) -> io::Result<()> {
    peer.greet()?;
    let first = peer.request()?;
    peer.send(&[answer(first), go_away(first, 0, "")].concat())?;
    peer.close()
}
