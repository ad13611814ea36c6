//! A look at a connection's frames, in both directions, as they pass by the crate h2.
//!
//! h2 keeps the rules, and says of most that are broken only that one is. Frames on streams that it has forgotten it passes
//! over. Here frames are split and their streams followed, so that both can be told. Payloads are not copied, but for
//! those of a few bytes and heads that come in pieces; a head is read only after it was refused.

mod frame;
mod head;
mod huffman;
mod streams;
mod why;

use frame::{
    ACK, CONTINUATION, DATA, END_HEADERS, GOAWAY, HEADERS, Head, MOST_PAYLOAD_BYTES, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, SETTINGS, Splitter, WINDOW_UPDATE,
};
use head::{Fault, quoted};
use streams::{FIRST_WINDOW_BYTES, MOST_WINDOW_BYTES, Streams};

use super::failure::Cause;
use super::multiplex::Unasked;
use crate::http1::response::HEAD_BYTES_LIMIT;

/// What a client sends before its first frame.
const PREFACE_BYTES: u32 = 24;

/// Of a head in several frames, what is kept to be looked at. h2 refuses it before.
const MOST_HEAD_BYTES: usize = 4 * HEAD_BYTES_LIMIT;

/// A head of more than one frame.
struct LongHead {
    stream: u32,
    ends_stream: bool,
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
    /// Of streams whose end has not been looked at, faults that h2 passes over.
    passed_over: Vec<(u32, Fault)>,
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
            passed_over: Vec::new(),
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

    /// Looks at bytes that come from the server. `Some`: answers among them that nobody asked for.
    pub(super) fn receives(&mut self, bytes: &[u8]) -> Option<Unasked> {
        if self.incoming.is_between() {
            self.breach = None;
            self.streams.forget_gone();
        }
        self.first_byte = self.first_byte.or_else(|| bytes.first().copied());
        self.before.clone_from(&self.incoming);
        let mut rest = bytes;
        while let Some((head, payload)) = self.incoming.next(&mut rest) {
            if !self.has_begun {
                self.has_begun = true;
                if head.kind != SETTINGS || head.has(ACK) || head.length > MOST_PAYLOAD_BYTES {
                    self.break_rule(&head, Cause::Preface, self.preface());
                }
            }
            self.comes(head, &payload);
            self.last = head;
        }
        self.unasked.take()
    }

