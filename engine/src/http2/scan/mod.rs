//! A look at a connection's frames, in both directions, as they pass by the crate h2.
//!
//! h2 keeps the rules, and says of most that are broken only that one is. Frames on streams that it has forgotten it passes
//! over. Here frames are split and their streams followed, so that both can be told. Payloads are not copied, but for
//! those of a few bytes and heads that come in pieces; a head is read only after it was refused.

mod frame;
mod head;
mod huffman;
mod streams;

use frame::{
    ACK, CONTINUATION, DATA, END_HEADERS, GOAWAY, HEADERS, Head, MOST_PAYLOAD_BYTES, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, SETTINGS, Splitter, WINDOW_UPDATE,
};
use h2::Reason;
use head::{Block, Fault, quoted};
use streams::{FIRST_WINDOW_BYTES, MOST_WINDOW_BYTES, Stream, Streams};

use super::failure::{Cause, closed, code, of_error};
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

/// What is told of failures.
impl Scan {
    /// Why the connection has ended.
    pub(super) fn why_ended(&self, result: Result<&(), &h2::Error>, bytes: &[u8]) -> Failure {
        result.err().map_or_else(|| self.why_closed(), |error| self.why(error, None, bytes))
    }

    /// Why a stream has failed, or all of them where it is `None`. `bytes`: those that came last.
    pub(super) fn why(&self, error: &h2::Error, stream: Option<u32>, bytes: &[u8]) -> Failure {
        if error.is_io() {
            return self.why_closed();
        }
        if error.is_remote() && error.is_reset() {
            return of_error(error);
        }
        if error.is_remote() {
            return self.farewell.as_ref().map_or_else(|| of_error(error), Farewell::failure);
        }
        let fault = match stream.filter(|_| error.is_reset()) {
            Some(number) => self.fault_of_stream(number, error, bytes),
            None => self.fault_of_connection(error, bytes),
        };
        match fault {
            Some((cause, why)) => cause.failure(why),
            None => {
                Cause::Frames.failure(format!("{error}, after {} on stream {}", self.last, self.last.stream))
            }
        }
    }

    /// Why a stream whose end has come is no answer: what h2 passes over.
    pub(super) fn fault_at_end(&mut self, number: u32) -> Option<Failure> {
        if self.passed_over.is_empty() {
            return None;
        }
        let place = self.passed_over.iter().position(|&(other, _)| other == number)?;
        let (_, (cause, why)) = self.passed_over.swap_remove(place);
        Some(cause.failure(why))
    }

    /// Why no answer to a request came in time, where frames tell. `is_blocked`: the server does not read.
    pub(super) fn why_late(&self, number: u32, is_blocked: bool) -> Option<Failure> {
        let stream = self.streams.find(number)?;
        let window = self.initial_window + stream.window;
        let (cause, why) = if !stream.is_asked && window <= 0 {
            let sent = self.initial_window - window;
            (Cause::Window, format!("the server's window for stream {number} is used up, after {sent} bytes"))
        } else if !stream.is_asked && self.window <= 0 {
            (Cause::Window, "the server's window for the connection is used up".to_owned())
        } else if is_blocked {
            (Cause::Unread, "the server does not read what it is sent".to_owned())
        } else if stream.is_interim {
            (Cause::NoEnd, format!("interim answers alone came on stream {number}"))
        } else if stream.has_head {
            let under_way = if self.last.stream == number { u64::from(self.incoming.left()) } else { 0 };
            let bytes = stream.body_bytes.saturating_sub(under_way);
            (
                Cause::NoEnd,
                format!("HEADERS and {bytes} bytes of DATA came on stream {number}, and no END_STREAM"),
            )
        } else {
            return None;
        };
        Some(Failure { kind: crate::record::ErrorKind::Timeout, ..cause.failure(why) })
    }

    /// Why no stream was free for a request in time.
    pub(super) fn why_without_stream(&self) -> Failure {
        match self.most_streams {
            Some(most) => Cause::NoStream.failure(format!("SETTINGS_MAX_CONCURRENT_STREAMS is {most}")),
            None if self.has_settings => Cause::NoStream.failure("no stream was free"),
            None => Cause::NoSettings.failure("the connection was made, and no SETTINGS came"),
        }
    }

    /// Nothing more comes, although all that came is right.
    fn why_closed(&self) -> Failure {
        match (&self.breach, &self.farewell) {
            (Some(Breach { fault: (Cause::Preface, why), .. }), _) => Cause::Preface.failure(why.clone()),
            (_, Some(farewell)) => farewell.failure(),
            _ if self.incoming.left() > 0 => {
                let why = format!("the server closed the connection amid {}", self.last);
                Failure { explanation: why.into(), ..closed() }
            }
            _ => closed(),
        }
    }

