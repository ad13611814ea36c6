//! A look at a connection's frames, in both directions, as they pass by the crate h2.
//!
//! h2 keeps the rules, and says of most that are broken only that one is. Frames on streams that it has forgotten it passes
//! over. Here frames are split and their streams followed, so that both can be told. Payloads are not copied, but for
//! those of a few bytes and heads that come in pieces; a head is read only after it was refused. Of all frames, those of
//! DATA that carry nothing do not come to h2.

mod control;
mod frame;
mod head;
mod hollow;
mod streams;
mod why;

use std::ops::Range;

use frame::{
    ACK, CONTINUATION, DATA, END_HEADERS, GOAWAY, HEADERS, Head, MOST_PAYLOAD_BYTES, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, SETTINGS, Splitter, WINDOW_UPDATE, is_part,
};
use head::{Block, Fault};
use hollow::Hollow;
use streams::{FIRST_WINDOW_BYTES, Streams};

use super::failure::Cause;
use super::multiplex::Unasked;
use crate::driver::Failure;
use crate::http1::response::HEAD_BYTES_LIMIT;

/// What a client sends before its first frame.
const PREFACE_BYTES: u32 = 24;

/// Of a head in several frames, what is kept to be looked at. h2 refuses it before.
const MOST_HEAD_BYTES: usize = 4 * HEAD_BYTES_LIMIT;

/// A head of more than one frame.
struct LongHead {
    stream: u32,
    ends_stream: bool,
    is_trailer: bool,
    bytes: Vec<u8>,
    is_whole: bool,
}

/// What a GOAWAY said.
struct Farewell {
    last: u32,
    code: u32,
    words: String,
}

/// A rule that a frame of the server has broken, and on which stream.
struct Breach {
    stream: u32,
    fault: Fault,
}

/// One connection's frames.
pub(super) struct Scan {
    incoming: Splitter,
    /// The same before the last bytes came.
    before: Splitter,
    outgoing: Splitter,
    streams: Streams,
    has_begun: bool,
    has_settings: bool,
    /// The first byte that came.
    first_byte: Option<u8>,
    long_head: Option<LongHead>,
    /// The first one of the last bytes.
    breach: Option<Breach>,
    /// A fault of the connection that h2 passes over.
    passed_over: Option<Fault>,
    /// The same of streams whose end has not been looked at.
    passed_over_of_streams: Vec<(u32, Fault)>,
    hollow: Hollow,
    /// The last bytes that came are part of a frame that cannot be judged yet.
    part_bytes: usize,
    unasked: Option<Unasked>,
    /// The last stream that was counted as such.
    last_unasked: u32,
    /// The last frame that came.
    last: Head,
    farewell: Option<Farewell>,
    /// SETTINGS of the client that the server has not acknowledged.
    settings_under_way: u32,
    most_streams: Option<u32>,
    initial_window: i64,
    /// What the request bodies of all streams may still send.
    window: i64,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan {
            incoming: Splitter::default(),
            before: Splitter::default(),
            outgoing: Splitter::after(PREFACE_BYTES),
            streams: Streams::default(),
            has_begun: false,
            has_settings: false,
            first_byte: None,
            long_head: None,
            breach: None,
            passed_over: None,
            passed_over_of_streams: Vec::new(),
            hollow: Hollow::default(),
            part_bytes: 0,
            unasked: None,
            last_unasked: 0,
            last: Head::default(),
            farewell: None,
            settings_under_way: 0,
            most_streams: None,
            initial_window: FIRST_WINDOW_BYTES,
            window: FIRST_WINDOW_BYTES,
        }
    }
}

impl Scan {
    /// Looks at bytes that go to the server.
    pub(super) fn sends(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((head, _)) = self.outgoing.next(&mut rest) {
            match head.kind {
                HEADERS => self.streams.open(head.stream, head.ends_stream()),
                DATA => {
                    let length = i64::from(head.length);
                    self.window -= length;
                    if let Some(stream) = self.streams.get_mut(head.stream) {
                        stream.window -= length;
                        stream.is_asked = head.ends_stream();
                    }
                }
                RST_STREAM => self.streams.reset(head.stream),
                SETTINGS if !head.has(ACK) => self.settings_under_way += 1,
                _ => {}
            }
        }
    }