    fn comes(&mut self, head: Head, payload: &[u8]) {
        if head.length > MOST_PAYLOAD_BYTES {
            let why = format!("{head} of {} bytes, where {MOST_PAYLOAD_BYTES} are allowed", head.length);
            return self.break_rule(&head, Cause::FrameSize, why);
        }
        if let Some(long) = self.long_head.as_ref().filter(|long| !long.is_whole)
            && (head.kind, head.stream) != (CONTINUATION, long.stream)
        {
            let why = format!("{head} of stream {} amid a head of stream {}", head.stream, long.stream);
            self.break_rule(&head, Cause::Continuation, why);
        }
        match head.kind {
            DATA | HEADERS => self.answer_comes(head, payload),
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
    }

    /// DATA or HEADERS have come.
    #[inline]
    fn answer_comes(&mut self, head: Head, payload: &[u8]) {
        let padding = head.padding(payload);
        if head.length < head.least_length() {
            let why = format!("{head} of {} bytes, too few for its flags", head.length);
            self.break_rule(&head, Cause::FrameSize, why);
        } else if padding > head.length {
            let why = format!("{head} of {} bytes with {} of padding", head.length, padding - 1);
            self.break_rule(&head, Cause::Padding, why);
        }
        let Some(stream) = self.streams.get_mut(head.stream) else {
            if head.kind == HEADERS {
                self.head_comes(&head, payload);
            }
            return self.nobody_asked(head);
        };
        if head.kind == DATA {
            let is_first = stream.body_bytes == 0 && head.length > padding;
            stream.has_data = true;
            stream.body_bytes += u64::from(head.length.saturating_sub(padding));
            if is_first && stream.is_bodiless {
                let why = format!("a body on stream {}, whose status has none", head.stream);
                self.passed_over.push((head.stream, (Cause::ContentLength, why)));
            } else if !stream.has_head {
                let why = format!("DATA on stream {} before HEADERS", head.stream);
                self.break_rule(&head, Cause::NoHead, why);
            } else if stream.is_interim {
                let why = format!("DATA on stream {} after an interim status alone", head.stream);
                self.break_rule(&head, Cause::NoHead, why);
            }
        } else {
            let block = head.block(payload);
            if stream.has_data || stream.has_final_head {
                let is_first = !std::mem::replace(&mut stream.has_trailers, true);
                if let Some(name) = head::first_pseudo_header(block).filter(|_| is_first) {
                    let why = format!("the pseudo-header {name} is in trailers");
                    self.passed_over.push((head.stream, (Cause::PseudoHeader, why.clone())));
                    self.break_rule(&head, Cause::PseudoHeader, why);
                }
            } else {
                stream.has_head = true;
                stream.has_final_head = head::has_final_status(block);
                stream.is_interim = !stream.has_final_head && head::has_interim_status(block);
                stream.is_bodiless = head::is_bodiless(block);
            }
            self.head_comes(&head, payload);
        }
        if head.ends_stream() {
            self.streams.end(head.stream);
        }
    }

    /// A frame on a stream that is not open.
    #[cold]
    fn nobody_asked(&mut self, head: Head) {
        let number = head.stream;
        let (cause, why) = if number == 0 {
            return self.break_rule(&head, Cause::StreamId, format!("{head} on stream 0"));
        } else if self.streams.is_idle(number) {
            (Cause::StreamId, format!("{head} on stream {number}, which the client never opened"))
        } else if self.streams.may_be_reset(number) {
            return;
        } else {
            (Cause::AfterEnd, format!("{head} on stream {number} after its end"))
        };
        if self.last_unasked != number {
            self.last_unasked = number;
            let first = || Unasked { streams: 0, failure: cause.failure(why.clone()) };
            self.unasked.get_or_insert_with(first).streams += 1;
        }
        self.break_rule(&head, cause, why);
    }

    /// Keeps a head that needs more than one frame.
    #[inline]
    fn head_comes(&mut self, head: &Head, payload: &[u8]) {
        if !head.has(END_HEADERS) {
            self.long_head = Some(LongHead {
                stream: head.stream,
                ends_stream: head.ends_stream(),
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
            }
            _ => {
                let why = format!("CONTINUATION on stream {} of no head", head.stream);
                self.break_rule(head, Cause::Continuation, why);
            }
        }
    }

    fn settings_come(&mut self, head: &Head, payload: &[u8]) {
        self.check_form(head);
        if head.has(ACK) {
            match self.settings_under_way.checked_sub(1) {
                Some(left) => self.settings_under_way = left,
                None => self.break_rule(
                    head,
                    Cause::Settings,
                    "SETTINGS acknowledged that were not sent".to_owned(),
                ),
            }
            return;
        }
        self.has_settings = true;
        for setting in payload.chunks_exact(6) {
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            let (name, is_right) = match u16::from_be_bytes([setting[0], setting[1]]) {
                2 => ("SETTINGS_ENABLE_PUSH", value <= 1),
                3 => {
                    self.most_streams = Some(value);
                    continue;
                }
                4 => {
                    self.initial_window = i64::from(value);
                    ("SETTINGS_INITIAL_WINDOW_SIZE", i64::from(value) <= MOST_WINDOW_BYTES)
                }
                5 => ("SETTINGS_MAX_FRAME_SIZE", (MOST_PAYLOAD_BYTES..1 << 24).contains(&value)),
                8 => ("SETTINGS_ENABLE_CONNECT_PROTOCOL", value <= 1),
                _ => continue,
            };
            if !is_right {
                self.break_rule(head, Cause::Settings, format!("{name} of {value}"));
            }
        }
    }

    fn goaway_comes(&mut self, head: &Head, payload: &[u8]) {
        self.check_form(head);
        let word = |place: usize| {
            payload.get(place..place + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes)
        };
        if let (Some(last), Some(code)) = (word(0), word(4)) {
            if let Some(before) =
                self.farewell.as_ref().map(|before| before.last).filter(|&before| before < last)
            {
                let why = format!("GOAWAY with the last stream {last} after one with {before}");
                self.break_rule(head, Cause::Frames, why);
            }
            let words = payload.get(8..).filter(|words| !words.is_empty()).map(quoted).unwrap_or_default();
            self.farewell = Some(Farewell { last: last & 0x7fff_ffff, code, words });
        }
    }

    fn window_update_comes(&mut self, head: &Head, payload: &[u8]) {
        self.check_form(head);
        let Ok(bytes) = payload.try_into() else { return };
        let more = i64::from(u32::from_be_bytes(bytes) & 0x7fff_ffff);
        if more == 0 {
            self.break_rule(head, Cause::FlowControl, "WINDOW_UPDATE by 0 bytes".to_owned());
        }
        let window = if head.stream == 0 {
            self.window += more;
            self.window
        } else if let Some(stream) = self.streams.get_mut(head.stream) {
            stream.window += more;
            stream.window + self.initial_window
        } else {
            0
        };
        if window > MOST_WINDOW_BYTES {
            self.break_rule(
                head,
                Cause::FlowControl,
                format!("WINDOW_UPDATE to {window} bytes, above 2^31 - 1"),
            );
        }
    }

    /// Whether a frame's length and stream are those of its type.
    fn check_form(&mut self, head: &Head) {
        let (fits, is_of_stream) = match head.kind {
            PRIORITY => (head.length == 5, true),
            RST_STREAM => (head.length == 4, true),
            SETTINGS if head.has(ACK) => (head.length == 0, false),
            SETTINGS => (head.length.is_multiple_of(6), false),
            PING => (head.length == 8, false),
            GOAWAY => (head.length >= 8, false),
            // Also a connection has a window.
            _ => (head.length == 4, head.stream > 0),
        };
        if !fits {
            self.break_rule(head, Cause::FrameSize, format!("{head} of {} bytes", head.length));
        } else if is_of_stream != (head.stream > 0) {
            self.break_rule(head, Cause::StreamId, format!("{head} on stream {}", head.stream));
        } else if is_of_stream && head.kind != PRIORITY && self.streams.is_idle(head.stream) {
            let why = format!("{head} on stream {}, which the client never opened", head.stream);
            self.break_rule(head, Cause::StreamId, why);
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
