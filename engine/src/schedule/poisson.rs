//! Poisson arrivals: requests of many users who know nothing of each other.
//!
//! The gaps of a Poisson process of rate r are independent and exponential: P(gap > g) = e^(−r·g). So −ln(u) / r is a gap
//! if u is uniform on (0, 1]. Independent processes of the rates r/n superpose to one of the rate r: with n threads each
//! draws its own.
//!
//! Draw k is a pure function of the seed and k, so the same seed gives the same arrivals.

use crate::dataset::mix;

/// 2^−53: the distance of the doubles that a draw can come to.
const GRAIN: f64 = 1.0 / 9_007_199_254_740_992.0;

/// Requests with exponential gaps.
#[derive(Clone, Copy, Debug)]
pub struct Poisson {
    mean_gap_ns: f64,
    state: u64,
    at_ns: f64,
}

impl Poisson {
    /// `per_second`: above 0. `seed`: another one for every thread and phase.
    pub fn new(per_second: f64, seed: u64) -> Poisson {
        Poisson { mean_gap_ns: 1e9 / per_second, state: mix(seed), at_ns: 0.0 }
    }

    /// When the next request begins: nanoseconds since the process's begin.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        self.state = self.state.wrapping_add(1);
        let uniform = ((mix(self.state) >> 11) + 1) as f64 * GRAIN;
        self.at_ns -= uniform.ln() * self.mean_gap_ns;
        self.at_ns.round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::goodness::{exponential_fits, kolmogorov_smirnov};
    use super::*;

    fn starts(rate: f64, seed: u64, count: usize) -> Vec<u64> {
        let mut poisson = Poisson::new(rate, seed);
        (0..count).map(|_| poisson.next_ns()).collect()
    }

    #[test]
    fn gaps_are_exponential_and_the_integral_is_met() {
        let starts = starts(2000.0, 7, 20_000);
        assert!(exponential_fits(&starts, 2000.0));
        assert!(!exponential_fits(&starts, 2100.0), "the test can tell rates apart");
        // The number within 10 s is Poisson distributed: its deviation is the root of its mean.
        let seconds = *starts.last().unwrap() as f64 / 1e9;
        assert!((seconds - 10.0).abs() < 4.0 * 20_000_f64.sqrt() / 2000.0, "{seconds}");
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(starts(10.0, 1, 100), starts(10.0, 1, 100));
        assert_ne!(starts(10.0, 1, 100), starts(10.0, 2, 100));
    }

    #[test]
    fn processes_superpose() {
        let mut merged: Vec<u64> = (0..4).flat_map(|thread| starts(500.0, thread, 5000)).collect();
        merged.sort_unstable();
        let common_end = (0..4).map(|thread| *starts(500.0, thread, 5000).last().unwrap()).min().unwrap();
        merged.retain(|&at_ns| at_ns <= common_end);
        assert!(exponential_fits(&merged, 2000.0));
    }

    #[test]
    fn within_a_window_arrivals_are_uniform() {
        let starts = starts(1000.0, 3, 10_000);
        let end = *starts.last().unwrap() as f64;
        let shares: Vec<f64> = starts[..9_999].iter().map(|&at_ns| at_ns as f64 / end).collect();
        assert!(kolmogorov_smirnov(&shares));
    }
}
