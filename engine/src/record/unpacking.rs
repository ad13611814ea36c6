//! Coded bodies that were unpacked before they were judged.

use serde::{Deserialize, Serialize};

use crate::clock;

/// Of the window: of a thread, or of all.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Unpacking {
    /// Answers whose coded body was whole, and within its bound.
    pub answers: u64,
    /// Those of them, up to 256 KiB, whose bytes were those of the answer before to the same request: not unpacked anew.
    pub unchanged: u64,
    /// Of their bodies, as they came.
    pub packed_bytes: u64,
    /// Of their bodies, unpacked.
    pub unpacked_bytes: u64,
    /// Processor time, also of bodies that could not be unpacked.
    pub cpu_ns: u64,
}

/// The same, as a summary has it.
#[derive(Debug, Serialize)]
pub struct UnpackingWritten {
    answers: u64,
    unchanged: u64,
    packed_bytes: u64,
    unpacked_bytes: u64,
    cpu_seconds: f64,
}

impl Unpacking {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Unpacking) -> Unpacking {
        Unpacking {
            answers: self.answers + other.answers,
            unchanged: self.unchanged + other.unchanged,
            packed_bytes: self.packed_bytes + other.packed_bytes,
            unpacked_bytes: self.unpacked_bytes + other.unpacked_bytes,
            cpu_ns: self.cpu_ns + other.cpu_ns,
        }
    }

    /// As a summary has it.
    pub fn written(self) -> UnpackingWritten {
        let Unpacking { answers, unchanged, packed_bytes, unpacked_bytes, cpu_ns } = self;
        let cpu_seconds = clock::seconds(cpu_ns);
        UnpackingWritten { answers, unchanged, packed_bytes, unpacked_bytes, cpu_seconds }
    }
}
