//! Draws the bodies that are looked at as a whole.

use ring::rand::{SecureRandom as _, SystemRandom};

use crate::dataset::mix;

/// Draws one call of every so many, at a place that nobody can know before.
///
/// Calls are taken in groups; in each, one place is drawn. So the share is exact, and no two answers in a row are both
/// safe or both looked at for certain. The draws come from the system's randomness, not from the plan's seed: a server
/// that knows plan, program and order of its requests does not know them. One draw is made for each group.
#[derive(Debug)]
pub(super) struct Sample {
    every: u32,
    /// Calls that are left in this group.
    left: u32,
    /// The call is due after which so many are left.
    due_at: u32,
    secret: u64,
    draws: u64,
}

impl Sample {
    /// One of `every` calls; 1: all of them.
    pub(super) fn new(every: u32) -> Sample {
        let mut secret = [0; 8];
        SystemRandom::new().fill(&mut secret).expect("the kernel gives random numbers");
        Sample::seeded(every, u64::from_ne_bytes(secret))
    }

    fn seeded(every: u32, secret: u64) -> Sample {
        Sample { every, left: 0, due_at: 0, secret, draws: 0 }
    }

    /// Whether this call is drawn.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        if self.left == 0 {
            self.left = self.every;
            self.due_at = self.place();
        }
        self.left -= 1;
        self.left == self.due_at
    }

    /// A place in a group, uniform in [0, every): the upper half of a product has no division and hardly a bias
    /// (D. Lemire, ACM Transactions on Modeling and Computer Simulation 29 (2019), 3).
    fn place(&mut self) -> u32 {
        self.draws += 1;
        let drawn = u128::from(mix(self.secret.wrapping_add(self.draws)));
        ((drawn * u128::from(self.every)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By place in the group, how often it was drawn, in so many groups.
    fn drawn_places(sample: &mut Sample, groups: usize) -> Vec<usize> {
        let every = sample.every as usize;
        let mut counts = vec![0; every];
        for _ in 0..groups {
            let due: Vec<usize> = (0..every).filter(|_| sample.is_due()).collect();
            assert_eq!(due.len(), 1);
            counts[due[0]] += 1;
        }
        counts
    }

    #[test]
    fn each_group_has_one_and_every_place_is_as_likely() {
        let counts = drawn_places(&mut Sample::seeded(16, 7), 16_000);
        // 1,000 expected at each place; five standard deviations are 153.
        assert!(counts.iter().all(|count| count.abs_diff(1000) < 153), "{counts:?}");
    }

    #[test]
    fn one_of_one_is_always_due() {
        let mut all = Sample::new(1);
        assert!((0..100).all(|_| all.is_due()));
    }

    #[test]
    fn garbage_at_fixed_places_is_found_as_often_as_anywhere_else() {
        // A cheat that knows how a counter works leaves the first of every sixteen right, and four around it.
        let mut sample = Sample::new(16);
        let found =
            (0..16_000).filter(|ordinal| sample.is_due() && (5..12).contains(&(ordinal % 16))).count();
        // 7 of 16 places, 1,000 draws: 437 expected; six standard deviations are 94.
        assert!(found.abs_diff(437) < 94, "{found}");
    }

    #[test]
    fn two_samples_differ() {
        let [first, second] = [(); 2].map(|()| {
            let mut sample = Sample::new(1 << 20);
            (sample.place(), sample.place(), sample.place())
        });
        assert_ne!(first, second);
    }
}
