//! The server's own streams, which only it sends on (RFC 9114, section 6.2).

use bytes::{Buf, Bytes};

use super::failure::{Cause, Fault};
use super::frame::{CANCEL_PUSH, DATA, Frames, GOAWAY, HEADERS, MAX_PUSH_ID, Part, SETTINGS};
use super::varint;

/// Settings of HTTP/2 that may not be sent (section 7.2.4.1).
const OF_HTTP2: [u64; 4] = [2, 3, 4, 5];

/// What such a stream is for.
#[derive(Debug)]
enum Use {
    /// The bytes of its type, as far as they have come.
    Unknown(Vec<u8>),
    Control(Frames),
    QpackEncoder,
    QpackDecoder,
    /// Of a type that nobody knows.
    Ignored,
}

/// One of the server's streams.
#[derive(Debug)]
pub(super) struct ServerStream(Use);

/// What the server has said on all of them.
#[derive(Debug, Default)]
pub(super) struct Control {
    has_control: bool,
    has_encoder: bool,
    has_decoder: bool,
    has_settings: bool,
    /// Of GOAWAY: streams from this number on are not processed.
    pub goaway: Option<u64>,
}

impl Default for ServerStream {
    fn default() -> ServerStream {
        ServerStream(Use::Unknown(Vec::new()))
    }
}

impl ServerStream {
    pub(super) fn is_ignored(&self) -> bool {
        matches!(self.0, Use::Ignored)
    }

    /// Bytes have come on it.
    pub(super) fn take(&mut self, mut bytes: Bytes, control: &mut Control) -> Result<(), Fault> {
        if let Use::Unknown(begun) = &mut self.0 {
            let had = begun.len();
            begun.extend_from_slice(&bytes[..bytes.len().min(8 - had)]);
            let mut left = &begun[..];
            let Some(kind) = varint::take(&mut left) else { return Ok(()) };
            bytes.advance(begun.len() - left.len() - had);
            self.0 = control.used(kind)?;
        }
        match &mut self.0 {
            Use::Control(frames) => {
                while let Some(part) = frames.take(&mut bytes)? {
                    control.hear(&part)?;
                }
                Ok(())
            }
            // With a table of no room, the only instruction that may come says so (RFC 9204, section 4.3.1).
            Use::QpackEncoder if bytes.iter().any(|&byte| byte != 0x20) => {
                Err(Fault::new(Cause::Qpack, "an entry for the dynamic table, which has no room"))
            }
            _ => Ok(()),
        }
    }

    /// It has ended, or was reset.
    pub(super) fn end(&self) -> Result<(), Fault> {
        match self.0 {
            Use::Unknown(_) | Use::Ignored => Ok(()),
            _ => Err(Fault::of_critical_stream()),
        }
    }
}

impl Control {
    fn used(&mut self, kind: u64) -> Result<Use, Fault> {
        let (had, now) = match kind {
            0 => (&mut self.has_control, Use::Control(Frames::default())),
            1 => return Err(Fault::new(Cause::Push, "a push stream, although the client allows no push")),
            2 => (&mut self.has_encoder, Use::QpackEncoder),
            3 => (&mut self.has_decoder, Use::QpackDecoder),
            _ => return Ok(Use::Ignored),
        };
        match std::mem::replace(had, true) {
            true => Err(Fault::new(Cause::Streams, format!("a second stream of type {kind}"))),
            false => Ok(now),
        }
    }

    fn hear(&mut self, part: &Part) -> Result<(), Fault> {
        let unexpected = |what: String| Err(Fault::new(Cause::FrameUnexpected, what));
        match part {
            Part::Frame(SETTINGS, payload) if !self.has_settings => {
                self.has_settings = true;
                settings(payload)
            }
            Part::Frame(SETTINGS, _) => unexpected("SETTINGS came twice".to_owned()),
            _ if !self.has_settings => {
                Err(Fault::new(Cause::Settings, "the control stream does not begin with SETTINGS"))
            }
            Part::Frame(GOAWAY, payload) => {
                let mut left = &payload[..];
                let number = varint::take(&mut left).filter(|_| left.is_empty());
                let number =
                    number.ok_or_else(|| Fault::new(Cause::FrameError, "GOAWAY without a number"))?;
                if number % 4 != 0 || self.goaway.is_some_and(|before| number > before) {
                    return Err(Fault::of_goaway_number(number));
                }
                self.goaway = Some(number);
                Ok(())
            }
            Part::Frame(CANCEL_PUSH, _) => Ok(()),
            Part::Frame(kind @ (HEADERS | MAX_PUSH_ID), _) => {
                unexpected(format!("a frame of type {kind} on the control stream"))
            }
            Part::Data(_) => unexpected(format!("a frame of type {DATA} on the control stream")),
            Part::Frame(..) => Ok(()),
        }
    }
}

fn settings(mut payload: &[u8]) -> Result<(), Fault> {
    let mut seen = Vec::new();
    while !payload.is_empty() {
        let (Some(name), Some(_)) = (varint::take(&mut payload), varint::take(&mut payload)) else {
            return Err(Fault::new(Cause::FrameError, "SETTINGS end within a setting"));
        };
        if OF_HTTP2.contains(&name) || seen.contains(&name) {
            return Err(Fault::new(Cause::Settings, format!("the setting {name:#x}, of HTTP/2 or twice")));
        }
        seen.push(name);
        if seen.len() > 256 {
            return Err(Fault::new(Cause::Settings, "more than 256 settings"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hears(streams: &[&[u8]]) -> Result<Control, String> {
        let mut control = Control::default();
        for bytes in streams {
            let mut stream = ServerStream::default();
            for &byte in *bytes {
                let bytes = Bytes::copy_from_slice(&[byte]);
                stream.take(bytes, &mut control).map_err(|fault| fault.failure.explanation.to_string())?;
            }
        }
        Ok(control)
    }

    #[test]
    fn settings_and_goaway_are_heard_and_what_is_unknown_ignored() {
        let control =
            hears(&[b"\0\x04\x02\x01\x00\x21\x02xx\x07\x01\x08", b"\x02\x20", b"\x03abc", b"\x21zz"]);
        assert_eq!(control.unwrap().goaway, Some(8));
    }

    #[test]
    fn broken_rules_are_faults() {
        for (streams, words) in [
            (&[&b"\0\x07\x01\x00"[..]][..], "does not begin with SETTINGS"),
            (&[b"\0\x04\x00\x04\x00"], "SETTINGS came twice"),
            (&[b"\0\x04\x02\x02\x00"], "the setting 0x2"),
            (&[b"\0\x04\x01\x01"], "within a setting"),
            (&[b"\0\x04\x00\x01\x00"], "of type 1 on the control"),
            (&[b"\0\x04\x00\x00\x01x"], "of type 0 on the control"),
            (&[b"\0\x04\x00\x07\x01\x03"], "GOAWAY with 3"),
            (&[b"\0\x04\x00\x07\x01\x04\x07\x01\x08"], "GOAWAY with 8"),
            (&[b"\0\x04\x00", b"\0\x04\x00"], "a second stream of type 0"),
            (&[b"\x01"], "push stream"),
            (&[b"\x02\x3f\x01"], "no room"),
        ] {
            let told = hears(streams).unwrap_err();
            assert!(told.contains(words), "{told}: {words}");
        }
    }
}
