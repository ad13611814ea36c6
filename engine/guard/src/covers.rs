//! Folders of which the command finds less than there is, or more than their owner shows to others.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode};
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree};
use rustix::process::umask;

use crate::places;

/// What of the machine's folders the command does not find as they are.
#[derive(Debug, Default)]
pub struct Covers {
    /// Folders that nobody but their owner may enter. The command finds the folders in them, which keep the rights
    /// that they have; files in them it does not find. Outer ones first.
    pub opened: Vec<PathBuf>,
    /// Folders that the command finds empty, but for what is kept.
    pub hidden: Vec<PathBuf>,
    /// What stays below hidden folders, read-only: absolute paths.
    pub kept: Vec<PathBuf>,
}

/// Enters a mount namespace of its own, and covers the folders there. Without any it does nothing.
///
/// # Errors
/// The kernel's, with the folder.
pub(crate) fn enter(covers: &Covers) -> io::Result<()> {
    if covers.opened.is_empty() && covers.hidden.is_empty() {
        return Ok(());
    }
    let folder = std::env::current_dir()?;
    places::separate()?;
    // What is made here is for another user, whatever the lab lets others see.
    let before = umask(Mode::from_raw_mode(0o022));
    let done = cover(covers);
    umask(before);
    done?;
    // By its path: what the process stands in belongs to the mounts before.
    std::env::set_current_dir(folder)
}

fn cover(covers: &Covers) -> io::Result<()> {
    for folder in &covers.opened {
        open(folder).map_err(|error| places::named(folder, error))?;
    }
    for folder in &covers.hidden {
        hide(folder, &covers.kept).map_err(|error| places::named(folder, error))?;
    }
    Ok(())
}

/// Puts a folder that others may enter in its place, with the folders and links that it has.
fn open(folder: &Path) -> io::Result<()> {
    let (mut folders, mut links) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            links.push((entry.file_name(), fs::read_link(entry.path())?));
        } else if kind.is_dir() {
            match taken(&entry.path()) {
                // It has just been removed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                tree => folders.push((entry.file_name(), tree?)),
            }
        }
    }
    put_empty(folder)?;
    for (name, tree) in folders {
        let path = folder.join(name);
        fs::create_dir(&path)?;
        put(&tree, &path)?;
    }
    links.into_iter().try_for_each(|(name, target)| symlink(target, folder.join(name)))
}

/// Puts an empty folder in its place, with those of the kept paths that lie below it.
fn hide(folder: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let mut trees = Vec::new();
    for path in kept.iter().filter(|path| path.as_path() != folder && path.starts_with(folder)) {
        trees.push((path, path.is_dir(), taken(path)?));
    }
    put_empty(folder)?;
    for (path, is_folder, tree) in trees {
        if is_folder {
            fs::create_dir_all(path)?;
        } else {
            places::make_file(path)?;
        }
        put(&tree, path)?;
        places::make_read_only(path)?;
    }
    Ok(())
}

/// A copy of the mounts at a path, to be put elsewhere.
fn taken(path: &Path) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(CWD, path, flags)?)
}

fn put(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    Ok(move_mount(tree, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

fn put_empty(folder: &Path) -> io::Result<()> {
    Ok(mount("fairtrial", folder, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(c"mode=0711"))?)
}
