//! Tables as the plan gives them, while requests and expectations are compiled.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::column::{Column, Form};
use super::table::Table;
use crate::plan::RowsPlan;

/// A file of rows is not larger.
const FILE_BYTES_LIMIT: u64 = 256 << 20;

/// All tables of a plan, by name.
#[derive(Debug, Default)]
pub struct RowSources(BTreeMap<String, RowSource>);

/// One table with the text that its columns are taken from.
#[derive(Debug)]
pub struct RowSource {
    table: Arc<Table>,
    /// JSON objects, one on each line.
    text: String,
    skip: usize,
    columns: Mutex<HashMap<(String, Form), Arc<Column>>>,
}

impl RowSources {
    /// Reads all tables.
    ///
    /// # Errors
    /// The key that cannot be followed.
    pub fn read(plans: &BTreeMap<String, RowsPlan>) -> Result<RowSources, String> {
        let read = |(name, plan): (&String, &RowsPlan)| {
            RowSource::read(name, plan)
                .map(|source| (name.clone(), source))
                .map_err(|text| format!("rows.{name}: {text}"))
        };
        Ok(RowSources(plans.iter().map(read).collect::<Result<_, String>>()?))
    }

    /// The table of this name.
    ///
    /// # Errors
    /// Which names there are.
    pub fn get(&self, name: &str) -> Result<&RowSource, String> {
        self.0.get(name).ok_or_else(|| format!("the plan's rows are {:?}", self.0.keys().collect::<Vec<_>>()))
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.0.values().map(|source| &source.table)
    }

    /// Everything is compiled: columns that are in use stay, the text of the rows does not.
    pub fn forget_texts(&mut self) {
        self.0.values_mut().for_each(|source| source.text = String::new());
    }
}

impl RowSource {
    fn read(name: &str, plan: &RowsPlan) -> Result<RowSource, String> {
        let text = match (&plan.file, &plan.lines) {
            (Some(file), _) => read_file(file)?,
            (None, Some(lines)) => lines.join("\n"),
            (None, None) => return Err("needs a file or lines".to_owned()),
        };
        let all = lines(&text).count();
        let skip = plan.skip.min(all as u64);
        if all as u64 == skip {
            let none =
                if skip == 0 { "holds no row".to_owned() } else { format!("none of its {all} rows is left") };
            return Err(none);
        }
        let table = Arc::new(Table::new(name, all as u64 - skip, skip, &plan.pick));
        Ok(RowSource { table, text, skip: skip as usize, columns: Mutex::default() })
    }

    /// What threads share of it.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// A column, as it is written at one kind of place.
    ///
    /// # Errors
    /// The row that does not have it, or whose value cannot stand there.
    pub fn column(&self, name: &str, form: Form) -> Result<Arc<Column>, String> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(column) = columns.get(&(name.to_owned(), form)) {
            return Ok(Arc::clone(column));
        }
        let mut column = Column::default();
        for (number, line) in lines(&self.text).enumerate().skip(self.skip) {
            let of_row = |text: String| format!("row {}: {text}", number + 1);
            let cell = member(line, name).map_err(of_row)?;
            column.add(cell, form).map_err(|text| of_row(format!("{name} {text}")))?;
        }
        let column = Arc::new(column);
        columns.insert((name.to_owned(), form), Arc::clone(&column));
        Ok(column)
    }
}

fn read_file(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(FILE_BYTES_LIMIT + 1).read_to_string(&mut text));
    if read.map_err(failed)? as u64 > FILE_BYTES_LIMIT {
        return Err(format!("{}: larger than {FILE_BYTES_LIMIT} bytes", path.display()));
    }
    Ok(text)
}

/// Lines that hold something.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').filter(|line| !line.trim_ascii().is_empty())
}

/// The value of an object's member, as it is spelled.
///
/// # Errors
/// If this is no object, or has no such member.
pub(crate) fn member<'t>(line: &'t str, name: &str) -> Result<&'t str, String> {
    let mut reader = serde_json::Deserializer::from_str(line);
    let found = reader.deserialize_map(MemberVisitor { name }).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    found.ok_or_else(|| format!("has no {name:?}"))
}

struct MemberVisitor<'n> {
    name: &'n str,
}

impl<'de> Visitor<'de> for MemberVisitor<'_> {
    type Value = Option<&'de str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = members.next_key::<String>()? {
            if key == self.name {
                found = Some(members.next_value::<&'de RawValue>()?.get());
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Tables as a plan writes them.
    pub(crate) fn sources(rows: Value) -> RowSources {
        RowSources::read(&serde_json::from_value(rows).unwrap()).unwrap()
    }

    fn error(plan: Value) -> String {
        RowSources::read(&serde_json::from_value(json!({"items": plan})).unwrap()).unwrap_err()
    }

    #[test]
    fn columns_are_the_rows_cells() {
        let lines = ["{\"id\": 7, \"name\": \"a b\"}", " ", "{\"name\":\"c\",\"x\":[{}],\"id\":\"8\"}"];
        let rows = json!({"items": {"lines": lines, "pick": {"kind": "random"}}});
        let sources = sources(rows);
        let items = sources.get("items").unwrap();
        assert_eq!(items.table().rows(), 2);
        let cells = |name, form| {
            let column = items.column(name, form).unwrap();
            [0, 1].map(|place| String::from_utf8(column.cell(place).to_vec()).unwrap())
        };
        assert_eq!(cells("id", Form::Json), ["7", "\"8\""]);
        assert_eq!(cells("id", Form::Text), ["7", "8"]);
        assert_eq!(cells("name", Form::Path), ["a%20b", "c"]);
        assert!(items.column("x", Form::Json).unwrap_err().starts_with("row 1: has no \"x\""));
        assert!(sources.get("item").unwrap_err().contains("[\"items\"]"));
    }

    #[test]
    fn columns_in_use_stay_without_the_text() {
        let mut sources = sources(json!({"a": {"lines": ["{\"id\": 7}"], "pick": {"kind": "once"}}}));
        sources.get("a").unwrap().column("id", Form::Path).unwrap();
        sources.forget_texts();
        assert_eq!(sources.get("a").unwrap().column("id", Form::Path).unwrap().cell(0), b"7");
    }

    #[test]
    fn rows_in_front_can_be_left_out() {
        let lines: Vec<String> = (1..=3).map(|id| format!("{{\"id\": {id}}}")).collect();
        let sources = sources(json!({"a": {"lines": lines.clone(), "pick": {"kind": "once"}, "skip": 2}}));
        let source = sources.get("a").unwrap();
        assert_eq!(source.table().rows(), 1);
        assert_eq!(source.column("id", Form::Json).unwrap().cell(0), b"3");
        let none = error(json!({"lines": lines, "pick": {"kind": "once"}, "skip": 3}));
        assert_eq!(none, "rows.items: none of its 3 rows is left");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let random = json!({"kind": "random"});
        assert!(error(json!({"lines": [], "pick": random})).ends_with("holds no row"));
        assert!(
            error(json!({"file": "/no/such.jsonl", "pick": random})).contains("rows.items: /no/such.jsonl: ")
        );
        let sources = sources(json!({"a": {"lines": ["{\"id\": 1}", "[1]"], "pick": random}}));
        assert!(sources.get("a").unwrap().column("id", Form::Json).unwrap_err().starts_with("row 2: "));
    }
}
