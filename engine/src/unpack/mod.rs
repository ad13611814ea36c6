//! Bodies that are unpacked before they are judged, where a request asks for coded ones.
//!
//! An answer is unpacked when it is complete: its times are known by then, so that they hold nothing of this work. One
//! unpacker serves all connections of a thread, so that its memory does not grow with them.

mod decoders;
mod fault;

pub use fault::Fault;

use crate::clock;
use crate::http1::response::{Coding, PARTIAL_CONTENT};
use crate::record::Unpacking;
use crate::verify::{Answer, Expectation};

/// Unpacks the answers of one thread.
#[derive(Default)]
pub struct Unpacker {
    decoders: decoders::Decoders,
    /// By place of the request, what came last. The same bytes again need not be unpacked again.
    last: Vec<Last>,
}

/// A body that was unpacked.
#[derive(Default)]
struct Last {
    /// `None`: there is none.
    coding: Option<Coding>,
    packed: Vec<u8>,
    body: Vec<u8>,
}

impl Unpacker {
    /// The answer to the request at this place as it is to be judged: unpacked, if it is coded and the request asks for
    /// such answers. `counted`: what the window counts, if the answer belongs to it.
    #[inline]
    pub fn unpacked<'a>(
        &'a mut self,
        request: usize,
        answer: Answer<'a>,
        expectation: &mut Expectation,
        counted: Option<&mut Unpacking>,
    ) -> Answer<'a> {
        match answer.coding {
            Some(coding) if is_to_be_unpacked(&answer, expectation) => {
                self.unpack(request, answer, coding, expectation, counted)
            }
            _ => answer,
        }
    }

    fn unpack<'a>(
        &'a mut self,
        request: usize,
        answer: Answer<'a>,
        coding: Coding,
        expectation: &Expectation,
        counted: Option<&mut Unpacking>,
    ) -> Answer<'a> {
        if answer.body_bytes == 0 {
            return Answer { coding: None, ..answer };
        }
        if self.last.len() <= request {
            self.last.resize_with(request + 1, Last::default);
        }
        let last = &mut self.last[request];
        let (limit, packed) = (expectation.unpacked_bytes_limit(), answer.body);
        let mut counts = Unpacking { packed_bytes: answer.body_bytes, ..Unpacking::default() };
        let fault = if !expectation.accepted().has(coding) {
            Some(Fault::NotAsked(coding))
        } else if answer.body_bytes != packed.len() as u64 {
            Some(Fault::TooLong { limit })
        } else if last.coding == Some(coding) && last.packed == packed {
            counts.unchanged = 1;
            None
        } else {
            let begun_ns = clock::thread_cpu_ns();
            let outcome = self.decoders.unpack(coding, packed, &mut last.body, limit);
            counts.cpu_ns = clock::thread_cpu_ns() - begun_ns;
            last.coding = outcome.is_ok().then_some(coding);
            last.packed.clear();
            last.packed.extend_from_slice(if outcome.is_ok() { packed } else { b"" });
            outcome.err()
        };
        match fault {
            None => (counts.answers, counts.unpacked_bytes) = (1, last.body.len() as u64),
            Some(_) => counts = Unpacking { cpu_ns: counts.cpu_ns, ..Unpacking::default() },
        }
        if let Some(counted) = counted {
            *counted = counted.plus(counts);
        }
        match fault {
            Some(_) => Answer { fault, ..answer },
            None => Answer { coding: None, body_bytes: last.body.len() as u64, body: &last.body, ..answer },
        }
    }
}

/// False for what is judged as it came: where coded bodies are not asked for, a part of one (RFC 9110, section 14.2), and a stream of events, whose
/// times are those of its pieces.
fn is_to_be_unpacked(answer: &Answer<'_>, expectation: &mut Expectation) -> bool {
    expectation.accepted().is_any() && answer.status != PARTIAL_CONTENT && expectation.events().is_none()
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Unpacker").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
