//! `idle`: WebSockets that are kept, on servers that ping, close, reset and refuse.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::{Value, json};

use crate::common::{Engine, Plan, Server, read_request, run_with_input};

const GOING_AWAY: &[u8] = &[0x88, 2, 0x03, 0xe9];

/// Answers the handshake, unless the client went.
fn shake_hands(stream: &mut TcpStream) -> Option<()> {
    let head = read_request(stream)?;
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let key = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    let accept = STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes()));
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    stream.write_all(format!("{head}Sec-WebSocket-Accept: {accept}\r\n\r\n").as_bytes()).ok()
}

/// The opcode and the payload of a client's short frame.
fn frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 6];
    stream.read_exact(&mut head).ok()?;
    let mut payload = vec![0; usize::from(head[1] & 0x7f)];
    stream.read_exact(&mut payload).ok()?;
    payload.iter_mut().zip(head[2..].iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Some((head[0] & 0x0f, payload))
}

fn plan(address: &str, connections: u32) -> Plan {
    Plan::closed(address, connections)
        .with("websocket", json!({}))
        .with("requests", json!([{"name": "only", "path": "/", "body": "unsent"}]))
}

struct Idle(Engine);

impl Idle {
    fn on(plan: &Plan) -> Idle {
        let mut engine = Engine::start_with_lifeline(&["idle"]);
        writeln!(engine.child.stdin.as_mut().unwrap(), "{}", plan.0).unwrap();
        Idle(engine)
    }

    /// The account once all were tried.
    fn opened(&mut self) -> Value {
        let event = self.0.event();
        assert_eq!((&event["event"], &event["state"]), (&json!("idle"), &json!("opened")));
        event
    }

    /// The account now.
    fn count(&mut self) -> Value {
        writeln!(self.0.child.stdin.as_mut().unwrap(), "count").unwrap();
        let event = self.0.event();
        assert_eq!(event["state"], "counted");
        event
    }

    /// The first account for which this holds.
    fn count_until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let account = self.count();
            if holds(&account) {
                return account;
            }
            std::thread::yield_now();
        }
    }

    /// The account at the end.
    fn end(mut self) -> Value {
        drop(self.0.child.stdin.take());
        let (mut events, status) = self.0.finish();
        assert_eq!((events.len(), status), (1, Some(0)));
        assert_eq!(events[0]["state"], "ended");
        events.remove(0)
    }
}

#[test]
fn pings_are_answered_messages_are_dropped_and_the_end_is_told() {
    let (frames, came) = mpsc::channel();
    let server = Server::start(move |number, mut stream| {
        shake_hands(&mut stream).unwrap();
        if number == 0 {
            // A message in two pieces, and a ping between them and within a write.
            stream.write_all(&[0x01, 2, b'h', b'e', 0x89, 3, b'y']).unwrap();
            stream.write_all(&[b'o', b'u', 0x80, 1, b'y']).unwrap();
        }
        while let Some(frame) = frame(&mut stream) {
            frames.send((number, frame)).unwrap();
        }
    });
    let mut idle = Idle::on(&plan(&server.address, 3));
    let opened = idle.opened();
    assert_eq!([&opened["asked"], &opened["opened"], &opened["open"]], [3, 3, 3]);
    assert_eq!(came.recv().unwrap(), (0, (10, b"you".to_vec())));
    let counted = idle.count_until(|account| account["messages"] == 1);
    assert_eq!((&counted["pings"], &counted["open"], &counted["lost"]), (&json!(1), &json!(3), &json!({})));
    let ended = idle.end();
    assert_eq!(ended["open"], 3);
    assert!(ended["opening_seconds"].as_f64() <= ended["elapsed_seconds"].as_f64());
    let mut left: Vec<(usize, (u8, Vec<u8>))> = came.iter().take(3).collect();
    left.sort_unstable();
    let farewell = |number| (number, (8, 1001_u16.to_be_bytes().to_vec()));
    assert_eq!(left, [farewell(0), farewell(1), farewell(2)]);
}

