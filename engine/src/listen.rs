//! Where a target or a proxy listens.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, getsockname, ipproto, listen, socket_with,
    sockopt,
};

/// The kernel caps it at net.core.somaxconn.
const BACKLOG: i32 = 65_535;

const SOCKET_FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// Where to listen, or where a target or a proxy listens. Written as the plan's `address`: `127.0.0.1:80`, `[::1]:80`,
/// `unix:/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// IPv4 or IPv6; port 0 takes a free one.
    Tcp(SocketAddr),
    /// A Unix socket's path.
    Unix(PathBuf),
}

impl fmt::Display for Listen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::Tcp(address) => address.fmt(formatter),
            Listen::Unix(path) => write!(formatter, "unix:{}", path.display()),
        }
    }
}

/// A listening socket. A Unix socket's file goes with it.
#[derive(Debug)]
pub(crate) struct Listener {
    pub socket: OwnedFd,
    pub address: Listen,
}

impl Listener {
    pub(crate) fn bind(at: &Listen) -> io::Result<Listener> {
        match at {
            Listen::Tcp(address) => bind_tcp(address),
            Listen::Unix(path) => bind_unix(path),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listen::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
    }
}

fn bind_tcp(address: &SocketAddr) -> io::Result<Listener> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SOCKET_FLAGS, Some(ipproto::TCP))?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    // Accepted sockets inherit it.
    sockopt::set_tcp_nodelay(&socket, true)?;
    bind(&socket, address)?;
    listen(&socket, BACKLOG)?;
    let bound = SocketAddr::try_from(getsockname(&socket)?)?;
    Ok(Listener { socket, address: Listen::Tcp(bound) })
}

fn bind_unix(path: &Path) -> io::Result<Listener> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SOCKET_FLAGS, None)?;
    let address = SocketAddrUnix::new(path)?;
    match bind(&socket, &address) {
        Err(Errno::ADDRINUSE) if is_left_over(path) => {
            fs::remove_file(path)?;
            bind(&socket, &address)?;
        }
        bound => bound?,
    }
    listen(&socket, BACKLOG)?;
    Ok(Listener { socket, address: Listen::Unix(path.to_owned()) })
}

/// A socket at which nobody listens any more, as a killed server leaves it.
fn is_left_over(path: &Path) -> bool {
    UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        && fs::symlink_metadata(path)
            .is_ok_and(|file| std::os::unix::fs::FileTypeExt::is_socket(&file.file_type()))
}
