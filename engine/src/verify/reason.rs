//! What is wrong with an answer, for people.

use super::{Answer, BodyExpectation, Expectation, json};
use crate::record::ErrorKind;

impl Expectation {
    /// Why an answer is wrong, for people; `None` where only its kind can be told. `kind`: what [`Verdict::wrong`] says.
    #[cold]
    pub fn reason(&mut self, kind: ErrorKind, answer: &Answer<'_>, asked_row: u64) -> Option<String> {
        match kind {
            ErrorKind::StatusGrpc => self.end_of_call(answer),
            ErrorKind::WrongHeader => {
                let is_of_call = self.grpc.as_ref().is_some_and(|grpc| grpc.end(answer).is_err());
                let of_call = if is_of_call { self.end_of_call(answer) } else { None };
                let of_head = || self.header.difference(answer.content_type).filter(|_| !answer.header_fits);
                of_call.or_else(of_head).or_else(|| self.trailer.difference(self.trailer_of(answer)))
            }
            ErrorKind::WrongCoding => answer.fault.map(|fault| fault.to_string()),
            ErrorKind::WrongBody if matches!(self.body, BodyExpectation::Digest(_)) => {
                self.difference(answer, asked_row)
            }
            ErrorKind::WrongBody => answer.obstacle().or_else(|| self.difference(answer, asked_row)),
            _ => answer.obstacle(),
        }
    }

    /// What is said of how a call ended, and how far its stream had come.
    fn end_of_call(&self, answer: &Answer<'_>) -> Option<String> {
        let reason = self.grpc.as_ref()?.reason(answer)?;
        Some(match &self.body {
            BodyExpectation::Events(events) => format!("{reason}; {} came", events.came(answer.events)),
            _ => reason,
        })
    }

    /// What is wrong with the body of an answer.
    fn difference(&mut self, answer: &Answer<'_>, asked_row: u64) -> Option<String> {
        let body = match &mut self.body {
            BodyExpectation::Digest(_) => return Some("the body's SHA-256 is another one".to_owned()),
            BodyExpectation::Json(body) => body,
            BodyExpectation::Events(events) => return events.difference(answer.events),
            BodyExpectation::Message(body) => {
                return body.difference(answer.body, answer.body_bytes, Some(asked_row)).err();
            }
            _ => return None,
        };
        if answer.body_bytes > json::BYTES_LIMIT as u64 {
            return Some(format!("longer than {} MiB", json::BYTES_LIMIT >> 20));
        }
        body.difference(answer.body, asked_row)
    }

    /// The status that a call by gRPC ended with, and what its server says of it.
    #[cold]
    pub fn grpc_status(&self, answer: &Answer<'_>) -> Option<(u16, String)> {
        let grpc = self.grpc.as_ref()?;
        Some((grpc.status(answer)?, grpc.reason(answer)?))
    }
}
