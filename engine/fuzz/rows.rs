//! Bodies of rows: what verification says of them, beside a plain reading. That one reads all of a body as JSON, member by
//! member, and looks each up in the row as the dataset writes it.

use std::sync::Arc;

use fairtrial_engine::dataset::{Dataset, DatasetSpec, Format, mix, write_rows};
use fairtrial_engine::plan::Expect;
use fairtrial_engine::template::Sources;
use fairtrial_engine::verify::{Answer, Expectation};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const ROWS: u64 = 100;

/// Those that a body must have, in no order. The dataset has one more.
const FIELDS: [&str; 4] = ["name", "id", "code", "created_at"];

/// Verification and a plain reading of bodies.
pub struct Rows {
    dataset: Arc<Dataset>,
    expectation: Expectation,
}

impl Rows {
    /// Of a small dataset with gaps.
    pub fn new() -> Rows {
        let spec: DatasetSpec = serde_json::from_value(json!({
            "name": "items", "seed": 1, "rows": ROWS, "gaps": 0.1,
            "fields": [
                {"name": "id", "kind": "id"},
                {"name": "name", "kind": "words", "count": 3},
                {"name": "created_at", "kind": "timestamp",
                 "from": "2012-01-01T00:00:00Z", "span_seconds": 31_536_000},
                {"name": "uuid", "kind": "uuid"},
                {"name": "code", "kind": "sha1", "of": ["name", "uuid"]}
            ]
        }))
        .unwrap();
        let dataset = Arc::new(Dataset::new(&spec).unwrap());
        let expect: Expect = serde_json::from_value(json!({
            "body": {"kind": "row", "fields": FIELDS}, "check_every": 1
        }))
        .unwrap();
        let sources = Sources { dataset: Some(&dataset), ..Sources::default() };
        let expectation = Expectation::new(&expect, sources, &[]).unwrap();
        Rows { dataset, expectation }
    }

    /// A body is right for verification if it is right by the plain reading. The other way round as well, but for one liberty:
    /// verification takes the row's id from the first place where a key of this name and a number stand, which may lie within
    /// another member.
    pub fn compare(&mut self, body: &[u8]) {
        let (found, plain) = (self.verified(body), self.is_row(body));
        assert!(plain || !found, "verification takes it for a row, and it is none");
        let keys = body.windows(4).filter(|window| window == b"\"id\"").count();
        if keys == 1 && body.len() <= self.expectation.kept_bytes(None) {
            assert!(found || !plain, "it is a row, and verification does not take it for one");
        }
    }

    /// What verification says of an answer with this body.
    pub fn verified(&mut self, body: &[u8]) -> bool {
        let kept = &body[..body.len().min(self.expectation.kept_bytes(None))];
        let answer = Answer {
            status: 200,
            header_fits: true,
            body_bytes: body.len() as u64,
            body: kept,
            ..Answer::default()
        };
        self.expectation.verify(&answer, 0).wrong.is_none()
    }

    /// The same by the plain reading.
    pub fn is_row(&self, body: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(body) else { return false };
        let Ok(Members(members)) = serde_json::from_str(text) else { return false };
        let value = |name: &str| -> Option<Value> {
            let mut of_name = members.iter().filter(|(member, _)| member == name);
            let (_, value) = of_name.next()?;
            if of_name.next().is_some() { None } else { serde_json::from_str(value.get()).ok() }
        };
        let Some(id) = value("id").and_then(|id| id.as_u64()) else { return false };
        let Some(row) = self.row(id) else { return false };
        FIELDS.iter().all(|field| value(field).is_some_and(|value| value == row[field]))
    }

    /// The row of this id as the dataset writes it; `None`: it holds none.
    fn row(&self, id: u64) -> Option<Value> {
        let mut line = Vec::new();
        self.dataset.holds(id).then(|| {
            write_rows(&self.dataset, [id].into_iter(), Format::JsonLines, &mut line).unwrap();
            serde_json::from_slice(&line).unwrap()
        })
    }

    /// A row, written otherwise and perhaps wrongly, as the bytes draw it.
    pub fn drawn(&self, bytes: &[u8]) -> Vec<u8> {
        let mut state = bytes.iter().fold(7, |state, &byte| mix(state ^ u64::from(byte)));
        let mut below = |bound: usize| {
            state = mix(state);
            (state >> 8) as usize % bound
        };
        let Some(row) = self.row(1 + below(ROWS as usize) as u64) else { return b"{}".to_vec() };
        let mut members: Vec<(String, String)> =
            row.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        for _ in 0..below(4) {
            let at = below(members.len());
            match below(9) {
                0 => drop(members.remove(at)),
                1 => members[at].1 = ["0", "null", "\"\"", "7", "7.0", "[]"][below(6)].to_owned(),
                2 => members.push(members[at].clone()),
                3 => members.push(("more".to_owned(), "{\"id\": 3, \"a\": [{}, \"\\u00e4\"]}".to_owned())),
                4 => members[at].1 = members[at].1.replace('e', "\\u0065"),
                5 => members[at].0 = members[at].0.replace('e', "\\u0065"),
                6 => members[at].1.insert(0, ' '),
                _ => {
                    let other = below(members.len());
                    members.swap(at, other);
                }
            }
            if members.is_empty() {
                break;
            }
        }
        let spaces = ["", " ", "\n\t"];
        let mut body = String::from("{");
        for (number, (name, value)) in members.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let (before, after) = (spaces[below(3)], spaces[below(3)]);
            body.push_str(&format!("{comma}{before}\"{name}\"{after}:{value}{before}"));
        }
        body.push_str(["}", "}", "}", "}\n", "", "}}", "} x"][below(7)]);
        body.into_bytes()
    }
}

/// An object's members, as they stand there.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Listed;
        impl<'de> Visitor<'de> for Listed {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Listed)
    }
}
