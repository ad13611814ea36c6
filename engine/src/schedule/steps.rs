//! One constant rate after the other.
//!
//! Before step s, C(s) = Σ r·d over the steps before it requests have begun, at the time D(s) = Σ d. Request i belongs to
//! the step with C(s) ≤ i < C(s + 1) and begins at D(s) + (i − C(s)) / r(s). The last step goes on without end.

use crate::plan::Step;

/// Requests at piecewise constant rates.
#[derive(Clone, Debug)]
pub struct Steps {
    pieces: Vec<Piece>,
    /// The step of the last request asked for: numbers only grow.
    current: usize,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    per_second: f64,
    begins_seconds: f64,
    /// Requests before it.
    begins_at: f64,
}

impl Steps {
    /// `steps`: at least one, each at least 0 per second.
    pub fn new(steps: &[Step]) -> Steps {
        let (mut begins_seconds, mut begins_at) = (0.0, 0.0);
        let pieces = steps
            .iter()
            .map(|step| {
                let piece = Piece { per_second: step.rate_per_second, begins_seconds, begins_at };
                begins_seconds += step.seconds;
                begins_at += step.rate_per_second * step.seconds;
                piece
            })
            .collect();
        Steps { pieces, current: 0 }
    }

    /// When request `number`, from 0, begins: nanoseconds since the first step's begin; `None` if the last step's rate is
    /// 0 and the number lies beyond it. Numbers must not fall from call to call.
    #[inline]
    pub fn at_ns(&mut self, number: u64) -> Option<u64> {
        let number = number as f64;
        while self.pieces.get(self.current + 1).is_some_and(|next| next.begins_at <= number) {
            self.current += 1;
        }
        let piece = self.pieces[self.current];
        if piece.per_second == 0.0 {
            return None;
        }
        let at = piece.begins_seconds + (number - piece.begins_at) / piece.per_second;
        Some((at * 1e9).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rate_per_second: f64, seconds: f64) -> Step {
        Step { rate_per_second, seconds }
    }

    #[test]
    fn every_step_has_its_integral() {
        let given = [step(100.0, 2.0), step(0.0, 1.0), step(2500.0, 0.5), step(10.0, 3.0)];
        let mut steps = Steps::new(&given);
        let starts: Vec<u64> = (0..1480).map_while(|number| steps.at_ns(number)).collect();
        assert!(starts.is_sorted());
        let within = |from: f64, to: f64| {
            let range = (from * 1e9) as u64..(to * 1e9) as u64;
            starts.iter().filter(|at_ns| range.contains(at_ns)).count()
        };
        assert_eq!(
            [within(0.0, 2.0), within(2.0, 3.0), within(3.0, 3.5), within(3.5, 6.5)],
            [200, 0, 1250, 30]
        );
        assert_eq!((starts[1], starts[199], starts[200]), (10_000_000, 1_990_000_000, 3_000_000_000));
    }

    #[test]
    fn the_last_step_goes_on_unless_it_is_a_pause() {
        assert_eq!(Steps::new(&[step(10.0, 1.0)]).at_ns(100), Some(10_000_000_000));
        let mut with_pause = Steps::new(&[step(10.0, 1.0), step(0.0, 1.0)]);
        assert_eq!((with_pause.at_ns(9), with_pause.at_ns(10)), (Some(900_000_000), None));
    }
}
