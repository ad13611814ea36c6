//! The processes below this one.

use std::collections::HashMap;
use std::fs;
use std::io;

use rustix::process::{Pid, getpid};

/// All descendants of this process that have not ended. The caller is a subreaper, so nothing escapes by detaching.
///
/// # Errors
/// If /proc cannot be read.
pub(super) fn descendants() -> io::Result<Vec<Pid>> {
    let mut children: HashMap<i32, Vec<(i32, bool)>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let Ok(entry) = entry else { continue };
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // A process that ends meanwhile has no file any more.
        let Ok(stat) = fs::read(entry.path().join("stat")) else { continue };
        if let Some((parent, has_ended)) = parse_stat(&stat) {
            children.entry(parent).or_default().push((pid, has_ended));
        }
    }
    let mut found = Vec::new();
    let mut open = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = open.pop() {
        for &(pid, has_ended) in children.get(&parent).into_iter().flatten() {
            open.push(pid);
            if !has_ended {
                found.extend(Pid::from_raw(pid));
            }
        }
    }
    Ok(found)
}

/// The parent, and whether only the exit status is left of the process. The name may hold any character, so fields
/// are counted from its last closing bracket.
fn parse_stat(stat: &[u8]) -> Option<(i32, bool)> {
    let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
    let mut fields = stat[after_name..].split(|&byte| byte == b' ').filter(|field| !field.is_empty());
    let has_ended = matches!(fields.next()?, b"Z" | b"X");
    let parent = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    Some((parent, has_ended))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn names_with_brackets_and_spaces_are_no_hindrance() {
        assert_eq!(parse_stat(b"12 (a) Z 1 (b) S 34 12 12 0"), Some((34, false)));
        assert_eq!(parse_stat(b"12 (x) Z 1 12"), Some((1, true)));
        assert_eq!(parse_stat(b""), None);
    }

    #[test]
    fn a_child_is_a_descendant_until_it_ends() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_child(&child);
        assert!(descendants().unwrap().contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants().unwrap().contains(&pid));
    }
}
