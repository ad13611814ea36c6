//! A message's bytes: all of them fixed, or a list of pieces.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::nonce::Nonce;
use super::render::{Drawn, Renderer, digits, push_number};
use super::zipf::Zipf;
use crate::dataset::Dataset;
use crate::rows::{Column, Table};

/// The bytes of a request.
#[derive(Clone, Debug)]
pub enum Message {
    /// The same every time.
    Fixed {
        /// As most requests are sent.
        kept: Vec<u8>,
        /// With `Connection: close`.
        closing: Vec<u8>,
    },
    /// Rendered every time.
    Template(Template),
}

/// Pieces that make up a request.
#[derive(Clone, Debug)]
pub struct Template {
    pub(super) pieces: Vec<Piece>,
    pub(super) sequences: Sequences,
    /// Rows are drawn from it, if a field is asked for.
    pub(super) dataset: Option<Arc<Dataset>>,
    /// Of each, a request takes one row.
    pub(super) tables: Vec<Arc<Table>>,
    pub(super) framing: BodyFraming,
}

/// How a body's end is told that is not the same each time, or is sent in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyFraming {
    /// It is part of the text, or there is none.
    Plain,
    /// By a [`Piece::BodyLength`].
    Counted,
    /// By chunks, from [`Piece::BodyStart`] on.
    Chunked,
}

/// What a message is made of.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    Uniform {
        from: u64,
        span: u64,
    },
    Zipf(Zipf),
    Sequence {
        place: usize,
    },
    Nonce {
        nonce: Nonce,
        place: usize,
    },
    Field {
        place: usize,
        is_in_path: bool,
    },
    /// A cell of the row that was taken of a table.
    Cell {
        table: usize,
        column: Arc<Column>,
    },
    /// The text of a variable of the connection.
    Variable {
        place: usize,
    },
    /// The cookies of the user, if there are some.
    Cookies,
    /// `traceparent` in a request that is traced, else nothing.
    Trace,
    /// [`CLOSE`] in a connection's last request, else nothing.
    Close,
    /// Where the length of what follows [`Piece::BodyStart`] belongs.
    BodyLength,
    BodyStart,
}

/// A longer body is several chunks. Bytes.
const CHUNK_BYTES: usize = 8 << 10;

const CLOSE: &[u8] = b"Connection: close\r\n";

/// The counters of a request: the first number and how many were given away.
pub(super) type Sequences = Vec<(u64, Arc<AtomicU64>)>;

/// The sequence that stands first in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstSequence {
    /// Its first number.
    pub from: u64,
    /// How many of its numbers were given out so far.
    pub given: u64,
}

impl Message {
    /// The bytes if they are always the same. `closes`: it is the connection's last request.
    #[inline]
    pub fn fixed(&self, closes: bool) -> Option<&[u8]> {
        match self {
            Message::Fixed { closing, .. } if closes => Some(closing),
            Message::Fixed { kept, .. } => Some(kept),
            Message::Template(_) => None,
        }
    }

    /// The sequence that stands first, in the order path, headers, body; its number in the request that was rendered last
    /// is [`Renderer::first_number`].
    pub fn first_sequence(&self) -> Option<FirstSequence> {
        let Message::Template(template) = self else { return None };
        let (from, given) = template.sequences.first()?;
        Some(FirstSequence { from: *from, given: given.load(Ordering::Relaxed) })
    }

    /// True if every request is about a row of the dataset.
    pub fn draws_rows(&self) -> bool {
        matches!(self, Message::Template(Template { dataset: Some(_), .. }))
    }

    /// The tables of which every request takes a row.
    pub fn tables(&self) -> &[Arc<Table>] {
        match self {
            Message::Template(template) => &template.tables,
            Message::Fixed { .. } => &[],
        }
    }

    /// Appends a request to `out`. Gives what it is about: the id of the dataset's row whose fields it holds, 0 if none;
    /// or the [combined place](super::RowText) of the rows that it took. `None`: a table whose rows are taken once has no more.
    pub fn render(&self, closes: bool, renderer: &mut Renderer, out: &mut Vec<u8>) -> Option<u64> {
        match self {
            Message::Template(template) => template.render(closes, renderer, out),
            Message::Fixed { .. } => {
                out.extend_from_slice(self.fixed(closes).unwrap_or_default());
                Some(0)
            }
        }
    }

