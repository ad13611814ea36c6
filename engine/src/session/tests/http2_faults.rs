//! Servers of HTTP/2 that break its rules, stall or flood: what is counted, and which cause is named.

use super::http2::{Peer, SETTINGS, closed, conversation, frame, greet, sent};
use super::*;
use crate::http2::Http2Conversation;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const END: u8 = 1;
const HEAD_END: u8 = 4;

fn asking(lanes: usize) -> Http2Conversation {
    asking_with(closed(1, lanes), SETTINGS)
}

/// A conversation whose requests have gone on streams 1, 3, …, after such a begin of the server.
fn asking_with(setup: Setup, begin: &[u8]) -> Http2Conversation {
    let mut link = conversation(setup);
    link.start(0, 0);
    link.connected(0, MS);
    sent(&mut link, 0, MS);
    link.received(0, begin, false, 2 * MS);
    sent(&mut link, 0, 2 * MS);
    link
}

/// Kinds, causes and excerpts of the examples.
fn examples(ended: &Ended) -> Vec<(String, String, String)> {
    let examples = serde_json::to_value(ended.record.examples.as_slice()).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let each = |example: &Value| (text(&example["kind"]), text(&example["cause"]), text(&example["excerpt"]));
    examples.as_array().unwrap().iter().map(each).collect()
}

fn assert_told(ended: &Ended, (kind, cause, words): (&str, &str, &str), of: &str) {
    assert_books_balance(ended);
    let examples = examples(ended);
    let is_told =
        examples.iter().any(|(k, c, text)| (k.as_str(), c.as_str()) == (kind, cause) && text.contains(words));
    assert!(is_told, "{of}: {kind}, {cause}, {words:?}, not {examples:?}");
}

fn literal(name: &[u8], value: &[u8]) -> Vec<u8> {
    [&[0, name.len() as u8], name, &[value.len() as u8], value].concat()
}

/// A head of stream 1 with status 200 and this behind it.
fn head(flags: u8, rest: &[u8]) -> Vec<u8> {
    frame(HEADERS, HEAD_END | flags, 1, &[&[0x88], rest].concat())
}

fn data(flags: u8, stream: u32, bytes: &[u8]) -> Vec<u8> {
    frame(DATA, flags, stream, bytes)
}

fn length(text: &[u8]) -> Vec<u8> {
    literal(b"content-length", text)
}

