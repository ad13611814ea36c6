//! The closed load's pauses: a connection begins its next request when the last one was answered and thought about.
//!
//! All pauses are equally long, so they end in the order in which they began: a queue is a schedule.

use std::collections::VecDeque;

/// Connections that rest before their next request.
#[derive(Debug)]
pub struct Thinking {
    think_ns: u64,
    /// Intended starts and connections, ascending.
    resting: VecDeque<(u64, usize)>,
}

impl Thinking {
    /// `think_ns` 0: nobody ever rests.
    pub fn new(think_ns: u64, connections: usize) -> Thinking {
        let capacity = if think_ns == 0 { 0 } else { connections };
        Thinking { think_ns, resting: VecDeque::with_capacity(capacity) }
    }

    /// False if requests follow each other at once.
    #[inline]
    pub fn is_needed(&self) -> bool {
        self.think_ns > 0
    }

    /// The first request of connection `number` of `connections`: spread over one pause, for users do not think in step.
    pub fn first_ns(&self, starts_ns: u64, number: usize, connections: usize) -> u64 {
        let share = u128::from(self.think_ns) * number as u128 / connections.max(1) as u128;
        starts_ns + share as u64
    }

    /// The connection rests from now on. Gives its next intended start.
    pub fn rest(&mut self, number: usize, now_ns: u64) -> u64 {
        let until_ns = now_ns + self.think_ns;
        self.rest_until(number, until_ns);
        until_ns
    }

    /// The connection rests until then; not before any other does.
    pub fn rest_until(&mut self, number: usize, until_ns: u64) {
        self.resting.push_back((until_ns, number));
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
        let mut thinking = Thinking::new(100, 3);
        assert_eq!([0, 1, 2].map(|number| thinking.first_ns(1000, number, 3)), [1000, 1033, 1066]);
        assert_eq!(thinking.next_ns(), u64::MAX);
        thinking.rest(2, 10);
        thinking.rest(0, 15);
        assert_eq!((thinking.next_ns(), thinking.take(109)), (110, None));
        assert_eq!(
            [thinking.take(200), thinking.take(200), thinking.take(200)],
            [Some((110, 2)), Some((115, 0)), None]
        );
    }
}
