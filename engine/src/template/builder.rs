//! Putting a message together.

use std::sync::Arc;

use ring::hmac::Key;

use super::message::{BodyFraming, Message, Piece, Sequences, Template};
use super::nonce::Nonce;
use super::parse::{Part, Placeholder, Spelling, parse};
use super::render::Renderer;
use super::row_text::combined_rows;
use super::zipf::Zipf;
use crate::dataset::Dataset;
use crate::rows::{Form, RowSources, Table};
use crate::variables::VariableSources;

/// Where in a request a template stands, which decides how its fields are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In the request target.
    Path,
    /// In a header's value.
    Header,
    /// In the body.
    Body,
}

/// What a plan gives to take from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'s> {
    /// Where fields come from.
    pub dataset: Option<&'s Arc<Dataset>>,
    /// Where cells come from.
    pub rows: Option<&'s RowSources>,
    /// Where the values of variables come from.
    pub variables: Option<&'s VariableSources>,
    /// What nonces are made with.
    pub nonce_key: Option<&'s Key>,
    /// A share of the requests is traced.
    pub is_traced: bool,
    /// Requests are sent over HTTP/2, whose frames say where a body ends.
    pub is_http2: bool,
    /// Requests are messages of WebSocket: their bodies alone.
    pub is_websocket: bool,
    /// Cookies are sent.
    pub has_cookies: bool,
    /// Requests are sent over TLS.
    pub is_secure: bool,
    /// A request is rendered each time, also without placeholders.
    pub is_rendered: bool,
}

/// Puts a message together from its front to its end.
#[derive(Debug)]
pub struct MessageBuilder<'s> {
    sources: Sources<'s>,
    pieces: Vec<Piece>,
    sequences: Sequences,
    tables: Vec<Arc<Table>>,
    has_fields: bool,
    framing: BodyFraming,
}

