//! Whether a server still gets faster.
//!
//! What a server learns (compiled code, filled pools and caches) shows over time on a logarithmic scale: each doubling of
//! the time brings about as much as the last one did, or less. So the question is asked of the last doubling: the second
//! half of the warm-up is cut into [`STRETCHES`] of the same length. Each has the logarithms of its answers a second and of
//! its typical response time (the geometric mean), and the slope of either against the binary logarithm of time is what a
//! doubling brings. The slope is that of Theil and Sen, the median over all pairs: up to 29% of the stretches may be spoiled
//! by a pause of the garbage collector, by a checkpoint of the database or by a neighbour (P. J. Rousseeuw and A. M. Leroy,
//! Robust Regression and Outlier Detection, 1987, section 2.7). A server that gets slower is not cold.
//!
//! An open load's rate is its own: there, only response times can tell. In a closed load, times tell what bursts of answers
//! hide in counts, and counts tell what a few very slow answers hide in a typical time.

use super::course::{Course, Stretch};

/// In a doubling of time.
const STRETCHES: usize = 12;

/// Two points are always on a line; the median of three slopes leaves out two.
const LEAST_STRETCHES: usize = 3;

/// Two answers for each of so many stretches: with fewer, a slope is a draw.
const LEAST_ANSWERS: u64 = 6;

/// Of normal deviations, the standard one over the median of the absolute ones.
const STANDARD_OVER_MEDIAN: f64 = 1.4826;

/// What a doubling of time brings, as a slope of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// 0.1 is a tenth more, nearly.
    pub per_doubling: f64,
    /// Its standard error, by how far stretches are from the line.
    pub error: f64,
}

/// Of the last so many doublings of the warm-up's time: how much faster the server became, by answers a second or by
/// response times, whichever says more. `None` if there were too few answers to tell.
pub fn slope(course: &Course, doublings: u16, is_closed: bool) -> Option<Slope> {
    let from_seconds = course.last().at_seconds / f64::from(1 << doublings);
    let stretches = course.since(from_seconds, STRETCHES * usize::from(doublings));
    if stretches.iter().map(|stretch| stretch.verified).sum::<u64>() < LEAST_ANSWERS {
        return None;
    }
    let speed = |stretch: &Stretch| stretch.response_seconds.map(|seconds| -seconds.ln());
    // Half an answer more, so that a stretch without one has a logarithm.
    let pace = |stretch: &Stretch| Some(((stretch.verified as f64 + 0.5) / stretch.seconds).ln());
    let of_times = of_figure(&stretches, speed)?;
    let of_counts = if is_closed { of_figure(&stretches, pace) } else { None };
    Some(of_counts.filter(|counts| counts.per_doubling > of_times.per_doubling).unwrap_or(of_times))
}

/// Over the stretches that have the figure.
fn of_figure(stretches: &[Stretch], figure: impl Fn(&Stretch) -> Option<f64>) -> Option<Slope> {
    let doublings = |stretch: &Stretch| (stretch.until_seconds - stretch.seconds / 2.0).log2();
    let points: Vec<(f64, f64)> =
        stretches.iter().filter_map(|stretch| Some((doublings(stretch), figure(stretch)?))).collect();
    if points.len() < LEAST_STRETCHES {
        return None;
    }
    let pairs = points.iter().enumerate().flat_map(|(place, one)| {
        points[place + 1..].iter().map(move |other| (other.1 - one.1) / (other.0 - one.0))
    });
    let per_doubling = median(pairs.collect());
    let rests: Vec<f64> = points.iter().map(|(time, value)| value - per_doubling * time).collect();
    let offset = median(rests.clone());
    let deviation = STANDARD_OVER_MEDIAN * median(rests.iter().map(|rest| (rest - offset).abs()).collect());
    let mean = points.iter().map(|(time, _)| time).sum::<f64>() / points.len() as f64;
    let spread = points.iter().map(|(time, _)| (time - mean).powi(2)).sum::<f64>().sqrt();
    Some(Slope { per_doubling, error: deviation / spread })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}
