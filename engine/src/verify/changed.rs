//! Rows of which somebody else changes a text during the run, and which of both texts an answer shows.

use std::sync::Arc;

use crate::dataset::Dataset;
use crate::plan::ChangedRowPlan;

/// One bit for each id modulo this. Of a thousand rows, hardly one other row in sixty shares a bit with one of them.
const FILTER_BITS: usize = 1 << 16;

/// The rows whose text changes, each with the new one; the old one is the dataset's.
///
/// Every answered id is looked up. For nearly all of them that is one bit of 8 KiB, which stay in the processor's
/// fastest cache; in a run without such rows it is a comparison with null.
#[derive(Clone, Debug, Default)]
pub struct ChangedRows(Option<Arc<Changes>>);

#[derive(Debug)]
struct Changes {
    filter: Box<[u64]>,
    /// Ascending by id.
    rows: Vec<Change>,
}

/// A row's change.
#[derive(Debug)]
pub(super) struct Change {
    id: u64,
    /// Of the field in the dataset.
    pub place: usize,
    /// The new text.
    pub text: Vec<u8>,
}

impl ChangedRows {
    /// Prepares what the plan says.
    ///
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub fn new(plans: &[ChangedRowPlan], dataset: Option<&Dataset>) -> Result<ChangedRows, String> {
        if plans.is_empty() {
            return Ok(ChangedRows::default());
        }
        let Some(dataset) = dataset else {
            return Err("changed_rows: needs the key dataset".to_owned());
        };
        let mut rows = Vec::new();
        let mut filter = vec![0; FILTER_BITS / 64].into_boxed_slice();
        for (number, ChangedRowPlan { id, field, text }) in plans.iter().enumerate() {
            if !dataset.holds(*id) {
                return Err(format!("changed_rows[{number}].id: no row has the id {id}"));
            }
            let place = dataset.place(field).filter(|&place| !dataset.is_number(place));
            let Some(place) = place else {
                return Err(format!("changed_rows[{number}].field: {field:?} is no text of the dataset"));
            };
            let (word, bit) = place_in_filter(*id);
            filter[word] |= bit;
            rows.push(Change { id: *id, place, text: text.clone().into_bytes() });
        }
        rows.sort_by_key(|row| row.id);
        if let Some(twice) = rows.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(format!("changed_rows: the id {} occurs twice", twice[0].id));
        }
        Ok(ChangedRows(Some(Arc::new(Changes { filter, rows }))))
    }

    /// The number of a row's change; `None`: nobody changes it.
    #[inline]
    pub(super) fn find(&self, id: u64) -> Option<usize> {
        let changes = self.0.as_ref()?;
        let (word, bit) = place_in_filter(id);
        if changes.filter[word] & bit == 0 {
            return None;
        }
        changes.rows.binary_search_by_key(&id, |row| row.id).ok()
    }

    /// The change of this number, as [`ChangedRows::find`] gave it.
    pub(super) fn change(&self, number: usize) -> &Change {
        &self.0.as_ref().expect("a number was found").rows[number]
    }
}

#[inline]
fn place_in_filter(id: u64) -> (usize, u64) {
    let place = id as usize % FILTER_BITS;
    (place / 64, 1 << (place % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::items;

    fn plan(id: u64, field: &str) -> ChangedRowPlan {
        ChangedRowPlan { id, field: field.to_owned(), text: format!("new {id}") }
    }

    #[test]
    fn each_row_is_found_and_no_other() {
        let dataset = Dataset::new(&items(200_000, 0.0)).unwrap();
        let ids = [131_073, 7, 1, 65_537, 199_999];
        let rows = ChangedRows::new(&ids.map(|id| plan(id, "name")), Some(&dataset)).unwrap();
        let found: Vec<u64> = (0..=200_001).filter(|&id| rows.find(id).is_some()).collect();
        assert_eq!(found, [1, 7, 65_537, 131_073, 199_999]);
        assert_eq!(rows.change(rows.find(65_537).unwrap()).text, b"new 65537");
        assert_eq!(ChangedRows::default().find(7), None);
    }

    #[test]
    fn what_does_not_fit_names_its_key() {
        let dataset = Dataset::new(&items(10, 0.0)).unwrap();
        let refused = |plans: &[ChangedRowPlan]| ChangedRows::new(plans, Some(&dataset)).unwrap_err();
        assert_eq!(refused(&[plan(1, "name"), plan(11, "name")]), "changed_rows[1].id: no row has the id 11");
        assert!(refused(&[plan(1, "id")]).starts_with("changed_rows[0].field: "));
        assert!(refused(&[plan(1, "nam")]).starts_with("changed_rows[0].field: "));
        assert_eq!(refused(&[plan(3, "name"), plan(3, "uuid")]), "changed_rows: the id 3 occurs twice");
        assert!(ChangedRows::new(&[plan(1, "name")], None).unwrap_err().contains("dataset"));
    }
}
