//! Random numbers of a target: a pure function of the seed and the request's number.

use crate::dataset;

/// The draws of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    base: u64,
}

impl Draws {
    /// `request`: 0 for the first that was complete, over all connections.
    pub(super) fn new(seed: u64, request: u64) -> Draws {
        Draws { base: dataset::mix(dataset::mix(seed).wrapping_add(request)) }
    }

    /// Draw number `n`: uniform in [0, 1), with 53 bits.
    pub(super) fn uniform(self, n: u64) -> f64 {
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
