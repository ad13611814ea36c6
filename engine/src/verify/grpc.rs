//! How a call by gRPC must have ended.

use super::Answer;
use super::trailer::value;
use crate::clock;
use crate::grpc::{DEADLINE_EXCEEDED, MEDIA_TYPE, decoded, status_name};
use crate::http1::field_values;
use crate::plan::GrpcPlan;
use crate::record::ErrorKind;

/// Statuses of HTTP begin here; those of calls are far below, and both are counted in one table.
const FIRST_OF_HTTP: u16 = 100;

/// What is expected of a call's status.
#[derive(Debug)]
pub(super) struct GrpcExpectation {
    statuses: Vec<u16>,
    /// After it was sent; `u64::MAX`: there is none.
    pub deadline_ns: u64,
    /// How long the call took that is looked at, from its sending to the end of its answer.
    pub took_ns: u64,
}

impl GrpcExpectation {
    pub(super) fn new(plan: &GrpcPlan) -> GrpcExpectation {
        let deadline_ns = plan.deadline_seconds.map_or(u64::MAX, clock::from_seconds);
        GrpcExpectation { statuses: plan.status.clone(), deadline_ns, took_ns: 0 }
    }

    /// The status of a call that ended as it must, apart from its messages.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn end(&self, answer: &Answer<'_>) -> Result<u16, ErrorKind> {
        let status = self.status(answer).filter(|_| is_grpc(answer.content_type));
        let status = status.ok_or(ErrorKind::WrongHeader)?;
        if self.statuses.contains(&status) { Ok(status) } else { Err(ErrorKind::StatusGrpc) }
    }

    /// The status of a call: of its trailer, or of a head that nothing follows. One that is too late has its own; one
    /// that is said twice, and differently, is none.
    pub(super) fn status(&self, answer: &Answer<'_>) -> Option<u16> {
        if self.took_ns > self.deadline_ns {
            return Some(DEADLINE_EXCEEDED);
        }
        let mut said = field_values(trailer_of(answer), "grpc-status");
        let digits = said.next().filter(|&digits| said.all(|other| other == digits))?;
        let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let status = std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()?;
        (status < FIRST_OF_HTTP).then_some(status)
    }

    /// What the server says of the status, for people.
    #[cold]
    pub(super) fn reason(&self, answer: &Answer<'_>) -> Option<String> {
        if !is_grpc(answer.content_type) {
            let text = String::from_utf8_lossy(answer.content_type);
            return Some(format!("the content type is {text:?}, not application/grpc"));
        }
        let Some(status) = self.status(answer) else {
            let said = field_values(trailer_of(answer), "grpc-status");
            let said = said.map(|text| format!("{:?}", String::from_utf8_lossy(text))).collect::<Vec<_>>();
            return Some(match said.len() {
                1.. => format!("grpc-status is {}", said.join(" and ")),
                0 if value(answer.head, "grpc-status").is_some() => {
                    "grpc-status stands in the head, and behind the messages is no trailer".to_owned()
                }
                0 => "there is no trailer with grpc-status".to_owned(),
            });
        };
        if self.took_ns > self.deadline_ns {
            return Some(format!("{}: the answer was not whole before it", status_name(status)));
        }
        let text = field(answer, "grpc-message").map(decoded).unwrap_or_default();
        Some(if text.is_empty() { status_name(status) } else { format!("{}: {text}", status_name(status)) })
    }
}

/// True if the media type is gRPC's, in whatever encoding.
fn is_grpc(content_type: &[u8]) -> bool {
    let is_whole = |rest: &[u8]| matches!(rest.first(), None | Some(b'+' | b';'));
    content_type.strip_prefix(MEDIA_TYPE).is_some_and(is_whole)
}

/// The lines in which a call's status stands: the head's, where nothing follows it.
pub(super) fn trailer_of<'a>(answer: &Answer<'a>) -> &'a [u8] {
    let is_trailers_only = answer.trailer.is_empty() && answer.body_bytes == 0;
    if is_trailers_only { answer.head } else { answer.trailer }
}

fn field<'a>(answer: &Answer<'a>, name: &str) -> Option<&'a [u8]> {
    value(trailer_of(answer), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"grpc-status: 14\r\ngrpc-message: shop%20closed\r\n";

    fn answer<'a>(head: &'a [u8], body_bytes: u64, trailer: &'a [u8]) -> Answer<'a> {
        Answer {
            status: 200,
            content_type: b"application/grpc",
            head,
            body_bytes,
            trailer,
            ..Answer::default()
        }
    }

    #[test]
    fn a_status_stands_in_the_trailer_or_in_a_head_that_nothing_follows() {
        let plan = GrpcPlan { status: vec![0], deadline_seconds: Some(1.0) };
        let mut expected = GrpcExpectation::new(&plan);
        let wrong_header = Some(ErrorKind::WrongHeader);
        for (answer, took_ns, wrong, reason) in [
            (answer(b"", 5, b"grpc-status: 0\r\n"), 0, None, "OK"),
            (answer(HEAD, 0, b""), 0, Some(ErrorKind::StatusGrpc), "UNAVAILABLE: shop closed"),
            (answer(HEAD, 5, b""), 0, wrong_header, "in the head, and behind the messages is no trailer"),
            (answer(b"", 5, b""), 0, wrong_header, "no trailer with grpc-status"),
            (answer(b"", 5, b"grpc-status: +1\r\n"), 0, wrong_header, "grpc-status is \"+1\""),
            (answer(b"", 5, b"grpc-status: 99999\r\n"), 0, wrong_header, "grpc-status is"),
            (answer(b"", 5, b"grpc-status: 100\r\n"), 0, wrong_header, "grpc-status is \"100\""),
            (answer(b"", 5, b"grpc-status: 0\r\ngrpc-status: 0\r\n"), 0, None, "OK"),
            (
                answer(b"", 5, b"grpc-status: 0\r\ngrpc-status: 13\r\n"),
                0,
                wrong_header,
                "is \"0\" and \"13\"",
            ),
            (answer(b"", 5, b"grpc-status: 77\r\n"), 0, Some(ErrorKind::StatusGrpc), "status 77"),
            (
                answer(b"", 5, b"grpc-status: 0\r\n"),
                1_000_000_001,
                Some(ErrorKind::StatusGrpc),
                "DEADLINE_EXCEEDED: the answer",
            ),
        ] {
            expected.took_ns = took_ns;
            assert_eq!(expected.end(&answer).err(), wrong, "{reason}");
            let found = expected.reason(&answer).unwrap();
            assert!(found.contains(reason), "{found}");
        }
    }

    #[test]
    fn the_content_type_is_that_of_grpc() {
        for (text, is_it) in [
            ("application/grpc", true),
            ("application/grpc+proto", true),
            ("application/grpc;charset=utf-8", true),
            ("application/grpc-web", false),
            ("text/html", false),
            ("", false),
        ] {
            assert_eq!(is_grpc(text.as_bytes()), is_it, "{text}");
        }
    }
}
