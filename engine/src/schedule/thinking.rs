//! The closed load's pauses: a connection begins its next request when the last one was answered and thought about.
//!
//! Pauses of one length end in the order in which they began: a queue is a schedule. One that is shorter than others
//! finds its place in the queue from behind.

use std::collections::VecDeque;

/// How long the client thinks about the answer to each request of the mix.
#[derive(Clone, Debug, Default)]
pub struct ThinkTimes {
    /// By place in the mix.
    by_request: Vec<u64>,
    /// Over which the first requests are spread.
    mean_ns: u64,
}

impl ThinkTimes {
    /// `load_ns`: of requests without a think time of their own. `requests`: own think time and weight of each.
    pub fn new(load_ns: u64, requests: impl IntoIterator<Item = (Option<u64>, u32)>) -> ThinkTimes {
        let (mut by_request, mut sum, mut weights) = (Vec::new(), 0_u128, 0_u128);
        for (own_ns, weight) in requests {
            let think_ns = own_ns.unwrap_or(load_ns);
            by_request.push(think_ns);
            sum += u128::from(think_ns) * u128::from(weight);
            weights += u128::from(weight);
        }
        ThinkTimes { by_request, mean_ns: (sum / weights.max(1)) as u64 }
    }

    fn are_needed(&self) -> bool {
        self.by_request.iter().any(|&think_ns| think_ns > 0)
    }
}

/// Connections that rest before their next request.
#[derive(Debug)]
pub struct Thinking {
    times: ThinkTimes,
    is_needed: bool,
    /// Intended starts and connections, ascending.
    resting: VecDeque<(u64, usize)>,
}

impl Thinking {
    /// If all times are 0, nobody ever rests.
    pub fn new(times: ThinkTimes, connections: usize) -> Thinking {
        let is_needed = times.are_needed();
        let capacity = if is_needed { connections } else { 0 };
        Thinking { times, is_needed, resting: VecDeque::with_capacity(capacity) }
    }

    /// False if requests follow each other at once.
    #[inline]
    pub fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// The first request of connection `number` of `connections`: spread over one mean pause, for users do not think in
    /// step.
    pub fn first_ns(&self, starts_ns: u64, number: usize, connections: usize) -> u64 {
        let share = u128::from(self.times.mean_ns) * number as u128 / connections.max(1) as u128;
        starts_ns + share as u64
    }

    /// The connection rests from now on, after the answer to this request; for the mean pause, if it is none of the
    /// mix. False if it does not.
    pub fn rest(&mut self, number: usize, request: usize, now_ns: u64) -> bool {
        let think_ns = self.times.by_request.get(request).copied().unwrap_or(self.times.mean_ns);
        if think_ns == 0 {
            return false;
        }
        self.rest_until(number, now_ns + think_ns);
        true
    }

    /// The connection rests until then.
    pub fn rest_until(&mut self, number: usize, until_ns: u64) {
        match self.resting.back() {
            Some(&(last_ns, _)) if last_ns > until_ns => {
                let at = self.resting.partition_point(|&(other_ns, _)| other_ns <= until_ns);
                self.resting.insert(at, (until_ns, number));
            }
            _ => self.resting.push_back((until_ns, number)),
        }
    }

    /// The next intended start; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.resting.front().map_or(u64::MAX, |&(at_ns, _)| at_ns)
    }

    /// The next intended start that has come, and its connection.
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, usize)> {
        if self.next_ns() > now_ns {
            return None;
        }
        self.resting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_end_in_their_order() {
        let mut thinking = Thinking::new(ThinkTimes::new(100, [(None, 1)]), 3);
        assert_eq!([0, 1, 2].map(|number| thinking.first_ns(1000, number, 3)), [1000, 1033, 1066]);
        assert_eq!(thinking.next_ns(), u64::MAX);
        assert!(thinking.rest(2, 0, 10) && thinking.rest(0, 0, 15));
        assert_eq!((thinking.next_ns(), thinking.take(109)), (110, None));
        assert_eq!(
            [thinking.take(200), thinking.take(200), thinking.take(200)],
            [Some((110, 2)), Some((115, 0)), None]
        );
    }

    #[test]
    fn a_request_s_own_pause_takes_the_place_of_the_load_s() {
        let mut thinking = Thinking::new(ThinkTimes::new(100, [(None, 1), (Some(30), 2), (Some(0), 1)]), 4);
        assert!(thinking.is_needed());
        assert_eq!(thinking.first_ns(0, 1, 4), 10, "the mean pause is 40");
        assert!(thinking.rest(0, 0, 10) && thinking.rest(1, 1, 20) && thinking.rest(2, 0, 20));
        assert!(thinking.rest(3, 1, 80), "ends with the first, and behind it");
        assert!(!thinking.rest(4, 2, 21));
        let ends: Vec<_> = std::iter::from_fn(|| thinking.take(500)).collect();
        assert_eq!(ends, [(50, 1), (110, 0), (110, 3), (120, 2)]);
        assert!(!Thinking::new(ThinkTimes::new(100, [(Some(0), 1)]), 1).is_needed());
    }
}
