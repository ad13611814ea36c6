//! The state of one exchange: the part of the awaited answer that a connection has received.

use crate::grpc::{DEADLINE_EXCEEDED, MEDIA_TYPE};
use crate::http1::response::{BodyPart, Coding, Head, Left, Malformed, ResponseParser};
use crate::record::{EXCERPT_BYTES, Sighting};
use crate::verify::{Answer, EventStream, Expectation};

/// The cause of a timeout if the head came, and the peer's close was to end the body.
pub const NO_LENGTH: &str = "no_length";

/// What the answer to a call begins with.
const CALL_HEAD: Head<'static> = Head {
    status: 200,
    content_type: Some(MEDIA_TYPE),
    location: None,
    coding: None,
    bytes: b"",
    reusable: true,
    has_two_framings: false,
};

/// What came of some bytes.
#[derive(Debug)]
pub enum Received<'a> {
    /// The answer is not complete.
    Partial,
    /// The answer is complete.
    Complete(Answer<'a>),
    /// The bytes can be no answer; the connection is of no more use.
    Broken(Broken),
}

/// What came instead of an answer.
#[derive(Debug)]
pub struct Broken {
    /// Why it is none.
    pub cause: Malformed,
    /// Of the answer, if its head was right.
    pub status: Option<u16>,
    /// The beginning of what cannot be read: of the head, or in the body what came last.
    pub excerpt: Vec<u8>,
}

impl Broken {
    /// `bytes`: what cannot be read, as far as it is known.
    #[cold]
    pub fn new(cause: Malformed, status: Option<u16>, bytes: &[u8]) -> Broken {
        Broken { cause, status, excerpt: bytes[..bytes.len().min(EXCERPT_BYTES)].to_vec() }
    }
}

/// Collects one answer after the other. Memory is bounded by the parser's limit and the expectation's
/// [`Expectation::kept_bytes`]; an answer that comes in one read is not copied.
#[derive(Debug, Default)]
pub struct Exchange {
    parser: ResponseParser,
    collected: Collected,
}

/// What is known of an answer, whatever protocol frames it.
#[derive(Debug, Default)]
struct Collected {
    /// When its first byte came; 0: none has.
    first_byte_ns: u64,
    status: u16,
    header_fits: bool,
    header_shows: Option<Sighting>,
    is_echo: bool,
    reusable: bool,
    has_two_framings: bool,
    coding: Option<Coding>,
    content_type: Vec<u8>,
    head: Vec<u8>,
    trailer: Vec<u8>,
    body_bytes: u64,
    kept: Vec<u8>,
    /// Made by the first piece of an answer that is to be a stream of events.
    events: Option<Box<EventStream>>,
}

impl Exchange {
    /// Awaits a new answer.
    #[inline]
    pub fn reset(&mut self) {
        self.parser.reset();
        self.collected.first_byte_ns = 0;
        self.collected.body_bytes = 0;
        self.collected.kept.clear();
        self.collected.head.clear();
        self.collected.trailer.clear();
        if let Some(events) = &mut self.collected.events {
            events.reset();
        }
    }

    /// What has come of the awaited answer's events.
    pub fn events(&self) -> Option<&EventStream> {
        self.collected.events.as_deref()
    }

    /// When the first byte of the awaited answer came.
    pub fn first_byte_ns(&self) -> Option<u64> {
        Some(self.collected.first_byte_ns).filter(|&first_byte_ns| first_byte_ns > 0)
    }

