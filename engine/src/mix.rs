//! Which request of the mix comes next.

use crate::dataset;

/// Draws requests by weight: a pure function of the seed, the thread and the number of draws.
#[derive(Debug)]
pub struct RequestMix {
    /// Running sums of the weights.
    sums: Vec<u64>,
    state: u64,
}

impl RequestMix {
    /// `weights`: one per request, each at least 1.
    pub fn new(weights: impl Iterator<Item = u32>, seed: u64, thread: u64) -> RequestMix {
        let sums = weights
            .scan(0, |sum, weight| {
                *sum += u64::from(weight);
                Some(*sum)
            })
            .collect();
        RequestMix { sums, state: dataset::mix(dataset::mix(seed).wrapping_add(thread)) }
    }

    /// Place of the next request.
    #[inline]
    pub fn draw(&mut self) -> usize {
        if self.sums.len() == 1 {
            return 0;
        }
        self.state = self.state.wrapping_add(1);
        let drawn = dataset::mix(self.state) % self.sums[self.sums.len() - 1];
        self.sums.partition_point(|&sum| sum <= drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_met_and_the_seed_decides() {
        let draws = |seed| {
            let mut mix = RequestMix::new([1, 3, 6].into_iter(), seed, 0);
            (0..10_000).map(|_| mix.draw()).collect::<Vec<_>>()
        };
        let count = |place| draws(7).iter().filter(|&&drawn| drawn == place).count();
        for (place, expected) in [(0, 1000), (1, 3000), (2, 6000)] {
            assert!(count(place).abs_diff(expected) < 200, "{place}: {}", count(place));
        }
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
    }
}