    /// Appends the request that was rendered then once more, with what was drawn for it, and the present values of
    /// variables.
    pub fn render_again(&self, closes: bool, drawn: &Drawn, renderer: &mut Renderer, out: &mut Vec<u8>) {
        match self {
            Message::Template(template) => {
                renderer.drawing_again(drawn, |renderer| template.write(closes, drawn.row, renderer, out))
            }
            Message::Fixed { .. } => out.extend_from_slice(self.fixed(closes).unwrap_or_default()),
        }
    }

    /// Appends a request that holds the row at this place of each table, and after the last one the first. Nothing else
    /// is drawn for it. Gives the combined place of its rows.
    pub fn render_at(&self, place: u64, renderer: &mut Renderer, out: &mut Vec<u8>) -> u64 {
        match self {
            Message::Template(template) => {
                let row = renderer.take_rows_at(place, &template.tables);
                template.write(false, row, renderer, out);
                row
            }
            Message::Fixed { kept, .. } => {
                out.extend_from_slice(kept);
                0
            }
        }
    }
}

impl Template {
    /// As [`Message::render`].
    pub(super) fn render(&self, closes: bool, renderer: &mut Renderer, out: &mut Vec<u8>) -> Option<u64> {
        renderer.numbers.clear();
        for (from, given) in &self.sequences {
            let place = renderer.turn.place(given.fetch_add(1, Ordering::Relaxed));
            renderer.numbers.push(from + place);
        }
        let row = if self.tables.is_empty() {
            self.dataset.as_deref().map_or(0, |dataset| renderer.row(dataset))
        } else {
            renderer.take_rows(&self.tables)?
        };
        self.write(closes, row, renderer, out);
        Some(row)
    }

    #[inline]
    fn write(&self, closes: bool, row: u64, renderer: &mut Renderer, out: &mut Vec<u8>) {
        renderer.begin_drawing();
        let begin = out.len();
        let (mut length_at, mut body_at) = (begin, begin);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Uniform { from, span } => push_number(from + renderer.below(*span), out),
                Piece::Zipf(zipf) => push_number(zipf.draw(|| renderer.unit()), out),
                Piece::Sequence { place } => push_number(renderer.numbers[*place], out),
                Piece::Nonce { nonce, place } => nonce.write(renderer.numbers[*place], out),
                Piece::Field { place, is_in_path } => {
                    let Some(dataset) = self.dataset.as_deref() else { continue };
                    if *is_in_path {
                        renderer.field_in_path(dataset, row, *place, out);
                    } else {
                        renderer.field(dataset, row, *place, out);
                    }
                }
                Piece::Cell { table, column } => {
                    out.extend_from_slice(column.cell(renderer.places[*table]));
                }
                Piece::Variable { place } => out.extend_from_slice(renderer.variables.text(*place)),
                Piece::Cookies => renderer.variables.write_cookies(begin, out),
                Piece::Trace => renderer.tracer.write(out),
                Piece::Close if closes => out.extend_from_slice(CLOSE),
                Piece::Close => {}
                Piece::BodyLength => length_at = out.len(),
                Piece::BodyStart => body_at = out.len(),
            }
        }
        match self.framing {
            BodyFraming::Plain => {}
            BodyFraming::Counted => insert_number((out.len() - body_at) as u64, length_at, out),
            BodyFraming::Chunked => frame_chunks(body_at, out),
        }
    }
}

/// Makes chunks of the body that begins at a place (RFC 9112, section 7.1).
fn frame_chunks(at: usize, out: &mut Vec<u8>) {
    let body = out.split_off(at);
    for chunk in body.chunks(CHUNK_BYTES) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
}

