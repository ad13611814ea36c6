//! When how much of an answer may go out: pure functions of the time since its first byte was due.

/// Parts of a slow body.
const PARTS: u64 = 10;

/// Between head and body of [`Shape::Pause`].
pub(super) const PAUSE_NS: u64 = 40_000_000;

/// How an answer goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// All at once.
    Whole,
    /// The head, and 40 ms later the body.
    Pause,
    /// Head and a tenth of the body, and the other tenths evenly until this long later.
    Slow(u64),
    /// Head and half of the body; then the connection closes.
    Cut,
    /// Nothing; the connection is reset.
    Reset,
}

impl Shape {
    /// Bytes that may have gone out, `elapsed_ns` after the first was due.
    pub(super) fn allowed(self, head_bytes: usize, all_bytes: usize, elapsed_ns: u64) -> usize {
        let body_bytes = all_bytes - head_bytes;
        match self {
            Shape::Pause if elapsed_ns < PAUSE_NS => head_bytes,
            Shape::Slow(length_ns) if elapsed_ns < length_ns => {
                let parts = 1 + u128::from(PARTS - 1) * u128::from(elapsed_ns) / u128::from(length_ns);
                head_bytes + (body_bytes as u128 * parts / u128::from(PARTS)) as usize
            }
            Shape::Whole | Shape::Pause | Shape::Slow(_) => all_bytes,
            Shape::Cut => head_bytes + body_bytes / 2,
            Shape::Reset => 0,
        }
    }

    /// When more may go out, as nanoseconds after the first byte was due; `None`: never.
    pub(super) fn next_ns(self, elapsed_ns: u64) -> Option<u64> {
        match self {
            Shape::Pause if elapsed_ns < PAUSE_NS => Some(PAUSE_NS),
            Shape::Slow(length_ns) if elapsed_ns < length_ns => {
                let (elapsed, length, gaps) =
                    (u128::from(elapsed_ns), u128::from(length_ns), u128::from(PARTS - 1));
                Some(((elapsed * gaps / length + 1) * length).div_ceil(gaps) as u64)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(after, bytes)` of every step.
    fn steps(shape: Shape) -> Vec<(u64, usize)> {
        let mut steps = vec![(0, shape.allowed(100, 200, 0))];
        while let Some(next_ns) = shape.next_ns(steps[steps.len() - 1].0) {
            assert!(next_ns == 1 || shape.allowed(100, 200, next_ns - 1) == steps[steps.len() - 1].1);
            steps.push((next_ns, shape.allowed(100, 200, next_ns)));
        }
        steps
    }

    #[test]
    fn a_slow_body_comes_in_ten_parts() {
        let expected: Vec<_> = (0..10).map(|part| (part * 100, 110 + 10 * part as usize)).collect();
        assert_eq!(steps(Shape::Slow(900)), expected);
        let uneven = steps(Shape::Slow(1_000_000));
        assert_eq!((uneven.len(), uneven[9]), (10, (1_000_000, 200)));
    }

    #[test]
    fn the_other_shapes() {
        assert_eq!(steps(Shape::Whole), [(0, 200)]);
        assert_eq!(steps(Shape::Pause), [(0, 100), (PAUSE_NS, 200)]);
        assert_eq!(steps(Shape::Cut), [(0, 150)]);
        assert_eq!(steps(Shape::Reset), [(0, 0)]);
    }
}