    /// Looks at bytes that come from the server; those that were held back as part of a frame come again. `Some`: answers
    /// among them that nobody asked for.
    pub(super) fn receives(&mut self, bytes: &[u8]) -> Option<Unasked> {
        self.hollow.forget_places();
        if self.incoming.is_between() {
            self.breach = None;
            self.streams.forget_gone();
        }
        self.first_byte = self.first_byte.or_else(|| bytes.first().copied());
        self.before.clone_from(&self.incoming);
        let mut rest = bytes;
        self.incoming.pass_over(&mut rest);
        while !(self.incoming.is_between() && is_part(rest))
            && let Some((head, payload)) = self.incoming.next(&mut rest)
        {
            if !self.has_begun {
                self.has_begun = true;
                if head.kind != SETTINGS || head.has(ACK) || head.length > MOST_PAYLOAD_BYTES {
                    let why = self.preface();
                    self.passed_over.get_or_insert_with(|| (Cause::Preface, why.clone()));
                    self.break_rule(&head, Cause::Preface, why);
                }
            }
            if self.comes(head, &payload) {
                self.hollow.add(&head, bytes.len() - rest.len());
            }
            self.last = head;
        }
        self.part_bytes = rest.len();
        self.unasked.take()
    }

    /// What h2 is not to see of the last bytes that came: these places, and so many at the end until more has come.
    pub(super) fn held_back(&self) -> (&[Range<usize>], usize) {
        (self.hollow.places(), self.part_bytes)
    }

    /// Gives the server back the window that what is held back has taken: writes a frame behind `out` if it is time.
    pub(super) fn return_window(&mut self, out: &mut Vec<u8>) {
        if self.outgoing.is_between() {
            self.hollow.return_window(out);
        }
    }

    /// Why the connection is of no use, where h2 passes over it.
    pub(super) fn fault(&self) -> Option<Failure> {
        self.passed_over.as_ref().map(|(cause, why)| cause.failure(why.clone()))
    }

    /// A frame has come. True if it carries nothing, and h2 is not to see it.
    fn comes(&mut self, head: Head, payload: &[u8]) -> bool {
        if head.length > MOST_PAYLOAD_BYTES {
            let why = format!("{head} of {} bytes, where {MOST_PAYLOAD_BYTES} are allowed", head.length);
            self.break_rule(&head, Cause::FrameSize, why);
            return false;
        }
        if let Some(long) = self.long_head.as_ref().filter(|long| !long.is_whole)
            && (head.kind, head.stream) != (CONTINUATION, long.stream)
        {
            let why = format!("{head} of stream {} amid a head of stream {}", head.stream, long.stream);
            self.break_rule(&head, Cause::Continuation, why);
        }
        match head.kind {
            DATA | HEADERS => return self.answer_comes(head, payload),
            CONTINUATION => self.continuation_comes(&head, payload),
            PRIORITY => {
                self.check_form(&head);
                let depends_on = payload.first_chunk().map(|&bytes| u32::from_be_bytes(bytes) & 0x7fff_ffff);
                if depends_on == Some(head.stream) {
                    let why = format!("stream {} depends on itself", head.stream);
                    self.break_rule(&head, Cause::Frames, why);
                }
            }
            PING => self.check_form(&head),
            RST_STREAM => {
                self.check_form(&head);
                self.streams.end(head.stream);
            }
            SETTINGS => self.settings_come(&head, payload),
            PUSH_PROMISE => {
                let why = format!("PUSH_PROMISE on stream {}, where SETTINGS forbid pushes", head.stream);
                self.break_rule(&head, Cause::Push, why);
            }
            GOAWAY => self.goaway_comes(&head, payload),
            WINDOW_UPDATE => self.window_update_comes(&head, payload),
            _ => {}
        }
        false
    }

