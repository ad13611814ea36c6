use super::*;

#[derive(Debug, PartialEq, Eq, Clone)]
struct Parsed {
    status: u16,
    content_type: Option<String>,
    location: Option<String>,
    reusable: bool,
    has_two_framings: bool,
    body: Vec<u8>,
    trailer: Vec<u8>,
}

/// Feeds the parts one after the other; `Ok(None)` if the answer is not complete after the last.
fn feed(parts: &[&[u8]], to_head: bool, closes: bool) -> Result<Option<(Parsed, Vec<u8>)>, Malformed> {
    let mut parser = ResponseParser::new();
    let mut parsed = parsed(0, None, false, "");
    let mut complete = false;
    let mut rest = Vec::new();
    for part in parts {
        let mut input = *part;
        if complete {
            rest.extend_from_slice(input);
            continue;
        }
        if parser.awaits_head() {
            match parser.head(&mut input, to_head)? {
                None => continue,
                Some(head) => {
                    parsed.status = head.status;
                    (parsed.reusable, parsed.has_two_framings) = (head.reusable, head.has_two_framings);
                    let text = |value| String::from_utf8_lossy(value).into_owned();
                    parsed.content_type = head.content_type.map(text);
                    parsed.location = head.location.map(text);
                }
            }
        }
        loop {
            match parser.body(&mut input)? {
                BodyPart::NeedMore => break,
                BodyPart::Piece(piece) => parsed.body.extend_from_slice(piece),
                BodyPart::Trailer(piece) => parsed.trailer.extend_from_slice(piece),
                BodyPart::End => {
                    complete = true;
                    rest.extend_from_slice(input);
                    break;
                }
            }
        }
    }
    complete |= closes && parser.is_complete_at_close();
    Ok(complete.then_some((parsed, rest)))
}

/// Parses `bytes` whole, split in two at every place, split in three, and byte by byte: all must agree.
fn parse_however_split(
    bytes: &[u8],
    to_head: bool,
    closes: bool,
) -> Result<Option<(Parsed, Vec<u8>)>, Malformed> {
    let whole = feed(&[bytes], to_head, closes);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(feed(&single, to_head, closes), whole, "byte by byte");
    for first in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(first);
        assert_eq!(feed(&[head, tail], to_head, closes), whole, "split at {first}");
        for second in (0..=tail.len()).step_by(if bytes.len() > 200 { 7 } else { 1 }) {
            let (middle, tail) = tail.split_at(second);
            assert_eq!(
                feed(&[head, middle, tail], to_head, closes),
                whole,
                "split at {first} and {second} on"
            );
        }
    }
    whole
}

fn answer(bytes: &str) -> Parsed {
    let (parsed, rest) = parse_however_split(bytes.as_bytes(), false, false).unwrap().expect("complete");
    assert!(rest.is_empty());
    parsed
}

fn parsed(status: u16, content_type: Option<&str>, reusable: bool, body: &str) -> Parsed {
    let content_type = content_type.map(str::to_owned);
    let body = body.into();
    let (location, has_two_framings, trailer) = (None, false, Vec::new());
    Parsed { status, content_type, location, reusable, has_two_framings, body, trailer }
}

#[test]
fn content_length() {
    assert_eq!(
        answer(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8 \r\ncontent-LENGTH:5\r\n\r\nhello"
        ),
        parsed(200, Some("application/json; charset=utf-8"), true, "hello")
    );
    assert_eq!(answer("HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n"), parsed(404, None, true, ""));
    assert_eq!(
        answer("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2\n\nok"),
        parsed(200, None, true, "ok")
    );
}

#[test]
fn a_location_is_found() {
    let moved = |location: &str| Parsed { location: Some(location.into()), ..parsed(301, None, true, "") };
    assert_eq!(
        answer("HTTP/1.1 301 Moved\r\nLOCATION: \thttps://example.com/a?b=c:d \r\nContent-Length: 0\r\n\r\n"),
        moved("https://example.com/a?b=c:d")
    );
    assert_eq!(answer("HTTP/1.1 301 M\r\nContent-Length: 0\r\nLocation:\r\n\r\n"), moved(""));
    assert_eq!(
        answer("HTTP/1.1 301 M\r\nLocations: /a\r\nX-Moved: /b\r\nContent-Length: 0\r\n\r\n"),
        parsed(301, None, true, "")
    );
    let interim = "HTTP/1.1 103 Early\r\nLocation: /a\r\n\r\nHTTP/1.1 301 M\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(answer(interim), parsed(301, None, true, ""));
}