/// Writes a number's digits at a place, and moves what follows.
fn insert_number(number: u64, at: usize, out: &mut Vec<u8>) {
    let mut buffer = [0; 20];
    let start = digits(number, &mut buffer);
    let (digits, end) = (&buffer[start..], out.len());
    out.resize(end + digits.len(), 0);
    out.copy_within(at..end, at + digits.len());
    out[at..at + digits.len()].copy_from_slice(digits);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::super::Turn;
    use super::super::builder::{MessageBuilder, Position, Sources};
    use super::*;
    use crate::dataset::tests::items;
    use crate::rows::tests::sources;

    fn rendered(message: &Message, renderer: &mut Renderer) -> String {
        let mut out = b"before ".to_vec();
        message.render(false, renderer, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn message(path: &str, body: &str) -> Message {
        let dataset = Arc::new(Dataset::new(&items(1000, 0.2)).unwrap());
        let mut builder = MessageBuilder::new(Sources { dataset: Some(&dataset), ..Sources::default() });
        builder.template(path, Position::Path).unwrap();
        builder.bytes(b"\r\n");
        builder.close_header();
        builder.begin_counted_body();
        builder.template(body, Position::Body).unwrap();
        builder.finish().unwrap()
    }

    #[test]
    fn without_placeholders_a_message_is_fixed() {
        let message = message("/{{{{", "four");
        assert_eq!(message.fixed(false).unwrap(), b"/{{\r\nContent-Length: 4\r\n\r\nfour");
        assert_eq!(
            message.fixed(true).unwrap(),
            b"/{{\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfour"
        );
    }

    #[test]
    fn the_length_is_that_of_the_rendered_body() {
        let message = message("/{{sequence 9}}", "{\"n\": {{sequence 9}}, \"u\": {{uniform 0 1000000}}}");
        let mut renderer = Renderer::new(5, 0);
        let mut lengths = HashSet::new();
        for number in 9..200 {
            let text = rendered(&message, &mut renderer);
            let (head, body) = text.split_once("\r\n\r\n").unwrap();
            assert_eq!(head, format!("before /{number}\r\nContent-Length: {}", body.len()));
            assert!(body.starts_with(&format!("{{\"n\": {number}, ")), "{body}");
            lengths.insert(body.len());
        }
        assert!(lengths.len() > 1);
    }

    #[test]
    fn fields_are_those_of_one_row() {
        let message =
            message("/{{field id}}", "{{field uuid}} {{field hash_code}} {{field name}} {{field id}}");
        let dataset = Dataset::new(&items(1000, 0.2)).unwrap();
        let (mut renderer, mut writer) = (Renderer::new(5, 1), crate::dataset::RowWriter::new());
        for _ in 0..50 {
            let mut out = Vec::new();
            let row = message.render(false, &mut renderer, &mut out).unwrap();
            assert!(dataset.holds(row));
            let text = String::from_utf8(out).unwrap();
            let mut expected = Vec::new();
            for (number, name) in ["uuid", "hash_code", "name", "id"].iter().enumerate() {
                expected.extend_from_slice(if number > 0 { b" " } else { b"" });
                writer.write_field(&dataset, row, dataset.place(name).unwrap(), &mut expected);
            }
            assert!(text.starts_with(&format!("/{row}\r\n")));
            assert!(text.ends_with(&String::from_utf8(expected).unwrap()), "{text}");
        }
    }

    #[test]
    fn a_sequence_gives_every_number_once_over_all_threads() {
        let message = message("/{{sequence 1}}", "");
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let message = message.clone();
                std::thread::spawn(move || {
                    let mut renderer = Renderer::new(1, thread);
                    let number = |text: String| text[8..text.find('\r').unwrap()].parse::<u64>().unwrap();
                    (0..500).map(|_| number(rendered(&message, &mut renderer))).collect::<Vec<_>>()
                })
            })
            .collect();
        let mut numbers: Vec<u64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=2000).collect::<Vec<_>>());
    }

    #[test]
    fn several_engines_share_a_sequence() {
        let number = |message: &Message, renderer: &mut Renderer| {
            rendered(message, renderer);
            renderer.first_number().unwrap()
        };
        for (part, expected, begun) in [(0, [5, 8, 11], 7), (1, [6, 9, 12], 8), (2, [7, 10, 13], 9)] {
            let message = message("/{{sequence 5}}", "");
            let turn = Turn { number: part, of: 3 };
            let mut renderer = Renderer::new(1, part).counting(turn);
            assert_eq!([(); 3].map(|()| number(&message, &mut renderer)), expected);
            assert_eq!(turn.begun(message.first_sequence().unwrap().given), begun);
            assert_eq!(turn.begun(0), 0);
        }
    }

    #[test]
    fn the_first_sequence_is_that_of_the_path_before_that_of_the_body() {
        let message = message("/{{uniform 1 9}}{{sequence 5}}", "{{sequence 1}}");
        let mut renderer = Renderer::new(1, 0);
        assert_eq!(message.first_sequence(), Some(FirstSequence { from: 5, given: 0 }));
        for number in 5..8 {
            rendered(&message, &mut renderer);
            assert_eq!(renderer.first_number(), Some(number));
        }
        assert_eq!(message.first_sequence(), Some(FirstSequence { from: 5, given: 3 }));
    }

    fn of_rows(path: &str, header: &str, body: &str, pick: &str) -> Result<Message, String> {
        let lines = ["{\"id\": 1, \"name\": \"a\\nb\"}", "{\"id\": 2, \"name\": \"\"}"];
        let rows = sources(json!({"items": {"lines": lines, "pick": {"kind": pick}}}));
        let dataset = Arc::new(Dataset::new(&items(10, 0.0)).unwrap());
        let mut builder =
            MessageBuilder::new(Sources { dataset: Some(&dataset), rows: Some(&rows), ..Sources::default() });
        builder.template(path, Position::Path)?;
        builder.template(header, Position::Header)?;
        builder.begin_counted_body();
        builder.template(body, Position::Body)?;
        builder.finish()
    }

    #[test]
    fn all_cells_are_of_one_row() {
        let body = "[{{row items id json}}, {{row items name json}}, \"<{{row items name escaped}}>\", \"{{row items id}}\"]";
        let message = of_rows("/{{row items name}}", " {{row items id}} ", body, "sequential").unwrap();
        let mut renderer = Renderer::new(1, 0);
        let first = "before /a%0Ab 1 Content-Length: 26\r\n\r\n[1, \"a\\nb\", \"<a\\nb>\", \"1\"]";
        let second = "before / 2 Content-Length: 18\r\n\r\n[2, \"\", \"<>\", \"2\"]";
        for expected in [first, second, first] {
            assert_eq!(rendered(&message, &mut renderer), expected);
        }
        assert_eq!(message.tables()[0].used(), None);
    }

    #[test]
    fn rows_that_are_taken_once_run_out() {
        let message = of_rows("/{{row items id}}", "", "", "once").unwrap();
        let mut threads = [0, 1].map(|thread| Renderer::new(1, thread));
        let mut take = |thread: usize| message.render(false, &mut threads[thread], &mut Vec::new());
        assert_eq!([take(0), take(1)], [Some(0), Some(1)]);
        assert_eq!(message.tables()[0].ran_out(), None);
        assert_eq!([take(1), take(0)], [None, None]);
        assert_eq!(message.tables()[0].used(), Some(2));
        let text = message.tables()[0].ran_out().unwrap();
        assert_eq!(text, "rows.items: each of its 2 rows was taken once, and one more was needed");
    }

    #[test]
    fn cells_are_refused_where_they_cannot_stand() {
        let error = |path, header, body| of_rows(path, header, body, "random").unwrap_err();
        assert!(error("/", "{{row items name}}", "").contains("row 1: name holds a control character"));
        assert!(
            error("/{{row items id json}}", "", "").contains("{{row items id}}: json, escaped and base64")
        );
        assert!(
            error("/", "", "{{row item id}}").contains("{{row item id}}: the plan's rows are [\"items\"]")
        );
        assert!(error("/", "", "{{row items uid}}").contains("row 1: has no \"uid\""));
        assert!(error("/{{field id}}", "", "{{row items id}}").contains("cannot stand in one request"));
    }

    #[test]
    fn unknown_fields_are_named() {
        let dataset = Arc::new(Dataset::new(&items(10, 0.0)).unwrap());
        let error = |dataset| {
            let sources = Sources { dataset, ..Sources::default() };
            MessageBuilder::new(sources).template("{{field uid}}", Position::Path).unwrap_err()
        };
        assert!(
            error(Some(&dataset))
                .contains("{{field uid}}: allowed are the dataset's fields [\"id\", \"uuid\"")
        );
        assert!(error(None).contains("{{field uid}}: the plan has no dataset"));
    }
}