#[test]
fn each_rule_that_a_server_breaks_is_named() {
    let long = literal(b"x-long", &[b'y'; 100]).repeat(130);
    let too_long = [
        frame(HEADERS, 0, 1, &[0x88]),
        frame(9, 0, 1, &long),
        frame(9, 0, 1, &long),
        frame(9, 0, 1, &long),
        frame(9, HEAD_END, 1, &long),
    ];
    let cases: Vec<(&str, Vec<u8>, &str, &str)> = vec![
        ("half a setting", frame(4, 0, 0, &[0, 1, 0]), "http2_frame_size", "SETTINGS of 3 bytes"),
        ("a window", frame(4, 0, 0, &[0, 4, 255, 255, 255, 255]), "http2_settings", "INITIAL_WINDOW_SIZE of"),
        ("acknowledged twice", frame(4, 1, 0, b"").repeat(2), "http2_settings", "were not sent"),
        (
            "a stream of nobody",
            data(0, 99, b"x"),
            "http2_stream_id",
            "DATA on stream 99, which the client never",
        ),
        ("an even stream", frame(HEADERS, 5, 2, &[0x88]), "http2_stream_id", "HEADERS on stream 2"),
        ("stream 0", data(0, 0, b"x"), "http2_stream_id", "DATA on stream 0"),
        ("an idle stream reset", frame(3, 0, 77, &[0; 4]), "http2_stream_id", "RST_STREAM on stream 77"),
        ("an idle window", frame(8, 0, 77, &[0, 0, 0, 1]), "http2_stream_id", "WINDOW_UPDATE on stream 77"),
        ("a PING of a stream", frame(6, 0, 1, &[0; 8]), "http2_stream_id", "PING on stream 1"),
        ("a push", frame(5, 4, 1, &[0, 0, 0, 2, 0x82]), "http2_push", "PUSH_PROMISE on stream 1"),
        ("a long frame", data(0, 1, &[0; 16_385]), "http2_frame_size", "DATA of 16385 bytes"),
        ("a short PING", frame(6, 0, 0, &[0; 7]), "http2_frame_size", "PING of 7 bytes"),
        (
            "padding",
            [head(0, b""), data(8, 1, &[5, 0])].concat(),
            "http2_padding",
            "2 bytes with 5 of padding",
        ),
        ("CONTINUATION alone", frame(9, 4, 1, &[0x88]), "http2_continuation", "of no head"),
        (
            "PING amid a head",
            [frame(HEADERS, 0, 1, &[0x88]), frame(6, 0, 0, &[0; 8])].concat(),
            "http2_continuation",
            "PING of stream 0 amid a head of stream 1",
        ),
        ("a number of HPACK", frame(HEADERS, 4, 1, &[0xff; 6]), "http2_hpack", "number that is too long"),
        ("an index of HPACK", frame(HEADERS, 4, 1, &[0xfe]), "http2_hpack", "HPACK cannot read"),
        ("a long head", too_long.concat(), "http2_head_too_long", "above 64 KiB"),
        (
            "a long trailer",
            [
                [head(0, b""), data(0, 1, b"ok"), frame(HEADERS, END, 1, &long)].concat(),
                frame(9, 0, 1, &long).repeat(3),
                frame(9, HEAD_END, 1, &long),
            ]
            .concat(),
            "http2_head_too_long",
            "a trailer above 64 KiB",
        ),
        ("upper case", head(0, &literal(b"X-One", b"1")), "http2_header_name", "\"X-One\" has upper case"),
        ("a line end", head(0, &literal(b"x", b"a\nb")), "http2_header_value", "\"x\""),
        (
            "connection",
            head(0, &literal(b"connection", b"close")),
            "http2_connection_header",
            "\"connection\"",
        ),
        ("no status", frame(HEADERS, 5, 1, &literal(b"a", b"b")), "http2_pseudo_header", "missing"),
        ("an unknown pseudo-header", head(0, &literal(b":a", b"b")), "http2_pseudo_header", "\":a\" is none"),
        ("two statuses", head(0, &[0x88]), "http2_pseudo_header", "comes twice"),
        ("a status of two digits", frame(HEADERS, 4, 1, b"\x08\x0220"), "http2_pseudo_header", "\"20\""),
        (
            "a status in trailers",
            [head(0, b""), data(0, 1, b"ok"), frame(HEADERS, 5, 1, &[0x8e])].concat(),
            "http2_pseudo_header",
            "is in trailers",
        ),
        (
            "short",
            [head(0, &length(b"5")), data(END, 1, b"ok")].concat(),
            "http2_content_length",
            "2 bytes of DATA came on stream 1, and Content-Length says",
        ),
        (
            "long",
            [head(0, &length(b"1")), data(END, 1, b"ok")].concat(),
            "http2_content_length",
            "2 bytes of DATA",
        ),
        ("no body", head(END, &length(b"5")), "http2_content_length", "is 5, and there is no body"),
        ("no number", head(0, &length(b"5x")), "http2_content_length", "\"5x\", which is no number"),
        (
            "two lengths",
            head(0, &[length(b"5"), length(b"6")].concat()),
            "http2_content_length",
            "of 5 and one of 6",
        ),
        (
            "trailers without an end",
            [head(0, b""), frame(HEADERS, 4, 1, &literal(b"a", b"b"))].concat(),
            "http2_trailers",
            "without END_STREAM",
        ),
        ("DATA first", data(0, 1, b"x"), "http2_no_head", "before HEADERS"),
        ("an interim end", frame(HEADERS, 5, 1, b"\x08\x03103"), "http2_no_head", "interim status 103"),
        ("a wide window", frame(8, 0, 0, &[127, 255, 255, 255]), "http2_flow_control", "above 2^31 - 1"),
        ("no window", frame(8, 0, 0, &[0; 4]), "http2_flow_control", "by 0 bytes"),
        (
            "beyond the window",
            [head(0, b""), data(0, 1, &[0; 16_000]).repeat(10)].concat(),
            "http2_flow_control",
            "DATA on stream 1, beyond its window",
        ),
        (
            "empty frames",
            [head(0, b""), data(0, 1, b"").repeat(1001)].concat(),
            "http2_flood",
            "more than 1000 empty DATA frames in a row on stream 1",
        ),
        (
            "empty CONTINUATIONs",
            [frame(HEADERS, 0, 1, &[0x88]), frame(9, 0, 1, b"").repeat(9)].concat(),
            "http2_flood",
            "CONTINUATIONs",
        ),
    ];
    for (of, bytes, cause, words) in cases {
        // At once, and cut where it may matter.
        for cut in [bytes.len(), bytes.len() - 1, 10.min(bytes.len() - 1)] {
            let mut link = asking(2);
            for part in [&bytes[..cut], &bytes[cut..]] {
                if !part.is_empty() {
                    link.received(0, part, false, 3 * MS);
                }
            }
            let ended = link.conclude(4 * MS);
            let (kind, _) = &errors(&ended)[0];
            assert_told(&ended, (kind, cause, words), of);
            assert_eq!(kind, "protocol", "{of}");
        }
    }
}

