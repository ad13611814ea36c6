//! Ranks by Zipf's law, in constant time and memory for any number of ranks.
//!
//! Rejection-inversion: W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6 (1996) 169–184. With h(x) = x^−q and its integral H, a uniform u on
//! (H(1.5) − h(1), H(n + 0.5)] is inverted to x = H⁻¹(u) and rounded to k. The bars of the histogram lie under h's
//! integral over [k − 0.5, k + 0.5]; what is above a bar is rejected: k is taken if u ≥ H(k + 0.5) − h(k). For
//! k − x ≤ s = 2 − H⁻¹(H(2.5) − h(2)) that is always so, which saves the test.

/// Draws ranks.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    ranks: f64,
    exponent: f64,
    integral_low: f64,
    integral_high: f64,
    squeeze: f64,
}

impl Zipf {
    /// `ranks` from 1 to 2^53, `exponent` above 0.
    pub fn new(ranks: u64, exponent: f64) -> Zipf {
        let ranks = ranks as f64;
        let mut zipf = Zipf { ranks, exponent, integral_low: 0.0, integral_high: 0.0, squeeze: 0.0 };
        zipf.integral_low = zipf.integral(1.5) - 1.0;
        zipf.integral_high = zipf.integral(ranks + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.height(2.0));
        zipf
    }

    /// A rank; `uniform` gives independent numbers of [0, 1).
    #[inline]
    pub fn draw(&self, mut uniform: impl FnMut() -> f64) -> u64 {
        loop {
            let area = self.integral_high + uniform() * (self.integral_low - self.integral_high);
            let x = self.inverse(area);
            let rank = x.round().clamp(1.0, self.ranks);
            if rank - x <= self.squeeze || area >= self.integral(rank + 0.5) - self.height(rank) {
                return rank as u64;
            }
        }
    }

    /// h(x) = x^−q.
    fn height(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    /// H(x) = (x^(1 − q) − 1) / (1 − q), and ln x for q = 1.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let power = (1.0 - self.exponent) * log;
        log * if power.abs() > 1e-8 { power.exp_m1() / power } else { 1.0 + power / 2.0 }
    }

    /// H⁻¹(y) = (1 + y·(1 − q))^(1 / (1 − q)), and e^y for q = 1.
    fn inverse(&self, y: f64) -> f64 {
        let product = (y * (1.0 - self.exponent)).max(-1.0);
        let log = y * if product.abs() > 1e-8 { product.ln_1p() / product } else { 1.0 - product / 2.0 };
        log.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::mix;

    /// Pearson's statistic of `draws` draws over ranks up to 50 and the rest, and its degrees of freedom.
    fn chi_square(ranks: u64, exponent: f64, tested: f64, draws: u64) -> (f64, f64) {
        let zipf = Zipf::new(ranks, exponent);
        let mut state = 99;
        let uniform = || {
            state += 1;
            (mix(state) >> 11) as f64 / 9_007_199_254_740_992.0
        };
        let bins = ranks.min(51) as usize;
        let mut counts = vec![0_u64; bins];
        let mut uniform = uniform;
        for _ in 0..draws {
            let rank = zipf.draw(&mut uniform);
            assert!((1..=ranks).contains(&rank));
            counts[(rank as usize - 1).min(bins - 1)] += 1;
        }
        let weight = |rank: u64| (rank as f64).powf(-tested);
        let sum: f64 = (1..=ranks).map(weight).sum();
        let mut statistic = 0.0;
        for (place, &count) in counts.iter().enumerate() {
            let rank = place as u64 + 1;
            let share =
                if place == bins - 1 { (rank..=ranks).map(weight).sum::<f64>() } else { weight(rank) } / sum;
            let expected = share * draws as f64;
            statistic += (count as f64 - expected).powi(2) / expected;
        }
        (statistic, bins as f64 - 1.0)
    }

    /// The 0.999 quantile of chi-square by Wilson and Hilferty.
    fn critical(degrees: f64) -> f64 {
        let spread = 2.0 / (9.0 * degrees);
        degrees * (1.0 - spread + 3.09 * spread.sqrt()).powi(3)
    }

    #[test]
    fn frequencies_are_zipf_s() {
        for (ranks, exponent) in [(2, 1.0), (10, 0.5), (1000, 1.0), (1000, 1.1), (100_000, 0.99), (500, 3.0)]
        {
            let (statistic, degrees) = chi_square(ranks, exponent, exponent, 200_000);
            assert!(statistic < critical(degrees), "{ranks} {exponent}: {statistic} at {degrees}");
        }
        let (statistic, degrees) = chi_square(1000, 1.0, 1.05, 200_000);
        assert!(statistic > critical(degrees), "the test can tell exponents apart");
    }

    #[test]
    fn a_single_rank_and_very_many() {
        assert_eq!(Zipf::new(1, 1.0).draw(|| 0.3), 1);
        let zipf = Zipf::new(1 << 53, 1.0);
        assert!(zipf.draw(|| 0.0) <= 1 << 53);
        assert_eq!(zipf.draw(|| 1.0 - f64::EPSILON), 1);
    }
}
