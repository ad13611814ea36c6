//! The target as other clients see it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::common::{Target, run_with_input};

/// Sends all, closes the sending side, and gives all that comes back.
fn exchange(target: &Target, parts: &[&[u8]]) -> String {
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.set_nodelay(true).unwrap();
    for part in parts {
        stream.write_all(part).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const KEPT: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
const CLOSED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

#[test]
fn keep_alive_pipelining_and_close() {
    let target = Target::start(&[]);
    assert_eq!(exchange(&target, &[b"GET / HTTP/1.1\r\n\r\n"]), KEPT);
    assert_eq!(exchange(&target, &[b"GET / HT", b"TP/1.1\r\nA: b\r", b"\n\r", b"\n"]), KEPT);
    assert_eq!(exchange(&target, &[b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"]), CLOSED);
    assert_eq!(exchange(&target, &[b"GET / HTTP/1.0\r\n\r\n"]), CLOSED);
    let head = exchange(&target, &[b"HEAD / HTTP/1.1\r\n\r\n"]);
    assert!(head.ends_with("Content-Length: 2\r\n\r\n"));
    let many = b"GET /a HTTP/1.1\r\n\r\n".repeat(5000);
    assert_eq!(exchange(&target, &[&many]), KEPT.repeat(5000));
    let mixed: [&[u8]; 2] = [
        b"GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET ",
        b"GET / HTTP/1.0\r\n\r\n",
    ];
    assert_eq!(exchange(&target, &mixed), format!("{KEPT}{KEPT}{CLOSED}"));
    assert_eq!(target.served(), (5000 + 5 + 3, 7));
}

#[test]
fn what_is_not_understood_is_refused() {
    let target = Target::start(&["--status", "503", "--body", "no"]);
    assert!(exchange(&target, &[b"hello\r\n\r\n"]).starts_with("HTTP/1.1 400 "));
    assert!(
        exchange(&target, &[b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"])
            .starts_with("HTTP/1.1 411 ")
    );
    assert!(
        exchange(&target, &[b"GET / HTTP/1.1\r\n\r\n"]).starts_with("HTTP/1.1 503 Service Unavailable\r\n")
    );
    assert_eq!(target.served().0, 1);
}

#[test]
fn a_peer_that_does_not_read_gets_all_later() {
    let target = Target::start(&["--body-bytes", "1000000"]);
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.write_all(&b"GET / HTTP/1.1\r\n\r\n".repeat(30)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    assert!((31_000_000..31_010_000).contains(&answers.len()), "{}", answers.len());
    assert_eq!(target.served().0, 31);
}

#[test]
fn no_content_has_no_body() {
    let target = Target::start(&["--status", "204", "--body", "unseen"]);
    assert_eq!(exchange(&target, &[b"GET / HTTP/1.1\r\n\r\n"]), "HTTP/1.1 204 No Content\r\n\r\n");
}

#[test]
fn a_taken_address_is_one_line_and_status_2() {
    let target = Target::start(&[]);
    let output = run_with_input(&["target", "--listen", &target.address], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
}
