//! Answers that showed the old or the new text of a row that changed, and when they were asked for.

use serde::{Deserialize, Serialize};

/// So many are kept of a thread.
const MOST: usize = 1 << 16;

/// An answer shows a row as it was before its change, or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Of the row.
    pub id: u64,
    /// It shows the new text.
    pub is_changed: bool,
}

/// The sightings of one thread, or of all. If there are more than can be kept, every second, fourth, … is.
#[derive(Debug, Deserialize, Serialize)]
pub struct Sightings {
    kept: Vec<Sighted>,
    /// One of so many is kept.
    every: u64,
    /// Before the next one that is kept.
    passed_over: u64,
    count: u64,
}

/// The id, 1 if the new text was shown and else 0, and when the request was handed to the kernel.
type Sighted = (u64, u8, u64);

/// As a summary holds them.
#[derive(Debug, Serialize)]
pub struct SightingsWritten {
    kept: Vec<Sighted>,
    left_out: u64,
}

impl Default for Sightings {
    fn default() -> Sightings {
        Sightings { kept: Vec::new(), every: 1, passed_over: 0, count: 0 }
    }
}

impl Sightings {
    /// Adds what an answer showed, whose request was sent at `sent_ns` on the run's clock.
    pub fn add(&mut self, sighting: Sighting, sent_ns: u64) {
        self.count += 1;
        if self.passed_over > 0 {
            self.passed_over -= 1;
            return;
        }
        self.passed_over = self.every - 1;
        self.kept.push((sighting.id, u8::from(sighting.is_changed), sent_ns));
        if self.kept.len() == MOST {
            let mut is_kept = false;
            self.kept.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.every *= 2;
        }
    }

    /// Adds another thread's.
    pub fn merge(&mut self, other: Sightings) {
        self.kept.extend(other.kept);
        self.count += other.count;
    }

    /// Sums up.
    pub fn conclude(self) -> SightingsWritten {
        SightingsWritten { left_out: self.count - self.kept.len() as u64, kept: self.kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u64) -> Sightings {
        let mut sightings = Sightings::default();
        (0..count).for_each(|at| sightings.add(Sighting { id: 7, is_changed: at % 2 == 1 }, at));
        sightings
    }

    #[test]
    fn few_are_kept_all() {
        let mut sightings = of(3);
        sightings.merge(of(1));
        let written = sightings.conclude();
        assert_eq!(written.kept, [(7, 0, 0), (7, 1, 1), (7, 0, 2), (7, 0, 0)]);
        assert_eq!(written.left_out, 0);
    }

    #[test]
    fn of_many_each_part_of_the_run_keeps_its_share() {
        let many = 5 * MOST as u64;
        let written = of(many).conclude();
        assert!(written.kept.len() < MOST && written.kept.len() > MOST / 4, "{}", written.kept.len());
        assert_eq!(written.kept.len() as u64 + written.left_out, many);
        let gaps: Vec<u64> = written.kept.windows(2).map(|pair| pair[1].2 - pair[0].2).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{:?}", gaps.iter().max());
    }
}
