use std::time::{SystemTime, UNIX_EPOCH};

use super::*;
use crate::dataset::mix;

fn read(input: &str) -> Result<Option<Request>, Refusal> {
    RequestReader::default().read(input.as_bytes())
}

fn reuse(head: &str) -> Reuse {
    read(&format!("{head}\r\n\r\n")).unwrap().unwrap().asked.reuse
}

#[test]
fn keep_alive_by_version() {
    assert_eq!(reuse("GET / HTTP/1.1"), Reuse::Default);
    assert_eq!(reuse("GET / HTTP/1.1\r\nConnection: Close"), Reuse::Close);
    assert_eq!(reuse("GET / HTTP/1.0"), Reuse::Close);
    assert_eq!(reuse("GET / HTTP/1.0\r\nconnection: keep-alive"), Reuse::KeepAlive);
}

#[test]
fn bodies_are_announced_and_bounded() {
    let request = read("POST / HTTP/1.1\r\nContent-Length: 12\r\n\r\nabc").unwrap().unwrap();
    assert_eq!((request.body_bytes, request.head_bytes), (12, 39));
    assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"), Err(TOO_LARGE));
    assert_eq!(read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(LENGTH_REQUIRED));
    assert_eq!(read("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), Err(BAD_REQUEST));
}

#[test]
fn what_servers_and_proxies_read_differently_is_refused() {
    for headers in [
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: +12",
        "Content-Length: 3, 3",
        "Content-Length: ",
        "Content-Length : 3",
        " Content-Length: 3",
        "X: a\r\n Content-Length: 3",
        "\tX: 3",
        ": 3",
    ] {
        let head = format!("POST / HTTP/1.1\r\n{headers}\r\n\r\n");
        assert_eq!(read(&head), Err(BAD_REQUEST), "{headers:?}");
    }
    let twice = read("POST / HTTP/1.1\r\nContent-Length: 3\r\ncontent-length:3\r\n\r\n");
    assert_eq!(twice.unwrap().unwrap().body_bytes, 3);
}

#[test]
fn a_repeated_head_is_recognised_and_another_is_not() {
    let mut reader = RequestReader::default();
    let first = reader.read(b"GET /a HTTP/1.1\r\n\r\nGET /b").unwrap().unwrap();
    assert_eq!(reader.read(b"GET /a HTTP/1.1\r\n\r\n").unwrap(), Some(first));
    assert!(reader.read(b"HEAD /a HTTP/1.1\r\n\r\n").unwrap().unwrap().asked.is_head);
    assert_eq!(reader.read(b"GET /a HTTP/1.1\r\n"), Ok(None));
}

#[test]
fn endless_heads_and_garbage_are_refused() {
    assert_eq!(read(&"a".repeat(HEAD_BYTES_LIMIT + 1)), Err(HEAD_TOO_LARGE));
    assert_eq!(read("hello\r\n\r\n"), Err(BAD_REQUEST));
}

/// What requests are made of, for inputs that are drawn.
const PIECES: [&str; 24] = [
    "GET / HTTP/1.1\r\n",
    "POST /a?b HTTP/1.1\r\n",
    "HEAD / HTTP/1.0\r\n",
    "GET  / HTTP/1.1\r\n",
    "Host: a\r\n",
    "Connection: close\r\n",
    "connection: Keep-Alive, x\r\n",
    "Content-Length: 3\r\n",
    "content-length:  4 \r\n",
    "Content-Length: 18446744073709551616\r\n",
    "Content-Length: -1\r\n",
    "Transfer-Encoding: chunked\r\n",
    "X: y\n",
    "X : y\r\n",
    " folded\r\n",
    "no colon\r\n",
    ": no name\r\n",
    "\r\n",
    "\n",
    "abc",
    "\0",
    "HTTP/1.1",
    "\r",
    ":",
];

/// Where the crate httparse reads a request too, it is the same head with the same length. A head is read however much of
/// it has come before; one that is refused is refused again.
fn is_read_as_by_httparse(input: &[u8]) {
    let read = |input: &[u8]| RequestReader::default().read(input);
    let whole = read(input);
    let mut reader = RequestReader::default();
    for length in 0..=input.len() {
        let begun = reader.read(&input[..length]);
        match begun {
            Ok(None) => continue,
            _ => assert_eq!(begun, whole, "after {length} bytes"),
        }
    }
    let Ok(Some(request)) = whole else { return };
    assert!(request.head_bytes <= input.len());
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut other = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(length)) = other.parse(input) else { return };
    assert_eq!(length, request.head_bytes);
    assert_eq!(other.method == Some("HEAD"), request.asked.is_head);
    let values = |name: &str| {
        let of_name = other.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        of_name.map(|header| String::from_utf8_lossy(header.value).trim().to_owned()).collect::<Vec<_>>()
    };
    let stated = values("content-length").first().map_or(0, |value| value.parse().unwrap());
    assert_eq!((stated, values("transfer-encoding").len()), (request.body_bytes, 0));
    let says = |word: &str| {
        let tokens = values("connection").join(",").to_ascii_lowercase();
        tokens.split(',').any(|token| token.trim() == word)
    };
    let closes = says("close") || (other.version == Some(0) && !says("keep-alive"));
    assert_eq!(closes, request.asked.reuse == Reuse::Close);
}

/// Each run of the tests draws other inputs; one that breaks the property is shown.
#[test]
fn requests_are_read_as_by_httparse_however_they_come() {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut state = mix(since_1970.as_nanos() as u64);
    let mut below = |bound: usize| {
        state = mix(state);
        (state >> 8) as usize % bound
    };
    let mut understood = 0;
    for _ in 0..20_000 {
        let mut input = PIECES[below(4)].as_bytes().to_vec();
        (0..below(7)).for_each(|_| input.extend_from_slice(PIECES[below(PIECES.len())].as_bytes()));
        if below(3) > 0 {
            input.extend_from_slice(b"\r\n");
        }
        if below(4) == 0 {
            let at = below(input.len());
            input[at] = below(256) as u8;
        }
        understood += usize::from(matches!(RequestReader::default().read(&input), Ok(Some(_))));
        if std::panic::catch_unwind(|| is_read_as_by_httparse(&input)).is_err() {
            panic!("{:?} is read otherwise", input.escape_ascii().to_string());
        }
    }
    assert!(understood > 1000, "{understood}");
}
