//! Rows that somebody else changes during the run.

use std::sync::Arc;

/// Ids of rows whose text cannot be judged. A few, and in most runs none.
#[derive(Clone, Debug, Default)]
pub struct ChangingRows(Arc<[u64]>);

impl ChangingRows {
    /// The rows with these ids, in any order.
    pub fn new(ids: &[u64]) -> ChangingRows {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ChangingRows(ids.into())
    }

    /// True if the row's text may be any.
    #[inline]
    pub fn holds(&self, id: u64) -> bool {
        self.0.binary_search(&id).is_ok()
    }
}
