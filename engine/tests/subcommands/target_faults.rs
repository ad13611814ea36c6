//! The target's delays and faults, as clients see them, and its own account of them.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::common::{Plan, Target, run_with_input};
use serde_json::Value;

const GET: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
const LAST: &[u8] = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n";

/// Asks once, and gives every read with its time in milliseconds, until `bytes` have come or the end.
fn reads(target: &Target, request: &[u8], bytes: usize) -> Vec<(f64, usize)> {
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let begin = Instant::now();
    stream.write_all(request).unwrap();
    let (mut reads, mut buffer) = (Vec::new(), [0; 65_536]);
    let mut left = bytes;
    while left > 0 {
        match stream.read(&mut buffer).unwrap() {
            0 => break,
            read => {
                left = left.saturating_sub(read);
                reads.push((begin.elapsed().as_secs_f64() * 1e3, read));
            }
        }
    }
    reads
}

fn percentile_ms(distribution: &Value, percentile: &str) -> f64 {
    distribution["percentiles"][percentile].as_f64().unwrap() * 1e3
}

#[test]
fn a_constant_delay_is_met_and_measured() {
    let target = Target::start(&["--delay", "constant:20ms"]);
    let [(milliseconds, _)] = reads(&target, GET, 1)[..] else { panic!("one read") };
    assert!((20.0..100.0).contains(&milliseconds), "{milliseconds}");
    let summary = Plan::closed(&target.address, 8).requests(100).run();
    let response = percentile_ms(&summary.0["response_time"], "50");
    assert!((20.0..100.0).contains(&response), "{response}");
    let served = target.served_event();
    assert_eq!((&served["requests"], &served["delay"]["count"]), (&101.into(), &101.into()));
    let own = percentile_ms(&served["delay"], "50");
    // Never early; what is beyond the delay is the scheduler's.
    assert!(
        (20.0..100.0).contains(&own) && served["delay"]["min_seconds"].as_f64().unwrap() >= 0.02,
        "{own}"
    );
}

#[test]
fn delays_follow_their_distribution() {
    let target = Target::start(&["--delay", "two-point:1ms:50ms:0.2", "--seed", "5"]);
    let summary = Plan::closed(&target.address, 50).requests(1000).run();
    assert_eq!(summary.all_errors(), 0);
    let served = target.served_event();
    assert!((1.0..49.0).contains(&percentile_ms(&served["delay"], "75")), "{}", served["delay"]);
    assert!((50.0..250.0).contains(&percentile_ms(&served["delay"], "90")), "{}", served["delay"]);
}

#[test]
fn a_histogram_of_a_run_is_a_delay() {
    let first = Target::start(&["--delay", "constant:10ms"]);
    let summary = Plan::closed(&first.address, 4).requests(40).run();
    let file = std::env::temp_dir().join(format!("fairtrial-delay-{}", std::process::id()));
    std::fs::write(&file, summary.0["service_time"]["hdr_base64"].as_str().unwrap()).unwrap();
    let second = Target::start(&["--delay", &format!("histogram:{}", file.display())]);
    std::fs::remove_file(&file).unwrap();
    Plan::closed(&second.address, 4).requests(40).run();
    let own = percentile_ms(&second.served_event()["delay"], "50");
    assert!((10.0..50.0).contains(&own), "{own}");
}

#[test]
fn stalls_stop_everything_for_their_time() {
    let target = Target::start(&["--stall", "300ms:100ms"]);
    let mut stream = TcpStream::connect(&target.address).unwrap();
    let (mut longest, mut shortest, mut answers) = (Duration::ZERO, Duration::MAX, 0);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1000) {
        let asked = Instant::now();
        stream.write_all(GET).unwrap();
        let mut answer = [0; 1024];
        assert!(stream.read(&mut answer).unwrap() > 0);
        (longest, shortest) = (longest.max(asked.elapsed()), shortest.min(asked.elapsed()));
        answers += 1;
    }
    assert!((0.090..0.450).contains(&longest.as_secs_f64()), "{longest:?}");
    assert!(shortest < Duration::from_millis(50) && answers > 10, "{shortest:?} {answers}");
    let served = target.served_event();
    assert!(served["faults"]["stalls"].as_u64().unwrap() >= 3);
}

