//! Whether an answer is right. Looks at bytes, knows no sockets and no clock.

mod answer;
mod changed;
mod content_type;
mod digest;
mod events;
mod exact;
mod grpc;
mod header;
mod json;
mod message;
mod place;
mod reason;
mod row;
mod sample;
mod scalar;
mod text;
mod trailer;
mod wire;

use std::sync::Arc;

pub use answer::Answer;
pub use changed::ChangedRows;
use digest::DigestBody;
pub use events::{EventStream, EventsAsked, EventsExpectation};
use exact::ExactBody;
use grpc::GrpcExpectation;
use header::HeaderExpectation;
pub use json::BYTES_LIMIT as BODY_BYTES_LIMIT;
use json::JsonBody;
pub(crate) use json::{names as pointer_names, place as pointer_place};
use message::MessageBody;
use row::RowBody;
use sample::Sample;
use trailer::TrailerExpectation;

use crate::grpc::{MESSAGE_BYTES_LIMIT, OK, PREFIX_BYTES};
use crate::http1::response::{Accepted, Coding, Head, NOT_MODIFIED};
use crate::plan::{BodyPlan, ByteRange, Expect};
use crate::record::{EXCERPT_BYTES, ErrorKind, LONGEST_BODY_BYTES, Sighting};
use crate::rows::Table;
use crate::template::{RowText, Sources};

/// No body that is unpacked may be longer, whatever a plan allows. Bytes.
const LONGEST_UNPACKED_BYTES: u64 = 1 << 30;

/// What must be true of the answers to one request.
#[derive(Debug)]
pub struct Expectation {
    statuses: Vec<u16>,
    header: HeaderExpectation,
    trailer: TrailerExpectation,
    grpc: Option<Box<GrpcExpectation>>,
    body_bytes: Option<ByteRange>,
    body: BodyExpectation,
    kept_bytes: usize,
    accepted: Accepted,
    keeps_bodies: bool,
    keeps_content_type: bool,
    keeps_head: bool,
    checked: Sample,
    /// What the answer that was verified last shows of changed rows.
    sightings: Vec<Sighting>,
}

#[derive(Debug)]
enum BodyExpectation {
    Any,
    Exact(ExactBody),
    Digest(DigestBody),
    Row(Box<RowBody>),
    Json(Box<JsonBody>),
    Message(Box<MessageBody>),
    Events(Box<EventsExpectation>),
    Echo,
}

/// What was found out about an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The first thing that was wrong, in the order status, header, coding, length, body.
    pub wrong: Option<ErrorKind>,
    /// The body was compared as a whole, or is to be kept.
    pub checked_body: bool,
    /// The answered id, and whether the dataset holds it.
    pub picked: Option<(u64, bool)>,
}

