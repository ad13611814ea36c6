//! Servers that break HTTP/3 or QUIC, and such as use what few servers use: what is counted and told of each.

mod floods;
mod handshakes;
mod limits;
mod paths;
mod peer;

use std::net::SocketAddr;

use quinn_proto::{Connection, StreamId, VarInt};
use serde_json::{Value, json};

use crate::common::{Plan, Summary};
use peer::{Behaviour, HONEST, SETTINGS, closes, opens, says, serve};

/// `:status: 200`.
const HEAD: &[u8] = &[1, 3, 0, 0, 0xd9];

fn plan(address: SocketAddr, streams: u32) -> Plan {
    Plan::closed(&address.to_string(), 2)
        .with("driver", json!("auto"))
        .with("http3", json!({"streams": streams}))
        .with("tls", json!({"insecure": true}))
        .requests(40)
        .expect(json!({"status": [200], "body": {"kind": "exact", "text": "hello"}}))
}

/// An answer with this head and `hello` as its body.
fn hello(head: &[u8]) -> Vec<u8> {
    [head, &[0, 5], b"hello"].concat()
}

/// A server that answers so.
fn answering(answers: fn(&mut Connection, StreamId, usize) -> bool) -> SocketAddr {
    serve(Behaviour { answers, ..HONEST })
}

fn answers(connection: &mut Connection, id: StreamId, _: usize) -> bool {
    says(connection, id, &hello(HEAD));
    false
}

/// What examples show.
fn examples(summary: &Summary) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let examples = summary.0["examples"].as_array().unwrap();
    examples.iter().map(|example| (text(&example["cause"]), example.to_string())).collect()
}

fn assert_verifies(what: &str, address: SocketAddr) -> Summary {
    let summary = plan(address, 5).run();
    summary.assert_books_balance();
    assert_eq!(
        (summary.count("verified"), summary.errors()),
        (40, vec![]),
        "{what}: {}",
        summary.0["examples"]
    );
    summary
}

/// None of the answers is right; all errors are of this kind, have this cause, and an example says this.
fn assert_fails(what: &str, plan: &Plan, kind: &str, cause: &str, says: &str) {
    let summary = plan.run();
    summary.assert_books_balance();
    let kinds: Vec<&str> = summary.errors().iter().map(|(kind, _)| *kind).collect();
    assert_eq!((summary.count("verified"), kinds), (0, vec![kind]), "{what}: {}", summary.0["examples"]);
    let examples = examples(&summary);
    assert!(
        examples.iter().any(|(its, text)| its == cause && text.contains(says)),
        "{what}: {cause}, {says}: {examples:?}"
    );
}

#[test]
fn answers_are_verified_as_over_http_1() {
    let address = answering(answers);
    let summary = assert_verifies("honest", address);
    assert_eq!(summary.count("connects"), 2);
    assert_eq!(
        (summary.0["driver"].as_str(), summary.0["tls"]["version"].as_str()),
        (Some("epoll"), Some("1.3"))
    );
    assert_eq!(summary.count("wire_received_bytes"), summary.count("received_bytes"));
    assert!(summary.count("received_bytes") > 40 * 5 && summary.count("sent_bytes") > 40 * 4);
    let wrong = json!({"body": {"kind": "exact", "text": "other"}, "check_every": 1});
    let summary = plan(address, 5).expect(wrong).run();
    assert_eq!(summary.errors(), [("wrong_body", 40)]);
}