#[test]
fn who_begins_with_something_else_is_named() {
    let record = [0x16, 3, 3, 0, 0x31, 2, 0, 0, 0x2d];
    for (bytes, words) in [
        (&b"220 mail ready, what do you want?\r\n"[..], "but text"),
        (&record, "a record of TLS"),
        (&frame(6, 0, 0, &[0; 7]), "another frame"),
    ] {
        let mut link = asking_with(closed(1, 1), bytes);
        link.peer_closed(0, 3 * MS);
        assert_told(&link.conclude(4 * MS), ("protocol", "http2_preface", words), words);
    }
}

#[test]
fn codes_are_named() {
    for (of, bytes, (kind, cause, words)) in [
        ("RST_STREAM", frame(3, 0, 1, &[0, 0, 0, 2]), ("reset", "http2_reset", "RST_STREAM INTERNAL_ERROR")),
        (
            "another code",
            frame(3, 0, 1, &[0, 0, 0xde, 0xad]),
            ("reset", "http2_reset", "unknown code 0xdead"),
        ),
        (
            "GOAWAY",
            frame(7, 0, 0, b"\0\0\0\x03\0\0\0\x0btoo_many_pings\n"),
            (
                "closed",
                "http2_goaway",
                "GOAWAY ENHANCE_YOUR_CALM: detected excessive load generating behavior",
            ),
        ),
        (
            "GOAWAY with words",
            frame(7, 0, 0, b"\0\0\0\x03\0\0\0\x00bye\n"),
            ("closed", "http2_goaway", "last stream 3; it says \"bye\\n\""),
        ),
    ] {
        let mut link = asking(2);
        link.received(0, &bytes, false, 3 * MS);
        link.peer_closed(0, 4 * MS);
        assert_told(&link.conclude(5 * MS), (kind, cause, words), of);
    }
}

