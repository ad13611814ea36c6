//! The proxy of datagrams: how late they are, which are lost, in which order they come, and its own account.

use std::net::UdpSocket;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{ENGINE, Engine};

const WITHIN: Option<Duration> = Some(Duration::from_secs(10));

/// Sends back what it gets.
fn echo() -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let mut bytes = [0; 65_535];
        while let Ok((length, from)) = socket.recv_from(&mut bytes) {
            let _ = socket.send_to(&bytes[..length], from);
        }
    });
    address
}

fn proxy(to: &str, arguments: &[&str]) -> (Engine, String) {
    let mut engine = Engine::start_with_lifeline(&[&["proxy", "--udp", "--to", to], arguments].concat());
    let address = engine.event()["address"].as_str().unwrap().to_owned();
    (engine, address)
}

fn client(of: &str) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(of).unwrap();
    socket.set_read_timeout(WITHIN).unwrap();
    socket
}

fn account(engine: Engine) -> Value {
    engine.signal(Signal::TERM);
    let (mut events, status) = engine.finish();
    assert_eq!((events.len(), status), (1, Some(0)));
    assert_eq!(events[0]["event"], "proxied");
    events.remove(0)
}

fn count(account: &Value, way: &str, key: &str) -> u64 {
    account[way][key].as_u64().unwrap()
}

#[test]
fn a_round_trip_takes_the_latency_longer_for_each_client_by_itself() {
    let (engine, address) = proxy(&echo(), &["--latency", "20ms"]);
    let mut fastest = Duration::MAX;
    for number in 0..3_u8 {
        let socket = client(&address);
        for byte in 0..5 {
            let (begin, mut bytes) = (Instant::now(), [0; 16]);
            socket.send(&[number, byte]).unwrap();
            assert_eq!(socket.recv(&mut bytes).unwrap(), 2);
            assert_eq!(bytes[..2], [number, byte]);
            fastest = fastest.min(begin.elapsed());
        }
    }
    // The fastest, as a busy machine adds to all the others.
    assert!((0.0199..0.030).contains(&fastest.as_secs_f64()), "{fastest:?}");
    let account = account(engine);
    assert_eq!(account["clients"], 3);
    for way in ["to_service", "to_clients"] {
        let counts = ["datagrams", "bytes", "lost", "dropped"].map(|key| count(&account, way, key));
        assert_eq!(counts, [15, 30, 0, 0]);
    }
    assert_eq!(account["lateness"]["count"], 30);
}

#[test]
fn the_share_is_lost_and_what_comes_is_whole_and_in_order() {
    const SENT: u64 = 2_000;
    // So few are under way that the usual buffer of a socket holds them, even of one that is not read for a while.
    const AT_ONCE: u64 = 50;
    let (engine, address) = proxy(&echo(), &["--latency", "exponential:5ms", "--loss", "0.1", "--seed", "7"]);
    let socket = client(&address);
    let (mut bytes, mut came) = ([0; 16], Vec::new());
    for first in (0..SENT).step_by(AT_ONCE as usize) {
        for number in first..first + AT_ONCE {
            socket.send(&number.to_le_bytes()).unwrap();
        }
        while came.last().is_none_or(|&last| last < first) {
            assert_eq!(socket.recv(&mut bytes).unwrap(), 8);
            came.push(u64::from_le_bytes(bytes[..8].try_into().unwrap()));
        }
    }
    socket.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    while let Ok(8) = socket.recv(&mut bytes) {
        came.push(u64::from_le_bytes(bytes[..8].try_into().unwrap()));
    }
    assert!(came.is_sorted(), "a datagram overtook another");
    let account = account(engine);
    let (there, back) = (count(&account, "to_service", "lost"), count(&account, "to_clients", "lost"));
    // Six standard deviations of the binomial distribution to either side.
    assert!((119..=281).contains(&there) && (100..=260).contains(&back), "{there} {back}");
    assert_eq!(came.len() as u64, count(&account, "to_clients", "datagrams"));
    assert_eq!(SENT, there + count(&account, "to_service", "datagrams"));
}

#[test]
fn all_are_lost_where_all_are_to_be_and_nobody_there_is_silence() {
    let (engine, address) = proxy(&echo(), &["--latency", "0s", "--loss", "1"]);
    let socket = client(&address);
    socket.send(b"hello").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(socket.recv(&mut [0; 16]).is_err());
    assert_eq!(count(&account(engine), "to_service", "lost"), 1);

    let free = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (engine, address) = proxy(&free, &["--latency", "0s"]);
    let socket = client(&address);
    for _ in 0..3 {
        socket.send(b"hello").unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    assert!(socket.recv(&mut [0; 16]).is_err());
    let account = account(engine);
    assert_eq!(count(&account, "to_service", "datagrams") + count(&account, "to_service", "dropped"), 3);
}

#[test]
fn what_is_under_way_at_the_end_is_handed_on() {
    let (engine, address) = proxy(&echo(), &["--latency", "1s"]);
    let socket = client(&address);
    socket.send(b"hello").unwrap();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(count(&account(engine), "to_service", "datagrams"), 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, says) in [
        (&["--latency", "1ms", "--loss", "0.1"][..], "--loss needs --udp"),
        (&["--latency", "1ms", "--udp", "--loss", "2"], "no share"),
        (&["--latency", "1ms", "--udp", "--bandwidth", "1000"], "leave --udp out"),
    ] {
        let arguments = [&["proxy", "--to", "127.0.0.1:1"], arguments].concat();
        let output = Command::new(ENGINE).args(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && error.contains(says), "{error}");
    }
}