    /// DATA or HEADERS have come. True if they carry nothing, and h2 is not to see them.
    #[inline]
    fn answer_comes(&mut self, head: Head, payload: &[u8]) -> bool {
        let padding = head.padding(payload);
        let is_hollow = head.is_hollow(padding);
        if head.length < head.least_length() {
            let why = format!("{head} of {} bytes, too few for its flags", head.length);
            self.break_rule(&head, Cause::FrameSize, why);
        } else if padding > head.length {
            let why = format!("{head} of {} bytes with {} of padding", head.length, padding - 1);
            self.break_rule(&head, Cause::Padding, why);
        }
        let Some(stream) = self.streams.get_mut(head.stream) else {
            if head.kind == HEADERS {
                self.head_comes(&head, payload, false);
            }
            return self.nobody_asked(head) && is_hollow;
        };
        if head.kind == DATA {
            let is_first = stream.body_bytes == 0 && head.length > padding;
            stream.has_data = true;
            stream.hollow_frames = if is_hollow { stream.hollow_frames + 1 } else { 0 };
            stream.body_bytes += u64::from(head.length.saturating_sub(padding));
            if is_first && stream.is_bodiless {
                let why = format!("a body on stream {}, whose status has none", head.stream);
                self.passed_over_of_streams.push((head.stream, (Cause::ContentLength, why)));
            } else if !stream.has_head {
                let why = format!("DATA on stream {} before HEADERS", head.stream);
                self.break_rule(&head, Cause::NoHead, why);
            } else if stream.is_interim {
                let why = format!("DATA on stream {} after an interim status alone", head.stream);
                self.break_rule(&head, Cause::NoHead, why);
            } else if is_hollow && self.long_head.as_ref().is_none_or(|long| long.is_whole) {
                let flood = hollow::flood(head.stream, stream.hollow_frames);
                self.passed_over = self.passed_over.take().or(flood);
                return true;
            }
        } else {
            let block = head.block(payload);
            let is_trailer = stream.has_data || stream.has_final_head;
            if is_trailer {
                let is_first = !std::mem::replace(&mut stream.has_trailers, true);
                if let Some(name) = head::first_pseudo_header(block).filter(|_| is_first) {
                    let why = format!("the pseudo-header {name} is in trailers");
                    let fault = (Cause::PseudoHeader, why.clone());
                    self.passed_over_of_streams.push((head.stream, fault));
                    self.break_rule(&head, Cause::PseudoHeader, why);
                }
            } else {
                stream.has_head = true;
                stream.has_final_head = head::has_final_status(block);
                stream.is_interim = !stream.has_final_head && head::has_interim_status(block);
                stream.is_bodiless = head::is_bodiless(block);
            }
            self.head_comes(&head, payload, is_trailer);
        }
        if head.ends_stream() {
            self.streams.end(head.stream);
        }
        false
    }

    /// A frame on a stream that is not open. True if the client may have reset it before the server knew.
    #[cold]
    fn nobody_asked(&mut self, head: Head) -> bool {
        let number = head.stream;
        let (cause, why) = if number == 0 {
            self.break_rule(&head, Cause::StreamId, format!("{head} on stream 0"));
            return false;
        } else if self.streams.is_idle(number) {
            (Cause::StreamId, format!("{head} on stream {number}, which the client never opened"))
        } else if self.streams.may_be_reset(number) {
            return true;
        } else {
            (Cause::AfterEnd, format!("{head} on stream {number} after its end"))
        };
        if self.last_unasked != number {
            self.last_unasked = number;
            let first = || Unasked { streams: 0, failure: cause.failure(why.clone()) };
            self.unasked.get_or_insert_with(first).streams += 1;
        }
        self.break_rule(&head, cause, why);
        false
    }

    /// Keeps a head that needs more than one frame.
    #[inline]
    fn head_comes(&mut self, head: &Head, payload: &[u8], is_trailer: bool) {
        if !head.has(END_HEADERS) {
            self.long_head = Some(LongHead {
                stream: head.stream,
                ends_stream: head.ends_stream(),
                is_trailer,
                bytes: head.block(payload).to_vec(),
                is_whole: false,
            });
        }
    }

    fn continuation_comes(&mut self, head: &Head, payload: &[u8]) {
        match &mut self.long_head {
            Some(long) if !long.is_whole => {
                if long.bytes.len() < MOST_HEAD_BYTES {
                    long.bytes.extend_from_slice(payload);
                }
                long.is_whole = head.has(END_HEADERS);
                // Of a trailer that is too long, h2 hands on the begin, and says nothing.
                if long.is_whole && long.is_trailer {
                    let block = Block { bytes: &long.bytes, is_trailer: true, ends: long.ends_stream };
                    let fault = head::fault(&block).filter(|(cause, _)| *cause == Cause::HeadTooLong);
                    self.passed_over_of_streams.extend(fault.map(|fault| (long.stream, fault)));
                }
            }
            _ => {
                let why = format!("CONTINUATION on stream {} of no head", head.stream);
                self.break_rule(head, Cause::Continuation, why);
            }
        }
    }

    #[cold]
    fn break_rule(&mut self, head: &Head, cause: Cause, why: String) {
        self.breach.get_or_insert(Breach { stream: head.stream, fault: (cause, why) });
    }

    fn preface(&self) -> String {
        let what = match self.first_byte {
            Some(0x15 | 0x16) => "a record of TLS",
            Some(b' '..=b'~') => "text",
            _ => "another frame, or none",
        };
        format!("what came first is no SETTINGS, but {what}")
    }
}
