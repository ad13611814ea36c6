//! The connection and the operation of a completion, in the 64 bits that the kernel hands back.

/// What was asked of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Operation {
    /// Whatever comes of it is of no interest.
    Ignored = 0,
    Stop = 1,
    Connect = 2,
    Receive = 3,
    /// A send that ends while it is submitted, and completes only if it fell short.
    SendAtOnce = 4,
    /// A send that may wait for the peer.
    SendPatiently = 5,
    /// A send to a socket that is closed right behind it.
    Farewell = 6,
}

/// A connection and its socket's generation: what completes late, for a socket that was closed, is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub operation: Operation,
    /// 24 bits; counts a connection's sockets.
    pub generation: u32,
    pub number: u32,
}

const GENERATION_BITS: u32 = 24;
const GENERATION_MASK: u32 = (1 << GENERATION_BITS) - 1;

impl Tag {
    pub(super) const STOP: Tag = Tag { operation: Operation::Stop, generation: 0, number: 0 };
    pub(super) const IGNORED: Tag = Tag { operation: Operation::Ignored, generation: 0, number: 0 };

    #[inline]
    pub(super) fn to_bits(self) -> u64 {
        (self.operation as u64) << 56
            | u64::from(self.generation & GENERATION_MASK) << 32
            | u64::from(self.number)
    }

    #[inline]
    pub(super) fn from_bits(bits: u64) -> Tag {
        let operation = match bits >> 56 {
            1 => Operation::Stop,
            2 => Operation::Connect,
            3 => Operation::Receive,
            4 => Operation::SendAtOnce,
            5 => Operation::SendPatiently,
            6 => Operation::Farewell,
            _ => Operation::Ignored,
        };
        Tag { operation, generation: (bits >> 32) as u32 & GENERATION_MASK, number: bits as u32 }
    }
}

/// The generation after this one.
#[inline]
pub(super) fn next_generation(generation: u32) -> u32 {
    (generation + 1) & GENERATION_MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_survives_the_kernel() {
        for operation in [
            Operation::Ignored,
            Operation::Stop,
            Operation::Connect,
            Operation::Receive,
            Operation::SendAtOnce,
            Operation::SendPatiently,
            Operation::Farewell,
        ] {
            for (generation, number) in [(0, 0), (1, 15_999), (GENERATION_MASK, u32::MAX)] {
                let tag = Tag { operation, generation, number };
                assert_eq!(Tag::from_bits(tag.to_bits()), tag);
            }
        }
        assert_eq!(next_generation(GENERATION_MASK), 0);
    }
}
