//! Counts of the rows of the dataset that were answered.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::dataset::Dataset;

/// Equal parts of the rows over which answers are counted.
pub const BINS: usize = 100;

/// Counts of more ids would take more than 4 GiB: what claims so many was not written by an engine.
const MOST_IDS: usize = 1 << 30;

/// Counts per id. Four bytes per id of the dataset.
#[derive(Debug, Deserialize, Serialize)]
pub struct PickCounts {
    /// By id; place 0 is unused.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    counts: Vec<u32>,
    unknown: u64,
}

/// The picks of a run, as a summary holds them.
#[derive(Debug, Serialize)]
pub struct Picks {
    /// Answers with an id, known or not.
    pub answered: u64,
    /// Distinct known ids.
    pub distinct: u64,
    /// Pairs of answers with the same known id.
    pub pairs: u64,
    /// Answers whose id the dataset does not hold.
    pub unknown: u64,
    /// Answers over equal parts of the rows in id order. Row number r of n, from 0, is in part 100 r / n.
    pub bins: Vec<u64>,
}

impl PickCounts {
    /// Counts for ids up to the dataset's last.
    pub fn new(dataset: &Dataset) -> PickCounts {
        let mut counts = vec![1; dataset.last_id() as usize + 1];
        // Written, so that no page is touched for the first time in the measured window.
        counts.fill(0);
        PickCounts { counts, unknown: 0 }
    }

    /// Counts an id that the dataset holds.
    #[inline]
    pub fn add(&mut self, id: u64) {
        let count = &mut self.counts[id as usize];
        *count = count.saturating_add(1);
    }

    /// Counts an id that the dataset does not hold.
    pub fn add_unknown(&mut self) {
        self.unknown += 1;
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &PickCounts) {
        for (count, added) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*added);
        }
        self.unknown += other.unknown;
    }

    /// True if these are counts of the dataset's ids.
    pub(super) fn is_of(&self, dataset: &Dataset) -> bool {
        self.counts.len() as u64 == dataset.last_id() + 1
    }

    /// Sums up.
    pub fn conclude(&self, dataset: &Dataset) -> Picks {
        let mut picks = Picks {
            answered: self.unknown,
            distinct: 0,
            pairs: 0,
            unknown: self.unknown,
            bins: vec![0; BINS],
        };
        let mut row: u64 = 0;
        for (id, &count) in self.counts.iter().enumerate().skip(1) {
            if !dataset.holds(id as u64) {
                continue;
            }
            if count > 0 {
                let count = u64::from(count);
                picks.answered += count;
                picks.distinct += 1;
                picks.pairs += count * (count - 1) / 2;
                picks.bins[(row * BINS as u64 / dataset.rows()) as usize] += count;
            }
            row += 1;
        }
        picks
    }
}

/// Each count that is not 0, and for each run of zeros its length below 0: most rows of a large dataset have no answer.
fn write_counts<S: Serializer>(counts: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    let runs = counts.chunk_by(|one, other| *one == 0 && *other == 0);
    serializer.collect_seq(runs.map(|run| match run[0] {
        0 => -(run.len() as i64),
        count => i64::from(count),
    }))
}

fn read_counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let mut counts = Vec::new();
    for run in Vec::<i64>::deserialize(deserializer)? {
        match u32::try_from(run) {
            Ok(count) => counts.push(count),
            Err(_) => {
                let ids = counts.len().saturating_add(run.unsigned_abs() as usize);
                if ids > MOST_IDS || counts.try_reserve(ids - counts.len()).is_err() {
                    return Err(D::Error::custom(format!("counts: {ids} ids are more than are counted")));
                }
                counts.resize(ids, 0);
            }
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::items;

    #[test]
    fn pairs_and_bins_are_counted_by_row() {
        let dataset = Dataset::new(&items(1000, 0.3)).unwrap();
        let ids: Vec<u64> = dataset.ids().collect();
        let (mut picks, mut other) = (PickCounts::new(&dataset), PickCounts::new(&dataset));
        for row in [0, 9, 10, 999] {
            picks.add(ids[row]);
        }
        other.add(ids[10]);
        other.add(ids[10]);
        other.add_unknown();
        picks.merge(&other);
        let picks = picks.conclude(&dataset);
        assert_eq!((picks.answered, picks.distinct, picks.pairs, picks.unknown), (7, 4, 3, 1));
        assert_eq!((picks.bins[0], picks.bins[1], picks.bins[99]), (2, 3, 1));
        assert_eq!(picks.bins.iter().sum::<u64>(), 6);
    }

    #[test]
    fn counts_are_read_as_they_were_written() {
        let dataset = Dataset::new(&items(1000, 0.3)).unwrap();
        let mut picks = PickCounts::new(&dataset);
        for id in [1, 2, 2, 500, dataset.last_id()] {
            picks.add(id);
        }
        picks.add_unknown();
        let written = serde_json::to_value(&picks).unwrap();
        assert_eq!(written["counts"].as_array().unwrap()[..4], [-1, 1, 2, -497]);
        let read: PickCounts = serde_json::from_value(written).unwrap();
        assert!(read.is_of(&dataset));
        assert_eq!((read.counts, read.unknown), (picks.counts, 1));
    }

    #[test]
    fn counts_of_more_ids_than_there_can_be_are_refused() {
        for runs in [vec![-(1_i64 << 40)], vec![i64::MIN, 1], vec![-9, 1, -(1 << 30)]] {
            let written = serde_json::json!({"counts": runs, "unknown": 0});
            let error = serde_json::from_value::<PickCounts>(written).unwrap_err().to_string();
            assert!(error.contains("more than are counted"), "{error}");
        }
    }

    #[test]
    fn fewer_rows_than_bins() {
        let dataset = Dataset::new(&items(3, 0.0)).unwrap();
        let mut picks = PickCounts::new(&dataset);
        (1..=3).for_each(|id| picks.add(id));
        let bins = picks.conclude(&dataset).bins;
        assert_eq!((bins[0], bins[33], bins[66]), (1, 1, 1));
    }
}
