//! The proxy's latency as clients see it, what it carries over beside bytes, and its own account.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{Engine, Server};

struct Proxy {
    engine: Engine,
    address: String,
}

impl Proxy {
    fn start(to: &str, arguments: &[&str]) -> Proxy {
        let mut engine = Engine::start_with_lifeline(&[&["proxy", "--to", to], arguments].concat());
        let address = engine.event()["address"].as_str().unwrap().to_owned();
        Proxy { engine, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    /// It does not run for so long, and what is done meanwhile reaches the kernel alone.
    fn sleeps(&self, span: Duration, meanwhile: impl FnOnce()) {
        self.engine.signal(Signal::STOP);
        let status = format!("/proc/{}/stat", self.engine.child.id());
        while !std::fs::read_to_string(&status).unwrap().contains(") T ") {
            std::thread::yield_now();
        }
        meanwhile();
        std::thread::sleep(span);
        self.engine.signal(Signal::CONT);
    }

    /// Stops it and gives its own account.
    fn account(self) -> Value {
        self.engine.signal(Signal::TERM);
        let (mut events, status) = self.engine.finish();
        assert_eq!((events.len(), status), (1, Some(0)));
        assert_eq!(events[0]["event"], "proxied");
        events.remove(0)
    }
}

/// Sends back what it gets, until the client sends no more.
fn echo() -> Server {
    Server::start(|_, mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut buffer = [0; 65_536];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            if stream.write_all(&buffer[..read]).is_err() {
                return;
            }
        }
    })
}

/// How long it takes until `bytes` are back, in seconds.
fn round_trip(stream: &mut TcpStream, bytes: &[u8]) -> f64 {
    let (begin, mut answer) = (Instant::now(), vec![0; bytes.len()]);
    stream.write_all(bytes).unwrap();
    stream.read_exact(&mut answer).unwrap();
    assert!(answer == bytes);
    begin.elapsed().as_secs_f64()
}

#[test]
fn a_round_trip_takes_the_latency_longer_and_the_first_one_a_connect_more() {
    let service = echo();
    let proxy = Proxy::start(&service.address, &["--latency", "20ms"]);
    let mut stream = proxy.connect();
    let first = round_trip(&mut stream, b"hello");
    let mut others: Vec<f64> = (0..15).map(|_| round_trip(&mut stream, b"hello")).collect();
    others.sort_by(f64::total_cmp);
    assert!(first >= 0.0399, "{first}");
    // The fastest, as a busy machine adds to all the others.
    assert!((0.0199..0.030).contains(&others[0]), "{others:?}");
    drop(stream);
    let account = proxy.account();
    assert_eq!((&account["connections"], &account["failed_connects"]), (&Value::from(1), &Value::from(0)));
    for way in ["to_service", "to_clients"] {
        assert_eq!((&account[way]["bytes"], &account[way]["chunks"]), (&Value::from(80), &Value::from(16)));
    }
    // The first chunk was there before the service was connected.
    assert_eq!(account["to_service"]["held_back_chunks"], 1);
    assert_eq!(account["lateness"]["count"], 31);
    let median_late = account["lateness"]["percentiles"]["50"].as_f64().unwrap();
    let beyond_latency = others[7] - 0.0199;
    assert!((0.0..0.005 + beyond_latency).contains(&median_late), "{median_late} {others:?}");
}

/// The kernel stamps what arrives from either side, so a proxy that did not run meanwhile knows that it is late, and
/// does not add its latency on top of that.
#[test]
fn what_arrived_while_the_proxy_did_not_run_is_late() {
    const ASLEEP: Duration = Duration::from_millis(200);
    for sender in ["client", "service"] {
        let (asked, is_asked) = mpsc::channel();
        let (answer, may_answer) = mpsc::channel();
        let may_answer = Mutex::new(may_answer);
        let service = Server::start(move |_, mut stream| {
            stream.set_nodelay(true).unwrap();
            while stream.read_exact(&mut [0]).is_ok() {
                asked.send(()).unwrap();
                may_answer.lock().unwrap().recv().unwrap();
                stream.write_all(b"x").unwrap();
            }
        });
        let proxy = Proxy::start(&service.address, &["--latency", "2ms"]);
        let mut stream = proxy.connect();
        answer.send(()).unwrap();
        round_trip(&mut stream, b"x");
        is_asked.recv().unwrap();
        if sender == "client" {
            proxy.sleeps(ASLEEP, || stream.write_all(b"x").unwrap());
            answer.send(()).unwrap();
        } else {
            stream.write_all(b"x").unwrap();
            is_asked.recv().unwrap();
            proxy.sleeps(ASLEEP, || answer.send(()).unwrap());
        }
        stream.read_exact(&mut [0]).unwrap();
        let latest = proxy.account()["lateness"]["max_seconds"].as_f64().unwrap();
        assert!(latest >= ASLEEP.as_secs_f64() / 2.0, "{sender}: {latest}");
    }
}

