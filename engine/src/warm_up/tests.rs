//! Servers as the rule sees them: what comes of it for those that are warm, and for those that are not.

use super::{Course, Rule, Sample, WarmUp, WarmUpEnd};
use crate::dataset::mix;

const STEP_SECONDS: f64 = 0.02;
const LIMIT_SECONDS: f64 = 30.0;
const RUNS: u64 = 100;

/// A server and its load.
#[derive(Clone)]
struct World {
    least_seconds: f64,
    /// Answers a second when it is warm.
    pace: f64,
    /// Of an open load.
    rate_per_second: Option<f64>,
    /// Speed at a moment, 1 when it is warm.
    speed: fn(f64) -> f64,
    /// Of the logarithm of one answer's response time.
    deviation: f64,
    /// Of the logarithm of a second's speed, correlated by 0.5 from second to second.
    drift: f64,
    /// A neighbour takes 40% for up to two seconds, so often.
    bursts_per_second: f64,
    /// Of every so many seconds, so many in which next to nothing is answered.
    pauses: Option<(f64, f64)>,
    /// All answers of so many seconds come at once.
    batch_seconds: Option<f64>,
}

fn steady() -> World {
    World {
        least_seconds: 1.0,
        pace: 5000.0,
        rate_per_second: None,
        speed: |_| 1.0,
        deviation: 1.0,
        drift: 0.0,
        bursts_per_second: 0.0,
        pauses: None,
        batch_seconds: None,
    }
}

/// Draws that depend on a seed alone.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((mix(self.0) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn poisson(&mut self, mean: f64) -> f64 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let (mut count, mut left) = (0.0, self.uniform());
        while left > (-mean).exp() {
            left *= self.uniform();
            count += 1.0;
        }
        count
    }
}

impl World {
    /// When its window opens, and how its warm-up ended.
    fn opens(&self, seed: u64) -> (f64, WarmUpEnd) {
        let mut draws = Draws(mix(seed));
        let rule = Rule {
            least_seconds: self.least_seconds,
            limit_seconds: LIMIT_SECONDS,
            is_closed: self.rate_per_second.is_none(),
        };
        let mut warm_up = WarmUp::new(rule, STEP_SECONDS);
        let (mut verified, mut log_response, mut drift, mut burst_until) = (0.0, 0.0, 0.0, 0.0);
        for step in 1.. {
            let at_seconds = f64::from(step) * STEP_SECONDS;
            if step % 50 == 0 {
                drift = 0.5 * drift + self.drift * 0.75_f64.sqrt() * draws.normal();
            }
            if draws.uniform() < self.bursts_per_second * STEP_SECONDS {
                burst_until = at_seconds + 2.0 * draws.uniform();
            }
            let mut speed = (self.speed)(at_seconds) * f64::exp(drift);
            if at_seconds < burst_until {
                speed *= 0.6;
            }
            if self.pauses.is_some_and(|(every, length)| at_seconds % every < length) {
                speed *= 0.05;
            }
            let mut answers = draws.poisson(self.rate_per_second.unwrap_or(self.pace * speed) * STEP_SECONDS);
            if let Some(every) = self.batch_seconds {
                let batches = (at_seconds / every).floor() - ((at_seconds - STEP_SECONDS) / every).floor();
                answers = batches * (self.pace * every).round();
            }
            verified += answers;
            log_response += answers * (1e9 * 16.0 / (self.pace * speed)).log2();
            log_response += answers.sqrt() * self.deviation * draws.normal();
            let sample = Sample { at_seconds, verified: verified as u64, errors: 0, log_response };
            if let Some(end) = warm_up.add(sample) {
                return (at_seconds, end);
            }
        }
        unreachable!("there is a limit")
    }

    /// All runs, those whose windows open first in front.
    fn runs(&self) -> Vec<(f64, WarmUpEnd)> {
        let mut runs: Vec<_> = (0..RUNS).map(|seed| self.opens(seed)).collect();
        runs.sort_by(|one, other| one.0.total_cmp(&other.0));
        runs
    }

