//! Masks and nonces.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Masks and nonces that nobody foresees: SplitMix64 from a random seed. A mask keeps scripts of a page from writing bytes
/// that a proxy would take for HTTP (RFC 6455, section 10.3); here nobody but the plan's author writes them.
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new() -> Random {
        Random(RandomState::new().build_hasher().finish())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    #[inline]
    pub(super) fn mask(&mut self) -> [u8; 4] {
        ((self.next() >> 32) as u32).to_be_bytes()
    }

    pub(super) fn nonce(&mut self) -> [u8; 16] {
        (u128::from(self.next()) << 64 | u128::from(self.next())).to_be_bytes()
    }
}
