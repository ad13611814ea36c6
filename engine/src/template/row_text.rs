//! Texts that hold cells of the rows that a request has taken, and nothing else that varies.

use std::sync::Arc;

use super::parse::{Part, Placeholder, Spelling, parse};
use crate::rows::{Column, Form, RowSources, Table};

/// A JSON text with cells of rows, for whoever knows which rows the request took.
///
/// They are told by one number, their *combined place*: place₁ + rows₁ · (place₂ + rows₂ · (place₃ + …)), in the order
/// in which the request names the tables. So it takes no more room than the place of one row.
#[derive(Clone, Debug)]
pub struct RowText {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(Vec<u8>),
    Cell {
        /// The product of the numbers of rows of the tables before.
        radix: u64,
        rows: u64,
        column: Arc<Column>,
    },
}

/// How many combinations of a row of each table there are; `None` if they do not fit a number.
pub fn combined_rows(tables: &[Arc<Table>]) -> Option<u64> {
    tables.iter().try_fold(1_u64, |product, table| product.checked_mul(table.rows()))
}

impl RowText {
    /// Compiles a text. `tables`: those of which the request takes rows, see [`super::Message::tables`].
    ///
    /// # Errors
    /// The placeholder that cannot stand there.
    pub fn new(text: &str, rows: Option<&RowSources>, tables: &[Arc<Table>]) -> Result<RowText, String> {
        let mut pieces = Vec::new();
        for part in parse(text)? {
            pieces.push(match part {
                Part::Text(text) => Piece::Text(text.as_bytes().to_vec()),
                Part::Placeholder(Placeholder::Row { table, column, spelling }) => {
                    let named = |text: &str| format!("{{{{row {table} {column}}}}}: {text}");
                    let form = match spelling {
                        Spelling::Json => Form::Json,
                        Spelling::Escaped => Form::JsonText,
                        Spelling::Base64 => Form::Base64,
                        Spelling::Plain => return Err(named("needs json, escaped or base64 here")),
                    };
                    let Some(place) = tables.iter().position(|other| other.name() == table) else {
                        return Err(named("the request takes no row of this table"));
                    };
                    let rows = rows.ok_or_else(|| named("the plan has no rows"))?;
                    let source = rows.get(table).map_err(|text| named(&text))?;
                    let column = source.column(column, form).map_err(|text| named(&text))?;
                    let radix = combined_rows(&tables[..place]).ok_or_else(|| named("too many rows"))?;
                    Piece::Cell { radix, rows: tables[place].rows(), column }
                }
                Part::Placeholder(_) => return Err("only {{row …}} can be expected".to_owned()),
            });
        }
        Ok(RowText { pieces })
    }

    /// True if it is the same for every row.
    pub fn is_fixed(&self) -> bool {
        !self.pieces.iter().any(|piece| matches!(piece, Piece::Cell { .. }))
    }

    /// Appends the text for the rows of this combined place.
    pub fn write(&self, combined: u64, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Cell { radix, rows, column } => {
                    out.extend_from_slice(column.cell(combined / radix % rows));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Message, MessageBuilder, Position, Renderer, Sources};
    use super::*;
    use crate::rows::tests::sources;

    fn tables() -> RowSources {
        let lines = |name: &str, rows: u64| {
            (0..rows)
                .map(|row| format!("{{\"id\": {row}, \"name\": \"{name} \\\"{row}\\\"\"}}"))
                .collect::<Vec<_>>()
        };
        sources(json!({
            "a": {"lines": lines("a", 3), "pick": {"kind": "random"}},
            "b": {"lines": lines("b", 5), "pick": {"kind": "sequential"}},
            "c": {"lines": lines("c", 7), "pick": {"kind": "zipf", "exponent": 1.1}}
        }))
    }

    fn message(rows: &RowSources, path: &str) -> Message {
        let mut builder = MessageBuilder::new(Sources { rows: Some(rows), ..Sources::default() });
        builder.template(path, Position::Path).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn a_text_tells_the_rows_that_the_request_took() {
        let rows = tables();
        let message = message(&rows, "{{row b id}} {{row a id}} {{row c id}} {{row a name}}");
        let text = "[{{row b id json}}, {{row a id json}}, {{row c id json}}, \"{{row a name escaped}}\"]";
        let text = RowText::new(text, Some(&rows), message.tables()).unwrap();
        assert!(!text.is_fixed());
        let mut renderer = Renderer::new(3, 0);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..300 {
            let (mut sent, mut expected) = (Vec::new(), Vec::new());
            let combined = message.render(false, &mut renderer, &mut sent).unwrap();
            text.write(combined, &mut expected);
            let sent = String::from_utf8(sent).unwrap();
            let values: (u64, u64, u64, String) = serde_json::from_slice(&expected).unwrap();
            let (b, a, c, name) = &values;
            assert_eq!(name, &format!("a \"{a}\""));
            assert_eq!(sent, format!("{b} {a} {c} a%20%22{a}%22"));
            seen.insert(combined);
        }
        assert!(seen.len() > 60, "{} of 105 combinations", seen.len());
        assert!(seen.iter().all(|&combined| combined < 105));
    }

    #[test]
    fn only_rows_of_the_request_s_tables_can_be_expected() {
        let rows = tables();
        let message = message(&rows, "/{{row a id}}");
        let error = |text| RowText::new(text, Some(&rows), message.tables()).unwrap_err();
        assert!(error("{{row b id json}}").contains("{{row b id}}: the request takes no row of this table"));
        assert!(error("{{row a id}}").contains("needs json, escaped or base64 here"));
        assert!(error("{{row a idd json}}").contains("row 1: has no \"idd\""));
        assert!(error("{{uniform 1 2}}").contains("only {{row …}}"));
        assert!(RowText::new("\"{{{{\"", None, &[]).unwrap().is_fixed());
    }
}
