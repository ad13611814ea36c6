//! Servers that begin or end connections otherwise than they should.

use std::io;

use serde_json::json;

use super::Outcome::{self, Fails, Partly, Verifies};
use super::frames::*;
use super::peer::Peer;
use super::{Mode, whole};

const CLOSED: Outcome = Fails("closed", "", "");
const ILLEGAL: Outcome = Fails("protocol", "http2_frames", "");
const IN_VAIN: Outcome = Fails("timeout", "", "");

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
        whole("a banner of SSH", |peer| begins_with(peer, b"SSH-2.0-OpenSSH_9.2\r\n"), ILLEGAL),
        whole("an alert of TLS", |peer| begins_with(peer, &[21, 3, 1, 0, 2, 2, 40]), ILLEGAL),
        whole("zero bytes", |peer| begins_with(peer, &[0; 100]), ILLEGAL),
        whole("HEADERS before SETTINGS", |peer| begins_with(peer, &right_head(1)), ILLEGAL),
        // Wrong: SETTINGS must come first (RFC 9113, section 3.4).
        whole(
            "PING before SETTINGS",
            |peer| {
                peer.greet_with(&[ping(), settings(&[])].concat())?;
                peer.serve(answer)
            },
            Verifies,
        ),
        whole(
            "an acknowledgement before SETTINGS",
            |peer| begins_with(peer, &frame(SETTINGS, ACK, 0, b"")),
            CLOSED,
        ),
        whole("no SETTINGS", |peer| peer.fall_silent(), IN_VAIN).silent(),
        whole(
            "no SETTINGS, but WINDOW_UPDATE",
            |peer| {
                peer.greet_with(&window_update(0, 1))?;
                peer.fall_silent()
            },
            IN_VAIN,
        )
        .silent(),
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
            Partly("closed", "", ""),
        ),
        whole(
            "a reset within the body",
            |peer| {
                peer.greet()?;
                let [id, ..] = peer.four_requests()?;
                peer.send(&[right_head(id), piece(id, b"hel")].concat())?;
                peer.reset()
            },
            Fails("reset", "", ""),
        ),
    ]
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
            CLOSED,
        ),
        whole(
            "GOAWAY at once, and no close",
            |peer| {
                peer.greet_with(&[settings(&[]), go_away(0, 0, "")].concat())?;
                peer.fall_silent()
            },
            CLOSED,
        )
        .plan(|plan| plan.seconds(0.4)),
        whole(
            "GOAWAY with ENHANCE_YOUR_CALM at once",
            |peer| begins_with(peer, &[settings(&[]), go_away(0, 11, "too_many_pings")].concat()),
            CLOSED,
        ),
        whole(
            "GOAWAY with INTERNAL_ERROR within a body",
            |peer| {
                sends_and_closes(peer, |id| {
                    [right_head(id), piece(id, b"hel"), go_away(7, 2, "oops")].concat()
                })
            },
            CLOSED,
        ),
        whole(
            "GOAWAY, and no answer to what it allows",
            |peer| {
                peer.greet()?;
                peer.four_requests()?;
                peer.send(&go_away(7, 0, ""))?;
                peer.fall_silent()
            },
            IN_VAIN,
        )
        .silent(),
    ]
}

fn without_room() -> Vec<Mode> {
    vec![
        whole("no stream allowed", |peer| silent_with(peer, &[(MAX_CONCURRENT_STREAMS, 0)]), IN_VAIN)
            .silent(),
        whole("no window for a body", |peer| silent_with(peer, &[(INITIAL_WINDOW_SIZE, 0)]), IN_VAIN).plan(
            |plan| {
                plan.requests(4).with("timeout_seconds", json!(0.4)).with(
                    "requests",
                    json!([{"name": "only", "method": "POST", "path": "/", "body": "a body"}]),
                )
            },
        ),
    ]
}

fn silent_with(peer: &mut Peer, values: &[(u16, u32)]) -> io::Result<()> {
    peer.greet_with(&settings(values))?;
    peer.fall_silent()
}
