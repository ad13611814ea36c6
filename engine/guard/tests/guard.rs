//! The guard leaves no process behind.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const GUARD: &str = env!("CARGO_BIN_EXE_fairtrial-guard");

/// A running guard. Ends with the test.
struct Guard {
    child: Child,
    lifeline: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Guard {
    /// A guard over a shell script, with an open lifeline.
    fn start(arguments: &[&str], script: &str) -> Guard {
        let mut command = Command::new(GUARD);
        command.args(arguments).args(["--", "sh", "-c", script]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lifeline = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Guard { child, lifeline, stdout }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn cut_lifeline(&mut self) {
        drop(self.lifeline.take().unwrap());
    }

    fn exit_status(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The exit status of a guard with these arguments, whose lifeline has ended.
fn status_of(arguments: &[&str]) -> Option<i32> {
    let mut command = Command::new(GUARD);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap().code()
}

/// Waits until the condition holds; fails the test if that takes too long.
fn await_that(what: &str, condition: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < patience, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// True while a process with this number runs.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn the_status_is_the_commands() {
    for (script, status) in [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] {
        assert_eq!(Guard::start(&[], script).exit_status(), Some(status), "{script}");
    }
    assert_eq!(status_of(&["--", "/does/not/exist"]), Some(127));
    assert_eq!(status_of(&["--cpus", "5000", "--", "true"]), Some(2));
    assert_eq!(status_of(&["--grace-seconds", "-1", "--", "true"]), Some(2));
    assert_eq!(status_of(&[]), Some(2));
}

#[test]
fn the_command_is_bound_and_leads_a_group_without_input() {
    let script =
        "grep Cpus_allowed_list /proc/self/status; cut -d' ' -f1,5 /proc/$$/stat; readlink /proc/$$/fd/0";
    let mut guard = Guard::start(&["--cpus", "0"], script);
    assert_eq!(guard.line().split_whitespace().last(), Some("0"));
    let (pid, group) = guard.line().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(pid, group);
    assert_eq!(guard.line(), "/dev/null");
    assert_eq!(guard.exit_status(), Some(0));
}

#[test]
fn a_cut_lifeline_asks_politely_first() {
    let mut guard = Guard::start(&[], "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done");
    assert_eq!(guard.line(), "ready");
    guard.cut_lifeline();
    assert_eq!(guard.exit_status(), Some(7));
}

#[test]
fn a_command_that_ignores_sigterm_is_killed() {
    let mut guard =
        Guard::start(&["--grace-seconds", "0.2"], "trap '' TERM; echo $$; while :; do sleep 0.02; done");
    let pid = guard.line();
    guard.cut_lifeline();
    assert_eq!(guard.exit_status(), Some(137));
    assert!(!is_alive(&pid));
}

#[test]
fn a_detached_grandchild_is_ended_too() {
    let script = "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done' & wait";
    let mut guard = Guard::start(&["--grace-seconds", "0.2"], script);
    let pid = guard.line();
    guard.cut_lifeline();
    assert_eq!(guard.exit_status(), Some(143), "the command itself ended by SIGTERM");
    assert!(!is_alive(&pid));
}

#[test]
fn what_a_command_leaves_behind_is_ended() {
    let mut guard = Guard::start(&[], "setsid sleep 1000 & echo $!; sleep 1000 & echo $!; exit 5");
    let left = [guard.line(), guard.line()];
    assert_eq!(guard.exit_status(), Some(5));
    assert!(left.iter().all(|pid| !is_alive(pid)));
}

#[test]
fn input_on_the_lifeline_is_ignored_and_sigterm_is_not() {
    let mut guard = Guard::start(&[], "echo $$; exec sleep 1000");
    let pid = guard.line();
    guard.lifeline.as_mut().unwrap().write_all(&[b'x'; 2000]).unwrap();
    kill_process(Pid::from_child(&guard.child), Signal::TERM).unwrap();
    assert_eq!(guard.exit_status(), Some(143));
    assert!(!is_alive(&pid));
}

#[test]
fn the_parents_death_ends_the_tree_although_the_lifeline_is_held() {
    // This test holds the other end of the lifeline; only the shell between is killed.
    let script = format!("exec 3<&0; '{GUARD}' -- sh -c 'echo $$; exec sleep 1000' <&3 & wait");
    let mut parent = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lifeline = parent.stdin.take().unwrap();
    let mut pid = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut pid).unwrap();
    let pid = pid.trim_end().to_owned();
    assert!(is_alive(&pid));
    parent.kill().unwrap();
    parent.wait().unwrap();
    await_that("the guarded command ends", || !is_alive(&pid));
    drop(lifeline);
}
