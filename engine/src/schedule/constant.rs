//! The constant rate.
//!
//! By the time t, ∫ r dt = r·t requests have begun. Request i begins when that integral reaches i: at i / r. No sum runs
//! along, so nothing drifts: a double holds the nanoseconds of a week exactly to a fraction of one.

/// Requests at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    per_second: f64,
}

impl Constant {
    /// `per_second`: above 0.
    pub fn new(per_second: f64) -> Constant {
        Constant { per_second }
    }

    /// When request `number`, from 0, begins: nanoseconds since the first one.
    #[inline]
    pub fn at_ns(&self, number: u64) -> u64 {
        (number as f64 * 1e9 / self.per_second).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_is_met_without_drift() {
        for rate in [0.1, 3.0, 2000.0, 123_456.789] {
            let constant = Constant::new(rate);
            for seconds in [1.0, 60.0, 86_400.0] {
                let number = (rate * seconds).floor();
                let expected_ns = number / rate * 1e9;
                assert!((constant.at_ns(number as u64) as f64 - expected_ns).abs() <= 1.0);
            }
        }
        assert_eq!((Constant::new(3.0).at_ns(0), Constant::new(3.0).at_ns(3)), (0, 1_000_000_000));
    }
}
