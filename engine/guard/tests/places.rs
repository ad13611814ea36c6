//! Files and host names that the command alone sees.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GUARD: &str = env!("CARGO_BIN_EXE_fairtrial-guard");

/// A folder that no machine has.
const NOWHERE: &str = "/fairtrial-places-of-tests";

/// What a shell below the guard printed. `None` where this machine gives nobody such namespaces, and the test is moot.
fn seen(folder: &Path, options: &[String], script: &str) -> Option<Output> {
    let mut guard = Command::new(GUARD);
    guard.args(options).args(["--", "sh", "-c", script]).current_dir(folder);
    // A lifeline that is held until the script has ended.
    let child = guard.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = wait_holding_the_lifeline(child);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("a mount namespace") || said.contains("a root folder") {
        eprintln!("left out: {said}");
        return None;
    }
    Some(output)
}

fn wait_holding_the_lifeline(mut child: std::process::Child) -> Output {
    let lifeline = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(lifeline);
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A new folder with a file in it.
fn folder(name: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("fairtrial-places-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("items.json");
    fs::write(&file, "[1]").unwrap();
    (folder, file)
}

fn file_at(path: &str, source: &Path) -> [String; 2] {
    ["--file".to_owned(), format!("{path}={}", source.display())]
}

#[test]
fn files_stand_where_the_machine_has_no_folder_and_nobody_else_sees_them() {
    let (folder, file) = folder("missing");
    let path = format!("{NOWHERE}/data/items.json");
    let beside = folder.join("beside.json");
    let mut options = file_at(&path, &file).to_vec();
    options.extend(file_at(beside.to_str().unwrap(), &file));
    options.extend(file_at(&format!("{NOWHERE}/all"), &folder));
    // Beside them everything is as it was: the folder in which it is started, the root, what can be written.
    let script = format!(
        "cat {path} beside.json {NOWHERE}/all/items.json; echo; pwd; cat items.json; test -d /usr -a -r /proc/self/stat \
         && test -e /dev/null && echo whole; ls -A / | grep -c fairtrial-machine; echo x > {path} || echo kept; \
         echo written > left-behind"
    );
    let Some(output) = seen(&folder, &options, &script) else { return };
    let (out, folder_text) = (text(&output.stdout), folder.display());
    assert_eq!(out, format!("[1][1][1]\n{folder_text}\n[1]whole\n0\nkept\n"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), "[1]");
    assert!(!Path::new(NOWHERE).exists());
    assert!(!beside.exists());
    assert!(!fs::read_to_string("/proc/self/mountinfo").unwrap().contains("fairtrial-places"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_takes_the_place_of_the_machines_and_its_folder_stays() {
    let (folder, file) = folder("instead");
    let machines = folder.join("machines.json");
    fs::write(&machines, "the machine's").unwrap();
    let options = file_at(machines.to_str().unwrap(), &file);
    let Some(output) = seen(&folder, &options, "cat machines.json; echo kept > written") else { return };
    assert_eq!(text(&output.stdout), "[1]");
    assert_eq!(fs::read_to_string(&machines).unwrap(), "the machine's");
    assert_eq!(fs::read_to_string(folder.join("written")).unwrap(), "kept\n");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn host_names_stand_before_the_machines() {
    let (folder, _) = folder("hosts");
    let options = ["--host".to_owned(), "tfb-database=127.0.0.9".to_owned()];
    let before = fs::read_to_string("/etc/hosts").unwrap_or_default();
    let Some(output) = seen(&folder, &options, "cat /etc/hosts; test -r /proc/self/stat && echo whole")
    else {
        return;
    };
    assert_eq!(
        text(&output.stdout),
        format!("127.0.0.9 tfb-database\n{before}whole\n"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read_to_string("/etc/hosts").unwrap_or_default(), before);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_put_is_said_and_nothing_is_started() {
    let (folder, file) = folder("wrong");
    let nowhere = folder.join("nowhere");
    for (paths, said) in [
        (vec![("data/items.json", &file)], "not an absolute path"),
        (vec![("/", &file)], "not an absolute path"),
        (vec![("/tmp/../data", &file)], "not an absolute path"),
        (vec![("/data", &folder), ("/data/items.json", &file)], "something else is put here or above"),
        (vec![("/data", &file), ("/data", &file)], "something else is put here or above"),
        (vec![("/data", &nowhere)], "No such file"),
    ] {
        let options: Vec<String> = paths.iter().flat_map(|(path, source)| file_at(path, source)).collect();
        let output = seen(&folder, &options, "echo started").unwrap();
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
    }
    fs::remove_dir_all(folder).unwrap();
}