impl<'s> MessageBuilder<'s> {
    /// A message without anything.
    pub fn new(sources: Sources<'s>) -> MessageBuilder<'s> {
        MessageBuilder {
            sources,
            pieces: Vec::new(),
            sequences: Vec::new(),
            tables: Vec::new(),
            has_fields: false,
            framing: BodyFraming::Plain,
        }
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Piece::Text(text)) => text.extend_from_slice(bytes),
            _ => self.pieces.push(Piece::Text(bytes.to_vec())),
        }
    }

    /// Here stands `traceparent` in a request that is traced.
    pub fn trace_header(&mut self) {
        self.pieces.push(Piece::Trace);
    }

    /// Here stand the user's cookies.
    pub fn cookie_header(&mut self) {
        self.pieces.push(Piece::Cookies);
    }

    /// Here stands `Connection: close` in a connection's last request.
    pub fn close_header(&mut self) {
        self.pieces.push(Piece::Close);
    }

    /// Appends a template.
    ///
    /// # Errors
    /// The placeholder that does not fit, and what is allowed.
    pub fn template(&mut self, text: &str, position: Position) -> Result<(), String> {
        for part in parse(text)? {
            let piece = match part {
                Part::Text(text) => {
                    self.bytes(text.as_bytes());
                    continue;
                }
                Part::Placeholder(placeholder) => self.compile(&placeholder, position)?,
            };
            self.pieces.push(piece);
        }
        Ok(())
    }

    /// Appends the end of the head. What follows is a body whose length is told in a header before it.
    pub fn begin_counted_body(&mut self) {
        self.bytes(b"Content-Length: ");
        self.pieces.push(Piece::BodyLength);
        self.bytes(b"\r\n\r\n");
        self.pieces.push(Piece::BodyStart);
        self.framing = BodyFraming::Counted;
    }

    /// Appends the end of the head. What follows is a body in chunks, or over HTTP/2 one that is not announced.
    pub fn begin_chunks(&mut self) {
        if self.sources.is_http2 {
            return self.bytes(b"\r\n");
        }
        self.bytes(b"Transfer-Encoding: chunked\r\n\r\n");
        self.pieces.push(Piece::BodyStart);
        self.framing = BodyFraming::Chunked;
    }

    /// The whole message. One without placeholders is rendered here once and for all.
    ///
    /// # Errors
    /// If it holds what does not go together.
    pub fn finish(self) -> Result<Message, String> {
        if self.has_fields && !self.tables.is_empty() {
            return Err("{{field …}} and {{row …}} cannot stand in one request".to_owned());
        }
        if combined_rows(&self.tables).is_none() {
            return Err("the combinations of the rows that it takes are 2^64 or more".to_owned());
        }
        let varies = |piece: &Piece| {
            matches!(
                piece,
                Piece::Uniform { .. }
                    | Piece::Zipf(_)
                    | Piece::Sequence { .. }
                    | Piece::Nonce { .. }
                    | Piece::Field { .. }
                    | Piece::Cell { .. }
                    | Piece::Variable { .. }
                    | Piece::Trace
                    | Piece::Cookies
            )
        };
        let is_fixed = !self.sources.is_rendered && !self.pieces.iter().any(varies);
        let template = Template {
            pieces: self.pieces,
            sequences: self.sequences,
            dataset: self.sources.dataset.filter(|_| self.has_fields).cloned(),
            tables: self.tables,
            framing: self.framing,
        };
        if !is_fixed {
            return Ok(Message::Template(template));
        }
        let rendered = |closes| {
            let mut bytes = Vec::new();
            template.render(closes, &mut Renderer::new(0, 0), &mut bytes);
            bytes
        };
        Ok(Message::Fixed { kept: rendered(false), closing: rendered(true) })
    }

    fn compile(&mut self, placeholder: &Placeholder<'_>, position: Position) -> Result<Piece, String> {
        Ok(match *placeholder {
            Placeholder::Uniform { from, to } => Piece::Uniform { from, span: to - from + 1 },
            Placeholder::Zipf { ranks, exponent } => Piece::Zipf(Zipf::new(ranks, exponent)),
            Placeholder::Sequence { from } => Piece::Sequence { place: self.sequence(from) },
            Placeholder::Nonce { label, from } => {
                let Some(key) = self.sources.nonce_key else {
                    return Err(format!("{{{{nonce {label} {from}}}}}: the plan has no nonce_key"));
                };
                let nonce = Nonce { key: key.clone(), label: label.to_owned() };
                Piece::Nonce { nonce, place: self.sequence(from) }
            }
            Placeholder::Field { name } => {
                let Some(dataset) = self.sources.dataset else {
                    return Err(format!("{{{{field {name}}}}}: the plan has no dataset"));
                };
                let Some(place) = dataset.place(name) else {
                    let names = dataset.names();
                    return Err(format!("{{{{field {name}}}}}: allowed are the dataset's fields {names:?}"));
                };
                self.has_fields = true;
                Piece::Field { place, is_in_path: position == Position::Path }
            }
            Placeholder::Row { table, column, spelling } => {
                let named = |text: String| format!("{{{{row {table} {column}}}}}: {text}");
                let form = form(spelling, position).map_err(|text| named(text.to_owned()))?;
                let rows = self.sources.rows.ok_or_else(|| named("the plan has no rows".to_owned()))?;
                let source = rows.get(table).map_err(named)?;
                let column = source.column(column, form).map_err(named)?;
                Piece::Cell { table: self.table(source.table()), column }
            }
            Placeholder::Variable { name, spelling } => {
                let named = |text: String| format!("{{{{var {name}}}}}: {text}");
                let form = form(spelling, position).map_err(|text| named(text.to_owned()))?;
                let variables =
                    self.sources.variables.ok_or_else(|| named("the plan takes no variable".to_owned()))?;
                Piece::Variable { place: variables.text(name, form).map_err(named)? }
            }
        })
    }

    fn table(&mut self, table: &Arc<Table>) -> usize {
        let known = self.tables.iter().position(|other| Arc::ptr_eq(other, table));
        known.unwrap_or_else(|| {
            self.tables.push(Arc::clone(table));
            self.tables.len() - 1
        })
    }

    fn sequence(&mut self, from: u64) -> usize {
        let known = self.sequences.iter().position(|(other, _)| *other == from);
        known.unwrap_or_else(|| {
            self.sequences.push((from, Arc::default()));
            self.sequences.len() - 1
        })
    }
}

/// How a cell is written where it stands.
fn form(spelling: Spelling, position: Position) -> Result<Form, &'static str> {
    match (spelling, position) {
        (Spelling::Plain, Position::Path) => Ok(Form::Path),
        (Spelling::Plain, Position::Header) => Ok(Form::Header),
        (Spelling::Plain, Position::Body) => Ok(Form::Text),
        (Spelling::Json, Position::Body) => Ok(Form::Json),
        (Spelling::Escaped, Position::Body) => Ok(Form::JsonText),
        (Spelling::Base64, Position::Body) => Ok(Form::Base64),
        _ => Err("json, escaped and base64 are for bodies"),
    }
}
