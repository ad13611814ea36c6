//! The lengths of the fields' texts, over all rows.

use std::collections::BTreeMap;

use serde::Serialize;

use super::field::{Field, RowWriter};
use super::{Dataset, timestamp};

/// What `dataset --describe` prints.
#[derive(Debug, Serialize)]
pub struct Description {
    /// Number of rows.
    pub rows: u64,
    /// The lowest id that holds a row.
    pub first_id: u64,
    /// The highest id that holds a row.
    pub last_id: u64,
    /// Text lengths by field name.
    pub fields: BTreeMap<String, FieldLengths>,
}

/// Shortest and longest text of a field, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FieldLengths {
    /// Over all rows.
    pub min_bytes: usize,
    /// Over all rows.
    pub max_bytes: usize,
}

/// Describes a dataset. Fields without a fixed length are written out for every row.
pub fn describe(dataset: &Dataset) -> Description {
    let first_id = dataset.ids().next().expect("a dataset has rows");
    let mut writer = RowWriter::new();
    let mut text = Vec::new();
    let fields = (0..dataset.names().len())
        .map(|place| {
            let lengths = fixed_length(&dataset.fields[place]).unwrap_or_else(|| {
                let mut lengths = FieldLengths { min_bytes: usize::MAX, max_bytes: 0 };
                for id in dataset.ids() {
                    text.clear();
                    writer.write_field(dataset, id, place, &mut text);
                    lengths.min_bytes = lengths.min_bytes.min(text.len());
                    lengths.max_bytes = lengths.max_bytes.max(text.len());
                }
                lengths
            });
            (dataset.names()[place].clone(), lengths)
        })
        .collect();
    Description { rows: dataset.rows(), first_id, last_id: dataset.last_id(), fields }
}

fn fixed_length(field: &Field) -> Option<FieldLengths> {
    let bytes = match field {
        Field::Id | Field::Words { .. } | Field::Modulo { .. } => return None,
        Field::Uuid => 36,
        Field::Text { characters } => *characters,
        Field::Timestamp { .. } => timestamp::TEXT_BYTES,
        Field::Sha1 { .. } => 40,
        Field::Link { prefix } => prefix.len() + 36,
    };
    Some(FieldLengths { min_bytes: bytes, max_bytes: bytes })
}

#[cfg(test)]
mod tests {
    use super::super::tests::items;
    use super::*;

    #[test]
    fn lengths_are_those_of_the_rows() {
        let description = describe(&Dataset::new(&items(1234, 0.0)).unwrap());
        let range = |min_bytes, max_bytes| FieldLengths { min_bytes, max_bytes };
        assert_eq!((description.rows, description.first_id, description.last_id), (1234, 1, 1234));
        assert_eq!(description.fields["id"], range(1, 4));
        assert_eq!(description.fields["uuid"], range(36, 36));
        assert_eq!(description.fields["created_at"], range(20, 20));
        assert_eq!(description.fields["hash_code"], range(40, 40));
        assert_eq!(description.fields["description"], range(200, 200));
        let name = description.fields["name"];
        assert!(name.min_bytes >= 11 && name.max_bytes <= 29 && name.min_bytes < name.max_bytes);
    }
}
