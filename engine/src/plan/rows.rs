//! Rows that requests take.

use std::path::PathBuf;

use serde::Deserialize;

/// One table: a file, or lines as such a file has them, each a JSON object.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsPlan {
    /// A JSONL file.
    #[serde(default)]
    pub file: Option<PathBuf>,
    /// The lines themselves.
    #[serde(default)]
    pub lines: Option<Vec<String>>,
    /// Which row a request takes.
    pub pick: PickPlan,
    /// So many rows in front are left out.
    #[serde(default)]
    pub skip: u64,
}

/// Which row a request takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum PickPlan {
    /// One after the other, and then from the first again.
    Sequential {},
    /// All equally likely.
    Random {},
    /// The row at place k with a probability proportional to k^−exponent.
    Zipf {
        /// Above 0.
        exponent: f64,
    },
    /// One after the other, each once.
    Once {},
}

/// A row of the dataset, and its text after a change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangedRowPlan {
    /// Of the row.
    pub id: u64,
    /// The field that changes, a text.
    pub field: String,
    /// Its new text.
    pub text: String,
}
