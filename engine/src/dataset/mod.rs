//! Datasets whose rows are pure functions of (seed, id): anyone can prove a row right without asking the database.

mod draw;
mod field;
mod lengths;
mod spec;
mod timestamp;
mod write;

use std::collections::HashSet;
use std::fmt;

pub use draw::mix;
pub use field::RowWriter;
pub use lengths::{Description, FieldLengths, describe};
pub use spec::{DatasetSpec, FieldSpec};
pub use write::{Format, write_rows};

use draw::RowDraws;
use field::Field;

/// A description that cannot be a dataset; its text names the key and what is allowed.
#[derive(Debug)]
pub struct InvalidDataset(String);

impl fmt::Display for InvalidDataset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for InvalidDataset {}

/// A dataset that is ready to give its rows. Ids start at 1.
#[derive(Debug)]
pub struct Dataset {
    mixed_seed: u64,
    rows: u64,
    last_id: u64,
    /// Ids whose gap draw lies below hold no row; 0 without gaps.
    gap_below: u64,
    names: Vec<String>,
    fields: Vec<Field>,
}

impl Dataset {
    /// Checks the description and finds the last id, which takes one draw a row where there are gaps.
    ///
    /// # Errors
    /// The first key that does not fit.
    pub fn new(spec: &DatasetSpec) -> Result<Dataset, InvalidDataset> {
        let invalid = |text: String| Err(InvalidDataset(text));
        if spec.rows == 0 || spec.rows > u64::from(u32::MAX) {
            return invalid(format!("rows: {} is not from 1 to {}", spec.rows, u32::MAX));
        }
        if !(0.0..=0.99).contains(&spec.gaps) {
            return invalid(format!("gaps: {} is not from 0 to 0.99", spec.gaps));
        }
        if spec.fields.is_empty() || spec.fields.len() > 1024 {
            return invalid(format!("fields: {} fields, allowed are 1 to 1024", spec.fields.len()));
        }
        let names: Vec<String> = spec.fields.iter().map(|field| field.name().to_owned()).collect();
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return invalid(format!("fields: the name {twice:?} occurs twice"));
        }
        let fields = field::compile(&spec.fields, &names).map_err(InvalidDataset)?;
        let mut dataset = Dataset {
            mixed_seed: mix(spec.seed),
            rows: spec.rows,
            last_id: spec.rows,
            // Exact: a product with a power of two only moves the exponent.
            gap_below: (spec.gaps * 18_446_744_073_709_551_616.0) as u64,
            names,
            fields,
        };
        if dataset.gap_below > 0 {
            dataset.last_id = dataset.ids().last().expect("a dataset has rows");
        }
        Ok(dataset)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The highest id that holds a row.
    pub fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Names of the fields, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Place of the field of this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| candidate == name)
    }

    /// True if the field at this place is the row's id.
    pub fn is_id(&self, place: usize) -> bool {
        matches!(self.fields[place], Field::Id)
    }

    /// True if the field at this place is a number in JSON.
    pub fn is_number(&self, place: usize) -> bool {
        matches!(self.fields[place], Field::Id | Field::Modulo { .. })
    }

    /// No row's texts are longer together, in bytes.
    pub fn row_bytes_limit(&self) -> usize {
        self.fields.iter().map(Field::bytes_limit).sum()
    }

    /// True if this id holds a row.
    #[inline]
    pub fn holds(&self, id: u64) -> bool {
        id >= 1 && id <= self.last_id && !self.is_gap(id)
    }

    /// The ids that hold a row, ascending.
    pub fn ids(&self) -> impl Iterator<Item = u64> + '_ {
        (1_u64..).filter(|&id| !self.is_gap(id)).take(self.rows as usize)
    }

    #[inline]
    fn is_gap(&self, id: u64) -> bool {
        self.gap_below > 0 && RowDraws::new(self.mixed_seed, id).gap() < self.gap_below
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// One field of every kind.
    pub(crate) fn items(rows: u64, gaps: f64) -> DatasetSpec {
        serde_json::from_value(serde_json::json!({
            "name": "items", "seed": 1, "rows": rows, "gaps": gaps,
            "fields": [
                {"name": "id", "kind": "id"},
                {"name": "uuid", "kind": "uuid"},
                {"name": "name", "kind": "words", "count": 3},
                {"name": "created_at", "kind": "timestamp",
                 "from": "2012-01-01T00:00:00Z", "span_seconds": 31_536_000},
                {"name": "hash_code", "kind": "sha1", "of": ["name", "uuid", "created_at"]},
                {"name": "description", "kind": "text", "characters": 200}
            ]
        }))
        .unwrap()
    }

    #[test]
    fn without_gaps_every_id_holds_a_row() {
        let dataset = Dataset::new(&items(1000, 0.0)).unwrap();
        assert_eq!(dataset.last_id(), 1000);
        assert!(dataset.holds(1) && dataset.holds(1000));
        assert!(!dataset.holds(0) && !dataset.holds(1001));
    }

    #[test]
    fn gaps_take_their_share_and_rows_stay_exact() {
        let dataset = Dataset::new(&items(10_000, 0.25)).unwrap();
        let ids: Vec<u64> = dataset.ids().collect();
        assert_eq!(ids.len(), 10_000);
        assert_eq!(*ids.last().unwrap(), dataset.last_id());
        let expected = 10_000.0 / 0.75;
        assert!((dataset.last_id() as f64 - expected).abs() < 300.0, "{}", dataset.last_id());
        assert_eq!((1..=dataset.last_id() + 50).filter(|&id| dataset.holds(id)).count(), 10_000);
    }

    #[test]
    fn wrong_descriptions_name_the_key() {
        let message = |change: &dyn Fn(&mut DatasetSpec)| {
            let mut spec = items(10, 0.0);
            change(&mut spec);
            Dataset::new(&spec).unwrap_err().to_string()
        };
        assert!(message(&|spec| spec.rows = 0).starts_with("rows: "));
        assert!(message(&|spec| spec.gaps = 1.0).starts_with("gaps: "));
        assert!(message(&|spec| spec.gaps = f64::NAN).starts_with("gaps: "));
        assert!(message(&|spec| spec.fields.clear()).starts_with("fields: "));
        assert!(message(&|spec| spec.fields.push(spec.fields[0].clone())).contains("twice"));
    }
}
