//! Answers as they are written to a file, one JSON object on a line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Digester};
use super::{AskedInstance, request_line, whole_body};
use crate::http1::request::EncodedRequest;
use crate::plan::RequestPlan;
use crate::rows::Table;
use crate::verify::Answer;

/// So many bytes of bodies are written; after that, answers have no body.
const BODIES_BYTES: usize = 128 << 20;

/// The file has a line that is not longer.
const LINE_LIMIT: usize = 1000;

/// One line of the file.
#[derive(Debug, Deserialize, Serialize)]
pub struct KeptAnswer<'a> {
    /// Name of the request.
    #[serde(borrow)]
    pub request: Cow<'a, str>,
    /// Its number among those of this request, from 0.
    pub instance: u32,
    /// The request's first line, or as much as fits.
    #[serde(borrow)]
    pub asked: Cow<'a, str>,
    /// By table, the row that it took, counted from 0 over all rows of the file.
    #[serde(borrow)]
    pub rows: BTreeMap<Cow<'a, str>, u64>,
    /// The status.
    pub status: u16,
    /// Content-Type, as it came; empty: none.
    #[serde(borrow)]
    pub content_type: Cow<'a, str>,
    /// 16 hexadecimal digits; `None`: nothing is equal to this body, see `fault`.
    #[serde(borrow)]
    pub digest: Option<Cow<'a, str>>,
    /// Why nothing is equal to it.
    #[serde(borrow)]
    pub fault: Option<Cow<'a, str>>,
    /// The body; `None` if the file holds enough already.
    #[serde(borrow)]
    pub body: Option<Cow<'a, str>>,
}

/// Writes answers.
#[derive(Debug)]
pub struct Keeper {
    /// By place in the mix; `None`: not compared.
    names: Vec<Option<String>>,
    /// Likewise, the tables of which it takes rows.
    tables: Vec<Vec<Arc<Table>>>,
    file: Mutex<KeptFile>,
}

#[derive(Debug)]
struct KeptFile {
    writer: BufWriter<std::fs::File>,
    bodies_bytes: usize,
}

impl Keeper {
    /// Makes the file anew, for its owner alone. The error says why it cannot be made.
    pub(super) fn new(
        file: &Path,
        plans: &[RequestPlan],
        requests: &[EncodedRequest],
    ) -> Result<Keeper, String> {
        let made = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file);
        let file = made.map_err(|error| format!("{}: {error}", file.display()))?;
        let names = plans.iter().map(|request| request.compared.then(|| request.name.clone())).collect();
        let file = Mutex::new(KeptFile { writer: BufWriter::new(file), bodies_bytes: 0 });
        let tables = requests.iter().map(|request| request.message.tables().to_vec()).collect();
        Ok(Keeper { names, tables, file })
    }

    /// True if the answers to this request are kept.
    pub(super) fn keeps(&self, request: usize) -> bool {
        self.names[request].is_some()
    }

    /// Writes an answer. What cannot be written is missing from the file.
    pub(super) fn keep(&self, asked: &AskedInstance<'_>, answer: &Answer<'_>, digester: &mut Digester) {
        let Some(name) = &self.names[asked.request] else { return };
        let body = whole_body(answer);
        let (digest, fault) = match body.map(|body| digester.body(answer.content_type, body)) {
            Some(Digest::Of(digest)) => (Some(Cow::Owned(format!("{digest:016x}"))), None),
            Some(Digest::MemberTwice) => (None, Some(Cow::Borrowed("a member occurs twice"))),
            None => (None, Some(Cow::Borrowed("the body is longer than 16 MiB"))),
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let body = body.filter(|body| file.bodies_bytes + body.len() <= BODIES_BYTES);
        file.bodies_bytes += body.map_or(0, <[u8]>::len);
        let asked_line = request_line(asked.sent);
        let line = KeptAnswer {
            request: Cow::Borrowed(name),
            instance: asked.instance,
            asked: String::from_utf8_lossy(&asked_line[..asked_line.len().min(LINE_LIMIT)]),
            rows: places(&self.tables[asked.request], asked.about),
            status: answer.status,
            content_type: String::from_utf8_lossy(answer.content_type),
            digest,
            fault,
            body: body.map(String::from_utf8_lossy),
        };
        let written = serde_json::to_writer(&mut file.writer, &line).map_err(std::io::Error::from);
        // A line that is cut off is no JSON, and whoever reads it says so.
        let _ = written.and_then(|()| file.writer.write_all(b"\n"));
    }
}

/// The rows that make up a combined place, see [`crate::template::RowText`].
fn places<'t>(tables: &'t [Arc<Table>], combined: u64) -> BTreeMap<Cow<'t, str>, u64> {
    let mut rest = combined;
    let mut place = |table: &'t Arc<Table>| {
        let place = rest % table.rows();
        rest /= table.rows();
        (Cow::Borrowed(table.name()), table.skipped() + place)
    };
    tables.iter().map(&mut place).collect()
}