#[test]
fn what_few_servers_use_is_understood() {
    let unknown = serve(Behaviour {
        greets: |connection| {
            // An unknown setting, an unknown frame, and an unknown stream.
            opens(connection, &[0, 4, 2, 0x21, 7, 0x21, 3, 1, 2, 3]);
            opens(connection, &[0x21, 1, 2, 3]);
            opens(connection, &[2]);
            opens(connection, &[3]);
        },
        answers: |connection, id, _| {
            says(
                connection,
                id,
                &[&[0x21, 2, 9, 9], HEAD, &[0x21, 0, 0, 2], b"he", &[0, 0, 0, 3], b"llo", &[0x21, 0]]
                    .concat(),
            );
            false
        },
        ..HONEST
    });
    assert_verifies("what is unknown", unknown);
    let interim = answering(|connection, id, _| {
        // `:status: 103`, then `:status: 200`.
        says(connection, id, &hello(&[&[1, 3, 0, 0, 0xd8], HEAD].concat()));
        false
    });
    assert_verifies("an interim answer", interim);
    let trailer = answering(|connection, id, _| {
        says(connection, id, &[&hello(HEAD)[..], &[1, 7, 0, 0, 0x21, b'x', 2, b'a', b'b']].concat());
        false
    });
    assert_verifies("a trailer", trailer);
    let coded = answering(|connection, id, _| {
        // `content-type: text/plain` of the static table, `custom-value` by Huffman's code.
        let value = [0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf];
        let head = [&[0, 0, 0xd9, 0xf5, 0x21, b'x', 0x89][..], &value].concat();
        says(connection, id, &hello(&[&[1, head.len() as u8], &head[..]].concat()));
        false
    });
    assert_verifies("Huffman's code", coded);
}

#[test]
fn broken_rules_have_their_names() {
    type Answers = fn(&mut Connection, StreamId, usize) -> bool;
    let cases: [(&str, Answers, &str, &str); 17] = [
        (
            "DATA first",
            |c, id, _| {
                says(c, id, &[0, 2, 1, 2]);
                false
            },
            "http3_frame_unexpected",
            "DATA came before",
        ),
        (
            "a third head",
            |c, id, _| {
                says(c, id, &[HEAD, &[1, 2, 0, 0, 1, 2, 0, 0]].concat());
                false
            },
            "http3_frame_unexpected",
            "behind the trailer",
        ),
        (
            "DATA behind a trailer",
            |c, id, _| {
                says(c, id, &[HEAD, &[1, 2, 0, 0, 0, 1, 1]].concat());
                false
            },
            "http3_frame_unexpected",
            "behind the trailer",
        ),
        (
            "a frame of HTTP/2",
            |c, id, _| {
                says(c, id, &[6, 0]);
                false
            },
            "http3_frame_unexpected",
            "which only HTTP/2 has",
        ),
        (
            "SETTINGS on a stream",
            |c, id, _| {
                says(c, id, &[4, 0]);
                false
            },
            "http3_frame_unexpected",
            "control stream",
        ),
        (
            "a huge head",
            |c, id, _| {
                says(c, id, &[1, 0x80, 2, 0, 0]);
                false
            },
            "http3_head_too_long",
            "131072 bytes",
        ),
        (
            "a head that unpacks to much",
            |c, id, _| {
                // 10,000 times `accept: */*` of the static table.
                says(c, id, &[&[1, 0x80, 0, 0x27, 0x13, 0, 0, 0xd9][..], &[0xdd; 10_000]].concat());
                false
            },
            "http3_head_too_long",
            "allowed are 65536",
        ),
        (
            "a Content-Length too long",
            |c, id, _| {
                says(c, id, &hello(&[1, 6, 0, 0, 0xd9, 0x54, 1, b'6']));
                false
            },
            "http3_content_length",
            "6 bytes, and a body of 5",
        ),
        (
            "a Content-Length too short",
            |c, id, _| {
                says(c, id, &hello(&[1, 6, 0, 0, 0xd9, 0x54, 1, b'4']));
                false
            },
            "http3_content_length",
            "4 bytes, and a body of 5",
        ),
        (
            "no head",
            |c, id, _| {
                says(c, id, &[0x21, 0]);
                false
            },
            "http3_no_head",
            "without an answer's head",
        ),
        (
            "a cut frame",
            |c, id, _| {
                says(c, id, &[HEAD, &[0, 9], b"hell"].concat());
                false
            },
            "http3_frame_error",
            "within a frame",
        ),
        (
            "garbage behind",
            |c, id, _| {
                says(c, id, &[&hello(HEAD)[..], &[0x21, 9, 1]].concat());
                false
            },
            "http3_frame_error",
            "within a frame",
        ),
        (
            "a push",
            |c, id, _| {
                says(c, id, &[5, 1, 0]);
                false
            },
            "http3_push",
            "no push",
        ),
        (
            "the dynamic table",
            |c, id, _| {
                says(c, id, &hello(&[1, 3, 2, 0, 0x80]));
                false
            },
            "http3_qpack",
            "dynamic table",
        ),
        (
            "a name in upper case",
            |c, id, _| {
                says(c, id, &hello(&[1, 6, 0, 0, 0xd9, 0x21, b'X', 0]));
                false
            },
            "http3_header_name",
            "X",
        ),
        (
            "a header of connections",
            |c, id, _| {
                says(c, id, &hello(&[&[1, 13, 0, 0, 0xd9, 0x27, 0][..], b"upgrade", &[0]].concat()));
                false
            },
            "http3_connection_header",
            "upgrade",
        ),
        (
            "no status",
            |c, id, _| {
                says(c, id, &hello(&[1, 2, 0, 0]));
                false
            },
            "http3_pseudo_header",
            "without :status",
        ),
    ];
    for (what, answers, cause, words) in cases {
        assert_fails(what, &plan(answering(answers), 2), "protocol", cause, words);
    }
}

