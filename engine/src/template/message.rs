//! A message's bytes: all of them fixed, or a list of pieces.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::parse::{Part, Placeholder, parse};
use super::render::{Renderer, digits, push_number};
use super::zipf::Zipf;
use crate::dataset::Dataset;

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
    pieces: Vec<Piece>,
    sequences: Sequences,
    /// Rows are drawn from it, if a field is asked for.
    dataset: Option<Arc<Dataset>>,
    /// True if there is a [`Piece::BodyLength`].
    has_counted_body: bool,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(Vec<u8>),
    Uniform {
        from: u64,
        span: u64,
    },
    Zipf(Zipf),
    Sequence {
        place: usize,
    },
    Field {
        place: usize,
        is_in_path: bool,
    },
    /// [`CLOSE`] in a connection's last request, else nothing.
    Close,
    /// Where the length of what follows [`Piece::BodyStart`] belongs.
    BodyLength,
    BodyStart,
}

const CLOSE: &[u8] = b"Connection: close\r\n";

/// The counters of a request: the first number and how many were given away.
type Sequences = Vec<(u64, Arc<AtomicU64>)>;

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

    /// Appends a request to `out`. Gives the id of the row whose fields it holds, 0 if none.
    pub fn render(&self, closes: bool, renderer: &mut Renderer, out: &mut Vec<u8>) -> u64 {
        match self {
            Message::Template(template) => template.render(closes, renderer, out),
            Message::Fixed { .. } => {
                out.extend_from_slice(self.fixed(closes).unwrap_or_default());
                0
            }
        }
    }
}

impl Template {
    fn render(&self, closes: bool, renderer: &mut Renderer, out: &mut Vec<u8>) -> u64 {
        renderer.numbers.clear();
        for (from, given) in &self.sequences {
            renderer.numbers.push(from + given.fetch_add(1, Ordering::Relaxed));
        }
        let row = self.dataset.as_deref().map_or(0, |dataset| renderer.row(dataset));
        let (mut length_at, mut body_at) = (out.len(), out.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Uniform { from, span } => push_number(from + renderer.below(*span), out),
                Piece::Zipf(zipf) => push_number(zipf.draw(|| renderer.unit()), out),
                Piece::Sequence { place } => push_number(renderer.numbers[*place], out),
                Piece::Field { place, is_in_path } => {
                    let Some(dataset) = self.dataset.as_deref() else { continue };
                    if *is_in_path {
                        renderer.field_in_path(dataset, row, *place, out);
                    } else {
                        renderer.field(dataset, row, *place, out);
                    }
                }
                Piece::Close if closes => out.extend_from_slice(CLOSE),
                Piece::Close => {}
                Piece::BodyLength => length_at = out.len(),
                Piece::BodyStart => body_at = out.len(),
            }
        }
        if self.has_counted_body {
            insert_number((out.len() - body_at) as u64, length_at, out);
        }
        row
    }
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

/// Where in a request a template stands, which decides how its fields are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// In the request target.
    Path,
    /// In a header's value or the body.
    Elsewhere,
}

/// Puts a message together from its front to its end.
#[derive(Debug)]
pub struct MessageBuilder<'d> {
    dataset: Option<&'d Arc<Dataset>>,
    pieces: Vec<Piece>,
    sequences: Sequences,
    has_fields: bool,
    has_counted_body: bool,
}

impl<'d> MessageBuilder<'d> {
    /// `dataset`: where fields come from.
    pub fn new(dataset: Option<&'d Arc<Dataset>>) -> MessageBuilder<'d> {
        MessageBuilder {
            dataset,
            pieces: Vec::new(),
            sequences: Vec::new(),
            has_fields: false,
            has_counted_body: false,
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

    /// Appends the blank line and a body whose length is told in a header before it.
    ///
    /// # Errors
    /// As [`MessageBuilder::template`].
    pub fn counted_body(&mut self, text: &str) -> Result<(), String> {
        self.bytes(b"Content-Length: ");
        self.pieces.push(Piece::BodyLength);
        self.bytes(b"\r\n\r\n");
        self.pieces.push(Piece::BodyStart);
        self.has_counted_body = true;
        self.template(text, Position::Elsewhere)
    }

    /// The whole message. One without placeholders is rendered here once and for all.
    pub fn finish(self) -> Message {
        let varies = |piece: &Piece| {
            matches!(
                piece,
                Piece::Uniform { .. } | Piece::Zipf(_) | Piece::Sequence { .. } | Piece::Field { .. }
            )
        };
        let is_fixed = !self.pieces.iter().any(varies);
        let template = Template {
            pieces: self.pieces,
            sequences: self.sequences,
            dataset: self.dataset.filter(|_| self.has_fields).cloned(),
            has_counted_body: self.has_counted_body,
        };
        if !is_fixed {
            return Message::Template(template);
        }
        let rendered = |closes| {
            let mut bytes = Vec::new();
            template.render(closes, &mut Renderer::new(0, 0), &mut bytes);
            bytes
        };
        Message::Fixed { kept: rendered(false), closing: rendered(true) }
    }

    fn compile(&mut self, placeholder: &Placeholder<'_>, position: Position) -> Result<Piece, String> {
        Ok(match *placeholder {
            Placeholder::Uniform { from, to } => Piece::Uniform { from, span: to - from + 1 },
            Placeholder::Zipf { ranks, exponent } => Piece::Zipf(Zipf::new(ranks, exponent)),
            Placeholder::Sequence { from } => Piece::Sequence { place: self.sequence(from) },
            Placeholder::Field { name } => {
                let Some(dataset) = self.dataset else {
                    return Err(format!("{{{{field {name}}}}}: the plan has no dataset"));
                };
                let Some(place) = dataset.place(name) else {
                    let names = dataset.names();
                    return Err(format!("{{{{field {name}}}}}: allowed are the dataset's fields {names:?}"));
                };
                self.has_fields = true;
                Piece::Field { place, is_in_path: position == Position::Path }
            }
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::dataset::tests::items;

    fn rendered(message: &Message, renderer: &mut Renderer) -> String {
        let mut out = b"before ".to_vec();
        message.render(false, renderer, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn message(path: &str, body: &str) -> Message {
        let dataset = Arc::new(Dataset::new(&items(1000, 0.2)).unwrap());
        let mut builder = MessageBuilder::new(Some(&dataset));
        builder.template(path, Position::Path).unwrap();
        builder.bytes(b"\r\n");
        builder.close_header();
        builder.counted_body(body).unwrap();
        builder.finish()
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
            let row = message.render(false, &mut renderer, &mut out);
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

    #[test]
    fn unknown_fields_are_named() {
        let dataset = Arc::new(Dataset::new(&items(10, 0.0)).unwrap());
        let error =
            |dataset| MessageBuilder::new(dataset).template("{{field uid}}", Position::Path).unwrap_err();
        assert!(
            error(Some(&dataset))
                .contains("{{field uid}}: allowed are the dataset's fields [\"id\", \"uuid\"")
        );
        assert!(error(None).contains("{{field uid}}: the plan has no dataset"));
    }
}