#[test]
fn what_is_awaited_in_vain_is_named() {
    let posting = |bytes: usize| {
        let body = "x".repeat(bytes);
        Setup { requests: json!([{"path": "/", "method": "POST", "body": body}]), ..closed(1, 1) }
    };
    let setting = |number: u8, value: u32| frame(4, 0, 0, &[&[0, number][..], &value.to_be_bytes()].concat());
    let begun = [head(0, b""), data(0, 1, b"ok")].concat();
    type Case = (Setup, Vec<u8>, Vec<u8>, &'static str, &'static str);
    let cases: [Case; 7] = [
        (closed(1, 1), vec![], vec![], "http2_no_settings", "no SETTINGS came"),
        (closed(1, 1), setting(3, 0), vec![], "http2_no_stream", "is 0"),
        (closed(1, 3), setting(3, 1), frame(6, 0, 0, &[0; 8]), "http2_no_stream", "is 1"),
        (posting(100), setting(4, 0), vec![], "http2_window", "stream 1 is used up, after 0 bytes"),
        (posting(100_000), setting(4, 200_000), vec![], "http2_window", "for the connection is used up"),
        (closed(1, 1), SETTINGS.to_vec(), begun, "http2_no_end", "2 bytes of DATA came on stream 1"),
        (closed(1, 1), SETTINGS.to_vec(), head(0, b""), "http2_no_end", "0 bytes of DATA"),
    ];
    for (setup, begin, then, cause, words) in cases {
        let mut link = conversation(setup);
        link.start(0, 0);
        link.connected(0, MS);
        sent(&mut link, 0, MS);
        for (bytes, at_ns) in [(begin, 2 * MS), (then, 500 * MS)] {
            if !bytes.is_empty() {
                link.received(0, &bytes, false, at_ns);
                sent(&mut link, 0, at_ns);
            }
        }
        while link.due(SECOND + 3 * MS).is_some() {}
        let ended = link.conclude(SECOND + 4 * MS);
        assert_told(&ended, ("timeout", cause, words), words);
    }
}

#[test]
fn answers_that_nobody_asked_for_are_counted_by_stream() {
    let whole = |stream| [frame(HEADERS, HEAD_END, stream, &[0x88]), data(END, stream, b"ok")].concat();
    for is_at_once in [true, false] {
        let mut link = asking(2);
        for stream in [1, 3] {
            let (first, second) = (whole(stream), whole(stream));
            if is_at_once {
                link.received(0, &[first, second].concat(), false, 3 * MS);
            } else {
                link.received(0, &first, false, 3 * MS);
                sent(&mut link, 0, 3 * MS);
                link.received(0, &second, false, 4 * MS);
            }
            if link.to_send(0).is_empty() {
                break;
            }
        }
        let ended = link.conclude(5 * MS);
        assert!(ended.record.totals().verified >= 1, "{:?}", errors(&ended));
        assert!(ended.record.counters.unasked >= 1);
        assert_told(&ended, ("protocol", "http2_after_end", "HEADERS on stream 1 after its end"), "doubled");
    }
}

#[test]
fn what_comes_for_a_stream_that_timed_out_is_no_fault() {
    let mut link = asking(1);
    link.received(0, &head(0, b""), false, 500 * MS);
    assert_eq!(link.due(SECOND + 3 * MS).unwrap().1, Next::Send);
    let reset = sent(&mut link, 0, SECOND + 3 * MS);
    assert!(reset.windows(9).any(|bytes| bytes == [0, 0, 4, 3, 0, 0, 0, 0, 1]), "{reset:?}");
    let late = [data(0, 1, b"o"), data(END, 1, b"k"), frame(HEADERS, 5, 3, &[0x88])].concat();
    link.received(0, &late, false, SECOND + 4 * MS);
    let ended = link.conclude(SECOND + 5 * MS);
    assert_books_balance(&ended);
    assert_eq!((errors(&ended), ended.record.counters.unasked), (vec![error("timeout", 1)], 0));
    assert_eq!(ended.record.totals().verified, 1);
}

/// What waits to be sent, at most, while a server sends this and reads nothing; the connection's end.
fn flooded(flood: &[u8], rounds: usize) -> (usize, Ended) {
    let mut link = asking(2);
    link.received(0, &frame(HEADERS, 5, 1, &[0x88]), false, 3 * MS);
    sent(&mut link, 0, 3 * MS);
    let bytes = flood.repeat(16_384 / flood.len());
    let mut most = 0;
    for _ in 0..rounds {
        if link.received(0, &bytes, false, 3 * MS) == Next::Connect {
            break;
        }
        most = most.max(link.to_send(0).len());
    }
    (most, link.conclude(4 * MS))
}