#[test]
fn chunks_with_extensions_and_trailers() {
    assert_eq!(
        answer(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
             5\r\nhello\r\nA;x=\"y\"\r\n, world ok\r\n0\r\nExpires: never\r\nX: y\r\n\r\n"
        ),
        Parsed {
            trailer: b"Expires: never\r\nX: y\r\n".into(),
            ..parsed(200, None, true, "hello, world ok")
        }
    );
    assert_eq!(
        answer("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\n3 \r\nabc\r\n000\r\n\r\n"),
        parsed(200, None, true, "abc")
    );
}

#[test]
fn until_close() {
    let bytes = b"HTTP/1.1 200 OK\r\n\r\nall of it";
    assert_eq!(parse_however_split(bytes, false, false), Ok(None));
    let (parsed_body, _) = parse_however_split(bytes, false, true).unwrap().unwrap();
    assert_eq!(parsed_body, parsed(200, None, false, "all of it"));
    let coded = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nall";
    assert_eq!(parse_however_split(coded, false, true).unwrap().unwrap().0.body, b"all");
}

#[test]
fn a_close_too_early_completes_nothing() {
    for bytes in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ] {
        assert_eq!(parse_however_split(bytes.as_bytes(), false, true), Ok(None), "{bytes:?}");
    }
}

#[test]
fn no_body() {
    for status in ["204 No Content", "304 Not Modified"] {
        let bytes = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n");
        assert_eq!(answer(&bytes).body, b"");
        assert!(answer(&bytes).reusable);
    }
    let to_head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(parse_however_split(to_head, true, false).unwrap().unwrap().0, parsed(200, None, true, ""));
}

#[test]
fn interim_answers_are_skipped_but_not_101() {
    assert_eq!(
        answer(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
             HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        ),
        parsed(200, None, true, "ok")
    );
    assert_eq!(answer("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"), parsed(101, None, false, ""));
}

#[test]
fn keep_alive_by_version() {
    let reusable = |head: &str| answer(&format!("{head}\r\nContent-Length: 0\r\n\r\n")).reusable;
    assert!(reusable("HTTP/1.1 200 OK"));
    assert!(!reusable("HTTP/1.1 200 OK\r\nConnection: close"));
    assert!(!reusable("HTTP/1.1 200 OK\r\nConnection: foo, CLOSE"));
    assert!(!reusable("HTTP/1.0 200 OK"));
    assert!(reusable("HTTP/1.0 200 OK\r\nConnection: Keep-Alive"));
    assert!(!reusable("HTTP/1.0 200 OK\r\nConnection: keep-alive, close"));
    let both = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n";
    assert_eq!(answer(both), Parsed { has_two_framings: true, ..parsed(200, None, false, "") });
}

#[test]
fn bytes_after_the_answer_are_left_over() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP";
    let (parsed, rest) = parse_however_split(bytes, false, false).unwrap().unwrap();
    assert_eq!((parsed.body.as_slice(), rest.as_slice()), (&b"ok"[..], &b"HTTP"[..]));
}

#[test]
fn malformed_answers() {
    for (bytes, cause) in [
        ("SSH-2.0-OpenSSH\r\n\r\n", Malformed::NotHttp),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", Malformed::NotHttp),
        ("HTTP/2.0 200 OK\r\n\r\n", Malformed::NotHttp),
        ("HTTP/1.2 200 OK\r\n\r\n", Malformed::StatusLine),
        ("HTTP/1.1 20 No\r\n\r\n", Malformed::StatusLine),
        ("HTTP/1.1 2000 No\r\n\r\n", Malformed::StatusLine),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\nname : x\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\n: x\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\n b: folded without a line before\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n\tchunked\r\n\r\n0\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\nConnection: a,\r\n close\r\nContent-Length: 0\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\nX: a\r\n \r\nContent-Length: 0\r\n\r\n", Malformed::HeaderLine),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nab", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nab", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nhello", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhello", Malformed::BadLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", Malformed::LengthsDisagree),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;ext\r\n", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000", Malformed::BadChunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", Malformed::BadChunk),
    ] {
        assert_eq!(parse_however_split(bytes.as_bytes(), false, false), Err(cause), "{bytes:?}");
    }
}

#[test]
fn a_status_beyond_the_classes_is_an_answer() {
    for status in ["099", "000", "600", "999"] {
        let bytes = format!("HTTP/1.1 {status} Odd\r\nContent-Length: 0\r\n\r\n");
        let expected = parsed(status.parse().unwrap(), None, true, "");
        assert_eq!(parse_however_split(bytes.as_bytes(), false, false), Ok(Some((expected, vec![]))));
    }
}

#[test]
fn garbage_is_known_before_its_line_ends() {
    assert_eq!(feed(&[b"GARBAGE"], false, false), Err(Malformed::NotHttp));
    assert_eq!(feed(&[b"\x15\x03\x03\0\x02\x02\x28"], false, false), Err(Malformed::Tls));
    assert_eq!(feed(&[b"\0\0\x12\x04\0\0\0\0\0"], false, false), Err(Malformed::Http2));
    assert_eq!(feed(&[b"HTTP/1."], false, false), Ok(None));
}

