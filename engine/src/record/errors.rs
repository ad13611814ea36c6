//! The kinds of errors, and how often each came.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a request did not end in a verified answer. Every such request has exactly one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum ErrorKind {
    /// The peer refused the connection.
    Refused,
    /// The connection broke: the peer reset it.
    Reset,
    /// The peer closed before the answer was complete.
    Closed,
    /// The peer ended a connection that had carried an answer, without having said so, and before any byte of the next
    /// one: clients that keep connections meet that race (RFC 9112, section 9.5).
    UnannouncedClose,
    /// No complete answer within the plan's `timeout_seconds`.
    Timeout,
    /// Any other failure to connect.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// Not sent: as many requests as allowed waited for a connection.
    Overflow,
    /// Not sent: its intended start was longer ago than the plan's `deadline_seconds`.
    Deadline,
    /// What came was not HTTP.
    Protocol,
    /// An unexpected status 1xx.
    Status1xx,
    /// An unexpected status 2xx.
    Status2xx,
    /// An unexpected status 3xx.
    Status3xx,
    /// An unexpected status 4xx.
    Status4xx,
    /// An unexpected status 5xx.
    Status5xx,
    /// A call by gRPC ended with an unexpected status.
    StatusGrpc,
    /// A body shorter or longer than expected.
    WrongLength,
    /// Another content type than expected.
    WrongHeader,
    /// Another body than expected.
    WrongBody,
    /// A body that was to be unpacked, and cannot be.
    WrongCoding,
}

impl ErrorKind {
    /// All kinds with the names they have in a summary.
    pub const ALL: [(ErrorKind, &'static str); 20] = [
        (ErrorKind::Refused, "refused"),
        (ErrorKind::Reset, "reset"),
        (ErrorKind::Closed, "closed"),
        (ErrorKind::UnannouncedClose, "unannounced_close"),
        (ErrorKind::Timeout, "timeout"),
        (ErrorKind::Connect, "connect"),
        (ErrorKind::Tls, "tls"),
        (ErrorKind::Overflow, "overflow"),
        (ErrorKind::Deadline, "deadline"),
        (ErrorKind::Protocol, "protocol"),
        (ErrorKind::Status1xx, "status_1xx"),
        (ErrorKind::Status2xx, "status_2xx"),
        (ErrorKind::Status3xx, "status_3xx"),
        (ErrorKind::Status4xx, "status_4xx"),
        (ErrorKind::Status5xx, "status_5xx"),
        (ErrorKind::StatusGrpc, "status_grpc"),
        (ErrorKind::WrongLength, "wrong_length"),
        (ErrorKind::WrongHeader, "wrong_header"),
        (ErrorKind::WrongBody, "wrong_body"),
        (ErrorKind::WrongCoding, "wrong_coding"),
    ];

    /// The kind of an unexpected status. One outside of 100 to 599 is treated as 5xx (RFC 9110, section 15).
    pub fn of_status(status: u16) -> ErrorKind {
        match status / 100 {
            1 => ErrorKind::Status1xx,
            2 => ErrorKind::Status2xx,
            3 => ErrorKind::Status3xx,
            4 => ErrorKind::Status4xx,
            _ => ErrorKind::Status5xx,
        }
    }

    /// True if the peer has ended a connection without having said so.
    pub fn is_by_peer(self) -> bool {
        matches!(self, ErrorKind::Closed | ErrorKind::Reset | ErrorKind::UnannouncedClose)
    }

    /// The kind's name in a summary.
    pub fn name(self) -> &'static str {
        ErrorKind::ALL[self as usize].1
    }
}

/// Errors by kind.
#[derive(Clone, Debug, Default)]
pub struct ErrorCounts([u64; ErrorKind::ALL.len()]);

impl ErrorCounts {
    /// Counts one error.
    pub fn add(&mut self, kind: ErrorKind) {
        self.0[kind as usize] += 1;
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &ErrorCounts) {
        for (count, added) in self.0.iter_mut().zip(&other.0) {
            *count += added;
        }
    }
}

/// An object with every kind, in the order of [`ErrorKind::ALL`].
impl Serialize for ErrorCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(ErrorKind::ALL.iter().map(|(kind, name)| (name, self.0[*kind as usize])))
    }
}

impl<'d> Deserialize<'d> for ErrorCounts {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<ErrorCounts, D::Error> {
        let by_name = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let mut counts = ErrorCounts::default();
        for (name, count) in by_name {
            let known = ErrorKind::ALL.iter().position(|(_, known)| *known == name);
            let place =
                known.ok_or_else(|| D::Error::custom(format!("there is no kind of error `{name}`")))?;
            counts.0[place] = count;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_at_its_own_place() {
        for (place, (kind, name)) in ErrorKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, place);
            assert_eq!(kind.name(), *name);
        }
    }

    #[test]
    fn all_kinds_are_written() {
        let mut counts = ErrorCounts::default();
        counts.add(ErrorKind::WrongBody);
        let mut merged = counts.clone();
        merged.merge(&counts);
        let written = serde_json::to_value(&merged).unwrap();
        assert_eq!(written.as_object().unwrap().len(), 20);
        assert_eq!((&written["wrong_body"], &written["refused"]), (&2.into(), &0.into()));
    }
}