    /// Median and 99th percentile of the warm-up's length, and the share that ended as rising.
    fn lengths(&self) -> (f64, f64, f64) {
        let runs = self.runs();
        let rising = runs.iter().filter(|run| run.1 == WarmUpEnd::Rising).count();
        let at = |share: f64| runs[((runs.len() - 1) as f64 * share).round() as usize].0;
        (at(0.5), at(0.99), rising as f64 / runs.len() as f64)
    }
}

fn saturating(time_constant_seconds: f64, at_seconds: f64) -> f64 {
    1.0 - 0.85 * (-at_seconds / time_constant_seconds).exp()
}

#[test]
fn a_warm_server_is_known_soon() {
    let steady = steady();
    for (name, world, median, longest) in [
        ("steady", World { deviation: 0.4, ..steady.clone() }, 1.05, 2.0),
        ("uneven answers", steady.clone(), 1.05, 2.0),
        ("slow", World { pace: 200.0, deviation: 0.4, ..steady.clone() }, 1.25, 2.5),
        ("correlated by 5%", World { drift: 0.05, ..steady.clone() }, 1.05, 2.0),
        ("correlated by 15%", World { drift: 0.15, ..steady.clone() }, 1.05, 3.0),
        ("a pause each second", World { pauses: Some((1.0, 0.05)), ..steady.clone() }, 1.05, 2.0),
        ("long pauses", World { pauses: Some((1.0, 0.25)), ..steady.clone() }, 1.05, 2.0),
        ("a busy neighbour", World { bursts_per_second: 0.3, ..steady.clone() }, 1.05, 3.0),
        ("checkpoints", World { pauses: Some((10.0, 3.0)), ..steady.clone() }, 1.25, 4.0),
        (
            "bursts",
            World { pace: 6400.0, batch_seconds: Some(0.01007), deviation: 0.05, ..steady.clone() },
            1.05,
            2.0,
        ),
        ("open, 1000/s", World { rate_per_second: Some(1000.0), ..steady.clone() }, 1.05, 2.0),
        ("open, 50/s", World { rate_per_second: Some(50.0), deviation: 0.4, ..steady.clone() }, 1.25, 3.0),
    ] {
        let (half, nearly_all, rising) = world.lengths();
        assert!(
            half <= median && nearly_all <= longest && rising == 0.0,
            "{name}: {half} {nearly_all} {rising}"
        );
    }
}

#[test]
fn a_server_of_few_answers_is_waited_for() {
    for (pace, batch_seconds, longest) in [(3.0, None, 20.0), (53.0, Some(0.3), 3.0), (16.0, Some(1.0), 10.0)]
    {
        let world = World { pace, batch_seconds, deviation: 0.4, ..steady() };
        let (_, nearly_all, rising) = world.lengths();
        assert!(nearly_all <= longest && rising == 0.0, "{pace} a second: {nearly_all} {rising}");
    }
}

#[test]
fn a_window_opens_when_the_server_is_warm() {
    let steady = steady();
    let three = World { speed: |at| saturating(3.0, at), ..steady.clone() };
    for (name, world) in [
        ("0.3 s", World { speed: |at| saturating(0.3, at), ..steady.clone() }),
        ("1 s", World { speed: |at| saturating(1.0, at), ..steady.clone() }),
        ("3 s", three.clone()),
        ("3 s, open", World { rate_per_second: Some(1000.0), ..three.clone() }),
        ("3 s, with pauses", World { pauses: Some((1.0, 0.05)), ..three.clone() }),
        (
            "a third more at each doubling",
            World { speed: |at| (at / 16.0).min(1.0).powf(0.415), ..steady.clone() },
        ),
    ] {
        // The first twentieth opens early: by chance.
        let early = world.runs()[RUNS as usize / 20];
        assert!((world.speed)(early.0) > 0.95 && early.1 == WarmUpEnd::Flat, "{name}: {early:?}");
    }
    // Seconds that differ by 15% hide what a doubling brings; half of the windows open where three quarters of the rise
    // are over.
    let noisy = World { drift: 0.15, ..three };
    assert!((noisy.speed)(noisy.lengths().0) > 0.75);
}

