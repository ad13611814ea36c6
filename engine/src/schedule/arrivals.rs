//! One thread's share of an open load's arrivals, through warm-up and window.
//!
//! Each phase has a process of its own that begins with it, so the window's arrivals do not depend on the warm-up's
//! length. Of n threads, thread t takes arrivals t, t + n, t + 2n, … of a deterministic process; a Poisson process is
//! split into n independent ones. Either way the union over all threads is the planned process.

use super::Timeline;
use super::constant::Constant;
use super::poisson::Poisson;
use super::ramp::Ramp;
use super::steps::Steps;
use crate::dataset::mix;
use crate::plan::{Load, Step};

/// Which of several threads this is.
#[derive(Clone, Copy, Debug)]
pub struct ThreadShare {
    /// From 0.
    pub thread: u64,
    /// How many there are.
    pub threads: u64,
}

/// Intended starts, in ascending order.
#[derive(Clone, Debug)]
pub struct Arrivals {
    warm_up: Process,
    window: Process,
    share: ThreadShare,
    /// Number of the next arrival in its phase, over all threads.
    number: u64,
    origin_ns: u64,
    opens_ns: u64,
    is_in_window: bool,
    next_ns: u64,
}

#[derive(Clone, Debug)]
enum Process {
    Silent,
    Constant(Constant),
    Poisson(Poisson),
    Ramp(Ramp),
    Steps(Steps),
}

impl Process {
    fn constant(per_second: f64) -> Process {
        if per_second > 0.0 { Process::Constant(Constant::new(per_second)) } else { Process::Silent }
    }

    #[inline]
    fn at_ns(&mut self, number: u64) -> Option<u64> {
        match self {
            Process::Silent => None,
            Process::Constant(constant) => Some(constant.at_ns(number)),
            Process::Poisson(poisson) => Some(poisson.next_ns()),
            Process::Ramp(ramp) => ramp.at_ns(number),
            Process::Steps(steps) => steps.at_ns(number),
        }
    }
}

impl Arrivals {
    /// The arrivals of a load; `None` of a closed one. `window_seconds`: the planned length, known for every ramp.
    pub fn new(load: &Load, window_seconds: Option<f64>, share: ThreadShare, seed: u64) -> Option<Arrivals> {
        let (warm_up, window) = match load {
            Load::Closed { .. } => return None,
            Load::Constant { rate_per_second, .. } => {
                (Process::constant(*rate_per_second), Process::constant(*rate_per_second))
            }
            Load::Poisson { rate_per_second, .. } => {
                let process = |phase: u64| {
                    let own_seed = mix(mix(seed).wrapping_add(2 * share.thread + phase));
                    Process::Poisson(Poisson::new(rate_per_second / share.threads as f64, own_seed))
                };
                (process(0), process(1))
            }
            Load::Ramp { from_per_second, to_per_second, .. } => {
                let seconds = window_seconds.expect("a ramp's plan has its window's length");
                let ramp = Ramp::new(*from_per_second, *to_per_second, seconds);
                (Process::constant(*from_per_second), Process::Ramp(ramp))
            }
            Load::Steps { steps, .. } => {
                let first = steps.first().map_or(0.0, |step: &Step| step.rate_per_second);
                (Process::constant(first), Process::Steps(Steps::new(steps)))
            }
        };
        Some(Arrivals {
            warm_up,
            window,
            share,
            number: share.thread,
            origin_ns: 0,
            opens_ns: 0,
            is_in_window: false,
            next_ns: u64::MAX,
        })
    }

    /// Places the arrivals on the run's clock.
    pub fn begin(&mut self, timeline: Timeline) {
        (self.origin_ns, self.opens_ns) = (timeline.starts_ns, timeline.opens_ns);
        self.is_in_window = false;
        self.number = self.share.thread;
        self.find_next();
    }

    /// The window opens earlier than they were told: at this moment, which is to come.
    pub fn open_at(&mut self, opens_ns: u64) {
        if self.is_in_window {
            // The warm-up had no arrival left, and the window's first one moves with it.
            let earlier_ns = self.opens_ns - opens_ns;
            self.origin_ns = opens_ns;
            self.next_ns = if self.next_ns == u64::MAX { u64::MAX } else { self.next_ns - earlier_ns };
        } else if self.next_ns >= opens_ns {
            self.begin_window(opens_ns);
        }
        self.opens_ns = opens_ns;
    }

    /// The next intended start; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next arrival.
    #[inline]
    pub fn take(&mut self) -> u64 {
        let taken_ns = self.next_ns;
        self.find_next();
        taken_ns
    }

    /// There are no more.
    pub fn end(&mut self) {
        self.next_ns = u64::MAX;
    }

    #[inline]
    fn find_next(&mut self) {
        if self.is_in_window {
            let offset_ns = self.window.at_ns(self.number);
            self.number += self.share.threads;
            self.next_ns = offset_ns.map_or(u64::MAX, |offset_ns| self.origin_ns + offset_ns);
            return;
        }
        let next_ns = self.warm_up.at_ns(self.number).map(|offset_ns| self.origin_ns + offset_ns);
        self.number += self.share.threads;
        match next_ns {
            Some(next_ns) if next_ns < self.opens_ns => self.next_ns = next_ns,
            _ => self.begin_window(self.opens_ns),
        }
    }

