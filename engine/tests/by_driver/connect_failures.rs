//! Connects that fail in other ways than a refusal. Nothing leaves this machine: what is not loopback is asked for in a
//! network namespace without any network.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use crate::common::{ENGINE, Plan, Summary};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, listen, socket_with};
use serde_json::{Value, json};

/// Runs a plan where there is no network, not even loopback; `None` where namespaces are not permitted.
fn run_without_network(plan: &Plan) -> Option<Summary> {
    let in_namespace = |program: &str, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--net", "--", program]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    match in_namespace("true", &[]).output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            println!("skipped: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Err(error) => {
            println!("skipped: unshare: {error}");
            return None;
        }
    }
    // Without a namespace, unshare does not start it at all.
    let mut child = in_namespace(ENGINE, &["run"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(plan.0.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let events = String::from_utf8(output.stdout).unwrap();
    let summary: Value = serde_json::from_str(events.lines().next_back().unwrap()).unwrap();
    Some(Summary(summary))
}

#[test]
fn an_unreachable_network_is_a_failed_connect() {
    // An address that is kept for documentation.
    let plan = Plan::closed("192.0.2.1:80", 2).requests(4);
    let Some(summary) = run_without_network(&plan) else { return };
    assert_eq!(summary.errors(), [("connect", 4)], "{}", summary.0);
    assert!(summary.0["examples"][0]["excerpt"].as_str().unwrap().contains("ENETUNREACH"));
    assert_eq!((summary.count("connects"), summary.count("sent")), (0, 0));
    summary.assert_books_balance();
}

/// A listener that accepts nothing and whose queue is full: the kernel drops what asks for more. Ends with what is given.
fn full_listener() -> (SocketAddr, OwnedFd, TcpStream) {
    let listener = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&listener, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    // There is always room for one.
    listen(&listener, 0).unwrap();
    let address = SocketAddr::try_from(getsockname(&listener).unwrap()).unwrap();
    let only = TcpStream::connect(address).unwrap();
    (address, listener, only)
}

#[test]
fn a_connect_that_is_never_answered_is_a_timeout() {
    let (address, _listener, _only) = full_listener();
    // It waits as long as it takes, so another one of our own is still on its way.
    let another = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::NONBLOCK, None).unwrap();
    assert_eq!(connect(&another, &address), Err(rustix::io::Errno::INPROGRESS));
    let plan = Plan::closed(&address.to_string(), 2).requests(4).with("timeout_seconds", json!(0.2));
    let summary = plan.run();
    assert_eq!(summary.errors(), [("timeout", 4)], "{}", summary.0);
    assert_eq!((summary.count("connects"), summary.count("sent")), (0, 0));
    let seconds = summary.0["window_seconds"].as_f64().unwrap();
    assert!((0.4..4.0).contains(&seconds), "{seconds}");
    summary.assert_books_balance();
}