#[test]
fn damaged_answers_are_read_alike_however_split() {
    let right: [&[u8]; 3] = [
        b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
        b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.0 204 No\r\nConnection: keep-alive\r\n\r\n",
    ];
    const DAMAGE: &[u8] = b"\r\n\0:; 019azAZ-\xff";
    for number in 0..3000_u64 {
        let mut drawn = number;
        let mut draw = |below: usize| {
            drawn = crate::dataset::mix(drawn);
            (drawn % below as u64) as usize
        };
        let mut bytes = right[draw(right.len())].to_vec();
        for _ in 0..=draw(3) {
            let at = draw(bytes.len());
            match draw(3) {
                0 => bytes[at] = DAMAGE[draw(DAMAGE.len())],
                1 => bytes.insert(at, DAMAGE[draw(DAMAGE.len())]),
                _ => drop(bytes.remove(at)),
            }
        }
        let whole = feed(&[&bytes], false, true);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(feed(&single, false, true), whole, "{}", bytes.escape_ascii());
        let (head, tail) = bytes.split_at(draw(bytes.len()));
        assert_eq!(feed(&[head, tail], false, true), whole, "{}", bytes.escape_ascii());
    }
}

#[test]
fn endless_heads_size_lines_and_trailers_end() {
    let line = [b'a'; 1000];
    let endless = |start: &str| {
        let mut parts: Vec<&[u8]> = vec![start.as_bytes()];
        parts.extend(std::iter::repeat_n(line.as_slice(), 80));
        feed(&parts, false, false)
    };
    assert_eq!(endless("HTTP/1.1 200 OK\r\nX: "), Err(Malformed::HeadTooLong));
    assert_eq!(
        endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x="),
        Err(Malformed::BadChunk)
    );
    assert_eq!(
        endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX:"),
        Err(Malformed::HeadTooLong)
    );
    let mut whole = b"HTTP/1.1 200 OK\r\nX: ".to_vec();
    whole.resize(HEAD_BYTES_LIMIT + 10, b'a');
    whole.extend_from_slice(b"\r\n\r\n");
    assert_eq!(feed(&[&whole], false, false), Err(Malformed::HeadTooLong));
}

#[test]
fn a_long_head_has_the_same_cause_however_it_is_split() {
    for (start, cause) in
        [("HTTP/1.1 200 OK\r\nno colon\r\nX: ", Malformed::HeadTooLong), ("SSH-2.0 ", Malformed::NotHttp)]
    {
        let mut whole = start.as_bytes().to_vec();
        whole.resize(HEAD_BYTES_LIMIT + 10, b'a');
        whole.extend_from_slice(b"\r\n\r\n");
        let parts: Vec<&[u8]> = whole.chunks(1000).collect();
        assert_eq!(feed(&[&whole], false, false), Err(cause));
        assert_eq!(feed(&parts, false, false), Err(cause));
    }
}

#[test]
fn a_folded_line_is_skipped_where_nothing_depends_on_it() {
    assert_eq!(
        answer("HTTP/1.1 200 OK\r\nX-Long: a,\r\n\tb,\r\n   c\r\nContent-Length: 2\r\n\r\nok"),
        parsed(200, None, true, "ok")
    );
}

#[test]
fn both_framings_at_once_mean_chunks_and_no_reuse() {
    for head in [
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n2\r\nok\r\n0\r\n\r\n");
        assert_eq!(answer(&bytes), Parsed { has_two_framings: true, ..parsed(200, None, false, "ok") });
    }
    let from_1_0 = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(answer(from_1_0), parsed(200, None, false, ""));
}

#[test]
fn an_answer_to_head_has_no_body_whatever_it_announces() {
    for head in ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
        let (parsed_answer, rest) = parse_however_split(bytes.as_bytes(), true, false).unwrap().unwrap();
        assert_eq!((parsed_answer, rest.len()), (parsed(200, None, true, ""), 0));
    }
}

#[test]
fn bare_line_feeds_end_lines_everywhere() {
    let bytes = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2;x\nok\n0\nT: y\n\n";
    assert_eq!(answer(bytes), Parsed { trailer: b"T: y\n".into(), ..parsed(200, None, true, "ok") });
}

#[test]
fn chunk_sizes_in_any_spelling() {
    let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                 00a \t;q=\"1\\r\"\r\n0123456789\r\n0A\r\n0123456789\r\n000;last\r\n\r\n";
    assert_eq!(answer(bytes), parsed(200, None, true, "01234567890123456789"));
}
