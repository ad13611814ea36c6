//! Server-sent events, parsed as their bytes come: the HTML standard, section 9.2.6, "Interpreting an event stream".
//!
//! Where the standard decodes text, this looks at bytes: what is no UTF-8 stays as it came.

use memchr::{memchr, memchr2};

/// What is kept of an event that is not complete; a longer one is wrong. Bytes.
pub const EVENT_BYTES_LIMIT: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An event has more than [`EVENT_BYTES_LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'p> {
    /// Its lines of data, with a line feed between them.
    pub data: &'p [u8],
    /// The id that came last, in this event or before; empty: none has.
    pub id: &'p [u8],
}

/// Parses the events of one answer.
#[derive(Debug, Default)]
pub struct EventParser {
    /// What has come of a line that is not complete.
    line: Vec<u8>,
    /// A line feed behind each of its lines.
    data: Vec<u8>,
    id: Vec<u8>,
    /// The event to which `data` belongs was given.
    was_given: bool,
    /// A line has come, so that no byte order mark can come any more.
    has_begun: bool,
    /// The last line ended with CR: an LF belongs to it.
    is_behind_cr: bool,
}

impl EventParser {
    /// Forgets what has come.
    pub fn reset(&mut self) {
        self.line.clear();
        self.data.clear();
        self.id.clear();
        (self.was_given, self.has_begun, self.is_behind_cr) = (false, false, false);
    }

    /// Takes `input` up to the end of the next event; `None`: no event ends in it, and all of it is taken.
    ///
    /// # Errors
    /// If an event, or a line, is too long. The parser is of no more use then, until it is reset.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<Event<'_>>, TooLong> {
        if std::mem::take(&mut self.was_given) {
            self.data.clear();
        }
        loop {
            if self.is_behind_cr && !input.is_empty() {
                self.is_behind_cr = false;
                if let Some(rest) = input.strip_prefix(b"\n") {
                    *input = rest;
                }
            }
            let Some(end) = memchr2(b'\n', b'\r', input) else {
                self.keep(input)?;
                *input = &[];
                return Ok(None);
            };
            let (part, rest) = input.split_at(end);
            self.is_behind_cr = rest[0] == b'\r';
            *input = &rest[1..];
            let is_blank = if self.line.is_empty() {
                self.take_line(part)?
            } else {
                self.keep(part)?;
                let line = std::mem::take(&mut self.line);
                let is_blank = self.take_line(&line);
                self.line = line;
                self.line.clear();
                is_blank?
            };
            if is_blank && !self.data.is_empty() {
                self.was_given = true;
                return Ok(Some(Event { data: &self.data[..self.data.len() - 1], id: &self.id }));
            }
        }
    }

    /// True if something has come of an event that no blank line ended.
    pub fn is_within_event(&self) -> bool {
        !self.line.is_empty() || (!self.data.is_empty() && !self.was_given)
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), TooLong> {
        self.assert_room(self.line.len() + part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn assert_room(&self, bytes: usize) -> Result<(), TooLong> {
        if self.data.len() + bytes > EVENT_BYTES_LIMIT { Err(TooLong) } else { Ok(()) }
    }

    /// Takes a whole line. True if it is blank.
    fn take_line(&mut self, mut line: &[u8]) -> Result<bool, TooLong> {
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        let (name, value) = match memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                self.assert_room(value.len() + 1)?;
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"id" if memchr(0, value).is_none() => {
                self.id.clear();
                self.id.extend_from_slice(value);
            }
            // A comment has no name. `event` and `retry` are for whoever acts on events; others are ignored.
            _ => {}
        }
        Ok(line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each event's data and id, however the bytes are cut.
    fn events(bytes: &[u8]) -> Vec<(String, String)> {
        let parse = |pieces: &[&[u8]]| {
            let (mut parser, mut events) = (EventParser::default(), Vec::new());
            for piece in pieces {
                let mut input = *piece;
                while let Some(Event { data, id }) = parser.next(&mut input).unwrap() {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    events.push((text(data), text(id)));
                }
                assert!(input.is_empty());
            }
            events
        };
        let whole = parse(&[bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(parse(&single), whole);
        for split in 0..bytes.len() {
            assert_eq!(parse(&[&bytes[..split], &bytes[split..]]), whole, "cut at {split}");
        }
        whole
    }

    fn data(bytes: &str) -> Vec<String> {
        events(bytes.as_bytes()).into_iter().map(|(data, _)| data).collect()
    }

    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(data("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        let with_ids =
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        let expected = [("first event", "1"), ("second event", ""), (" third event", "")];
        let found = events(with_ids);
        assert_eq!(found.iter().map(|(data, id)| (&data[..], &id[..])).collect::<Vec<_>>(), expected);
        // The last block has no blank line behind it, and is discarded.
        assert_eq!(data("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(data("data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn lines_end_in_three_ways() {
        for end in ["\n", "\r", "\r\n"] {
            let text = ["data: a", "", ": alive", "", "event: x", "data: b", "data: c", "", ""].join(end);
            assert_eq!(data(&text), ["a", "b\nc"], "{end:?}");
        }
        assert_eq!(data("data: a\r\n\rdata: b\n\r\ndata: c\r\r"), ["a", "b", "c"]);
    }

    #[test]
    fn an_event_is_given_with_the_byte_that_ends_it() {
        let mut parser = EventParser::default();
        assert_eq!(parser.next(&mut &b"data: a\r\n\r"[..]).unwrap().unwrap().data, b"a");
        assert!(!parser.is_within_event());
        assert_eq!(parser.next(&mut &b"\ndata: b"[..]), Ok(None));
        assert!(parser.is_within_event());
    }

    #[test]
    fn what_is_no_data_makes_no_event() {
        assert!(data("\u{feff}: hello\n\nid: 7\n\nevent: end\n\nretry: 10\n\nDATA: a\n\n").is_empty());
        assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
        assert_eq!(events(b"id: 7\n\nid: 8\0\ndata: a\n\n"), [("a".to_owned(), "7".to_owned())]);
    }

    #[test]
    fn what_has_no_end_is_too_long() {
        let chunk = vec![b'x'; EVENT_BYTES_LIMIT / 8];
        let lines = [&b"data: "[..], &chunk, b"\n"].concat();
        for piece in [&chunk, &lines] {
            let mut parser = EventParser::default();
            let found = (0..9).find_map(|_| parser.next(&mut &piece[..]).err());
            assert_eq!(found, Some(TooLong));
            assert!(parser.line.capacity() + parser.data.capacity() <= 4 * EVENT_BYTES_LIMIT);
        }
    }
}
