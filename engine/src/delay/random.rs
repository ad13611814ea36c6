//! Random numbers of a target or a proxy: a pure function of the seed and a number.

use crate::dataset;

/// The draws of one request, or of one round trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws {
    base: u64,
}

impl Draws {
    /// `number`: of the request that is complete or the round trip that begins, from 0 over all connections.
    pub(crate) fn new(seed: u64, number: u64) -> Draws {
        Draws { base: dataset::mix(dataset::mix(seed).wrapping_add(number)) }
    }

    /// Draw number `n`: uniform in [0, 1), with 53 bits.
    pub(crate) fn uniform(self, n: u64) -> f64 {
        (dataset::mix(self.base.wrapping_add(n)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_the_seed_decides() {
        let sum: f64 = (0..10_000).map(|request| Draws::new(1, request).uniform(0)).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.01, "{sum}");
        let [first, again, other] = [1, 1, 2].map(|seed| Draws::new(seed, 5).uniform(1).to_bits());
        assert!(first == again && first != other);
    }
}