#[test]
fn a_stalled_target_still_ends() {
    let target = Target::start(&["--stall", "1ms:900us"]);
    let begin = Instant::now();
    target.served_event();
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn every_fault_is_what_it_says() {
    let asked = |arguments: &[&str], kind: &str| {
        let target = Target::start(arguments);
        let summary = Plan::closed(&target.address, 1)
            .expect(serde_json::json!({"body_bytes": {"min": 2, "max": 2}}))
            .requests(6)
            .run();
        assert_eq!(summary.errors(), [(kind, 6)], "{arguments:?}");
        target.served_event()["faults"].clone()
    };
    assert_eq!(asked(&["--reset", "1"], "reset")["reset"], 6);
    assert_eq!(asked(&["--status-5xx", "1"], "status_5xx")["status_5xx"], 6);
    assert_eq!(asked(&["--wrong-length", "1"], "wrong_length")["wrong_length"], 6);
    assert_eq!(asked(&["--cut-body", "1"], "closed")["cut_body"], 6);
}

#[test]
fn faults_come_at_their_shares() {
    let arguments = ["--reset", "0.1", "--status-5xx", "0.2", "--wrong-length", "0.1", "--seed", "7"];
    let run = || {
        let target = Target::start(&arguments);
        let summary = Plan::closed(&target.address, 1)
            .expect(serde_json::json!({"body_bytes": {"min": 2, "max": 2}}))
            .requests(1000)
            .run();
        let served = target.served_event();
        let errors = |kind: &str| summary.0["errors"][kind].as_u64().unwrap();
        // Where the connection has carried an answer, a reset looks like a close that was not announced.
        let resets = errors("reset") + errors("unannounced_close");
        let counts = [resets, errors("status_5xx"), errors("wrong_length")];
        let own =
            ["reset", "status_5xx", "wrong_length"].map(|kind| served["faults"][kind].as_u64().unwrap());
        assert_eq!(counts, own);
        assert_eq!(served["requests"].as_u64().unwrap() + own[0], 1000);
        own
    };
    let counts = run();
    for (count, expected) in counts.iter().zip([100, 200, 100_u64]) {
        assert!(count.abs_diff(expected) < 40, "{counts:?}");
    }
    assert_eq!(counts, run(), "the seed decides");
}

#[test]
fn a_pause_is_between_head_and_body() {
    let target = Target::start(&["--pause-40ms", "1"]);
    let [(_, head), (milliseconds, body)] = reads(&target, LAST, usize::MAX)[..] else { panic!("two reads") };
    assert!(head > 40 && body == 2, "{head} {body}");
    assert!((40.0..200.0).contains(&milliseconds), "{milliseconds}");
    let served = target.served_event();
    assert_eq!(served["faults"]["pause_40ms"], 1);
    assert!(served["delay"]["min_seconds"].as_f64().unwrap() >= 0.04);
}

#[test]
fn a_slow_body_comes_in_ten_parts() {
    let target = Target::start(&["--slow-body", "90ms", "--body-bytes", "1000"]);
    let reads = reads(&target, LAST, usize::MAX);
    assert!((2..=11).contains(&reads.len()), "{reads:?}");
    let (milliseconds, bytes) = reads[reads.len() - 1];
    assert!((90.0..450.0).contains(&milliseconds) && bytes >= 100, "{reads:?}");
}

#[test]
fn pipelined_requests_are_delayed_together_and_answered_in_order() {
    let target = Target::start(&["--delay", "constant:30ms"]);
    let begin = Instant::now();
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.write_all(&[GET.repeat(6000), LAST.to_vec()].concat()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 6001);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(target.served_event()["requests"], 6001);
}

#[test]
fn requests_in_parts_with_bodies_and_wrong_ones() {
    let target = Target::start(&["--measure"]);
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.set_nodelay(true).unwrap();
    for part in [
        "POST / HT",
        "TP/1.1\r\nContent-Length: 4\r\n\r\nab",
        "cdGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "hello\r\n\r\n",
    ] {
        stream.write_all(part.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2);
    assert!(answers.contains("Connection: keep-alive") && answers.contains("HTTP/1.1 400 "), "{answers}");
    let served = target.served_event();
    assert_eq!((&served["requests"], &served["delay"]["count"]), (&2.into(), &2.into()));
}

#[test]
fn large_bodies_to_slow_readers() {
    let target = Target::start(&["--measure", "--body-bytes", "3000000"]);
    let mut stream = TcpStream::connect(&target.address).unwrap();
    stream.write_all(&[GET.repeat(3), LAST.to_vec()].concat()).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    assert!((12_000_000..12_001_000).contains(&answers.len()), "{}", answers.len());
    assert!(target.served_event()["delay"]["max_seconds"].as_f64().unwrap() > 0.04);
}

#[test]
fn unix_sockets_and_ipv6() {
    let path = std::env::temp_dir().join(format!("fairtrial-target-{}", std::process::id()));
    let target = Target::start(&["--unix", path.to_str().unwrap()]);
    assert_eq!(target.address, format!("unix:{}", path.display()));
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(LAST).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("ok"), "{answer}");
    let taken = run_with_input(&["target", "--unix", path.to_str().unwrap()], "");
    assert_eq!(taken.status.code(), Some(2));
    // The second connection is the other target's attempt to find out whether anybody listens.
    assert_eq!(target.served(), (1, 2));
    assert!(!path.exists());

    // What a killed server left is taken over.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let target = Target::start(&["--unix", path.to_str().unwrap(), "--reset", "1"]);
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.write_all(GET).unwrap();
    assert!(matches!(stream.read(&mut [0; 10]), Ok(0)));
    assert_eq!(target.served(), (0, 1));

    match std::net::TcpListener::bind("[::1]:0") {
        Err(error) if error.kind() == ErrorKind::AddrNotAvailable => {}
        _ => {
            let target = Target::start(&["--listen", "[::1]:0"]);
            assert!(target.address.starts_with("[::1]:"));
            assert_eq!(reads(&target, LAST, usize::MAX).len(), 1);
        }
    }
}

#[test]
fn wrong_arguments_are_named() {
    let wrong: [&[&str]; 6] = [
        &["--delay", "uniform:1ms"],
        &["--stall", "1s"],
        &["--reset", "1.5"],
        &["--reset", "0.6", "--status-5xx", "0.6"],
        &["--slow-body", "90"],
        &["--unix", "/nowhere/at/all"],
    ];
    for arguments in wrong {
        let output = run_with_input(&[&["target"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(arguments[0]), "{arguments:?}");
    }
}

/// Delays about as long as it takes to look at the clock twice: whatever becomes due in between is answered all the same.
#[test]
fn no_answer_is_forgotten_whose_delay_ends_while_the_timer_is_set() {
    let target = Target::start(&["--delay", "exponential:2us"]);
    let summary = Plan::closed(&target.address, 16).requests(50_000).run();
    assert_eq!((summary.count("verified"), summary.all_errors()), (50_000, 0));
}