#[test]
fn what_is_cold_at_the_limit_is_rising() {
    for speed in [|at: f64| saturating(10.0, at), |at: f64| (at / 60.0).powf(0.263)] {
        let (_, _, rising) = World { speed, ..steady() }.lengths();
        assert!(rising > 0.9, "{rising}");
    }
}

#[test]
fn a_server_that_gets_slower_is_not_cold() {
    let world = World { speed: |at| 1.0 / (1.0 + at), ..steady() };
    assert!(world.lengths().1 < 1.1);
}

#[test]
fn a_few_slow_answers_show_in_counts() {
    // The typical time stays, and there are ever more answers: those that take a second become fewer.
    let rule = Rule { least_seconds: 1.0, limit_seconds: 30.0, is_closed: true };
    let mut warm_up = WarmUp::new(rule, STEP_SECONDS);
    for step in 1..=50 {
        let at_seconds = f64::from(step) * STEP_SECONDS;
        warm_up.add(Sample { at_seconds, verified: (step * step) as u64, ..Sample::default() });
    }
    assert!(warm_up.goes_on() && warm_up.rise().unwrap() > 0.5);
}

#[test]
fn nothing_is_said_of_what_does_not_answer() {
    let rule = Rule { least_seconds: 0.5, limit_seconds: 8.0, is_closed: true };
    for (errors_per_step, length) in [(0, 8.0), (1, 1.0)] {
        let mut warm_up = WarmUp::new(rule, STEP_SECONDS);
        let samples = (1..).map(|step: u32| Sample {
            at_seconds: f64::from(step) * STEP_SECONDS,
            errors: u64::from(step * errors_per_step),
            ..Sample::default()
        });
        let ended =
            samples.map(|sample| (sample.at_seconds, warm_up.add(sample))).find(|(_, end)| end.is_some());
        assert_eq!(ended, Some((length, Some(WarmUpEnd::Unknown))));
    }
}

#[test]
fn a_short_limit_leaves_it_open() {
    let rule = Rule { least_seconds: 0.1, limit_seconds: 0.5, is_closed: true };
    let mut warm_up = WarmUp::new(rule, STEP_SECONDS);
    let sample = |step: u32| Sample {
        at_seconds: f64::from(step) * STEP_SECONDS,
        verified: u64::from(step * step),
        ..Sample::default()
    };
    let end = (1..=25).find_map(|step| warm_up.add(sample(step)));
    assert_eq!((end, warm_up.rise()), (Some(WarmUpEnd::Unknown), None));
}

#[test]
fn a_long_warm_up_keeps_every_second_sample() {
    let rule = Rule { least_seconds: 100.0, limit_seconds: 100.0, is_closed: true };
    let mut warm_up = WarmUp::new(rule, STEP_SECONDS);
    let samples = (1..=5000).map(|step: u32| Sample {
        at_seconds: f64::from(step) * STEP_SECONDS,
        verified: u64::from(step) * 20,
        log_response: f64::from(step) * 400.0,
        ..Sample::default()
    });
    let end = samples.filter_map(|sample| warm_up.add(sample)).next();
    assert_eq!(end, Some(WarmUpEnd::Flat));
    let written = serde_json::to_value(warm_up.written()).unwrap();
    assert_eq!(written["until_seconds"].as_array().unwrap().len(), 60);
    let paces = written["verified_per_second"].as_array().unwrap();
    assert!(paces.iter().all(|pace| (pace.as_f64().unwrap() - 1000.0).abs() < 1e-6));
}

#[test]
fn the_samples_of_a_long_warm_up_are_evenly_apart() {
    let mut course = Course::new(STEP_SECONDS);
    for step in 1..=5000_u32 {
        course.add(Sample { at_seconds: f64::from(step) * STEP_SECONDS, ..Sample::default() });
    }
    let lengths: Vec<f64> = course.since(0.0, 1024).iter().map(|stretch| stretch.seconds).collect();
    assert!(lengths.iter().all(|length| (length - lengths[0]).abs() < STEP_SECONDS / 2.0), "{lengths:?}");
}
