//! The linear ramp.
//!
//! From the rate a at 0 to the rate b at T, r(t) = a + (b − a)·t/T. By the time t,
//!
//! N(t) = ∫ r dt = a·t + (b − a)·t² / 2T
//!
//! requests have begun, and request i begins where N(t) = i. Of the two roots of that quadratic the one that lies on the
//! ramp is, in the form that does not cancel digits when a and b are close,
//!
//! t = 2i / (a + √(a² + 2·(b − a)·i / T)).
//!
//! On a falling ramp the root's argument becomes negative beyond the ramp's last request.

/// Requests whose rate changes linearly.
#[derive(Clone, Copy, Debug)]
pub struct Ramp {
    from: f64,
    to: f64,
    seconds: f64,
}

impl Ramp {
    /// From one rate per second to another, both at least 0 and not both 0, over a time above 0.
    pub fn new(from_per_second: f64, to_per_second: f64, seconds: f64) -> Ramp {
        Ramp { from: from_per_second, to: to_per_second, seconds }
    }

    /// When request `number`, from 0, begins: nanoseconds since the ramp's begin; `None` beyond its end.
    #[inline]
    pub fn at_ns(&self, number: u64) -> Option<u64> {
        if number == 0 {
            return Some(0);
        }
        let number = number as f64;
        let discriminant = self.from * self.from + 2.0 * (self.to - self.from) * number / self.seconds;
        if discriminant < 0.0 {
            return None;
        }
        let at = 2.0 * number / (self.from + discriminant.sqrt());
        (at <= self.seconds).then(|| (at * 1e9).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// N(t) of the module's comment.
    fn integral(from: f64, to: f64, seconds: f64, at: f64) -> f64 {
        from * at + (to - from) * at * at / (2.0 * seconds)
    }

    #[test]
    fn every_request_begins_where_the_integral_reaches_its_number() {
        for (from, to, seconds) in
            [(0.0, 5000.0, 4.0), (5000.0, 0.0, 4.0), (100.0, 100.0, 9.0), (70.0, 90.0, 0.5)]
        {
            let ramp = Ramp::new(from, to, seconds);
            let total = integral(from, to, seconds, seconds);
            let starts: Vec<u64> = (0..).map_while(|number| ramp.at_ns(number)).collect();
            assert!((starts.len() as f64 - total).abs() <= 1.0, "{} of {total}", starts.len());
            assert!(starts.is_sorted());
            for (number, &at_ns) in starts.iter().enumerate() {
                let reached = integral(from, to, seconds, at_ns as f64 / 1e9);
                assert!((reached - number as f64).abs() < 1e-4, "{number}: {reached}");
            }
        }
    }

    #[test]
    fn half_of_the_time_of_a_ramp_from_0_brings_a_quarter_of_its_requests() {
        let ramp = Ramp::new(0.0, 1000.0, 10.0);
        assert_eq!(ramp.at_ns(1250), Some(5_000_000_000));
        assert_eq!((ramp.at_ns(0), ramp.at_ns(5001)), (Some(0), None));
    }
}
