//! Chooses the next request of the mix.
//!
//! Smooth weighted round robin, as nginx balances upstreams: every place gains its weight, the richest is chosen and pays
//! the sum of all weights. In a cycle as long as that sum every place comes exactly as often as its weight says, and as
//! evenly as can be. The cycle is laid out once; all threads walk it together, one place for every request in the order in
//! which requests begin. So the mix is met within one request a cycle, however slow some answers are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest cycle: weights over their greatest common divisor, summed up.
pub const LONGEST_CYCLE: u64 = 65_536;

/// A cycle of requests. Clones walk it together.
#[derive(Clone, Debug)]
pub struct RequestMix {
    /// Places of requests.
    cycle: Arc<[u32]>,
    begun: Arc<AtomicU64>,
}

impl RequestMix {
    /// `weights`: one per request. A request of weight 0 never begins by itself; the first one's is above 0.
    ///
    /// # Errors
    /// If the cycle would be too long.
    pub fn new(weights: &[u32]) -> Result<RequestMix, String> {
        let divisor = weights.iter().fold(0, |divisor, &weight| greatest_common_divisor(divisor, weight));
        let weights: Vec<i64> = weights.iter().map(|&weight| i64::from(weight / divisor.max(1))).collect();
        let sum: i64 = weights.iter().sum();
        if sum as u64 > LONGEST_CYCLE {
            return Err(format!(
                "weight: the weights' sum over their greatest common divisor is {sum}, above {LONGEST_CYCLE}"
            ));
        }
        let mut credits = vec![0; weights.len()];
        let cycle = (0..sum)
            .map(|_| {
                for (credit, weight) in credits.iter_mut().zip(&weights) {
                    *credit += weight;
                }
                // The first of the richest, as nginx does.
                let richest = credits.iter().copied().max().unwrap_or(0);
                let chosen = credits.iter().position(|&credit| credit == richest).unwrap_or(0);
                credits[chosen] -= sum;
                chosen as u32
            })
            .collect();
        Ok(RequestMix { cycle, begun: Arc::default() })
    }

    /// Place of the next request.
    #[inline]
    pub fn next(&self) -> usize {
        if self.cycle.len() == 1 {
            return 0;
        }
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        self.cycle[(number % self.cycle.len() as u64) as usize] as usize
    }
}

fn greatest_common_divisor(mut larger: u32, mut smaller: u32) -> u32 {
    while smaller > 0 {
        (larger, smaller) = (smaller, larger % smaller);
    }
    larger
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(chosen: &[usize], places: usize) -> Vec<usize> {
        (0..places).map(|place| chosen.iter().filter(|&&other| other == place).count()).collect()
    }

    #[test]
    fn the_order_is_nginx_s() {
        let mix = RequestMix::new(&[5, 1, 1]).unwrap();
        assert_eq!([(); 8].map(|()| mix.next()), [0, 0, 1, 0, 2, 0, 0, 0]);
    }

    #[test]
    fn every_cycle_holds_the_weights_exactly() {
        let mix = RequestMix::new(&[10, 30, 60]).unwrap();
        for _ in 0..50 {
            let chosen: Vec<usize> = (0..10).map(|_| mix.next()).collect();
            assert_eq!(counts(&chosen, 3), [1, 3, 6]);
        }
    }

    #[test]
    fn threads_walk_one_cycle_together() {
        let mix = RequestMix::new(&[1, 2, 4]).unwrap();
        let walk = |requests: usize| {
            let mix = mix.clone();
            std::thread::spawn(move || (0..requests).map(|_| mix.next()).collect::<Vec<_>>())
        };
        let chosen: Vec<usize> = [walk(6_000), walk(990), walk(10)]
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();
        assert_eq!(counts(&chosen, 3), [1000, 2000, 4000]);
    }

    #[test]
    fn a_cycle_has_its_limit() {
        assert_eq!(RequestMix::new(&[4_000_000_000]).unwrap().next(), 0);
        assert!(RequestMix::new(&[65_536, 1]).unwrap_err().contains("65537"));
    }
}
