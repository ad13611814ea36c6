//! Frames that are about a connection and its streams, not a part of an answer.

use super::frame::{ACK, GOAWAY, Head, MOST_PAYLOAD_BYTES, PING, PRIORITY, RST_STREAM, SETTINGS};
use super::head::quoted;
use super::streams::MOST_WINDOW_BYTES;
use super::{Cause, Farewell, Scan};

impl Scan {
    pub(super) fn settings_come(&mut self, head: &Head, payload: &[u8]) {
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
                2 if value == 1 => {
                    let why = "SETTINGS_ENABLE_PUSH of 1, which is for clients alone".to_owned();
                    self.passed_over.get_or_insert((Cause::Settings, why));
                    continue;
                }
                2 => ("SETTINGS_ENABLE_PUSH", value == 0),
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

    pub(super) fn goaway_comes(&mut self, head: &Head, payload: &[u8]) {
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

    pub(super) fn window_update_comes(&mut self, head: &Head, payload: &[u8]) {
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
    pub(super) fn check_form(&mut self, head: &Head) {
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
}
