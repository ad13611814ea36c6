//! Servers that send without an end, and read nothing: the engine's memory does not grow with it.

use super::Outcome::{self, Fails};
use super::frames::*;
use super::peer::Peer;
use super::{Mode, breaks, whole};

const NO_END: Outcome = Fails("timeout", "http2_no_end", "and no END_STREAM");
const IN_VAIN: Outcome = Fails("timeout", "", "");

pub fn modes() -> Vec<Mode> {
    let modes = vec![
        whole("a flood of PING", |peer| flood(peer, |_| ping()), IN_VAIN),
        whole("a flood of SETTINGS", |peer| flood(peer, |_| settings(&[])), IN_VAIN),
        whole(
            "a flood of PING's acknowledgements",
            |peer| flood(peer, |_| frame(PING, ACK, 0, &[0; 8])),
            IN_VAIN,
        ),
        whole(
            "a flood of SETTINGS' acknowledgements",
            |peer| flood(peer, |_| frame(SETTINGS, ACK, 0, b"")),
            breaks("http2_settings", "SETTINGS acknowledged that were not sent"),
        ),
        whole("a flood of WINDOW_UPDATE", |peer| flood(peer, |_| window_update(0, 1)), IN_VAIN),
        whole(
            "a flood of PRIORITY",
            |peer| flood(peer, |id| frame(PRIORITY, 0, id, &[0, 0, 0, 0, 1])),
            IN_VAIN,
        ),
        whole("a flood of unknown frames", |peer| flood(peer, |_| frame(0xee, 0, 0, &[0; 100])), IN_VAIN),
        whole("a flood of RST_STREAM", rst_flood, Outcome::Mostly("timeout")),
        whole(
            "a flood of interim answers",
            |peer| flood(peer, early_hints),
            Fails("timeout", "http2_no_end", "interim answers alone came on stream 1"),
        ),
        whole(
            "a flood of empty DATA",
            |peer| body_flood(peer, b""),
            breaks("http2_flood", "more than 1000 empty DATA frames in a row on stream 1"),
        ),
        whole(
            "a flood of DATA of padding alone",
            |peer| {
                peer.greet()?;
                let [id, ..] = peer.four_requests()?;
                peer.send(&right_head(id))?;
                peer.flood(&frame(DATA, PADDED, id, &padded(b"", 9)))
            },
            breaks("http2_flood", "more than 1000 empty DATA frames in a row on stream 1"),
        ),
        whole("a body without an end, by bytes", |peer| body_flood(peer, b"x"), NO_END),
        whole("a body without an end, by full frames", |peer| body_flood(peer, &[b'x'; 16_384]), NO_END),
        whole(
            "a flood of empty CONTINUATION",
            |peer| head_flood(peer, b""),
            breaks("http2_flood", "more CONTINUATIONs of one head than are taken"),
        ),
        whole(
            "a flood of CONTINUATION",
            |peer| head_flood(peer, &field("x", &"v".repeat(100)).repeat(150)),
            breaks("http2_head_too_long", "a head above 64 KiB"),
        ),
        whole("a flood of answers twice", |peer| flood(peer, answer), Outcome::Mostly("timeout"))
            .counts(&["unasked"]),
    ];
    modes.into_iter().map(Mode::silent).collect()
}

/// Awaits four requests, and sends this for the first without an end.
fn flood(peer: &mut Peer, bytes: fn(u32) -> Vec<u8>) -> std::io::Result<()> {
    peer.greet()?;
    let [id, ..] = peer.four_requests()?;
    peer.flood(&bytes(id))
}

fn rst_flood(peer: &mut Peer) -> std::io::Result<()> {
    peer.greet()?;
    let [id, ..] = peer.four_requests()?;
    peer.send(&answer(id))?;
    peer.flood(&rst_stream(id, 8))
}

fn body_flood(peer: &mut Peer, bytes: &[u8]) -> std::io::Result<()> {
    peer.greet()?;
    let [id, ..] = peer.four_requests()?;
    peer.send(&right_head(id))?;
    peer.flood(&piece(id, bytes))
}

fn head_flood(peer: &mut Peer, bytes: &[u8]) -> std::io::Result<()> {
    peer.greet()?;
    let [id, ..] = peer.four_requests()?;
    peer.send(&frame(HEADERS, 0, id, &ok()))?;
    peer.flood(&frame(CONTINUATION, 0, id, bytes))
}
