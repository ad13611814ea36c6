//! Makes the kernel's side of a ring.

use std::io;

use io_uring::IoUring;
use rustix::io::Errno;

/// How much a ring holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Requests that one call submits at most.
    pub submissions: u32,
    /// Completions that wait to be read at most; the kernel keeps what is beyond, at a price.
    pub completions: u32,
}

const SIZES: Sizes = Sizes { submissions: 256, completions: 4096 };

/// When the kernel does its part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// When this thread asks for completions, never in between; kernels before 6.1 cannot.
    Deferred,
    /// Whenever this thread calls the kernel.
    Cooperative,
}

/// The best first.
pub(super) const WORK: [Work; 2] = [Work::Deferred, Work::Cooperative];

/// Makes the kernel's side of a ring.
///
/// # Errors
/// The kernel's: too old, or not permitted.
pub(super) fn create() -> io::Result<IoUring> {
    first_known(|work| build(work, SIZES))
}

/// What is built with the first kind of work that the kernel knows.
fn first_known<T>(mut build: impl FnMut(Work) -> io::Result<T>) -> io::Result<T> {
    let mut unknown = io::Error::from(Errno::INVAL);
    for work in WORK {
        match build(work) {
            // So it answers to a flag that it does not know. Whatever else it says, it would say to all.
            Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => unknown = error,
            made => return made,
        }
    }
    Err(unknown)
}

pub(super) fn build(work: Work, sizes: Sizes) -> io::Result<IoUring> {
    let mut builder = IoUring::builder();
    builder.setup_clamp().setup_submit_all().setup_cqsize(sizes.completions).setup_single_issuer();
    match work {
        Work::Deferred => builder.setup_defer_taskrun(),
        Work::Cooperative => builder.setup_coop_taskrun(),
    };
    let io_uring = builder.setup_taskrun_flag().build(sizes.submissions)?;
    let params = io_uring.params();
    let needed = [
        ("ext_arg", params.is_feature_ext_arg()),
        ("nodrop", params.is_feature_nodrop()),
        ("skip_cqe_on_success", params.is_feature_skip_cqe_on_success()),
        ("submit_stable", params.is_feature_submit_stable()),
    ];
    match needed.iter().find(|(_, is_there)| !is_there) {
        Some((name, _)) => Err(io::Error::other(format!("this kernel's io_uring lacks {name}"))),
        None => Ok(io_uring),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was tried, and what came of it, where the kernel says this to each.
    fn tried(answers: [Result<(), Errno>; 2]) -> (Vec<Work>, Result<Work, Option<i32>>) {
        let mut tried = Vec::new();
        let made = first_known(|work| {
            tried.push(work);
            answers[tried.len() - 1].map(|()| work).map_err(io::Error::from)
        });
        (tried, made.map_err(|error| error.raw_os_error()))
    }

    #[test]
    fn an_unknown_flag_leads_to_the_next_kind_and_nothing_else_does() {
        use Work::{Cooperative, Deferred};
        let code = |errno: Errno| Err(Some(errno.raw_os_error()));
        assert_eq!(tried([Ok(()), Ok(())]), (vec![Deferred], Ok(Deferred)));
        assert_eq!(tried([Err(Errno::INVAL), Ok(())]), (vec![Deferred, Cooperative], Ok(Cooperative)));
        assert_eq!(tried([Err(Errno::PERM), Ok(())]), (vec![Deferred], code(Errno::PERM)));
        assert_eq!(
            tried([Err(Errno::INVAL), Err(Errno::INVAL)]),
            (vec![Deferred, Cooperative], code(Errno::INVAL))
        );
    }
}
