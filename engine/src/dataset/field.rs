//! Generates the text of one field.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use super::draw::RowDraws;
use super::{Dataset, FieldSpec, timestamp};

static WORD_LIST: &str = include_str!("words.txt");

/// A field that is ready to be written.
#[derive(Debug)]
pub(super) enum Field {
    Id,
    Uuid,
    Words { count: u64 },
    Text { characters: usize },
    Timestamp { from: i64, span_seconds: u64 },
    Sha1 { of: Vec<usize> },
    Modulo { by: u64 },
    Link { prefix: String },
}

impl Field {
    /// No text of this field is longer, in bytes.
    pub(super) fn bytes_limit(&self) -> usize {
        const LONGEST_NUMBER: usize = 20;
        const LONGEST_WORD: usize = 9;
        match self {
            Field::Id => LONGEST_NUMBER,
            Field::Uuid => 36,
            Field::Words { count } => *count as usize * (LONGEST_WORD + 1),
            Field::Text { characters } => *characters,
            Field::Timestamp { .. } => timestamp::TEXT_BYTES,
            Field::Sha1 { .. } => 40,
            Field::Modulo { .. } => LONGEST_NUMBER,
            Field::Link { prefix } => prefix.len() + 36,
        }
    }
}

/// Checks the fields' own keys. The error names the key and what is allowed.
pub(super) fn compile(specs: &[FieldSpec], names: &[String]) -> Result<Vec<Field>, String> {
    let fields = specs
        .iter()
        .map(|spec| {
            let invalid = |text: String| Err(format!("fields.{}.{text}", spec.name()));
            Ok(match spec {
                FieldSpec::Id { .. } => Field::Id,
                FieldSpec::Uuid { .. } => Field::Uuid,
                FieldSpec::Words { count, .. } => match count {
                    1..=65_536 => Field::Words { count: u64::from(*count) },
                    _ => return invalid(format!("count: {count} is not from 1 to 65536")),
                },
                FieldSpec::Text { characters, .. } => match characters {
                    1..=16_777_216 => Field::Text { characters: *characters as usize },
                    _ => return invalid(format!("characters: {characters} is not from 1 to 16777216")),
                },
                FieldSpec::Timestamp { from, span_seconds, .. } => {
                    let Some(from) = timestamp::parse(from) else {
                        return invalid(format!("from: {from:?} is not like \"2012-01-01T00:00:00Z\""));
                    };
                    let longest = (timestamp::END_SECONDS - from) as u64;
                    if *span_seconds == 0 || *span_seconds > longest {
                        return invalid(format!("span_seconds: {span_seconds} is not from 1 to {longest}"));
                    }
                    Field::Timestamp { from, span_seconds: *span_seconds }
                }
                FieldSpec::Sha1 { of, .. } => {
                    let mut places = Vec::with_capacity(of.len());
                    for name in of {
                        match names.iter().position(|candidate| candidate == name) {
                            Some(place) => places.push(place),
                            None => return invalid(format!("of: {name:?} is none of the fields {names:?}")),
                        }
                    }
                    if places.is_empty() {
                        return invalid("of: empty, at least one field's name is needed".to_owned());
                    }
                    Field::Sha1 { of: places }
                }
                FieldSpec::Modulo { by, .. } => match by {
                    0 => return invalid("by: 0 is not at least 1".to_owned()),
                    by => Field::Modulo { by: *by },
                },
                FieldSpec::Link { prefix, .. } => {
                    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && !b"\"\\".contains(&byte);
                    if !prefix.bytes().all(is_plain) || prefix.len() > 1024 {
                        return invalid(format!("prefix: {prefix:?} is not up to 1024 plain characters"));
                    }
                    Field::Link { prefix: prefix.clone() }
                }
            })
        })
        .collect::<Result<Vec<_>, String>>()?;
    for (place, name) in names.iter().enumerate() {
        if depends_on_itself(&fields, place) {
            return Err(format!("fields.{name}.of: the hash would depend on itself"));
        }
    }
    Ok(fields)
}

