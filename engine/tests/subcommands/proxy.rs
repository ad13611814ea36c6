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

    /// Its round trips so far, which it tells at a signal.
    fn so_far(&mut self) -> [f64; 3] {
        self.engine.signal(Signal::USR1);
        let event = self.engine.event();
        assert_eq!(event["event"], "proxying");
        assert!(event["at_seconds"].as_f64().unwrap() > 0.0);
        round_trips(&event)
    }

    /// Its round trips, once there are so many.
    fn until(&mut self, count: f64) -> [f64; 3] {
        loop {
            let so_far = self.so_far();
            if so_far[0] >= count {
                return so_far;
            }
        }
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

/// How many there were, and the seconds of the service and of the proxy.
fn round_trips(account: &Value) -> [f64; 3] {
    ["count", "service_seconds", "proxy_seconds"].map(|key| account["round_trips"][key].as_f64().unwrap())
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
    let [count, service, own] = round_trips(&account);
    assert_eq!(count, 16.0);
    assert!(own >= 0.0399 + 15.0 * 0.0199 && service < own, "{service} {own}");
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
        drop(stream);
        let account = proxy.account();
        let latest = account["lateness"]["max_seconds"].as_f64().unwrap();
        assert!(latest >= ASLEEP.as_secs_f64() / 2.0, "{sender}: {latest}");
        // Nor is it the service that was waited for so long.
        let [count, service, own] = round_trips(&account);
        assert_eq!(count, 2.0, "{sender}");
        assert!(own >= ASLEEP.as_secs_f64() && service < own, "{sender}: {service} {own}");
    }
}

/// A service that speaks first, and then takes its time for the first part of an answer, and for its second one.
#[test]
fn it_tells_at_a_signal_how_long_the_service_was_waited_for() {
    const PART: Duration = Duration::from_millis(20);
    let service = Server::start(move |_, mut stream| {
        stream.set_nodelay(true).unwrap();
        stream.write_all(b"!").unwrap();
        while stream.read_exact(&mut [0; 2]).is_ok() {
            for part in [b"1", b"2"] {
                std::thread::sleep(PART);
                stream.write_all(part).unwrap();
            }
        }
    });
    let mut proxy = Proxy::start(&service.address, &["--latency", "0ms"]);
    assert_eq!(proxy.so_far()[0], 0.0);
    let mut stream = proxy.connect();
    stream.read_exact(&mut [0]).unwrap();
    for _ in 0..10 {
        // What the client does before it asks, and between the parts of its question, is not the service's.
        stream.write_all(b"a").unwrap();
        stream.write_all(b"b").unwrap();
        stream.read_exact(&mut [0; 2]).unwrap();
        std::thread::sleep(PART);
    }
    stream.write_all(b"a").unwrap();
    let [count, service, own] = proxy.until(11.0);
    let asked = 20.0 * PART.as_secs_f64();
    assert_eq!(count, 11.0, "the first is until the service speaks");
    assert!((asked..2.0 * asked).contains(&service) && own < service, "{service} {own}");
    drop(stream);
    assert_eq!(round_trips(&proxy.account())[0], 11.0, "the last was not answered");
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
