//! The answer on one stream, out of its frames (RFC 9114, section 4.1).

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderName};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::failure::{Cause, Fault};
use super::frame::{Frames, HEADERS, Part};
use super::qpack;
use crate::http1::response::{HEAD_BYTES_LIMIT, LARGEST_BODY_BYTES};

/// Headers of a connection, which no message may have (section 4.2).
const OF_CONNECTIONS: [&str; 5] =
    ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Head,
    Body,
    Trailer,
}

#[derive(Debug)]
pub(super) enum Said {
    Head(Box<http::response::Parts>),
    Piece(Bytes),
}

/// One answer as it comes.
#[derive(Debug)]
pub(super) struct Message {
    frames: Frames,
    stage: Stage,
    /// The request has the method HEAD.
    is_head: bool,
    body_bytes: u64,
    announced_bytes: Option<u64>,
    pub trailer: HeaderMap,
}

impl Message {
    pub(super) fn new(is_head: bool) -> Message {
        Message {
            frames: Frames::default(),
            stage: Stage::Head,
            is_head,
            body_bytes: 0,
            announced_bytes: None,
            trailer: HeaderMap::new(),
        }
    }

    pub(super) fn has_begun(&self) -> bool {
        self.stage != Stage::Head || !self.frames.is_between()
    }

    /// Takes what comes next from the front. `None`: more has to come.
    pub(super) fn take(&mut self, bytes: &mut Bytes) -> Result<Option<Said>, Fault> {
        while let Some(part) = self.frames.take(bytes)? {
            match (part, self.stage) {
                (Part::Data(piece), Stage::Body) => {
                    self.body_bytes += piece.len() as u64;
                    if self.announced_bytes.is_some_and(|announced| self.body_bytes > announced) {
                        return Err(self.of_length());
                    }
                    return Ok(Some(Said::Piece(piece)));
                }
                (Part::Data(_), Stage::Head) => {
                    return Err(Fault::new(Cause::FrameUnexpected, "DATA came before HEADERS"));
                }
                (Part::Data(_), Stage::Trailer) => {
                    return Err(Fault::new(Cause::FrameUnexpected, "DATA came behind the trailer"));
                }
                (Part::Frame(HEADERS, payload), Stage::Head) => {
                    let head = head(&payload)?;
                    // Interim answers come before the final one, which is what is asked for.
                    if !head.status.is_informational() {
                        self.stage = Stage::Body;
                        self.announced_bytes = self.announced(&head)?;
                        return Ok(Some(Said::Head(Box::new(head))));
                    }
                }
                (Part::Frame(HEADERS, payload), Stage::Body) => {
                    self.stage = Stage::Trailer;
                    self.trailer = fields(&payload, false)?.1;
                }
                (Part::Frame(HEADERS, _), Stage::Trailer) => {
                    return Err(Fault::new(Cause::FrameUnexpected, "HEADERS came behind the trailer"));
                }
                (Part::Frame(kind, _), _) => {
                    let what = format!("a frame of type {kind}, which belongs to the control stream");
                    return Err(Fault::new(Cause::FrameUnexpected, what));
                }
            }
        }
        Ok(None)
    }

    /// The stream has ended.
    pub(super) fn end(&self) -> Result<(), Fault> {
        if !self.frames.is_between() {
            return Err(Fault::new(Cause::FrameError, "the stream ended within a frame"));
        }
        if self.stage == Stage::Head {
            return Err(Fault::new(Cause::NoHead, "the stream ended without an answer's head"));
        }
        match self.announced_bytes {
            Some(announced) if announced != self.body_bytes => Err(self.of_length()),
            _ => Ok(()),
        }
    }

    fn of_length(&self) -> Fault {
        let (announced, came) = (self.announced_bytes.unwrap_or(0), self.body_bytes);
        Fault::new(
            Cause::ContentLength,
            format!(
                "a Content-Length of {announced} bytes, and a body of {came}{}",
                match came > announced {
                    true => " or more",
                    false => "",
                }
            ),
        )
    }

    /// The length of the body that has to come, where it is said.
    fn announced(&self, head: &http::response::Parts) -> Result<Option<u64>, Fault> {
        let mut lengths = head.headers.get_all(CONTENT_LENGTH).iter();
        let Some(first) = lengths.next() else { return Ok(None) };
        let length: Option<u64> = first.to_str().ok().and_then(|text| text.parse().ok());
        match length {
            Some(length) if length <= LARGEST_BODY_BYTES && lengths.all(|other| other == first) => {
                let has_body = !self.is_head && head.status != StatusCode::NOT_MODIFIED;
                Ok(has_body.then_some(length))
            }
            _ => {
                let text = String::from_utf8_lossy(first.as_bytes()).into_owned();
                Err(Fault::new(Cause::ContentLength, format!("a Content-Length of {text:?}")))
            }
        }
    }
}

fn head(payload: &[u8]) -> Result<http::response::Parts, Fault> {
    let (status, headers) = fields(payload, true)?;
    let status = status.ok_or_else(|| Fault::new(Cause::PseudoHeader, "a head without :status"))?;
    let (mut head, ()) = Response::new(()).into_parts();
    (head.status, head.headers) = (status, headers);
    Ok(head)
}

/// `has_status`: a head's, not a trailer's.
fn fields(payload: &[u8], has_status: bool) -> Result<(Option<StatusCode>, HeaderMap), Fault> {
    let fields = qpack::decode(payload)
        .map_err(|why| Fault::new(Cause::Qpack, format!("QPACK cannot read the head: {why}")))?;
    // Section 4.2.2: 32 bytes more for each.
    let bytes: usize = fields.iter().map(|(name, value)| name.len() + value.len() + 32).sum();
    if bytes > HEAD_BYTES_LIMIT {
        let what = format!("a head of {bytes} bytes; allowed are {HEAD_BYTES_LIMIT}");
        return Err(Fault::new(Cause::HeadTooLong, what));
    }
    let (mut status, mut headers) = (None, HeaderMap::new());
    for (name, value) in fields {
        let shown = || String::from_utf8_lossy(&name).into_owned();
        if name.first() == Some(&b':') {
            let known = has_status && name == b":status" && status.is_none() && headers.is_empty();
            let code = StatusCode::from_bytes(&value).ok().filter(|code| known && code.as_u16() != 101);
            let wrong = || format!("{}: {:?}", shown(), String::from_utf8_lossy(&value));
            status = Some(code.ok_or_else(|| Fault::new(Cause::PseudoHeader, wrong()))?);
            continue;
        }
        let header = HeaderName::from_bytes(&name).ok().filter(|header| header.as_str().as_bytes() == name);
        let header =
            header.ok_or_else(|| Fault::new(Cause::HeaderName, format!("the name {:?}", shown())))?;
        if OF_CONNECTIONS.contains(&header.as_str()) {
            return Err(Fault::new(Cause::ConnectionHeader, format!("the header {header}")));
        }
        let value = HeaderValue::from_bytes(&value)
            .map_err(|_| Fault::new(Cause::HeaderValue, format!("the value of {header}")))?;
        headers.append(header, value);
    }
    Ok((status, headers))
}
