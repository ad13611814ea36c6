//! The description of a dataset, as it is read from JSON.

use serde::{Deserialize, Serialize};

/// A dataset's description. Its rows follow from it alone.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetSpec {
    /// What the dataset is called; has no influence on its rows.
    pub name: String,
    /// First input of every draw.
    pub seed: u64,
    /// Number of rows, at least 1.
    pub rows: u64,
    /// Share of ids that hold no row, 0 to 0.99.
    #[serde(default)]
    pub gaps: f64,
    /// The fields of a row, in the order in which they are written.
    pub fields: Vec<FieldSpec>,
}

/// One field: its name, and how its text comes about.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum FieldSpec {
    /// The row's id, a JSON number.
    Id {
        /// Name of the field.
        name: String,
    },
    /// A version 4 UUID.
    Uuid {
        /// Name of the field.
        name: String,
    },
    /// Some words, joined by a space.
    Words {
        /// Name of the field.
        name: String,
        /// How many words, at least 1.
        count: u32,
    },
    /// Words, cut to an exact length.
    Text {
        /// Name of the field.
        name: String,
        /// Length in characters, at least 1.
        characters: u32,
    },
    /// A moment, RFC 3339 with `Z` and whole seconds.
    Timestamp {
        /// Name of the field.
        name: String,
        /// Earliest moment, in the same form.
        from: String,
        /// Moments lie less than this many seconds after `from`; at least 1.
        span_seconds: u64,
    },
    /// 40 hex digits: the SHA-1 over other fields' texts, joined by `-`.
    Sha1 {
        /// Name of the field.
        name: String,
        /// Names of the fields that are hashed, in this order.
        of: Vec<String>,
    },
    /// The row's id modulo a number, a JSON number.
    Modulo {
        /// Name of the field.
        name: String,
        /// At least 1.
        by: u64,
    },
    /// A fixed text, and behind it a UUID.
    Link {
        /// Name of the field.
        name: String,
        /// The fixed text: printable ASCII without `"` and `\\`.
        prefix: String,
    },
}

impl FieldSpec {
    /// The field's name.
    pub fn name(&self) -> &str {
        match self {
            FieldSpec::Id { name }
            | FieldSpec::Uuid { name }
            | FieldSpec::Words { name, .. }
            | FieldSpec::Text { name, .. }
            | FieldSpec::Timestamp { name, .. }
            | FieldSpec::Sha1 { name, .. }
            | FieldSpec::Modulo { name, .. }
            | FieldSpec::Link { name, .. } => name,
        }
    }
}
