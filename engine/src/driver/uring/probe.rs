//! Whether io_uring does here what the driver needs: tried, not concluded from version numbers.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use rustix::net::addr::SocketAddrArg;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};

use super::memory::Buffers;
use super::ring::Ring;
use super::setup;
use super::tag::{Operation, Tag};

const PATIENCE_NS: u64 = 1_000_000_000;

/// Sends and receives a byte as the driver does, in a ring with places for so many connections.
///
/// # Errors
/// The kernel's, or what it did otherwise than expected.
pub(in crate::driver) fn probe(connections: u32) -> io::Result<()> {
    let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let nowhere = [SocketAddr::from((Ipv4Addr::LOCALHOST, 1)).as_any()];
    let mut io_uring = setup::create()?;
    let mut ring = Ring::new(&mut io_uring, connections, Buffers { count: 8, bytes: 64 }, nowhere.iter())?;
    let tag = |operation| Tag { operation, generation: 0, number: 0 };
    ring.install(0, &ours)?;
    send(&theirs, b"1", SendFlags::NOSIGNAL)?;
    ring.receive(tag(Operation::Receive));
    ring.send_at_once(tag(Operation::SendAtOnce), b"2");
    ring.enter(PATIENCE_NS)?;
    let lacks = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what.to_owned()));
    let Some(completion) = ring.next_completion() else { return lacks("a receive did not complete") };
    if let Err(error) = completion.result {
        return Err(error.into());
    }
    if completion.tag.operation != Operation::Receive || !completion.goes_on {
        return lacks("no receive that goes on, or no silent send");
    }
    if completion.filled.is_none_or(|filled| ring.bytes(&filled) != b"1") {
        return lacks("no provided buffers");
    }
    let mut answer = [0; 2];
    match recv(&theirs, &mut answer, RecvFlags::DONTWAIT) {
        Ok((1, _)) if answer[0] == b'2' => Ok(()),
        _ => lacks("a send did not end while it was submitted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_why_or_works() {
        match probe(16) {
            Ok(()) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
