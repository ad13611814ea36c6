//! A command that runs as a user of its own: what it may do, what it finds, and that it ends.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const GUARD: &str = env!("CARGO_BIN_EXE_fairtrial-guard");

/// Numbers that no user of a machine has: one for each test, as they run side by side.
const OF_COVERS: u32 = 1_900_000_001;
const OF_BOMB: u32 = 1_900_000_002;
const OF_OUTPUT: u32 = 1_900_000_003;

/// Whether the tests may make a command another user's; elsewhere they are moot.
fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A shell below the guard as this user, in this folder, whose lifeline is held until it has ended.
fn run(uid: u32, folder: &Path, options: &[&str], script: &str) -> Output {
    let mut guard = Command::new(GUARD);
    let user = format!("{uid}:{uid}");
    guard.args(["--user", &user]).args(options).args(["--", "sh", "-c", script]).current_dir(folder);
    let mut child =
        guard.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lifeline = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(lifeline);
    output
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A folder that only root may enter, with a built program and a secret in it.
fn closed_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fairtrial-user-{}-{name}", std::process::id()));
    fs::create_dir_all(folder.join("cache/stacks/mine")).unwrap();
    fs::create_dir_all(folder.join("cache/stacks/rivals")).unwrap();
    fs::create_dir_all(folder.join("tools")).unwrap();
    fs::write(folder.join("cache/stacks/mine/program"), "mine").unwrap();
    fs::write(folder.join("cache/stacks/rivals/program"), "rivals").unwrap();
    fs::write(folder.join("tools/tool"), "tool").unwrap();
    fs::write(folder.join("token"), "secret").unwrap();
    // Whatever the rights of what was built: nobody may write there.
    fs::set_permissions(folder.join("cache/stacks/mine/program"), fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

#[test]
fn it_finds_what_it_needs_and_nothing_of_others() {
    if !is_root() {
        return;
    }
    let folder = closed_folder("covers");
    let path = |below: &str| folder.join(below).to_str().unwrap().to_owned();
    let mine = folder.join("cache/stacks/mine");
    let script = format!(
        "id -u; id -G; umask; cat program {tool}; echo; echo changed > program; cat {rivals}; cat {token}; ls {cache}; \
         echo x > new; touch {folder}/new; true",
        tool = path("tools/tool"),
        rivals = path("cache/stacks/rivals/program"),
        token = path("token"),
        cache = path("cache/stacks"),
        folder = folder.display(),
    );
    let options = ["--open", &path(""), "--hide", &path("cache"), "--keep", &path("cache/stacks/mine")];
    let output = run(OF_COVERS, &mine, &options, &script);
    let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if said.contains("a mount namespace") {
        return;
    }
    assert!(out.starts_with(&format!("{OF_COVERS}\n{OF_COVERS}\n0077\nminetool\n")), "{out}{said}");
    assert!(!out.contains("rivals") && !out.contains("secret"), "{out}");
    assert_eq!(fs::read_to_string(mine.join("program")).unwrap(), "mine");
    assert!(!mine.join("new").exists() && !folder.join("new").exists());
    assert!(!fs::read_to_string("/proc/self/mountinfo").unwrap().contains("fairtrial-user"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_fork_bomb_ends_with_its_guard() {
    if !is_root() {
        return;
    }
    let folder = std::env::temp_dir();
    let began = Instant::now();
    // Each process leaves others behind that nobody waits for, until no more are to be had, and then ends.
    let bomb = "b() { b | b & }; b 2>/dev/null; exit 3";
    let output = run(OF_BOMB, &folder, &["--most-processes", "60", "--grace-seconds", "0.3"], bomb);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(began.elapsed() < Duration::from_secs(20));
    let left = fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        // Processes have numbers for names.
        entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit())
            && entry.metadata().is_ok_and(|about| about.uid() == OF_BOMB)
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn its_output_is_its_own_while_it_runs_and_given_back_after() {
    if !is_root() {
        return;
    }
    let path = std::env::temp_dir().join(format!("fairtrial-user-{}.log", std::process::id()));
    let log = fs::File::create(&path).unwrap();
    let user = format!("{OF_OUTPUT}:{OF_OUTPUT}");
    let mut guard = Command::new(GUARD);
    guard.args(["--user", &user, "--", "sh", "-c", "echo seen >> /dev/stderr"]).stdin(Stdio::piped());
    let mut child = guard.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let lifeline = child.stdin.take();
    assert!(child.wait().unwrap().success());
    drop(lifeline);
    assert_eq!(fs::read_to_string(&path).unwrap(), "seen\n");
    assert_eq!(fs::metadata(&path).unwrap().uid(), 0);
    fs::remove_file(path).unwrap();
}

#[test]
fn wrong_users_are_refused() {
    for options in
        [&["--user", "0:1"][..], &["--user", "1"], &["--user", "1:4294967295"], &["--most-processes", "9"]]
    {
        let mut guard = Command::new(GUARD);
        guard.args(options).args(["--", "true"]).stdin(Stdio::null()).stderr(Stdio::null());
        assert_eq!(guard.status().unwrap().code(), Some(2), "{options:?}");
    }
}