fn depends_on_itself(fields: &[Field], start: usize) -> bool {
    let mut seen = vec![false; fields.len()];
    let mut open = vec![start];
    while let Some(place) = open.pop() {
        if let Field::Sha1 { of } = &fields[place] {
            for &part in of {
                if part == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[part], true) {
                    open.push(part);
                }
            }
        }
    }
    false
}

/// Writes fields' texts. Keeps its scratch space, so that a row costs no allocation.
#[derive(Debug, Default)]
pub struct RowWriter {
    scratch: Vec<u8>,
}

impl RowWriter {
    /// A writer with empty scratch space.
    pub fn new() -> RowWriter {
        RowWriter::default()
    }

    /// Appends the text of the field at `place` of row `id` to `out`. The id need not hold a row.
    pub fn write_field(&mut self, dataset: &Dataset, id: u64, place: usize, out: &mut Vec<u8>) {
        let draws = RowDraws::new(dataset.mixed_seed, id);
        write_field(dataset, draws, id, place, out, &mut self.scratch);
    }
}

fn write_field(
    dataset: &Dataset,
    draws: RowDraws,
    id: u64,
    place: usize,
    out: &mut Vec<u8>,
    scratch: &mut Vec<u8>,
) {
    let field = place as u64;
    match &dataset.fields[place] {
        Field::Id => write_number(id, out),
        Field::Uuid => write_uuid(draws.draw(field, 0), draws.draw(field, 1), out),
        Field::Modulo { by } => write_number(id % by, out),
        Field::Link { prefix } => {
            out.extend_from_slice(prefix.as_bytes());
            write_uuid(draws.draw(field, 0), draws.draw(field, 1), out);
        }
        Field::Words { count } => {
            for n in 0..*count {
                if n > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(word(draws.draw(field, n)));
            }
        }
        Field::Text { characters } => {
            let end = out.len() + characters;
            let mut n = 0;
            while out.len() < end {
                out.extend_from_slice(word(draws.draw(field, n)));
                out.push(b' ');
                n += 1;
            }
            out.truncate(end);
            if out[end - 1] == b' ' {
                out[end - 1] = b'.';
            }
        }
        Field::Timestamp { from, span_seconds } => {
            timestamp::write(from + (draws.draw(field, 0) % span_seconds) as i64, out);
        }
        Field::Sha1 { of } => {
            let start = scratch.len();
            for (number, &part) in of.iter().enumerate() {
                if number > 0 {
                    scratch.push(b'-');
                }
                if matches!(dataset.fields[part], Field::Sha1 { .. }) {
                    // A hash of a hash needs the scratch space itself, so its text goes by way of `out`.
                    let before = out.len();
                    write_field(dataset, draws, id, part, out, scratch);
                    scratch.extend_from_slice(&out[before..]);
                    out.truncate(before);
                } else {
                    write_field(dataset, draws, id, part, scratch, &mut Vec::new());
                }
            }
            let hashed = digest(&SHA1_FOR_LEGACY_USE_ONLY, &scratch[start..]);
            scratch.truncate(start);
            for byte in hashed.as_ref() {
                out.extend_from_slice(&hex(*byte));
            }
        }
    }
}

fn write_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    let mut rest = number;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

fn write_uuid(high: u64, low: u64, out: &mut Vec<u8>) {
    let high = (high & !0xF000) | 0x4000;
    let low = (low & !(0b11 << 62)) | (0b10 << 62);
    for (place, byte) in high.to_be_bytes().into_iter().chain(low.to_be_bytes()).enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend_from_slice(&hex(byte));
    }
}

fn hex(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

fn word(draw: u64) -> &'static [u8] {
    WORDS[(draw % 256) as usize].as_bytes()
}