    /// Takes `input` up to the answer's end. `to_head_request`: the answer has no body, whatever its head says.
    /// `more_may_follow`: bytes behind the answer belong to the next one, and are left; else they break the connection.
    /// `asked_row` as for [`Expectation::verify`].
    #[inline]
    pub fn receive<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
        to_head_request: bool,
        more_may_follow: bool,
        expectation: &mut Expectation,
        asked_row: u64,
        now_ns: u64,
    ) -> Received<'a> {
        let whole = *input;
        self.collected.begins(now_ns);
        if self.parser.awaits_head() {
            match self.parser.head(input, to_head_request) {
                Ok(Some(head)) => self.collected.head(&head, expectation, asked_row),
                Ok(None) => return Received::Partial,
                Err(cause) => {
                    let carried = self.parser.carried();
                    let beginning = if carried.is_empty() { whole } else { carried };
                    return Received::Broken(Broken::new(cause, None, beginning));
                }
            }
        }
        let collected = &mut self.collected;
        let kept_bytes = expectation.kept_bytes(collected.coding);
        // Stays in the read buffer as long as it is the only one.
        let mut first_piece: Option<&'a [u8]> = None;
        loop {
            match self.parser.body(input) {
                Ok(BodyPart::Piece(piece)) => {
                    collected.body_bytes += piece.len() as u64;
                    collected.take_events(piece, expectation, now_ns);
                    if collected.body_bytes == piece.len() as u64 {
                        first_piece = Some(piece);
                    } else {
                        if let Some(first) = first_piece.take() {
                            keep(&mut collected.kept, first, kept_bytes);
                        }
                        keep(&mut collected.kept, piece, kept_bytes);
                    }
                }
                Ok(BodyPart::Trailer(lines)) => {
                    if expectation.keeps_trailer() {
                        collected.trailer.extend_from_slice(lines);
                    }
                }
                Ok(BodyPart::NeedMore) => {
                    if let Some(first) = first_piece {
                        keep(&mut collected.kept, first, kept_bytes);
                    }
                    return Received::Partial;
                }
                // More than was asked for: where the next answer begins is not known.
                Ok(BodyPart::End) if !more_may_follow && !input.is_empty() => {
                    let cause = Malformed::of_surplus(input);
                    return Received::Broken(Broken::new(cause, Some(collected.status), input));
                }
                Ok(BodyPart::End) => break,
                Err(cause) => {
                    return Received::Broken(Broken::new(cause, Some(collected.status), whole));
                }
            }
        }
        Received::Complete(collected.answer(first_piece, kept_bytes))
    }

    /// What has come of the awaited answer, by a name that a summary has as its cause, and in words. `None`: nothing, or
    /// its frames are not HTTP/1's.
    #[cold]
    pub fn unfinished(&self) -> Option<(&'static str, String)> {
        let Collected { status, body_bytes, .. } = &self.collected;
        match self.parser.left() {
            Left::Head if self.parser.carried().is_empty() => None,
            Left::Head => {
                let bytes = self.parser.carried().len();
                Some(("head_unfinished", format!("{bytes} bytes of a head came, and not its end")))
            }
            Left::Bytes(left) => Some((
                "body_unfinished",
                format!("status {status} came, then {body_bytes} of {} bytes of its body", body_bytes + left),
            )),
            Left::Chunks => Some((
                "body_unfinished",
                format!("status {status} came, then {body_bytes} bytes of its body in chunks, and no end"),
            )),
            Left::Close => Some((
                NO_LENGTH,
                format!("status {status} came without a length, then {body_bytes} bytes, and no end"),
            )),
        }
    }

    /// True if the peer's close completes the answer.
    pub fn is_complete_at_close(&self) -> bool {
        self.parser.is_complete_at_close()
    }

    /// The head of an answer that other frames than HTTP/1's carry.
    pub fn take_head(&mut self, head: &Head<'_>, expectation: &mut Expectation, asked_row: u64, now_ns: u64) {
        self.collected.begins(now_ns);
        self.collected.head(head, expectation, asked_row);
    }

    /// The next piece of such an answer's body.
    pub fn take_piece(&mut self, piece: &[u8], expectation: &mut Expectation, now_ns: u64) {
        self.collected.body_bytes += piece.len() as u64;
        self.collected.take_events(piece, expectation, now_ns);
        let kept_bytes = expectation.kept_bytes(self.collected.coding);
        keep(&mut self.collected.kept, piece, kept_bytes);
    }

    /// Such an answer is the message that was sent, or not.
    pub fn take_echo(&mut self, is_echo: bool) {
        self.collected.is_echo = is_echo;
    }

    /// A field of such an answer's trailer, which is kept.
    pub fn take_trailer(&mut self, name: &[u8], value: &[u8]) {
        for part in [name, b": ", value, b"\r\n"] {
            self.collected.trailer.extend_from_slice(part);
        }
    }

    /// A call's deadline has passed: it ends with the status that its client gives it.
    #[cold]
    pub fn ends_at_deadline(&mut self, expectation: &mut Expectation, asked_row: u64, now_ns: u64) {
        if self.first_byte_ns().is_none() {
            self.take_head(&CALL_HEAD, expectation, asked_row, now_ns);
        }
        self.take_trailer(b"grpc-status", DEADLINE_EXCEEDED.to_string().as_bytes());
    }

    /// The answer whose end is known otherwise: by the peer's close, or by a frame.
    pub fn whole(&self, expectation: &Expectation) -> Answer<'_> {
        self.collected.answer(None, expectation.kept_bytes(self.collected.coding))
    }
}

