//! Why a body cannot be unpacked.

use std::fmt;

use crate::http1::response::Coding;

/// A body may have so many members of gzip, or frames of zstd.
pub(super) const MOST_PARTS: usize = 1000;

/// What is wrong with a coded body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The request names other codings, or this is none that has a name.
    NotAsked(Coding),
    /// It is longer than so many bytes, packed or unpacked.
    TooLong {
        /// The most that is allowed.
        limit: usize,
    },
    /// It ends before the coding does.
    Cut(Coding),
    /// It goes on behind the coding's end.
    Surplus(Coding),
    /// It has more members or frames than [`MOST_PARTS`].
    ManyParts(Coding),
    /// It is not what its name says.
    Broken(Coding),
    /// Its zstd refers to what is further back than an answer's may (RFC 9659).
    FarBack,
    /// A stream of deflate without the frame of zlib (RFC 9110, section 8.4.1.2).
    RawDeflate,
}

/// For people.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::NotAsked(coding @ (Coding::Unknown | Coding::Several)) => {
                write!(formatter, "the body is {}", coding.name())
            }
            Fault::NotAsked(coding) => {
                write!(formatter, "the body is {}, which the request does not ask for", coding.name())
            }
            Fault::TooLong { limit } => {
                write!(formatter, "the body is longer than {} MiB, packed or unpacked", limit >> 20)
            }
            Fault::Cut(coding) => write!(formatter, "the body ends before its {} does", coding.name()),
            Fault::Surplus(coding) => {
                write!(formatter, "the body goes on behind the end of its {}", coding.name())
            }
            Fault::ManyParts(coding) => {
                write!(formatter, "the body has more than {MOST_PARTS} parts of {}", coding.name())
            }
            Fault::Broken(coding) => write!(formatter, "the body is no {}, or a broken one", coding.name()),
            Fault::FarBack => formatter.write_str("the body's zstd has a window above 8 MiB (RFC 9659)"),
            Fault::RawDeflate => {
                formatter.write_str("the body is deflate without zlib's frame (RFC 9110, section 8.4.1.2)")
            }
        }
    }
}
