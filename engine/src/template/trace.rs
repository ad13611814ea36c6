//! `traceparent` in a drawn share of requests: W3C Trace Context, level 1, section 3.2.

use std::io::Write as _;

use ring::rand::{SecureRandom as _, SystemRandom};

use crate::dataset::mix;

/// Draws which requests are traced, and their ids. The draws come from the system's randomness, not from the plan's
/// seed: runs with one seed have ids of their own, and no server knows which request is traced before it has it.
#[derive(Debug, Default)]
pub struct Tracer {
    /// From 0 to 1.
    share: f64,
    secret: u64,
    draws: u64,
    trace_id: Option<u128>,
}

impl Tracer {
    /// `share`: of requests that are traced, from 0 to 1.
    pub fn new(share: f64) -> Tracer {
        let mut secret = [0; 8];
        SystemRandom::new().fill(&mut secret).expect("the kernel gives random numbers");
        Tracer { share, secret: u64::from_ne_bytes(secret), draws: 0, trace_id: None }
    }

    /// That of the request for which it was drawn last; `None`: that one is not traced.
    pub fn trace_id(&self) -> Option<u128> {
        self.trace_id
    }

    /// Appends the header, or nothing.
    pub(super) fn write(&mut self, out: &mut Vec<u8>) {
        let is_traced = ((self.draw() >> 11) as f64) < self.share * (1_u64 << 53) as f64;
        // Ids of zeros are invalid.
        self.trace_id = is_traced.then(|| (u128::from(self.draw()) << 64) | u128::from(self.draw().max(1)));
        if let Some(trace_id) = self.trace_id {
            let parent_id = self.draw().max(1);
            write!(out, "traceparent: 00-{trace_id:032x}-{parent_id:016x}-01\r\n").expect("memory takes it");
        }
    }

    fn draw(&mut self) -> u64 {
        self.draws += 1;
        mix(self.secret.wrapping_add(self.draws))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// How many of so many requests are traced, and the ids of these.
    fn traced(share: f64, requests: usize) -> (usize, HashSet<u128>) {
        let mut tracer = Tracer { share, ..Tracer::default() };
        let ids: Vec<u128> = (0..requests)
            .filter_map(|_| {
                tracer.write(&mut Vec::new());
                tracer.trace_id()
            })
            .collect();
        (ids.len(), ids.into_iter().collect())
    }

    #[test]
    fn the_share_is_drawn_and_each_id_comes_once() {
        let (count, ids) = traced(0.1, 10_000);
        // 1,000 expected; six standard deviations are 180.
        assert!(count.abs_diff(1000) < 180 && ids.len() == count, "{count}");
        assert_eq!((traced(0.0, 1000).0, traced(1.0, 1000).0), (0, 1000));
    }

    #[test]
    fn two_threads_have_other_ids() {
        let [first, second] = [(); 2].map(|()| {
            let mut tracer = Tracer::new(1.0);
            tracer.write(&mut Vec::new());
            tracer.trace_id()
        });
        assert_ne!(first, second);
    }
}