#[test]
fn streams_of_the_servers_own_keep_to_their_rules() {
    type Greets = fn(&mut Connection);
    let cases: [(&str, Greets, &str, &str); 4] = [
        (
            "no SETTINGS",
            |c| {
                opens(c, &[0, 7, 1, 0]);
            },
            "http3_settings",
            "does not begin with SETTINGS",
        ),
        (
            "a control stream that ends",
            |c| {
                let id = opens(c, SETTINGS);
                c.send_stream(id).finish().unwrap();
            },
            "http3_streams",
            "ended its control stream",
        ),
        (
            "a push stream",
            |c| {
                opens(c, &[1, 0]);
            },
            "http3_push",
            "push stream",
        ),
        (
            "a dynamic table",
            |c| {
                opens(c, SETTINGS);
                opens(c, &[2, 0x3f, 1]);
            },
            "http3_qpack",
            "no room",
        ),
    ];
    for (what, greets, cause, words) in cases {
        // It answers nothing, so that what it says first counts.
        let address = serve(Behaviour { greets, ..HONEST });
        assert_fails(what, &plan(address, 2), "protocol", cause, words);
    }
}

#[test]
fn resets_and_closes_are_told() {
    let reset = answering(|connection, id, _| {
        connection.send_stream(id).reset(VarInt::from_u32(0x102)).unwrap();
        false
    });
    assert_fails("a reset", &plan(reset, 2), "reset", "http3_reset", "RESET_STREAM with H3_INTERNAL_ERROR");
    let rejects = answering(|connection, id, _| {
        connection.send_stream(id).reset(VarInt::from_u32(0x10b)).unwrap();
        false
    });
    assert_fails("it rejects all", &plan(rejects, 2), "reset", "http3_reset", "did not process it");
    let closing = answering(|connection, _, _| {
        closes(connection, 0x102, "out of order");
        false
    });
    assert_fails("a close", &plan(closing, 2), "closed", "http3_close", "H3_INTERNAL_ERROR: out of order");
    let forgets = answering(|_, _, _| true);
    assert_fails("a stateless reset", &plan(forgets, 2), "reset", "http3_stateless_reset", "no longer knows");
    let endless = answering(|connection, id, _| {
        connection.send_stream(id).write(HEAD).unwrap();
        false
    });
    let late = plan(endless, 2).requests(4).with("timeout_seconds", json!(0.4));
    assert_fails("no end", &late, "timeout", "http3_no_end", "its end did not come");
}

#[test]
fn what_is_rejected_or_left_out_by_goaway_is_asked_again() {
    let rejecting = answering(|connection, id, number| {
        match number % 5 {
            3 => connection.send_stream(id).reset(VarInt::from_u32(0x10b)).unwrap(),
            _ => says(connection, id, &hello(HEAD)),
        }
        false
    });
    assert_verifies("REQUEST_REJECTED", rejecting);
    let leaving = answering(|connection, id, number| {
        if number < 7 {
            says(connection, id, &hello(HEAD));
        } else if number == 7 {
            // GOAWAY on the control stream, which is the first of the server's: this one is not processed, nor later ones.
            let control = StreamId::from(VarInt::from_u32(3));
            connection.send_stream(control).write(&[7, 1, 28]).unwrap();
        }
        false
    });
    let summary = assert_verifies("GOAWAY", leaving);
    assert!(summary.count("connects") >= 5, "{}", summary.count("connects"));
}