impl Expectation {
    /// Prepares what the plan expects. `tables`: those of which the request takes rows, see
    /// [`crate::template::Message::tables`].
    ///
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub fn new(expect: &Expect, sources: Sources<'_>, tables: &[Arc<Table>]) -> Result<Expectation, String> {
        let dataset = sources.dataset;
        let header = HeaderExpectation::new(expect, dataset)?;
        let body = match &expect.body {
            BodyPlan::Any {} => BodyExpectation::Any,
            BodyPlan::Exact { changed, .. } => {
                BodyExpectation::Exact(ExactBody::new(expect.body.exact_bytes()?, changed)?)
            }
            BodyPlan::Digest { sha256 } => BodyExpectation::Digest(DigestBody::new(sha256)?),
            BodyPlan::Row { fields } => {
                let Some(dataset) = dataset else {
                    return Err("expect.body: kind \"row\" needs the key dataset".to_owned());
                };
                if !tables.is_empty() {
                    return Err(
                        "expect.body: kind \"row\" is about the dataset, and the request about {{row …}}"
                            .into(),
                    );
                }
                BodyExpectation::Row(Box::new(RowBody::new(Arc::clone(dataset), fields)?))
            }
            BodyPlan::Json { values } => {
                let compile = |text: &str| RowText::new(text, sources.rows, tables);
                BodyExpectation::Json(Box::new(JsonBody::new(values, compile)?))
            }
            BodyPlan::Message { fields } => {
                let compile = |text: &str| RowText::new(text, sources.rows, tables);
                let body = MessageBody::new(fields, &compile)
                    .map_err(|text| format!("expect.body.fields: {text}"))?;
                BodyExpectation::Message(Box::new(body))
            }
            BodyPlan::Events(plan) => {
                let compile = |text: &str| RowText::new(text, sources.rows, tables);
                BodyExpectation::Events(Box::new(EventsExpectation::new(plan, expect.check_every, &compile)?))
            }
            BodyPlan::Echo {} => BodyExpectation::Echo,
        };
        let judged_bytes = match &body {
            BodyExpectation::Any | BodyExpectation::Events(_) | BodyExpectation::Echo => EXCERPT_BYTES,
            BodyExpectation::Exact(text) => text.bytes().max(EXCERPT_BYTES),
            BodyExpectation::Row(body) => body.bytes_limit(),
            BodyExpectation::Json(_) | BodyExpectation::Digest(_) => json::BYTES_LIMIT,
            BodyExpectation::Message(body) if body.is_any() => EXCERPT_BYTES,
            BodyExpectation::Message(_) => PREFIX_BYTES + MESSAGE_BYTES_LIMIT,
        };
        let handed_on_bytes = if expect.keep_bodies { LONGEST_BODY_BYTES } else { 0 };
        Ok(Expectation {
            statuses: expect.status.clone(),
            header,
            trailer: TrailerExpectation::new(&expect.trailer),
            grpc: expect.grpc.as_ref().map(|plan| Box::new(GrpcExpectation::new(plan))),
            body_bytes: expect.body_bytes,
            body,
            kept_bytes: judged_bytes.max(handed_on_bytes),
            accepted: Accepted::default(),
            keeps_bodies: expect.keep_bodies,
            keeps_content_type: expect.grpc.is_some(),
            keeps_head: expect.grpc.is_some(),
            checked: Sample::new(expect.check_every),
            sightings: Vec::new(),
        })
    }

    /// The longest body that can be right, in bytes; `None`: nothing bounds it.
    pub fn most_body_bytes(&self) -> Option<u64> {
        match &self.body {
            BodyExpectation::Exact(text) => Some(text.bytes() as u64),
            _ => self.body_bytes.map(|range| range.max),
        }
    }

    /// The shortest body that can be right, in bytes.
    pub fn least_body_bytes(&self) -> u64 {
        match &self.body {
            BodyExpectation::Exact(text) => text.bytes() as u64,
            _ => self.body_bytes.map_or(0, |range| range.min),
        }
    }

    /// Checks what is expected of headers, which needs no request.
    ///
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub fn check_header(expect: &Expect, sources: Sources<'_>) -> Result<(), String> {
        HeaderExpectation::new(expect, sources.dataset).map(drop)
    }

    /// The same, but both texts of these rows are right, and [`Expectation::sightings`] tells which was shown.
    #[must_use]
    pub fn watching(mut self, changed: &ChangedRows) -> Expectation {
        self.header.watch(changed);
        if let BodyExpectation::Row(body) = &mut self.body {
            body.watch(changed);
        }
        self
    }

    /// The same, but whole answers are kept: something else compares them.
    #[must_use]
    pub fn keeping_all(mut self) -> Expectation {
        self.kept_bytes = self.kept_bytes.max(BODY_BYTES_LIMIT);
        self.keeps_content_type = true;
        self
    }

    /// The same, but bodies with these codings are unpacked before they are judged; no streams of events, whose times
    /// are those of their pieces, and none whose digest is as they come.
    #[must_use]
    pub fn unpacking(mut self, accepted: Accepted) -> Expectation {
        if !matches!(self.body, BodyExpectation::Events(_) | BodyExpectation::Digest(_)) {
            self.accepted = accepted;
        }
        self
    }

    /// The same for messages of WebSocket, which have the status of their connection.
    #[must_use]
    pub fn of_messages(mut self) -> Expectation {
        self.statuses = vec![101];
        self
    }

    /// The codings that are unpacked before a body is judged.
    #[inline]
    pub fn accepted(&self) -> Accepted {
        self.accepted
    }

    /// No body may be longer than this, packed or unpacked. Bytes.
    pub fn unpacked_bytes_limit(&self) -> usize {
        let most = self.most_body_bytes().unwrap_or(0);
        most.clamp(BODY_BYTES_LIMIT as u64, LONGEST_UNPACKED_BYTES) as usize
    }

