//! Servers that begin or end connections otherwise than they should.

use std::io;

use serde_json::json;

use super::Outcome::{self, Fails, Partly};
use super::frames::*;
use super::peer::Peer;
use super::{Mode, breaks, post, whole};

const CLOSED: Outcome = Fails("closed", "", "the server closed the connection");

pub fn modes() -> Vec<Mode> {
    [beginnings(), closes(), farewells(), without_room()].into_iter().flatten().collect()
}

fn beginnings() -> Vec<Mode> {
    vec![
        whole(
            "an answer of HTTP/1.1",
            |peer| begins_with(peer, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
            Fails("protocol", "http1", "does not speak HTTP/2"),
        ),
        whole(
            "a banner of SSH",
            |peer| begins_with(peer, b"SSH-2.0-OpenSSH_9.2\r\n"),
            breaks("http2_preface", "what came first is no SETTINGS, but text"),
        ),
        whole(
            "an alert of TLS",
            |peer| begins_with(peer, &[21, 3, 1, 0, 2, 2, 40]),
            breaks("http2_preface", "what came first is no SETTINGS, but a record of TLS"),
        ),
        whole(
            "zero bytes",
            |peer| begins_with(peer, &[0; 100]),
            breaks("http2_preface", "what came first is no SETTINGS, but another frame, or none"),
        ),
        whole(
            "HEADERS before SETTINGS",
            |peer| begins_with(peer, &right_head(1)),
            breaks("http2_stream_id", "HEADERS on stream 1, which the client never opened"),
        )
        .counts(&["unasked"]),
        whole(
            "PING before SETTINGS",
            |peer| {
                peer.greet_with(&[ping(), settings(&[])].concat())?;
                peer.serve(answer)
            },
            breaks("http2_preface", "what came first is no SETTINGS, but another frame, or none"),
        ),
        whole(
            "an acknowledgement before SETTINGS",
            |peer| begins_with(peer, &frame(SETTINGS, ACK, 0, b"")),
            breaks("http2_preface", "what came first is no SETTINGS, but another frame, or none"),
        ),
        whole(
            "no SETTINGS",
            |peer| peer.fall_silent(),
            Fails("timeout", "http2_no_settings", "the connection was made, and no SETTINGS came"),
        )
        .silent(),
        whole(
            "no SETTINGS, but WINDOW_UPDATE",
            |peer| {
                peer.greet_with(&window_update(0, 1))?;
                peer.fall_silent()
            },
            breaks("http2_preface", "what came first is no SETTINGS, but another frame, or none"),
        ),
    ]
}

fn begins_with(peer: &mut Peer, bytes: &[u8]) -> io::Result<()> {
    peer.greet_with(bytes)?;
    peer.close()
}

fn closes() -> Vec<Mode> {
    vec![
        whole("a close at once", |peer| peer.close(), CLOSED),
        whole(
            "a close after SETTINGS",
            |peer| {
                peer.greet()?;
                peer.close()
            },
            CLOSED,
        ),
        whole("a close after the request", |peer| sends_and_closes(peer, |_| vec![]), CLOSED),
        whole("a close after the head", |peer| sends_and_closes(peer, right_head), CLOSED),
        whole(
            "a close within the body",
            |peer| sends_and_closes(peer, |id| [right_head(id), piece(id, b"hel")].concat()),
            CLOSED,
        ),
        whole(
            "a close after one of four answers",
            |peer| sends_and_closes(peer, answer),
            Partly("unannounced_close", "", ""),
        ),
        whole(
            "a reset within the body",
            |peer| {
                peer.greet()?;
                let [id, ..] = peer.four_requests()?;
                peer.send(&[right_head(id), piece(id, b"hel")].concat())?;
                peer.reset()
            },
            Fails("reset", "", "the connection broke"),
        ),
    ]
}

fn goes_away(says: &'static str) -> Outcome {
    Fails("closed", "http2_goaway", says)
}

/// Awaits four requests, sends this for the first, and closes.
fn sends_and_closes(peer: &mut Peer, answer: fn(u32) -> Vec<u8>) -> io::Result<()> {
    peer.greet()?;
    let [id, ..] = peer.four_requests()?;
    peer.send(&answer(id))?;
    peer.close()
}

fn farewells() -> Vec<Mode> {
    vec![
        whole(
            "GOAWAY at once",
            |peer| begins_with(peer, &[settings(&[]), go_away(0, 0, "")].concat()),
            goes_away("GOAWAY NO_ERROR: not a result of an error, last stream 0"),
        ),
        whole(
            "GOAWAY at once, and no close",
            |peer| {
                peer.greet_with(&[settings(&[]), go_away(0, 0, "")].concat())?;
                peer.fall_silent()
            },
            goes_away("GOAWAY NO_ERROR: not a result of an error, last stream 0"),
        )
        .plan(|plan| plan.seconds(0.4)),
        whole(
            "GOAWAY with ENHANCE_YOUR_CALM at once",
            |peer| begins_with(peer, &[settings(&[]), go_away(0, 11, "too_many_pings")].concat()),
            goes_away(
                "GOAWAY ENHANCE_YOUR_CALM: detected excessive load generating behavior, last stream 0; it says \"too_many_pings\"",
            ),
        ),
        whole(
            "GOAWAY with INTERNAL_ERROR within a body",
            |peer| {
                sends_and_closes(peer, |id| {
                    [right_head(id), piece(id, b"hel"), go_away(7, 2, "oops")].concat()
                })
            },
            goes_away(
                "GOAWAY INTERNAL_ERROR: unexpected internal error encountered, last stream 7; it says \"oops\"",
            ),
        ),
        whole(
            "GOAWAY, and no answer to what it allows",
            |peer| {
                peer.greet()?;
                peer.four_requests()?;
                peer.send(&go_away(7, 0, ""))?;
                peer.fall_silent()
            },
            Fails(
                "timeout",
                "http2_goaway",
                "GOAWAY NO_ERROR: not a result of an error, last stream 7; no answer came on stream",
            ),
        )
        .silent(),
    ]
}

fn without_room() -> Vec<Mode> {
    vec![
        whole(
            "no stream allowed",
            |peer| silent_with(peer, &[(MAX_CONCURRENT_STREAMS, 0)]),
            Fails("timeout", "http2_no_stream", "SETTINGS_MAX_CONCURRENT_STREAMS is 0"),
        )
        .silent(),
        whole(
            "no window for a body",
            |peer| silent_with(peer, &[(INITIAL_WINDOW_SIZE, 0)]),
            Fails("timeout", "http2_window", "the server's window for stream 1 is used up, after 0 bytes"),
        )
        .plan(|plan| post(plan).requests(4).with("timeout_seconds", json!(0.4))),
    ]
}

fn silent_with(peer: &mut Peer, values: &[(u16, u32)]) -> io::Result<()> {
    peer.greet_with(&settings(values))?;
    peer.fall_silent()
}
