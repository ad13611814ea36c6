//! Rows as lines.

use std::io::{self, Write};

use super::{Dataset, RowWriter};

/// Written out before it grows beyond this, in bytes.
const BUFFER_BYTES: usize = 256 * 1024;

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Texts between tabs: the text format of PostgreSQL's COPY and MySQL's LOAD DATA.
    /// No text of a dataset holds a character that this format would escape.
    Tsv,
    /// One JSON object; ids and remainders are numbers, all else strings.
    JsonLines,
}

/// Writes the rows of `ids`, in the order given.
///
/// # Errors
/// Those of `out`.
pub fn write_rows(
    dataset: &Dataset,
    ids: impl Iterator<Item = u64>,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = RowWriter::new();
    let mut buffer = Vec::with_capacity(2 * BUFFER_BYTES);
    let json = JsonFrame::new(dataset);
    for id in ids {
        for place in 0..dataset.names().len() {
            match format {
                Format::Tsv => {
                    if place > 0 {
                        buffer.push(b'\t');
                    }
                    writer.write_field(dataset, id, place, &mut buffer);
                }
                Format::JsonLines => {
                    buffer.extend_from_slice(&json.before[place]);
                    writer.write_field(dataset, id, place, &mut buffer);
                    buffer.extend_from_slice(json.after[place]);
                }
            }
        }
        buffer.extend_from_slice(if format == Format::Tsv { b"\n" } else { b"}\n" });
        if buffer.len() >= BUFFER_BYTES {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)?;
    out.flush()
}

/// What stands around the texts of a JSON line. The texts themselves need no escapes.
struct JsonFrame {
    before: Vec<Vec<u8>>,
    after: Vec<&'static [u8]>,
}

impl JsonFrame {
    fn new(dataset: &Dataset) -> JsonFrame {
        let quotes = |place| !dataset.is_number(place);
        let before = (0..dataset.names().len())
            .map(|place| {
                let name = serde_json::to_string(&dataset.names()[place]).expect("a string is JSON");
                let open = if place == 0 { '{' } else { ',' };
                let quote = if quotes(place) { "\"" } else { "" };
                format!("{open}{name}:{quote}").into_bytes()
            })
            .collect();
        let after = (0..dataset.names().len())
            .map(|place| if quotes(place) { b"\"".as_slice() } else { b"" })
            .collect();
        JsonFrame { before, after }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::items;
    use super::*;

    fn lines(ids: &[u64], format: Format) -> Vec<String> {
        let dataset = Dataset::new(&items(1_000_000, 0.0)).unwrap();
        let mut out = Vec::new();
        write_rows(&dataset, ids.iter().copied(), format, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn both_formats_hold_the_same_texts() {
        let tsv = lines(&[1, 999_999], Format::Tsv);
        let json = lines(&[1, 999_999], Format::JsonLines);
        for (tsv, json) in tsv.iter().zip(&json) {
            let texts: Vec<&str> = tsv.split('\t').collect();
            let object: serde_json::Value = serde_json::from_str(json).unwrap();
            assert_eq!(object["id"].to_string(), texts[0]);
            for (name, text) in
                ["uuid", "name", "created_at", "hash_code", "description"].iter().zip(&texts[1..])
            {
                assert_eq!(object[name], *text);
            }
        }
    }

    #[test]
    fn a_known_row() {
        assert_eq!(lines(&[1], Format::Tsv), [KNOWN_ROW_1]);
    }

    /// From an independent implementation in Python.
    const KNOWN_ROW_1: &str = concat!(
        "1\t",
        "ae13cd04-9c2d-4866-9ecf-665bcb80069e\t",
        "island delta horizon\t",
        "2012-11-07T23:40:20Z\t",
        "a42794f87c2fc53858224b4d314366ce509e53aa\t",
        "piano careful peach chest chalk feather gravel ocean chair yellow clay zebra brush pond pearl book letter gold north metal winter prairie flame stone bamboo pocket yellow garlic gold canyon blue mill.",
    );
}