/// The word list's lines, split while compiling.
static WORDS: [&str; 256] = {
    let mut words = [""; 256];
    let mut rest = WORD_LIST.as_bytes();
    let mut number = 0;
    while number < 256 {
        let mut end = 0;
        while rest[end] != b'\n' {
            end += 1;
        }
        let (line, after) = rest.split_at(end);
        words[number] = match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(_) => panic!("words.txt is not UTF-8"),
        };
        rest = after.split_at(1).1;
        number += 1;
    }
    assert!(rest.is_empty(), "words.txt holds more than 256 lines");
    words
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::tests::items;
    use super::*;

    fn row(dataset: &Dataset, id: u64) -> Vec<String> {
        let mut writer = RowWriter::new();
        (0..dataset.names().len())
            .map(|place| {
                let mut out = Vec::new();
                writer.write_field(dataset, id, place, &mut out);
                String::from_utf8(out).unwrap()
            })
            .collect()
    }

    #[test]
    fn the_words_are_256_distinct_lower_case_ones() {
        assert_eq!(WORDS.iter().collect::<HashSet<_>>().len(), 256);
        for word in WORDS {
            assert!((3..=9).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()));
        }
    }

    #[test]
    fn a_field_has_its_form() {
        let dataset = Dataset::new(&items(100, 0.0)).unwrap();
        for id in 1..=100 {
            let row = row(&dataset, id);
            assert_eq!(row[0], id.to_string());
            let uuid = row[1].as_bytes();
            assert_eq!((uuid.len(), uuid[14]), (36, b'4'));
            assert!(b"89ab".contains(&uuid[19]));
            assert_eq!(row[2].split(' ').count(), 3);
            assert!(row[3].starts_with("2012-") && row[3].len() == 20);
            let text = format!("{}-{}-{}", row[2], row[1], row[3]);
            let hashed = digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
            assert_eq!(row[4], hashed.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>());
            assert_eq!(row[5].len(), 200);
            assert!(!row[5].ends_with(' '));
        }
    }

    #[test]
    fn remainders_and_links_follow_from_the_id() {
        let mut spec = items(30, 0.0);
        spec.fields.push(FieldSpec::Modulo { name: "segment".into(), by: 7 });
        spec.fields.push(FieldSpec::Link { name: "url".into(), prefix: "https://example.com/".into() });
        let dataset = Dataset::new(&spec).unwrap();
        let (segment, url) = (row(&dataset, 23)[6].clone(), row(&dataset, 23)[7].clone());
        assert_eq!(segment, "2");
        assert!(url.starts_with("https://example.com/") && url.len() == 20 + 36, "{url}");
        assert!(dataset.is_number(6) && !dataset.is_number(7) && !dataset.is_id(6));
        spec.fields.push(FieldSpec::Modulo { name: "none".into(), by: 0 });
        assert!(Dataset::new(&spec).unwrap_err().to_string().starts_with("fields.none.by"));
        spec.fields.pop();
        spec.fields.push(FieldSpec::Link { name: "quoted".into(), prefix: "\"".into() });
        assert!(Dataset::new(&spec).unwrap_err().to_string().starts_with("fields.quoted.prefix"));
    }

    #[test]
    fn a_text_ends_with_a_full_stop_where_the_cut_met_a_space() {
        let dataset = Dataset::new(&items(500, 0.0)).unwrap();
        let last: HashSet<u8> =
            (1..=500).map(|id| *row(&dataset, id)[5].as_bytes().last().unwrap()).collect();
        assert!(last.contains(&b'.') && last.len() > 10);
    }

    #[test]
    fn a_hash_may_cover_another_hash_but_not_itself() {
        let mut spec = items(10, 0.0);
        spec.fields.push(FieldSpec::Sha1 { name: "twice".into(), of: vec!["hash_code".into(), "id".into()] });
        let dataset = Dataset::new(&spec).unwrap();
        let row = row(&dataset, 7);
        let hashed = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{}-7", row[4]).as_bytes());
        assert_eq!(row[6], hashed.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>());

        spec.fields.push(FieldSpec::Sha1 { name: "a".into(), of: vec!["b".into()] });
        spec.fields.push(FieldSpec::Sha1 { name: "b".into(), of: vec!["a".into()] });
        assert!(Dataset::new(&spec).unwrap_err().to_string().contains("depend on itself"));
    }
}