    fn begin_window(&mut self, opens_ns: u64) {
        self.is_in_window = true;
        (self.origin_ns, self.number) = (opens_ns, self.share.thread);
        self.find_next();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::goodness::exponential_fits;
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const TIMELINE: Timeline = Timeline { starts_ns: 5 * SECOND, opens_ns: 7 * SECOND, closes_ns: None };

    /// All threads' arrivals before `until_ns`, merged.
    fn merged(load: Value, threads: u64, until_ns: u64) -> Vec<u64> {
        let load: Load = serde_json::from_value(load).unwrap();
        let mut starts: Vec<u64> = (0..threads)
            .flat_map(|thread| {
                let mut arrivals =
                    Arrivals::new(&load, Some(4.0), ThreadShare { thread, threads }, 42).unwrap();
                arrivals.begin(TIMELINE);
                let mut own = Vec::new();
                while arrivals.next_ns() < until_ns {
                    own.push(arrivals.take());
                }
                assert!(own.is_sorted());
                own
            })
            .collect();
        starts.sort_unstable();
        starts
    }

    #[test]
    fn any_number_of_threads_makes_the_same_process() {
        for load in [
            json!({"kind": "constant", "rate_per_second": 300.0, "connections": 8}),
            json!({"kind": "ramp", "from_per_second": 50.0, "to_per_second": 900.0, "connections": 8}),
            json!({"kind": "steps", "connections": 8, "steps": [
                {"rate_per_second": 10.0, "seconds": 1.0}, {"rate_per_second": 500.0, "seconds": 1.5}]}),
        ] {
            let alone = merged(load.clone(), 1, 11 * SECOND);
            for threads in [2, 3, 8] {
                assert_eq!(merged(load.clone(), threads, 11 * SECOND), alone);
            }
        }
    }

    #[test]
    fn the_window_begins_anew() {
        let constant = json!({"kind": "constant", "rate_per_second": 0.4, "connections": 1});
        let ns = |seconds: f64| (seconds * 1e9) as u64;
        assert_eq!(merged(constant, 1, 12 * SECOND), [ns(5.0), ns(7.0), ns(9.5)]);
        let ramp = json!({"kind": "ramp", "from_per_second": 0.0, "to_per_second": 2.0, "connections": 1});
        assert_eq!(merged(ramp, 1, 12 * SECOND), [ns(7.0), ns(9.0), 9_828_427_125, 10_464_101_615, ns(11.0)]);
    }

    #[test]
    fn poisson_threads_superpose() {
        let load = json!({"kind": "poisson", "rate_per_second": 3000.0, "connections": 8});
        for threads in [1, 4] {
            let window: Vec<u64> = merged(load.clone(), threads, 13 * SECOND)
                .into_iter()
                .filter(|&at| at >= 7 * SECOND)
                .collect();
            assert!(window.len().abs_diff(18_000) < 500);
            assert!(exponential_fits(&window, 3000.0));
        }
    }

    #[test]
    fn a_window_that_opens_earlier_has_the_same_arrivals() {
        let second = |load: &Value, opens_ns: u64| -> Vec<u64> {
            let load: Load = serde_json::from_value(load.clone()).unwrap();
            let share = ThreadShare { thread: 0, threads: 1 };
            let mut arrivals = Arrivals::new(&load, Some(4.0), share, 42).unwrap();
            arrivals.begin(Timeline { opens_ns: 30 * SECOND, ..TIMELINE });
            while arrivals.next_ns() < 6 * SECOND {
                arrivals.take();
            }
            arrivals.open_at(opens_ns);
            while arrivals.next_ns() < opens_ns {
                arrivals.take();
            }
            (0..20).map(|_| arrivals.take().saturating_sub(opens_ns)).collect()
        };
        for load in [
            json!({"kind": "constant", "rate_per_second": 0.01, "connections": 8}),
            json!({"kind": "constant", "rate_per_second": 300.0, "connections": 8}),
            json!({"kind": "poisson", "rate_per_second": 0.01, "connections": 8}),
            json!({"kind": "poisson", "rate_per_second": 0.9, "connections": 8}),
            json!({"kind": "poisson", "rate_per_second": 300.0, "connections": 8}),
            json!({"kind": "ramp", "from_per_second": 0.0, "to_per_second": 900.0, "connections": 8}),
        ] {
            let planned = second(&load, 30 * SECOND);
            assert_eq!(second(&load, 6 * SECOND + 7), planned, "{load}");
            assert_eq!(second(&load, 9 * SECOND), planned, "{load}");
        }
    }

    #[test]
    fn a_closed_load_has_none() {
        let load = Load::Closed { connections: 1, think_time_seconds: 0.0, local_ports: None };
        assert!(Arrivals::new(&load, None, ThreadShare { thread: 0, threads: 1 }, 0).is_none());
    }
}
