//! The guard leaves no process behind.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::common::{ENGINE, Engine, await_that, is_alive, run_with_input};
use rustix::process::Signal;

/// A guard over a shell script, with an open lifeline.
fn guard(arguments: &[&str], script: &str) -> Engine {
    Engine::start_with_lifeline(&[&["guard"], arguments, &["--", "sh", "-c", script]].concat())
}

fn cut_lifeline(engine: &mut Engine) {
    drop(engine.child.stdin.take().unwrap());
}

#[test]
fn the_status_is_the_commands() {
    for (script, status) in [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] {
        assert_eq!(guard(&[], script).exit_status(), Some(status), "{script}");
    }
    let output = run_with_input(&["guard", "--", "/does/not/exist"], "");
    assert_eq!(output.status.code(), Some(127));
    assert_eq!(run_with_input(&["guard", "--cpus", "5000", "--", "true"], "").status.code(), Some(2));
    assert_eq!(run_with_input(&["guard"], "").status.code(), Some(2));
}

#[test]
fn the_command_is_bound_and_leads_a_group_without_input() {
    let script =
        "grep Cpus_allowed_list /proc/self/status; cut -d' ' -f1,5 /proc/$$/stat; readlink /proc/$$/fd/0";
    let mut engine = guard(&["--cpus", "0"], script);
    assert_eq!(engine.line().split_whitespace().last(), Some("0"));
    let (pid, group) = engine.line().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    assert_eq!(pid, group);
    assert_eq!(engine.line(), "/dev/null");
    assert_eq!(engine.exit_status(), Some(0));
}

#[test]
fn a_cut_lifeline_asks_politely_first() {
    let mut engine = guard(&[], "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done");
    assert_eq!(engine.line(), "ready");
    cut_lifeline(&mut engine);
    assert_eq!(engine.exit_status(), Some(7));
}

#[test]
fn a_command_that_ignores_sigterm_is_killed() {
    let mut engine =
        guard(&["--grace-seconds", "0.2"], "trap '' TERM; echo $$; while :; do sleep 0.02; done");
    let pid = engine.line();
    cut_lifeline(&mut engine);
    assert_eq!(engine.exit_status(), Some(137));
    assert!(!is_alive(&pid));
}

#[test]
fn a_detached_grandchild_is_ended_too() {
    let script = "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done' & wait";
    let mut engine = guard(&["--grace-seconds", "0.2"], script);
    let pid = engine.line();
    cut_lifeline(&mut engine);
    assert_eq!(engine.exit_status(), Some(143), "the command itself ended by SIGTERM");
    assert!(!is_alive(&pid));
}

#[test]
fn what_a_command_leaves_behind_is_ended() {
    let mut engine = guard(&[], "setsid sleep 1000 & echo $!; sleep 1000 & echo $!; exit 5");
    let left = [engine.line(), engine.line()];
    assert_eq!(engine.exit_status(), Some(5));
    assert!(left.iter().all(|pid| !is_alive(pid)));
}

#[test]
fn input_on_the_lifeline_is_ignored_and_sigterm_is_not() {
    let mut engine = guard(&[], "echo $$; exec sleep 1000");
    let pid = engine.line();
    std::io::Write::write_all(engine.child.stdin.as_mut().unwrap(), &[b'x'; 2000]).unwrap();
    engine.signal(Signal::TERM);
    assert_eq!(engine.exit_status(), Some(143));
    assert!(!is_alive(&pid));
}

#[test]
fn the_parents_death_ends_the_tree_although_the_lifeline_is_held() {
    // This test holds the other end of the lifeline; only the shell between is killed.
    let script = format!("exec 3<&0; '{ENGINE}' guard -- sh -c 'echo $$; exec sleep 1000' <&3 & wait");
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