    fn fault_of_stream(&self, number: u32, error: &h2::Error, bytes: &[u8]) -> Option<Fault> {
        let of_stream = self.breach.as_ref().filter(|breach| breach.stream == number);
        if let Some(Breach { fault, .. }) = of_stream {
            return Some(fault.clone());
        }
        let stream = self.streams.find(number)?;
        match error.reason()? {
            Reason::FLOW_CONTROL_ERROR => {
                let bytes = stream.body_bytes;
                Some((
                    Cause::FlowControl,
                    format!("{bytes} bytes of DATA on stream {number}, beyond its window"),
                ))
            }
            Reason::STREAM_CLOSED => {
                Some((Cause::AfterEnd, format!("a frame on stream {number} after its end")))
            }
            Reason::PROTOCOL_ERROR => {
                let heads = self.heads(bytes, Some(number));
                let fault = heads.iter().find_map(|head| head::fault(&head.block()));
                fault.or_else(|| self.fault_of_length(number, stream, &heads))
            }
            _ => None,
        }
    }

    /// The fault of a stream whose heads have none.
    fn fault_of_length(&self, number: u32, stream: &Stream, heads: &[HeadBytes]) -> Option<Fault> {
        if stream.has_trailers && !self.streams.has_ended(number) {
            return Some((Cause::Trailers, format!("a second head on stream {number} without END_STREAM")));
        }
        let length = heads.iter().find_map(|head| head::content_length(&head.bytes));
        let says = length.map_or("another number, or HEAD was asked".to_owned(), |length| length.to_string());
        let bytes = stream.body_bytes;
        let why = format!("{bytes} bytes of DATA came on stream {number}, and Content-Length says {says}");
        stream.has_data.then_some((Cause::ContentLength, why))
    }

    fn fault_of_connection(&self, error: &h2::Error, bytes: &[u8]) -> Option<Fault> {
        let says = |word| error.to_string().contains(word);
        let is_long = self.long_head.as_ref().is_some_and(|long| long.bytes.len() >= HEAD_BYTES_LIMIT);
        let too_long = || Some((Cause::HeadTooLong, format!("a head above {} KiB", HEAD_BYTES_LIMIT / 1024)));
        let flood = |what: &str| Some((Cause::Flood, what.to_owned()));
        if let Some(Breach { fault, .. }) = &self.breach {
            return Some(fault.clone());
        }
        if !self.has_begun && self.first_byte.is_some() {
            return Some((Cause::Preface, self.preface()));
        }
        match error.reason()? {
            Reason::ENHANCE_YOUR_CALM if says("too_many_data_frames") => {
                flood("more empty or tiny DATA frames on one connection than are taken")
            }
            Reason::ENHANCE_YOUR_CALM if says("too_many_continuations") && !is_long => {
                flood("more CONTINUATIONs of one head than are taken")
            }
            Reason::ENHANCE_YOUR_CALM => too_long(),
            Reason::COMPRESSION_ERROR if is_long => too_long(),
            Reason::FLOW_CONTROL_ERROR => {
                Some((Cause::FlowControl, format!("{} beyond the connection's window", self.last)))
            }
            _ => {
                let heads = self.heads(bytes, None);
                let fault = heads.iter().find_map(|head| head::fault(&head.block()));
                let unreadable = || (Cause::Hpack, "a head that HPACK cannot read".to_owned());
                fault.or_else(|| (!heads.is_empty()).then(unreadable))
            }
        }
    }

    /// The heads among the bytes that came last, and one that came in several frames. `number`: of this stream alone.
    fn heads(&self, bytes: &[u8], number: Option<u32>) -> Vec<HeadBytes> {
        let (mut splitter, mut rest) = (self.before.clone(), bytes);
        let mut heads = Vec::new();
        while let Some((head, payload)) = splitter.next(&mut rest) {
            if head.kind == HEADERS && head.has(END_HEADERS) {
                let bytes = head.block(&payload).to_vec();
                heads.push(HeadBytes::new(head.stream, head.ends_stream(), bytes));
            }
        }
        if let Some(LongHead { stream, ends_stream, bytes, .. }) = &self.long_head {
            heads.push(HeadBytes::new(*stream, *ends_stream, bytes.clone()));
        }
        heads.retain(|head| number.is_none_or(|number| number == head.stream));
        // Trailers are a stream's last head.
        for place in 0..heads.len() {
            let stream = heads[place].stream;
            let is_last = heads[place + 1..].iter().all(|other| other.stream != stream);
            heads[place].is_trailer =
                is_last && self.streams.find(stream).is_some_and(|stream| stream.has_trailers);
        }
        heads
    }
}

/// A head as HPACK has written it.
struct HeadBytes {
    stream: u32,
    ends_stream: bool,
    is_trailer: bool,
    bytes: Vec<u8>,
}

impl HeadBytes {
    fn new(stream: u32, ends_stream: bool, bytes: Vec<u8>) -> HeadBytes {
        HeadBytes { stream, ends_stream, is_trailer: false, bytes }
    }

    fn block(&self) -> Block<'_> {
        Block { bytes: &self.bytes, is_trailer: self.is_trailer, ends: self.ends_stream }
    }
}

impl Farewell {
    fn failure(&self) -> Failure {
        let says = if self.words.is_empty() { String::new() } else { format!("; it says {}", self.words) };
        let code = code(Reason::from(self.code));
        Cause::GoAway.failure(format!("GOAWAY {code}, last stream {}{says}", self.last))
    }
}
