//! Bodies as they are: coded answers, requests in chunks, answers without a body or with a part of one.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use h2::server::Builder;
use http::Response;
use serde_json::{Value, json};

use crate::common::{Plan, Server, Summary, TURN, read_request, serve_http2};

const TEXT: &str = "{\"id\": 7, \"name\": \"some name\"}";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn asking(address: &str) -> Plan {
    let expect = json!({"body": {"kind": "json", "values": {"/id": "7"}}, "body_bytes": {"min": TEXT.len(), "max": TEXT.len()}});
    let request =
        json!({"name": "only", "path": "/", "headers": [["accept-encoding", "gzip"]], "expect": expect});
    Plan::closed(address, 2).with("requests", json!([request])).requests(20)
}

fn unpacking(summary: &Summary) -> [u64; 3] {
    ["answers", "packed_bytes", "unpacked_bytes"].map(|key| summary.0["unpacking"][key].as_u64().unwrap())
}

#[test]
fn a_coded_answer_is_unpacked_however_it_is_framed() {
    let body = gzip(TEXT.as_bytes());
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n";
    let whole = [format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat();
    let chunked: Vec<Vec<u8>> = [format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes()]
        .into_iter()
        .chain(body.iter().map(|byte| [b"1\r\n", &[*byte][..], b"\r\n"].concat()))
        .chain([b"0\r\n\r\n".to_vec()])
        .collect();
    let pieces: Vec<&[u8]> = chunked.iter().map(Vec::as_slice).collect();
    let closing = [format!("{head}Connection: close\r\n\r\n").as_bytes(), &body].concat();
    for server in [Server::answering(&[&whole]), Server::answering(&pieces), Server::closing_after(&closing)]
    {
        let summary = asking(&server.address).run();
        summary.assert_books_balance();
        assert_eq!((summary.count("verified"), summary.errors()), (20, vec![]));
        assert_eq!(unpacking(&summary), [20, 20 * body.len() as u64, 20 * TEXT.len() as u64]);
        assert_eq!(summary.0["body_bytes"]["max"], TEXT.len());
    }
}

#[test]
fn what_cannot_be_unpacked_is_told_and_the_connection_goes_on() {
    let cut = &gzip(TEXT.as_bytes())[..20];
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n";
    let server = Server::answering(&[head.as_bytes(), cut]);
    let summary = asking(&server.address).run();
    summary.assert_books_balance();
    assert_eq!((summary.errors(), summary.count("connects")), (vec![("wrong_coding", 20)], 2));
    assert_eq!(summary.0["examples"][0]["reason"], "the body ends before its gzip does");
    assert_eq!(summary.0["examples"][0]["excerpt"], "");
}

#[test]
fn over_http_2_as_well() {
    let server = Server::start(move |_, stream| {
        stream.set_read_timeout(Some(TURN)).unwrap();
        serve_http2(stream, &Builder::new(), move |request, mut respond| {
            assert_eq!(request.headers()["accept-encoding"], "gzip");
            let head = Response::builder().header("content-encoding", "gzip").body(()).unwrap();
            let mut stream = respond.send_response(head, false).unwrap();
            let body = gzip(TEXT.as_bytes());
            stream.send_data(Bytes::copy_from_slice(&body[..9]), false).unwrap();
            stream.send_data(Bytes::copy_from_slice(&body[9..]), true).unwrap();
        });
    });
    let summary = asking(&server.address).with("http2", json!({"streams": 5})).run();
    assert_eq!((summary.count("verified"), summary.errors()), (20, vec![]));
    assert_eq!(unpacking(&summary)[0], 20);
}

#[test]
fn nothing_is_unpacked_where_nothing_asks_for_it() {
    let server = Server::answering(&[b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]);
    assert_eq!(Plan::closed(&server.address, 1).requests(2).run().0["unpacking"], Value::Null);
}

#[test]
fn a_body_in_chunks_reaches_the_server_whole() {
    let (sender, received) = mpsc::channel();
    let server = Server::start(move |_, mut stream| {
        while let Some(head) = read_request(&mut stream) {
            assert!(
                head.contains("Transfer-Encoding: chunked") && !head.contains("Content-Length"),
                "{head}"
            );
            let mut reader = BufReader::with_capacity(1, &mut stream);
            let mut chunks = Vec::new();
            loop {
                let mut size = String::new();
                reader.read_line(&mut size).unwrap();
                let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).unwrap() + 2];
                reader.read_exact(&mut chunk).unwrap();
                assert!(chunk.ends_with(b"\r\n"));
                if chunk.len() == 2 {
                    break;
                }
                chunks.push(chunk.len() - 2);
            }
            sender.send(chunks).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        }
    });
    let request = json!({"method": "POST", "path": "/", "body": "x".repeat(20_000), "chunked": true});
    let summary = Plan::closed(&server.address, 1).with("requests", json!([request])).requests(3).run();
    assert_eq!((summary.count("verified"), summary.errors()), (3, vec![]));
    assert_eq!(received.iter().take(3).collect::<Vec<_>>(), vec![vec![8192, 8192, 3616]; 3]);
    let without = json!({"method": "POST", "path": "/", "chunked": true});
    let refusal = Plan::closed(&server.address, 1).with("requests", json!([without])).refusal();
    assert!(refusal.0.contains("requests[0].chunked: there is no body"), "{}", refusal.0);
}

#[test]
fn answers_without_a_body_and_parts_are_counted_apart() {
    let answers: [&[u8]; 3] = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nok",
    ];
    let server = Server::start(move |_, mut stream| {
        for answer in answers.iter().cycle() {
            if read_request(&mut stream).is_none() || stream.write_all(answer).is_err() {
                return;
            }
        }
    });
    let expect = json!({"status": [200, 206, 304], "body": {"kind": "exact", "text": "ok"}});
    let summary = Plan::closed(&server.address, 1).expect(expect).requests(30).run();
    assert_eq!((summary.count("verified"), summary.errors()), (30, vec![]));
    let share = &summary.0["mix"][0];
    assert_eq!(
        (&share["verified"], &share["not_modified"], &share["partial"]),
        (&30.into(), &10.into(), &10.into())
    );
}