#[test]
fn many_connections_wait_side_by_side() {
    let service = echo();
    let proxy = Proxy::start(&service.address, &["--latency", "50ms"]);
    let mut streams: Vec<TcpStream> = (0..100).map(|_| proxy.connect()).collect();
    for stream in &mut streams {
        stream.write_all(b"x").unwrap();
    }
    let begin = Instant::now();
    for stream in &mut streams {
        stream.read_exact(&mut [0]).unwrap();
    }
    assert!(begin.elapsed().as_secs_f64() < 2.0, "{:?}", begin.elapsed());
    assert_eq!(proxy.account()["connections"], 100);
}

/// A service that does not read makes its client wait, and gets everything later, in its order; the client's end is
/// carried over, and the answer to it comes back.
#[test]
fn a_service_that_does_not_read_holds_the_client_back() {
    const PARTS: u64 = 64 << 10;
    const PART_WORDS: u64 = 128;
    let (go_on, may_read) = mpsc::channel();
    let may_read = Arc::new(Mutex::new(may_read));
    let service = Server::start(move |_, mut stream| {
        may_read.lock().unwrap().recv().unwrap();
        let (mut expected, mut part) = (0_u64, vec![0; PART_WORDS as usize * 8]);
        while stream.read_exact(&mut part).is_ok() {
            for word in part.chunks_exact(8) {
                assert_eq!(word, expected.to_le_bytes());
                expected += 1;
            }
        }
        stream.write_all(&expected.to_le_bytes()).unwrap();
    });
    let proxy = Proxy::start(&service.address, &["--latency", "10ms"]);
    let mut stream = proxy.connect();
    stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut was_held_back = false;
    for part in 0..PARTS {
        let words = (part * PART_WORDS..(part + 1) * PART_WORDS).flat_map(u64::to_le_bytes);
        let bytes: Vec<u8> = words.collect();
        let mut sent = 0;
        while sent < bytes.len() {
            match stream.write(&bytes[sent..]) {
                Ok(more) => sent += more,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                    assert!(!was_held_back, "it does not go on");
                    was_held_back = true;
                    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
                    go_on.send(()).unwrap();
                }
            }
        }
    }
    assert!(was_held_back, "64 MiB had room somewhere");
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert_eq!(answer, (PARTS * PART_WORDS).to_le_bytes());
    let account = proxy.account();
    assert_eq!(account["to_service"]["bytes"], PARTS * PART_WORDS * 8);
    assert_eq!(account["to_clients"]["bytes"], 8);
}

#[test]
fn refusals_and_resets_are_carried_over() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let proxy = Proxy::start(&closed, &["--latency", "1ms"]);
    let error = proxy.connect().read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(proxy.account()["failed_connects"], 1);

    // Closing with bytes that were not read is a reset.
    let service = Server::start(|_, mut stream| stream.read_exact(&mut [0]).unwrap());
    let proxy = Proxy::start(&service.address, &["--latency", "1ms"]);
    let mut stream = proxy.connect();
    stream.write_all(b"more than is read").unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn bytes_take_their_time_over_a_narrow_link() {
    let service = echo();
    let proxy = Proxy::start(&service.address, &["--latency", "0ms", "--bandwidth", "1000000"]);
    let seconds = round_trip(&mut proxy.connect(), &[7; 100_000]);
    assert!((0.099..0.4).contains(&seconds), "{seconds}");
}

#[test]
fn it_ends_in_time_however_much_still_comes() {
    let service = Server::start(|_, mut stream| while let Ok(1..) = stream.read(&mut [0; 65_536]) {});
    let proxy = Proxy::start(&service.address, &["--latency", "0ms"]);
    let floods: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = proxy.connect();
            std::thread::spawn(move || while stream.write(&[0; 65_536]).is_ok() {})
        })
        .collect();
    let begin = Instant::now();
    assert_eq!(proxy.account()["connections"], 2);
    assert!(begin.elapsed().as_secs_f64() < 10.0, "{:?}", begin.elapsed());
    for flood in floods {
        flood.join().unwrap();
    }
}