    /// The same, but the body of every answer is compared as a whole.
    #[must_use]
    pub fn checking_every(mut self) -> Expectation {
        self.checked = Sample::new(1);
        self
    }

    /// The same, but heads are kept, and with `keeps_body` whole bodies: variables are taken from them.
    #[must_use]
    pub fn keeping_head(mut self, keeps_body: bool) -> Expectation {
        if keeps_body {
            self.kept_bytes = self.kept_bytes.max(BODY_BYTES_LIMIT);
        }
        (self.keeps_content_type, self.keeps_head) = (true, true);
        self
    }

    /// True if the head of an answer with this status must be kept: an unexpected one may say what to do.
    #[inline]
    pub fn keeps_head(&self, status: u16) -> bool {
        self.keeps_head || (status >= 300 && !self.status_fits(status))
    }

    /// True if the trailer must be kept.
    #[inline]
    pub fn keeps_trailer(&self) -> bool {
        !self.trailer.is_any() || self.grpc.is_some()
    }

    /// True if Content-Type must be kept.
    #[inline]
    pub fn keeps_content_type(&self) -> bool {
        self.keeps_content_type
    }

    /// What must be true of the answer's events, if it is to be a stream of them.
    #[inline]
    pub fn events(&mut self) -> Option<&mut EventsExpectation> {
        match &mut self.body {
            BodyExpectation::Events(events) => Some(events),
            _ => None,
        }
    }

    /// How many bytes of a body with this coding must be kept to judge it; of one that is unpacked, all that are
    /// allowed. A longer body is wrong or need not be looked at.
    #[inline]
    pub fn kept_bytes(&self, coding: Option<Coding>) -> usize {
        match coding {
            Some(coding) if self.accepted.has(coding) => self.kept_bytes.max(self.unpacked_bytes_limit()),
            _ => self.kept_bytes,
        }
    }

    /// True if the body of an answer that is right is to be kept, wherever [`Verdict::checked_body`] is true.
    #[inline]
    pub fn keeps_bodies(&self) -> bool {
        self.keeps_bodies
    }

    /// How long after it was sent a call may last; `u64::MAX`: any time.
    pub fn deadline_ns(&self) -> u64 {
        self.grpc.as_ref().map_or(u64::MAX, |grpc| grpc.deadline_ns)
    }

    /// The answer that is judged next was whole so long after its request was sent.
    #[inline]
    pub fn took(&mut self, took_ns: u64) {
        if let Some(grpc) = &mut self.grpc {
            grpc.took_ns = took_ns;
        }
    }

    /// Judges the headers. `asked_row` as for [`Expectation::verify`].
    #[inline]
    pub fn header_fits(&mut self, head: &Head<'_>, asked_row: u64) -> bool {
        self.header.fits(head, asked_row)
    }

    /// Which text of a changed row the head shows that was judged last.
    #[inline]
    pub fn header_shows(&self) -> Option<Sighting> {
        self.header.shows()
    }

    /// What the answer that was verified last shows of changed rows. It counts only if that answer is right.
    #[inline]
    pub fn sightings(&self) -> &[Sighting] {
        &self.sightings
    }

