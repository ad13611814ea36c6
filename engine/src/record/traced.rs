//! Answers to the requests that had a `traceparent`.

use serde::{Deserialize, Serialize};

/// So many of the slowest are kept.
const MOST_SLOWEST: usize = 10;

/// Right answers to traced requests, of those that `response_time` holds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Traced {
    /// How many there were.
    pub count: u64,
    /// The slowest one first.
    slowest: Vec<TracedAnswer>,
}

/// One of them.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct TracedAnswer {
    trace_id: String,
    response_ns: u64,
    name: String,
    status: u16,
}

/// As a summary holds it.
#[derive(Debug, Serialize)]
pub struct TracedWritten {
    trace_id: String,
    response_seconds: f64,
    name: String,
    status: u16,
}

impl Traced {
    /// Adds an answer. `name`: that of its request.
    pub fn add(&mut self, trace_id: u128, response_ns: u64, name: &str, status: u16) {
        self.count += 1;
        let place = self.slowest.partition_point(|other| other.response_ns >= response_ns);
        if place < MOST_SLOWEST {
            let (trace_id, name) = (format!("{trace_id:032x}"), name.to_owned());
            self.slowest.insert(place, TracedAnswer { trace_id, response_ns, name, status });
            self.slowest.truncate(MOST_SLOWEST);
        }
    }

    /// Adds those of another thread.
    pub fn merge(&mut self, other: Traced) {
        self.count += other.count;
        self.slowest.extend(other.slowest);
        self.slowest.sort_by_key(|answer| std::cmp::Reverse(answer.response_ns));
        self.slowest.truncate(MOST_SLOWEST);
    }

    /// The slowest ones, as a summary holds them.
    pub fn written(self) -> Vec<TracedWritten> {
        let written = |TracedAnswer { trace_id, response_ns, name, status }| {
            let response_seconds = response_ns as f64 / 1e9;
            TracedWritten { trace_id, response_seconds, name, status }
        };
        self.slowest.into_iter().map(written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_slowest_are_kept_over_threads() {
        let of_thread = |first: u64| {
            let mut traced = Traced::default();
            (first..first + 40)
                .step_by(2)
                .for_each(|ns| traced.add(u128::from(ns), (ns * 7) % 41, "GET", 200));
            traced
        };
        let mut both = of_thread(1);
        both.merge(of_thread(2));
        let times: Vec<u64> = both.slowest.iter().map(|answer| answer.response_ns).collect();
        assert_eq!((both.count, times), (40, (31..=40).rev().collect()));
        assert!(both.slowest.iter().all(|answer| answer.trace_id.len() == 32));
    }
}
