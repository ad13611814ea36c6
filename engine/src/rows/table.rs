//! The choice of a row.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::plan::PickPlan;
use crate::template::Zipf;

/// Which row a request takes.
#[derive(Debug)]
pub enum Pick {
    /// One after the other over all threads, and then from the first again.
    Sequential,
    /// All equally likely.
    Random,
    /// The first row most often.
    Zipf(Zipf),
    /// One after the other over all threads, each once.
    Once,
}

/// What threads share of a table: how many rows there are, and how many were given away.
#[derive(Debug)]
pub struct Table {
    name: String,
    rows: u64,
    /// In front of those that can be taken.
    skipped: u64,
    pick: Pick,
    given: AtomicU64,
}

impl Table {
    /// A table of so many rows, at least 1.
    pub(super) fn new(name: &str, rows: u64, skipped: u64, pick: &PickPlan) -> Table {
        let pick = match *pick {
            PickPlan::Sequential {} => Pick::Sequential,
            PickPlan::Random {} => Pick::Random,
            PickPlan::Zipf { exponent } => Pick::Zipf(Zipf::new(rows, exponent)),
            PickPlan::Once {} => Pick::Once,
        };
        Table { name: name.to_owned(), rows, skipped, pick, given: AtomicU64::new(0) }
    }

    /// Its name in the plan.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many rows can be taken.
    #[inline]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many rows stand in front of those that can be taken.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// How a row is chosen.
    #[inline]
    pub fn pick(&self) -> &Pick {
        &self.pick
    }

    /// How many times this was asked before, over all threads.
    #[inline]
    pub fn next(&self) -> u64 {
        self.given.fetch_add(1, Ordering::Relaxed)
    }

    /// Of rows that are taken once: how many were.
    pub fn used(&self) -> Option<u64> {
        matches!(self.pick, Pick::Once).then(|| self.given.load(Ordering::Relaxed).min(self.rows))
    }

    /// Of rows that are taken once: what to say if more were needed than there are.
    pub fn ran_out(&self) -> Option<String> {
        let is_out = matches!(self.pick, Pick::Once) && self.given.load(Ordering::Relaxed) > self.rows;
        let all = self.rows + self.skipped;
        is_out.then(|| {
            format!("rows.{}: each of its {all} rows was taken once, and one more was needed", self.name)
        })
    }
}