    /// The lines of an answer's trailer: those of its head, where a call has nothing else.
    #[inline]
    fn trailer_of<'a>(&self, answer: &Answer<'a>) -> &'a [u8] {
        if self.grpc.is_some() { grpc::trailer_of(answer) } else { answer.trailer }
    }

    /// Judges a complete answer. `asked_row`: what [`crate::template::Message::render`] gave: id of the row that was asked
    /// for, 0: none in particular; or the combined place of the rows that the request took.
    #[inline]
    pub fn verify(&mut self, answer: &Answer<'_>, asked_row: u64) -> Verdict {
        let mut verdict = Verdict::default();
        self.sightings.clear();
        self.sightings.extend(answer.header_shows);
        if !self.status_fits(answer.status) {
            verdict.wrong = Some(ErrorKind::of_status(answer.status));
            return verdict;
        }
        if answer.status == NOT_MODIFIED {
            // What else is expected is said of an answer with a body, or of the headers that describe one.
            verdict.wrong = (answer.body_bytes > 0).then_some(ErrorKind::WrongLength);
            return verdict;
        }
        let mut looks_at_messages = true;
        if answer.header_fits
            && let Some(grpc) = &self.grpc
        {
            match grpc.end(answer) {
                Ok(status) => looks_at_messages = status == OK,
                Err(wrong) => {
                    self.stream_ended_early(answer, true);
                    verdict.wrong = Some(wrong);
                    return verdict;
                }
            }
        }
        let header_fits = answer.header_fits && self.trailer.fits(self.trailer_of(answer));
        if header_fits && !looks_at_messages {
            self.stream_ended_early(answer, false);
            return verdict;
        }
        if answer.fault.is_some() && header_fits {
            verdict.wrong = Some(ErrorKind::WrongCoding);
            return verdict;
        }
        let length_fits =
            self.body_bytes.is_none_or(|range| (range.min..=range.max).contains(&answer.body_bytes));
        let body_fits = self.body_fits(answer, asked_row, header_fits && length_fits, &mut verdict);
        verdict.wrong = if !header_fits {
            Some(ErrorKind::WrongHeader)
        } else if !length_fits {
            Some(ErrorKind::WrongLength)
        } else if !body_fits {
            Some(ErrorKind::WrongBody)
        } else {
            None
        };
        verdict
    }

    /// A call has ended with a status behind which its messages do not matter.
    fn stream_ended_early(&mut self, answer: &Answer<'_>, is_wrong: bool) {
        if let Some(events) = self.events() {
            events.ended_early(answer.events, is_wrong);
        }
    }

    /// Whether an answer of this status may be right.
    #[inline]
    pub fn status_fits(&self, status: u16) -> bool {
        match self.statuses.as_slice() {
            [] => (200..300).contains(&status),
            statuses => statuses.contains(&status),
        }
    }

    /// `is_right_else`: nothing but the body can be wrong.
    #[inline]
    fn body_fits(
        &mut self,
        answer: &Answer<'_>,
        asked_row: u64,
        is_right_else: bool,
        verdict: &mut Verdict,
    ) -> bool {
        let is_whole = answer.body_bytes == answer.body.len() as u64;
        match &mut self.body {
            BodyExpectation::Any => {
                verdict.checked_body = self.keeps_bodies && self.checked.is_due();
                true
            }
            BodyExpectation::Exact(text) => {
                let has_length = answer.body_bytes == text.bytes() as u64;
                verdict.checked_body = self.checked.is_due();
                has_length && (!verdict.checked_body || text.fits(answer.body, &mut self.sightings))
            }
            BodyExpectation::Digest(digest) => {
                verdict.checked_body = self.checked.is_due();
                !verdict.checked_body || (is_whole && digest.fits(answer.body))
            }
            BodyExpectation::Json(body) => {
                verdict.checked_body = self.checked.is_due();
                !verdict.checked_body || (is_whole && body.fits(answer.body, asked_row))
            }
            BodyExpectation::Message(body) => {
                verdict.checked_body = self.checked.is_due();
                body.difference(answer.body, answer.body_bytes, verdict.checked_body.then_some(asked_row))
                    .is_ok()
            }
            BodyExpectation::Events(events) => {
                verdict.checked_body = events.is_checked(answer.events);
                let is_readable = answer.obstacle().is_none();
                events.fits(answer.events, is_right_else && is_readable) && is_readable
            }
            BodyExpectation::Echo => {
                verdict.checked_body = true;
                answer.is_echo
            }
            BodyExpectation::Row(body) => {
                let Some(id) = body.find_id(answer.body) else {
                    return false;
                };
                let is_known = body.dataset().holds(id);
                verdict.picked = Some((id, is_known));
                let change = body.change_of(id);
                // Of the few changed rows, every answer is compared: which text it shows is what they are there for.
                verdict.checked_body = self.checked.is_due() || change.is_some();
                let is_asked = asked_row == 0 || asked_row == id;
                if !(is_asked && is_known && is_whole && verdict.checked_body) {
                    return is_asked && is_known && is_whole;
                }
                let Some(shown) = body.row_shown(answer.body, id, change) else { return false };
                self.sightings.extend(shown.map(|is_changed| Sighting { id, is_changed }));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests;
