//! The answer that is judged.

use crate::record::Sighting;

/// A complete answer.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// 101, or 200 to 599.
    pub status: u16,
    /// What [`super::Expectation::header_fits`] said.
    pub header_fits: bool,
    /// What [`super::Expectation::header_shows`] said.
    pub header_shows: Option<Sighting>,
    /// Content-Type as it came, if [`super::Expectation::keeps_content_type`]; else, and without one, empty.
    pub content_type: &'a [u8],
    /// All of the head, if [`super::Expectation::keeps_head`]; else empty.
    pub head: &'a [u8],
    /// Length of the body.
    pub body_bytes: u64,
    /// The front of the body, up to [`super::Expectation::kept_bytes`].
    pub body: &'a [u8],
    /// True if the connection can carry another request.
    pub reusable: bool,
    /// True if a Content-Length came beside a Transfer-Encoding.
    pub has_two_framings: bool,
}