impl Collected {
    /// Something of it has come.
    #[inline]
    fn begins(&mut self, now_ns: u64) {
        if self.first_byte_ns == 0 {
            self.first_byte_ns = now_ns;
        }
    }

    #[inline]
    fn head(&mut self, head: &Head<'_>, expectation: &mut Expectation, asked_row: u64) {
        let header_fits = expectation.header_fits(head, asked_row);
        (self.status, self.reusable) = (head.status, head.reusable);
        (self.has_two_framings, self.coding) = (head.has_two_framings, head.coding);
        self.header_fits = header_fits;
        self.header_shows = expectation.header_shows();
        self.content_type.clear();
        if !header_fits || expectation.keeps_content_type() {
            self.content_type.extend_from_slice(head.content_type.unwrap_or_default());
        }
        if expectation.keeps_head(head.status) {
            self.head.clear();
            self.head.extend_from_slice(head.bytes);
        }
    }

    /// Looks for events in a piece of the body, which is not coded.
    #[inline]
    fn take_events(&mut self, piece: &[u8], expectation: &mut Expectation, now_ns: u64) {
        if matches!(self.coding, None | Some(Coding::Unknown))
            && expectation.status_fits(self.status)
            && let Some(expected) = expectation.events()
        {
            self.events.get_or_insert_default().take(piece, expected, now_ns);
        }
    }

    #[inline]
    fn answer<'a>(&'a self, only_piece: Option<&'a [u8]>, kept_bytes: usize) -> Answer<'a> {
        let body = match only_piece {
            Some(piece) => &piece[..piece.len().min(kept_bytes)],
            None => &self.kept,
        };
        Answer {
            first_byte_ns: self.first_byte_ns,
            status: self.status,
            header_fits: self.header_fits,
            header_shows: self.header_shows,
            coding: self.coding,
            fault: None,
            content_type: &self.content_type,
            head: &self.head,
            trailer: &self.trailer,
            body_bytes: self.body_bytes,
            body,
            events: self.events.as_deref(),
            is_echo: self.is_echo,
            reusable: self.reusable,
            has_two_framings: self.has_two_framings,
        }
    }
}

