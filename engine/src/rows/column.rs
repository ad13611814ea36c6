//! One column of a table, as it is written at one kind of place.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How a cell is written. It depends on where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Its text, percent-encoded.
    Path,
    /// Its text, which holds no control character.
    Header,
    /// Its text.
    Text,
    /// As the row has it: a number stays a number, a text is in quotes.
    Json,
    /// Its text, escaped to stand within a JSON string.
    JsonText,
    /// The bytes of which its text is the base64 (RFC 4648, section 4).
    Base64,
}

impl Form {
    /// Appends a cell. `cell`: a JSON value as the row has it.
    ///
    /// # Errors
    /// Why it cannot stand there.
    pub(crate) fn write(self, cell: &str, out: &mut Vec<u8>) -> Result<(), String> {
        if cell.starts_with(['{', '[', 'n']) {
            return Err("is neither a text, nor a number, nor a boolean".to_owned());
        }
        if self == Form::Json {
            out.extend_from_slice(cell.as_bytes());
            return Ok(());
        }
        let text: Cow<'_, str> = if cell.starts_with('"') {
            Cow::Owned(serde_json::from_str(cell).map_err(|error| error.to_string())?)
        } else {
            Cow::Borrowed(cell)
        };
        match self {
            Form::Path => percent_encode(text.as_bytes(), out),
            Form::Header if text.bytes().any(|byte| (byte < b' ' && byte != b'\t') || byte == 0x7F) => {
                return Err("holds a control character, and stands in a header".to_owned());
            }
            Form::JsonText => {
                let quoted = serde_json::to_string(&text).map_err(|error| error.to_string())?;
                out.extend_from_slice(&quoted.as_bytes()[1..quoted.len() - 1]);
            }
            Form::Base64 => {
                STANDARD
                    .decode_vec(text.as_bytes(), out)
                    .map_err(|error| format!("is no base64: {error}"))?;
            }
            _ => out.extend_from_slice(text.as_bytes()),
        }
        Ok(())
    }
}

/// Appends a text so that it may stand in a path.
pub fn percent_encode(text: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// The cells of a column, one behind the other.
#[derive(Debug, Default)]
pub struct Column {
    bytes: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
}

impl Column {
    /// Adds the next row's cell, a JSON value.
    ///
    /// # Errors
    /// Why it cannot stand there.
    pub(super) fn add(&mut self, cell: &str, form: Form) -> Result<(), String> {
        form.write(cell, &mut self.bytes)?;
        self.ends.push(self.bytes.len());
        Ok(())
    }

    /// The cell of the row at this place.
    #[inline]
    pub fn cell(&self, place: u64) -> &[u8] {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(cell: &str, form: Form) -> Result<String, String> {
        let mut column = Column::default();
        column.add("1", form).unwrap();
        column.add(cell, form)?;
        column.add("\"x\"", form).unwrap();
        Ok(String::from_utf8(column.cell(1).to_vec()).unwrap())
    }

    #[test]
    fn a_cell_is_written_as_its_place_needs_it() {
        let cell = r#""a \"b\"/é\n""#;
        assert_eq!(written(cell, Form::Path).unwrap(), "a%20%22b%22%2F%C3%A9%0A");
        assert_eq!(written(cell, Form::Text).unwrap(), "a \"b\"/é\n");
        assert_eq!(written(cell, Form::Json).unwrap(), cell);
        assert_eq!(written(cell, Form::JsonText).unwrap(), r#"a \"b\"/é\n"#);
        assert!(written(cell, Form::Header).unwrap_err().contains("control character"));
        for form in [Form::Path, Form::Header, Form::Text, Form::Json, Form::JsonText] {
            assert_eq!(written("1.50", form).unwrap(), "1.50");
            assert_eq!(written("\"\"", form).unwrap(), if form == Form::Json { "\"\"" } else { "" });
        }
    }

    #[test]
    fn a_cell_of_bytes_is_in_base64() {
        let mut out = Vec::new();
        Form::Base64.write("\"AAAA/w==\"", &mut out).unwrap();
        assert_eq!(out, [0, 0, 0, 255]);
        assert!(Form::Base64.write("\"AAA\"", &mut out).unwrap_err().starts_with("is no base64: "));
    }

    #[test]
    fn what_is_no_scalar_can_stand_nowhere() {
        for cell in ["null", "[1]", "{}"] {
            assert!(written(cell, Form::Json).unwrap_err().contains("neither a text"));
        }
    }
}
