//! What is told of failures: which rule was broken, as far as the frames tell.

use h2::Reason;

use super::frame::{END_HEADERS, HEADERS};
use super::head::{self, Block, Fault};
use super::streams::Stream;
use super::{Breach, Farewell, LongHead, Scan};
use crate::driver::Failure;
use crate::http1::response::HEAD_BYTES_LIMIT;
use crate::http2::failure::{Cause, closed, code, of_error};

impl Scan {
    /// Why the connection has ended.
    pub(in crate::http2) fn why_ended(&self, result: Result<&(), &h2::Error>, bytes: &[u8]) -> Failure {
        result.err().map_or_else(|| self.why_closed(), |error| self.why(error, None, bytes))
    }

    /// Why a stream has failed, or all of them where it is `None`. `bytes`: those that came last.
    pub(in crate::http2) fn why(&self, error: &h2::Error, stream: Option<u32>, bytes: &[u8]) -> Failure {
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
    pub(in crate::http2) fn fault_at_end(&mut self, number: u32) -> Option<Failure> {
        if self.passed_over_of_streams.is_empty() {
            return None;
        }
        let place = self.passed_over_of_streams.iter().position(|&(other, _)| other == number)?;
        let (_, (cause, why)) = self.passed_over_of_streams.swap_remove(place);
        Some(cause.failure(why))
    }

    /// Why no answer to a request came in time, where frames tell. `is_blocked`: the server does not read.
    pub(in crate::http2) fn why_late(&self, number: u32, is_blocked: bool) -> Option<Failure> {
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
        } else if let Some(farewell) = &self.farewell {
            (Cause::GoAway, format!("{}; no answer came on stream {number}", farewell.in_words()))
        } else {
            return None;
        };
        Some(Failure { kind: crate::record::ErrorKind::Timeout, ..cause.failure(why) })
    }

    /// Why no stream was free for a request in time.
    pub(in crate::http2) fn why_without_stream(&self) -> Failure {
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
                flood("more tiny DATA frames at once than are taken")
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
        Cause::GoAway.failure(self.in_words())
    }

    fn in_words(&self) -> String {
        let says = if self.words.is_empty() { String::new() } else { format!("; it says {}", self.words) };
        format!("GOAWAY {}, last stream {}{says}", code(Reason::from(self.code)), self.last)
    }
}
