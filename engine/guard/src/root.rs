//! A root folder of its own, so that files can stand where the machine has no folder for them.
//!
//! A mount needs a place to be mounted on. Where there is none, the folders above it are made anew in memory. Every
//! entry of them is the machine's own, mounted at its place, and the missing one can be made beside them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind_recursive, unmount};
use rustix::process::pivot_root;

/// A folder that is always there, and that nobody needs while something is mounted over it for a moment.
pub(crate) const SCRATCH: &str = "/proc";

/// Where the machine's root is, for a moment.
const MACHINES: &str = "/.fairtrial-machine";

/// Makes anew every folder above these paths that the machine has. The caller is in a mount namespace of its own.
///
/// # Errors
/// The kernel's.
pub(crate) fn rebuild(missing: &[&Path]) -> io::Result<()> {
    let anew = folders_above(missing)?;
    mount("fairtrial", SCRATCH, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=0755"))?;
    fs::create_dir(format!("{SCRATCH}{MACHINES}"))?;
    pivot_root(SCRATCH, format!("{SCRATCH}{MACHINES}"))
        .map_err(|error| io::Error::other(format!("a root folder: {error}")))?;
    std::env::set_current_dir("/")?;
    fill(Path::new("/"), &anew)?;
    unmount(MACHINES, UnmountFlags::DETACH)?;
    fs::remove_dir(MACHINES)
}

/// Every folder of the machine that lies above one of these paths, links resolved.
fn folders_above(missing: &[&Path]) -> io::Result<BTreeSet<PathBuf>> {
    let mut above = BTreeSet::new();
    for path in missing {
        let deepest = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        above.extend(fs::canonicalize(deepest)?.ancestors().map(Path::to_path_buf));
    }
    Ok(above)
}

/// Puts every entry of a folder of the machine into the folder of the same path; in those that are made anew likewise.
fn fill(folder: &Path, anew: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(machines(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        match put(&entry, &path, anew) {
            // It has just been removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => remove(&path),
            Err(error) => return Err(io::Error::other(format!("{}: {error}", path.display()))),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn put(entry: &fs::DirEntry, path: &Path, anew: &BTreeSet<PathBuf>) -> io::Result<()> {
    let kind = entry.file_type()?;
    if kind.is_symlink() {
        return symlink(fs::read_link(entry.path())?, path);
    }
    if kind.is_dir() {
        fs::create_dir(path)?;
    } else {
        fs::File::create_new(path)?;
    }
    if anew.contains(path) {
        fs::set_permissions(path, entry.metadata()?.permissions())?;
        return fill(path, anew);
    }
    Ok(mount_bind_recursive(entry.path(), path)?)
}

fn machines(path: &Path) -> PathBuf {
    Path::new(MACHINES).join(path.strip_prefix("/").unwrap_or(path))
}

/// A place that was made for nothing; what it is, is not known any more.
fn remove(path: &Path) {
    let _ = fs::remove_dir(path).or_else(|_| fs::remove_file(path));
}
