//! Binding to processors.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Binds the calling thread, and what it starts from now on, to these processors.
///
/// # Errors
/// If none of them exists or may be used; the text names them.
pub fn bind(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        if cpu as usize >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("there is no processor {cpu}")));
        }
        set.set(cpu as usize);
    }
    sched_setaffinity(None, &set)
        .map_err(|error| io::Error::other(format!("cannot be bound to processors {cpus:?}: {error}")))
}

/// The processors that the calling thread may use.
///
/// # Errors
/// The kernel's.
pub fn allowed() -> io::Result<CpuSet> {
    Ok(sched_getaffinity(None)?)
}

/// Sets what [`allowed`] gave.
///
/// # Errors
/// The kernel's.
pub fn restore(set: &CpuSet) -> io::Result<()> {
    Ok(sched_setaffinity(None, set)?)
}
