//! Control groups of the command's own, where they may be made (cgroups(7)): one by which the kernel kills the whole
//! tree at once, and one that the tree cannot leave, with processors that it cannot leave either.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The names of all groups that guards make begin like this; the guard's process id follows.
pub const NAME: &str = "fairtrial-guard-";

/// The groups of one command. Those that cannot be made are left out.
#[derive(Debug, Default)]
pub struct ControlGroups {
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    folder: PathBuf,
    /// That of the guard itself, and above the other.
    guards: PathBuf,
    is_unified: bool,
}

impl ControlGroups {
    /// Makes the groups, and moves the guard into them: what it starts now is in them from its beginning.
    ///
    /// `cpus`: processors to which they are held; empty: to none.
    pub fn join(cpus: &[u32]) -> ControlGroups {
        let (Ok(mounts), Ok(own)) =
            (fs::read_to_string("/proc/self/mountinfo"), fs::read_to_string("/proc/self/cgroup"))
        else {
            return ControlGroups::default();
        };
        let unified = folder_of(&mounts, &own, None).and_then(|guards| Group::join(guards, cpus, true).ok());
        let has_cpus = unified.as_ref().is_some_and(|group| group.folder.join("cpuset.cpus").exists());
        let cpuset =
            if cpus.is_empty() || has_cpus { None } else { folder_of(&mounts, &own, Some("cpuset")) };
        let cpuset = cpuset.and_then(|guards| Group::join(guards, cpus, false).ok());
        ControlGroups { groups: unified.into_iter().chain(cpuset).collect() }
    }

    /// Moves the guard back. It takes no time on the command's processors, and is not killed with it.
    ///
    /// # Errors
    /// The kernel's.
    pub fn leave(&self) -> io::Result<()> {
        self.groups.iter().try_for_each(|group| fs::write(group.guards.join("cgroup.procs"), "0"))
    }

    /// Kills all that is in them at once. False if the kernel has no way for that.
    pub fn kill(&self) -> bool {
        let mut unified = self.groups.iter().filter(|group| group.is_unified);
        unified.next().is_some_and(|group| fs::write(group.folder.join("cgroup.kill"), "1").is_ok())
    }
}

impl Drop for ControlGroups {
    fn drop(&mut self) {
        for group in &self.groups {
            // One that still holds a process stays.
            let _ = fs::remove_dir(&group.folder);
        }
    }
}

impl Group {
    fn join(guards: PathBuf, cpus: &[u32], is_unified: bool) -> io::Result<Group> {
        sweep(&guards);
        let folder = guards.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Group { folder, guards, is_unified };
        let joined = group.hold(cpus).and_then(|()| fs::write(group.folder.join("cgroup.procs"), "0"));
        if joined.is_err() {
            let _ = fs::remove_dir(&group.folder);
        }
        joined.map(|()| group)
    }

    fn hold(&self, cpus: &[u32]) -> io::Result<()> {
        let file = self.folder.join("cpuset.cpus");
        if cpus.is_empty() || !file.exists() {
            return Ok(());
        }
        let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
        fs::write(file, list.join(","))?;
        if self.is_unified {
            return Ok(()); // all memory nodes, unless they are named
        }
        fs::write(self.folder.join("cpuset.mems"), fs::read(self.guards.join("cpuset.mems"))?)
    }
}

/// Removes groups of guards that were killed. The kernel keeps those in which a process is.
fn sweep(guards: &Path) {
    for entry in fs::read_dir(guards).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.strip_prefix(NAME)) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The folder of this process's group: of a controller of version 1, or of the hierarchy of version 2.
fn folder_of(mounts: &str, own: &str, controller: Option<&str>) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let named = controllers.split(',').any(|name| Some(name) == controller);
        (named || (controller.is_none() && controllers.is_empty())).then_some(path)
    })?;
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let (mut fields, mut kind) = (before.split(' ').skip(3), after.split(' '));
        let (root, point) = (fields.next()?, fields.next()?);
        let (filesystem, options) = (kind.next()?, kind.nth(1)?);
        let is_wanted = match controller {
            None => filesystem == "cgroup2",
            Some(name) => filesystem == "cgroup" && options.split(',').any(|option| option == name),
        };
        // A container may see only the part of the hierarchy that is its own.
        let below = Path::new(path).strip_prefix(root).ok()?;
        let inside = below.components().all(|part| part.as_os_str() != "..");
        (is_wanted && inside).then(|| Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n\
        35 30 0:30 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n\
        36 30 0:31 /lab /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n\
        37 30 0:32 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct";

    fn found(own: &str, controller: Option<&str>) -> Option<PathBuf> {
        folder_of(MOUNTS, own, controller)
    }

    #[test]
    fn groups_are_found_in_both_versions() {
        let own = "4:cpu,cpuacct:/a\n3:cpuset:/lab/b\n0::/user.slice/c:d\n";
        assert_eq!(found(own, None).unwrap(), Path::new("/sys/fs/cgroup/unified/user.slice/c:d"));
        assert_eq!(found(own, Some("cpuset")).unwrap(), Path::new("/sys/fs/cgroup/cpuset/b"));
        assert_eq!(found(own, Some("cpuacct")).unwrap(), Path::new("/sys/fs/cgroup/cpu,cpuacct/a"));
        assert_eq!(found(own, Some("memory")), None);
    }

    #[test]
    fn groups_that_cannot_be_seen_are_not_found() {
        assert_eq!(found("3:cpuset:/other\n0::/../elsewhere\n", Some("cpuset")), None);
        assert_eq!(found("0::/../elsewhere\n", None), None);
        assert_eq!(found("", None), None);
    }
}