fn keep(kept: &mut Vec<u8>, piece: &[u8], kept_bytes: usize) {
    let room = kept_bytes.saturating_sub(kept.len());
    kept.extend_from_slice(&piece[..piece.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Expect;
    use crate::template::Sources;

    const ANSWER: &[u8] =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n\
        3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n";

    fn text_plain() -> Expectation {
        let expect = Expect { content_type: Some("text/plain".into()), ..Expect::default() };
        Expectation::new(&expect, Sources::default(), &[]).unwrap()
    }

    #[test]
    fn an_answer_is_the_same_wherever_it_is_split() {
        let mut expectation = text_plain();
        for split in 0..ANSWER.len() {
            let mut exchange = Exchange::default();
            exchange.reset();
            let (mut first, mut second) = ANSWER.split_at(split);
            assert!(matches!(
                exchange.receive(&mut first, false, false, &mut expectation, 0, 7),
                Received::Partial
            ));
            assert_eq!(exchange.first_byte_ns(), Some(7));
            let Received::Complete(answer) =
                exchange.receive(&mut second, false, false, &mut expectation, 0, 7)
            else {
                panic!("not complete after {split}");
            };
            assert_eq!((answer.status, answer.body, answer.body_bytes), (200, &b"abcdef"[..], 6));
            assert!(answer.header_fits && answer.reusable);
        }
    }

    #[test]
    fn bytes_behind_the_answer_break_the_connection() {
        let bytes = [ANSWER, b"H"].concat();
        let received =
            Exchange::default().receive(&mut &bytes[..], false, false, &mut text_plain(), 0, 7).is_broken();
        assert_eq!(received, Some(Malformed::SecondAnswer));
        let bytes = [ANSWER, b"x"].concat();
        let received =
            Exchange::default().receive(&mut &bytes[..], false, false, &mut text_plain(), 0, 7).is_broken();
        assert_eq!(received, Some(Malformed::Surplus));
    }

    #[test]
    fn bytes_behind_the_answer_are_left_if_more_may_follow() {
        let bytes = [ANSWER, b"HTTP/1.1 2"].concat();
        for split in 1..ANSWER.len() {
            let mut exchange = Exchange::default();
            let (mut first, mut second) = bytes.split_at(split);
            assert!(matches!(
                exchange.receive(&mut first, false, true, &mut text_plain(), 0, 7),
                Received::Partial
            ));
            let received = exchange.receive(&mut second, false, true, &mut text_plain(), 0, 7);
            assert!(matches!(received, Received::Complete(answer) if answer.body == b"abcdef"));
            assert_eq!(second, b"HTTP/1.1 2");
        }
    }

    #[test]
    fn a_long_body_is_not_kept() {
        let mut expectation = text_plain();
        let mut exchange = Exchange::default();
        let mut head = &b"HTTP/1.1 200 OK\r\n\r\n"[..];
        assert!(exchange.receive(&mut head, false, false, &mut expectation, 0, 7).is_broken().is_none());
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..100 {
            let received = exchange.receive(&mut &piece[..], false, false, &mut expectation, 0, 7);
            assert!(received.is_broken().is_none());
        }
        assert!(exchange.is_complete_at_close());
        let answer = exchange.whole(&expectation);
        assert_eq!(answer.body_bytes, 100 * 1024 * 1024);
        assert_eq!(answer.body.len(), expectation.kept_bytes(None));
    }

    #[test]
    fn what_is_shown_of_a_broken_head_begins_with_its_status_line() {
        let mut exchange = Exchange::default();
        let mut first = &b"HTTP/1.1 200 OK\r\nX: a\r\n"[..];
        assert!(matches!(
            exchange.receive(&mut first, false, false, &mut text_plain(), 0, 7),
            Received::Partial
        ));
        let mut second = &b"no colon\r\n\r\n"[..];
        let Received::Broken(broken) = exchange.receive(&mut second, false, false, &mut text_plain(), 0, 7)
        else {
            panic!("a line without a colon is no header")
        };
        assert_eq!((broken.cause, broken.status), (Malformed::HeaderLine, None));
        assert!(broken.excerpt.starts_with(b"HTTP/1.1 200 OK\r\nX: a\r\nno colon"));
    }

    #[test]
    fn a_body_is_broken_behind_a_head_that_was_right() {
        let bytes = b"HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\nxyz";
        let mut exchange = Exchange::default();
        let Received::Broken(broken) =
            exchange.receive(&mut &bytes[..], false, false, &mut text_plain(), 0, 7)
        else {
            panic!("no size of a chunk")
        };
        assert_eq!((broken.cause, broken.status), (Malformed::BadChunk, Some(503)));
    }

    impl Received<'_> {
        fn is_broken(&self) -> Option<Malformed> {
            match self {
                Received::Broken(broken) => Some(broken.cause),
                _ => None,
            }
        }
    }
}
