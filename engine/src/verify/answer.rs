//! The answer that is judged.

use super::EventStream;
use crate::http1::response::Coding;
use crate::record::Sighting;
use crate::unpack::Fault;

/// A complete answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer<'a> {
    /// When its first byte came, on the run's clock.
    pub first_byte_ns: u64,
    /// 101, or 200 to 599.
    pub status: u16,
    /// What [`super::Expectation::header_fits`] said.
    pub header_fits: bool,
    /// What [`super::Expectation::header_shows`] said.
    pub header_shows: Option<Sighting>,
    /// How the body is coded; `None`: not at all, or it was unpacked.
    pub coding: Option<Coding>,
    /// What kept it from being unpacked, where that was to be done.
    pub fault: Option<Fault>,
    /// Content-Type as it came, if [`super::Expectation::keeps_content_type`] or the header does not fit; else, and
    /// without one, empty.
    pub content_type: &'a [u8],
    /// All of the head, if [`super::Expectation::keeps_head`] of its status; else empty.
    pub head: &'a [u8],
    /// The lines of the trailer, if [`super::Expectation::keeps_trailer`]; else empty.
    pub trailer: &'a [u8],
    /// Length of the body.
    pub body_bytes: u64,
    /// The front of the body, up to [`super::Expectation::kept_bytes`].
    pub body: &'a [u8],
    /// The events in it, if it is to be a stream of them and is not empty.
    pub events: Option<&'a EventStream>,
    /// True if it is the message that was sent.
    pub is_echo: bool,
    /// True if the connection can carry another request.
    pub reusable: bool,
    /// True if a Content-Length came beside a Transfer-Encoding.
    pub has_two_framings: bool,
}

impl<'a> Answer<'a> {
    /// The coding that makes the body's bytes unreadable. One of unknown name may be a mistake, such as `utf-8`.
    fn unreadable(&self) -> Option<Coding> {
        self.coding.filter(|coding| *coding != Coding::Unknown && self.body_bytes > 0)
    }

    /// The body, if people can make something of it.
    pub fn readable_body(&self) -> &'a [u8] {
        if self.unreadable().is_some() { b"" } else { self.body }
    }

    /// What keeps people from reading the body.
    pub(super) fn obstacle(&self) -> Option<String> {
        self.unreadable().map(|coding| format!("the body is {}", coding.name()))
    }
}
