//! Files and host names that the command alone sees: in a mount namespace of its own, which ends with its last process.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use crate::root::{self, SCRATCH};

const HOSTS: &str = "/etc/hosts";

/// What the command alone sees.
#[derive(Debug, Default)]
pub struct Places {
    /// Files and folders at other places than their own.
    pub files: Vec<Place>,
    /// Host names with their addresses, beside those that the machine has.
    pub hosts: Vec<(String, String)>,
}

/// A file or a folder at a place where the machine has another one, or none.
#[derive(Debug)]
pub struct Place {
    /// Where the command finds it: an absolute path.
    pub path: PathBuf,
    /// The file or the folder itself: an absolute path.
    pub source: PathBuf,
}

/// Enters a mount namespace of its own, and there puts everything at its place. Without anything to put it does nothing.
///
/// # Errors
/// The kernel's, with the place; or the places contradict each other.
pub(crate) fn enter(places: &Places) -> io::Result<()> {
    if places.files.is_empty() && places.hosts.is_empty() {
        return Ok(());
    }
    let paths = paths(places)?;
    for place in &places.files {
        fs::metadata(&place.source).map_err(|error| named(&place.source, error))?;
    }
    let folder = env::current_dir()?;
    separate()?;
    let missing: Vec<&Path> = paths.into_iter().filter(|path| !path.exists()).collect();
    if !missing.is_empty() {
        root::rebuild(&missing)?;
    }
    for place in &places.files {
        put(place, missing.contains(&place.path.as_path())).map_err(|error| named(&place.path, error))?;
    }
    if !places.hosts.is_empty() {
        put_hosts(&places.hosts, missing.contains(&Path::new(HOSTS)))
            .map_err(|error| named(Path::new(HOSTS), error))?;
    }
    // By its path: what the process stands in belongs to the mounts before.
    env::set_current_dir(folder)
}

/// Every path at which something is put.
fn paths(places: &Places) -> io::Result<Vec<&Path>> {
    let mut paths: Vec<&Path> = places.files.iter().map(|place| place.path.as_path()).collect();
    if !places.hosts.is_empty() {
        paths.push(Path::new(HOSTS));
    }
    for (number, path) in paths.iter().enumerate() {
        if !path.is_absolute()
            || path.parent().is_none()
            || path.components().any(|part| part.as_os_str() == "..")
        {
            return Err(named(path, io::Error::other("not an absolute path")));
        }
        // It would be made within what is put there, which is somebody's.
        if paths.iter().enumerate().any(|(other, above)| other != number && path.starts_with(above)) {
            return Err(named(path, io::Error::other("something else is put here or above")));
        }
    }
    Ok(paths)
}

/// Enters a mount namespace of its own. Nothing that is mounted here is mounted for anybody else.
pub(crate) fn separate() -> io::Result<()> {
    unshare().map_err(|error| io::Error::other(format!("a mount namespace: {error}")))?;
    Ok(mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?)
}

/// A mount namespace; where that is not allowed, one in a user namespace, in which the user stays who he is.
#[expect(deprecated, reason = "the other is unsafe for the sake of a flag that is not given here: FILES")]
fn unshare() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    match rustix::thread::unshare(UnshareFlags::NEWNS) {
        Err(Errno::PERM) => {}
        outcome => return Ok(outcome?),
    }
    rustix::thread::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Puts a file or a folder at its place, read-only.
fn put(place: &Place, is_missing: bool) -> io::Result<()> {
    if is_missing {
        if place.source.is_dir() {
            fs::create_dir_all(&place.path)?;
        } else {
            make_file(&place.path)?;
        }
    }
    mount_bind_recursive(&place.source, &place.path)?;
    make_read_only(&place.path)
}

/// The hosts of the machine, and before them those of the command.
fn put_hosts(hosts: &[(String, String)], is_missing: bool) -> io::Result<()> {
    let own: String = hosts.iter().map(|(name, address)| format!("{address} {name}\n")).collect();
    let machines = if is_missing { Vec::new() } else { fs::read(HOSTS)? };
    if is_missing {
        make_file(Path::new(HOSTS))?;
    }
    // A file that no folder of the machine holds: it is in memory, and ends with the namespace.
    mount("fairtrial", SCRATCH, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, None)?;
    let file = Path::new(SCRATCH).join("hosts");
    fs::write(&file, [own.as_bytes(), &machines].concat())?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    mount_bind(&file, HOSTS)?;
    unmount(SCRATCH, UnmountFlags::DETACH)?;
    make_read_only(Path::new(HOSTS))
}

pub(crate) fn make_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(path).map(drop)
}

/// What is mounted there keeps its other restrictions: to lift one would be refused in a user namespace.
pub(crate) fn make_read_only(path: &Path) -> io::Result<()> {
    let has = statvfs(path)?.f_flag;
    let kept = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
    ];
    let kept = kept.into_iter().filter(|&(flag, _)| has.contains(flag)).map(|(_, flag)| flag);
    let flags = kept.fold(MountFlags::BIND | MountFlags::RDONLY, |all, flag| all | flag);
    Ok(mount_remount(path, flags, "")?)
}

pub(crate) fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}