#[test]
fn those_that_a_server_loses_are_counted_by_why() {
    let (go, gone) = mpsc::channel::<()>();
    let gone = std::sync::Mutex::new(Some(gone));
    let streams = Arc::new(std::sync::Mutex::new(Vec::new()));
    let server = Server::start(move |number, mut stream| {
        shake_hands(&mut stream).unwrap();
        streams.lock().unwrap().push((number, stream));
        let Some(gone) = gone.lock().unwrap().take() else { return };
        let _ = gone.recv();
        for (number, mut stream) in std::mem::take(&mut *streams.lock().unwrap()) {
            match number % 4 {
                0 => stream.write_all(GOING_AWAY).unwrap(),
                1 => {
                    rustix::net::sockopt::set_socket_linger(&stream, Some(std::time::Duration::ZERO)).unwrap()
                }
                2 => stream.shutdown(Shutdown::Write).unwrap(),
                _ => {
                    // A masked frame, which no server sends.
                    stream.write_all(&[0x81, 0x80, 0, 0, 0, 0]).unwrap();
                }
            }
            if number % 4 != 1 {
                while frame(&mut stream).is_some() {}
            }
        }
    });
    let mut idle = Idle::on(&plan(&server.address, 200));
    assert_eq!(idle.opened()["open"], 200);
    drop(go);
    let account = idle.count_until(|account| account["open"] == 0);
    for cause in ["websocket_close_1001", "reset", "websocket_no_close", "websocket_masked"] {
        assert_eq!(account["lost"][cause]["number"], 50, "{cause}: {account}");
    }
    let closed = &account["lost"]["websocket_close_1001"];
    assert!(closed["first_seconds"].as_f64() <= closed["last_seconds"].as_f64());
    assert_eq!(account["failed"], json!({}));
}

#[test]
fn a_server_that_refuses_after_some_is_not_asked_for_ever() {
    let open = AtomicUsize::new(0);
    let server = Server::start(move |_, mut stream| {
        if open.fetch_add(1, Ordering::Relaxed) < 150 {
            shake_hands(&mut stream).unwrap();
            while frame(&mut stream).is_some() {}
        } else if read_request(&mut stream).is_some() {
            let _ = stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let mut idle = Idle::on(&plan(&server.address, 5000));
    let opened = idle.opened();
    assert_eq!((&opened["asked"], &opened["open"]), (&json!(5000), &json!(150)));
    let refused = &opened["failed"]["websocket_refused"];
    assert!((100..300).contains(&refused["number"].as_u64().unwrap()), "{opened}");
    assert!(refused["example"].as_str().unwrap().contains("503"));
    assert_eq!(idle.end()["open"], 150);
}

#[test]
fn a_handshake_without_an_answer_is_given_up() {
    let server = Server::start(|number, mut stream| {
        if number > 0 {
            shake_hands(&mut stream).unwrap();
        }
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let plan = plan(&server.address, 4).with("timeout_seconds", json!(0.3));
    let opened = Idle::on(&plan).opened();
    assert_eq!(
        (&opened["opened"], &opened["failed"]["websocket_no_handshake"]["number"]),
        (&json!(3), &json!(1))
    );
}

#[test]
fn handshakes_of_tls_that_come_to_nothing_are_counted_by_why() {
    let server = Server::start(|number, mut stream| {
        let mut hello = [0; 4096];
        let _ = stream.read(&mut hello);
        match number {
            0 => drop(stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
            1 => drop(stream.read_to_end(&mut Vec::new())),
            _ => {}
        }
    });
    let plan =
        plan(&server.address, 3).with("timeout_seconds", json!(0.5)).with("tls", json!({"insecure": true}));
    let opened = Idle::on(&plan).opened();
    let failed = opened["failed"].as_object().unwrap();
    let causes: Vec<&str> = failed.keys().map(String::as_str).collect();
    assert_eq!(causes, ["handshake_closed", "handshake_timeout", "plain_http"], "{opened}");
    assert!(failed.values().all(|each| each["number"] == 1) && opened["open"] == 0);
}

#[test]
fn nobody_who_listens_is_told_and_other_plans_are_refused() {
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let opened = Idle::on(&plan(&address, 2)).opened();
    assert_eq!((&opened["opened"], &opened["failed"]["refused"]["number"]), (&json!(0), &json!(2)));
    let output = run_with_input(&["idle"], &format!("{}\n", Plan::closed(&address, 2).0));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("idle connections are WebSockets"));
}