#[test]
fn a_server_that_floods_and_does_not_read_is_cut_off() {
    for (of, flood) in [("PING", frame(6, 0, 0, &[7; 8])), ("SETTINGS", SETTINGS.to_vec())] {
        let (most, ended) = flooded(&flood, 1000);
        assert!((900_000..=1_048_576).contains(&most), "{of}: {most} bytes wait");
        assert_books_balance(&ended);
        assert_eq!(errors(&ended), [error("protocol", 2)], "{of}");
        assert_told(&ended, ("protocol", "http2_unread", "does not read"), of);
    }
    for (of, flood) in [
        ("HEADERS after an end", frame(HEADERS, 5, 1, &[0x88])),
        ("RST_STREAM after an end", frame(3, 0, 1, &[0; 4])),
        ("another type", frame(0xbe, 0, 0, &[0; 4])),
    ] {
        let (most, ended) = flooded(&flood, 300);
        assert!(most <= 1_048_576, "{of}: {most} bytes wait");
        assert_books_balance(&ended);
        assert_eq!(errors(&ended), [], "{of}");
    }
}

#[test]
fn a_server_that_reads_late_gets_all_it_waits_for() {
    let mut link = asking(1);
    let mut peer = frame(6, 0, 0, &[7; 8]).repeat(100_000);
    peer.extend(frame(HEADERS, 5, 1, &[0x88]));
    for bytes in peer.chunks(16_384) {
        assert_eq!(link.received(0, bytes, false, 3 * MS), Next::Send);
    }
    assert!(link.to_send(0).len() <= 1_048_576);
    let (mut bytes, mut now_ns) = (sent(&mut link, 0, 4 * MS), 5 * MS);
    while let Some((number, next)) = link.due(now_ns) {
        assert_eq!((number, next), (0, Next::Send));
        bytes.extend(sent(&mut link, 0, now_ns));
        assert_eq!(link.due(now_ns), None, "others have their turn");
        now_ns += MS;
    }
    assert_eq!(bytes.windows(9).filter(|bytes| *bytes == [0, 0, 8, 6, 1, 0, 0, 0, 0]).count(), 100_000);
    assert_eq!(link.conclude(now_ns).record.totals().verified, 1);
}

#[test]
fn a_long_body_goes_in_pieces_where_the_server_reads_slowly() {
    let body = "x".repeat(3_000_000);
    let requests = json!([{"path": "/", "method": "POST", "body": body}]);
    let mut link = conversation(Setup { requests, ..closed(1, 1) });
    let mut peer = Peer::new();
    link.start(0, 0);
    assert_eq!(greet(&mut link, &mut peer, 0, MS).len(), 1);
    let window = [frame(8, 0, 0, &[0, 64, 0, 0]), frame(8, 0, 1, &[0, 64, 0, 0])].concat();
    link.received(0, &window, false, 2 * MS);
    let mut total = 0;
    for turn in 3.. {
        let waiting = link.to_send(0).len();
        assert!(waiting <= 1_048_576 + 16_393, "{waiting}");
        total += waiting;
        link.handed_over(0, waiting, turn * MS);
        if link.due((turn + 1) * MS).is_none() {
            break;
        }
    }
    assert!(total > 2_900_000, "{total}");
}

/// Frames of any kind, on any stream, cut anywhere.
#[test]
fn any_frames_at_all_are_survived() {
    let mut random = 0x1234_5678_u32;
    let mut next = move |below: u32| {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random % below
    };
    for _ in 0..300 {
        let mut link = asking(3);
        let mut bytes = Vec::new();
        for _ in 0..20 {
            let payload: Vec<u8> = (0..next(12)).map(|_| next(256) as u8).collect();
            bytes.extend(frame(next(11) as u8, next(64) as u8, next(9), &payload));
        }
        let cut = next(bytes.len() as u32) as usize;
        for part in [&bytes[..cut], &bytes[cut..]] {
            if link.received(0, part, false, 3 * MS) == Next::Connect {
                break;
            }
            sent(&mut link, 0, 3 * MS);
        }
        assert_books_balance(&link.conclude(4 * MS));
    }
}
