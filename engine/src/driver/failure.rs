//! Why a connection could not be made, or broke.

use std::borrow::Cow;

use rustix::io::Errno;

use crate::record::ErrorKind;

/// Why a connect has failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How it is counted.
    pub kind: ErrorKind,
    /// What happened, for an example; may be empty.
    pub explanation: Cow<'static, str>,
    /// Why, by its name in a summary, where the kind alone does not tell.
    pub cause: Option<&'static str>,
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Failure {
        let (kind, explanation) = match error {
            Errno::CONNREFUSED => (ErrorKind::Refused, "nobody listens there"),
            Errno::CONNRESET => (ErrorKind::Reset, "the peer reset the connection while it was made"),
            Errno::TIMEDOUT => (ErrorKind::Timeout, "the kernel gave up connecting"),
            Errno::ADDRNOTAVAIL => (
                ErrorKind::Connect,
                "EADDRNOTAVAIL: no local port is left for this server; keep connections alive, widen \
                 net.ipv4.ip_local_port_range, or offer less",
            ),
            Errno::NETUNREACH => (ErrorKind::Connect, "ENETUNREACH: no route to the server's network"),
            Errno::HOSTUNREACH => (ErrorKind::Connect, "EHOSTUNREACH: the server cannot be reached"),
            Errno::NOENT => (ErrorKind::Connect, "ENOENT: there is no such socket file"),
            Errno::ACCESS | Errno::PERM => (ErrorKind::Connect, "connecting there is not permitted"),
            // A Unix socket's queue is full; a TCP connect would wait.
            Errno::AGAIN => (ErrorKind::Connect, "EAGAIN: the server's queue of new connections is full"),
            Errno::MFILE | Errno::NFILE => (ErrorKind::Connect, "too many open files here"),
            _ => (ErrorKind::Connect, "the connect failed"),
        };
        Failure { kind, explanation: explanation.into(), cause: None }
    }
}

/// The kind of an error on an open connection.
pub(super) fn transfer_error(error: Errno) -> ErrorKind {
    match error {
        Errno::CONNRESET | Errno::PIPE => ErrorKind::Reset,
        _ => ErrorKind::Closed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connects_fail_by_kind_and_name_their_cause() {
        let kind = |error| Failure::from(error).kind;
        assert_eq!(kind(Errno::CONNREFUSED), ErrorKind::Refused);
        assert_eq!(kind(Errno::TIMEDOUT), ErrorKind::Timeout);
        assert_eq!(kind(Errno::HOSTUNREACH), ErrorKind::Connect);
        let exhausted = Failure::from(Errno::ADDRNOTAVAIL);
        assert_eq!(exhausted.kind, ErrorKind::Connect);
        assert!(exhausted.explanation.contains("no local port"));
    }

    #[test]
    fn open_connections_break_by_kind() {
        assert_eq!(transfer_error(Errno::PIPE), ErrorKind::Reset);
        assert_eq!(transfer_error(Errno::TIMEDOUT), ErrorKind::Closed);
    }
}
