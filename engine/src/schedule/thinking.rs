//! Pauses of those who think: a connection of a closed load begins its next request when the last one was answered and
//! thought about, and so does a journey its next step, whatever the load.

use crate::delay::{Delay, Draws};
use crate::plan::{RequestPlan, ThinkPlan, journey_steps, mix_weights};
use crate::timers::Timers;

/// How long the client thinks about the answer to each request of the mix.
#[derive(Clone, Debug)]
pub struct ThinkTimes {
    /// By place in the mix; `None`: it has none of its own.
    own: Vec<Option<Delay>>,
    /// Before the next request, or the next journey.
    load_ns: u64,
    /// Over which the first requests are spread.
    mean_ns: u64,
    seed: u64,
}

impl ThinkTimes {
    /// `load_ns`: after requests without a think time of their own, where no step follows; 0 in an open load. `seed`:
    /// decides what is drawn.
    pub fn new(load_ns: u64, mix: &[RequestPlan], seed: u64) -> ThinkTimes {
        let delay = |plan: &ThinkPlan| plan.delay().ok();
        let own: Vec<_> = mix.iter().map(|request| request.think_seconds.as_ref().and_then(delay)).collect();
        let (mut sum, mut weights, mut weight) = (0_u128, 0_u128, 0);
        for ((own, step), first_weight) in own.iter().zip(journey_steps(mix)).zip(mix_weights(mix)) {
            weights += u128::from(first_weight);
            if first_weight > 0 {
                weight = first_weight; // that of the steps behind it, too
            }
            let goes_on = step.is_some_and(|step| !step.is_last);
            let think_ns = own.as_ref().map_or(if goes_on { 0 } else { load_ns }, Delay::typical_ns);
            sum += u128::from(think_ns) * u128::from(weight);
        }
        ThinkTimes { own, load_ns, mean_ns: (sum / weights.max(1)) as u64, seed }
    }

    fn are_needed(&self) -> bool {
        self.own.iter().any(|own| own.as_ref().map_or(self.load_ns, Delay::typical_ns) > 0)
    }
}

/// Connections that rest before their next request.
#[derive(Debug)]
pub struct Thinking {
    times: ThinkTimes,
    is_needed: bool,
    /// How many pauses were drawn.
    drawn: u64,
    /// Intended starts and connections.
    resting: Timers,
}

impl Thinking {
    /// If all times are 0, nobody ever rests.
    pub fn new(times: ThinkTimes) -> Thinking {
        let is_needed = times.are_needed();
        Thinking { times, is_needed, drawn: 0, resting: Timers::default() }
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
        let otherwise_ns =
            if request < self.times.own.len() { self.times.load_ns } else { self.times.mean_ns };
        self.rest_for(number, request, otherwise_ns, now_ns)
    }

    /// The connection rests after this step, before the next one of its journey. False if it does not.
    pub fn rest_between(&mut self, number: usize, request: usize, now_ns: u64) -> bool {
        self.is_needed && self.rest_for(number, request, 0, now_ns)
    }

    fn rest_for(&mut self, number: usize, request: usize, otherwise_ns: u64, now_ns: u64) -> bool {
        let think_ns = match self.times.own.get(request).and_then(Option::as_ref) {
            None => otherwise_ns,
            Some(own) => {
                self.drawn += 1;
                own.sample_ns(Draws::new(self.times.seed, self.drawn))
            }
        };
        if think_ns == 0 {
            return false;
        }
        self.rest_until(number, now_ns.saturating_add(think_ns));
        true
    }

    /// The connection rests until then.
    pub fn rest_until(&mut self, number: usize, until_ns: u64) {
        self.resting.add(until_ns, number);
    }

    /// The next intended start; `u64::MAX` if there is none.
    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.resting.earliest_ns().unwrap_or(u64::MAX)
    }

    /// The next intended start that has come, and its connection.
    pub fn take(&mut self, now_ns: u64) -> Option<(u64, usize)> {
        self.resting.take(now_ns)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn think_times(load_ns: u64, mix: Value) -> ThinkTimes {
        ThinkTimes::new(load_ns, &serde_json::from_value::<Vec<RequestPlan>>(mix).unwrap(), 7)
    }

    #[test]
    fn pauses_end_in_their_order() {
        let mut thinking = Thinking::new(think_times(100, json!([{"path": "/"}])));
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
        let mut thinking = Thinking::new(think_times(
            100,
            json!([{"path": "/"}, {"path": "/", "think_seconds": 3e-8, "weight": 2}, {"path": "/", "think_seconds": 0}]),
        ));
        assert!(thinking.is_needed());
        assert_eq!(thinking.first_ns(0, 1, 4), 10, "the mean pause is 40");
        assert!(thinking.rest(0, 0, 10) && thinking.rest(1, 1, 20) && thinking.rest(2, 0, 20));
        assert!(thinking.rest(3, 1, 80), "ends with the first");
        assert!(!thinking.rest(4, 2, 21));
        let ends: Vec<_> = std::iter::from_fn(|| thinking.take(500)).collect();
        assert_eq!(ends, [(50, 1), (110, 0), (110, 3), (120, 2)]);
        assert!(!Thinking::new(think_times(100, json!([{"path": "/", "think_seconds": 0}]))).is_needed());
    }

    #[test]
    fn a_journey_pauses_between_its_steps_as_they_say_and_behind_it_as_the_load_does() {
        let mix = json!([
            {"path": "/", "journey": "a", "weight": 3, "think_seconds": "uniform:20ns:40ns"},
            {"path": "/", "journey": "a"},
            {"path": "/", "journey": "a"},
            {"path": "/"}
        ]);
        let mut thinking = Thinking::new(think_times(100, mix));
        assert_eq!(thinking.first_ns(0, 1, 2), (3 * 130 + 100) / 4 / 2);
        assert!(thinking.rest_between(0, 0, 1000) && !thinking.rest_between(1, 1, 1000));
        assert!((1020..=1040).contains(&thinking.next_ns()));
        assert!(thinking.take(1040).is_some() && thinking.rest(0, 2, 2000));
        assert_eq!(thinking.take(2100), Some((2100, 0)));
        let pauses: std::collections::HashSet<u64> = (0..100)
            .map(|_| {
                assert!(thinking.rest_between(0, 0, 0));
                thinking.take(40).unwrap().0
            })
            .collect();
        assert!(pauses.len() > 10, "{pauses:?}");
    }
}
