//! Bodies that are unpacked before they are judged, where a request asks for coded ones.
//!
//! An answer is unpacked when it is complete: its own times are known by then, and hold nothing of this work. What
//! follows on its thread waits for it. One unpacker serves all connections of a thread, so that its memory does not
//! grow with them.

mod decoders;
mod fault;

pub use fault::Fault;

use crate::clock;
use crate::http1::response::{Coding, PARTIAL_CONTENT};
use crate::record::Unpacking;
use crate::verify::{Answer, Expectation};

/// A body up to so long, packed and unpacked, is kept for the next answer to its request. Bytes.
const LONGEST_KEPT_BYTES: usize = 256 << 10;

/// Unpacks the answers of one thread.
#[derive(Default)]
pub struct Unpacker {
    decoders: decoders::Decoders,
    /// What was unpacked last, of whichever request.
    body: Vec<u8>,
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

impl Last {
    /// Keeps a body, unless it is long.
    fn keep(&mut self, coding: Coding, packed: &[u8], body: &[u8]) {
        self.coding = (packed.len().max(body.len()) <= LONGEST_KEPT_BYTES).then_some(coding);
        if self.coding.is_some() {
            self.packed.clear();
            self.packed.extend_from_slice(packed);
            self.body.clear();
            self.body.extend_from_slice(body);
        }
    }
}

impl Unpacker {
    /// The answer to the request at this place as it is to be judged: unpacked, if it is coded and the request asks for
    /// such answers. `counted`: what the window counts, if the answer belongs to it.
    #[inline]
    pub fn unpacked<'a>(
        &'a mut self,
        request: usize,
        answer: Answer<'a>,
        expectation: &Expectation,
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
        let unpacked = if !expectation.accepted().has(coding) {
            Err(Fault::NotAsked(coding))
        } else if answer.body_bytes != packed.len() as u64 {
            Err(Fault::TooLong { limit })
        } else if last.coding == Some(coding) && last.packed == packed {
            counts.unchanged = 1;
            Ok(&last.body)
        } else {
            let begun_ns = clock::thread_cpu_ns();
            let outcome = self.decoders.unpack(coding, packed, &mut self.body, limit);
            counts.cpu_ns = clock::thread_cpu_ns() - begun_ns;
            match outcome {
                Ok(()) => last.keep(coding, packed, &self.body),
                // A bomb's memory is given back.
                Err(_) => (last.coding, self.body) = (None, Vec::new()),
            }
            outcome.map(|()| &self.body)
        };
        match unpacked {
            Ok(body) => (counts.answers, counts.unpacked_bytes) = (1, body.len() as u64),
            Err(_) => counts = Unpacking { cpu_ns: counts.cpu_ns, ..Unpacking::default() },
        }
        if let Some(counted) = counted {
            *counted = counted.plus(counts);
        }
        match unpacked {
            Ok(body) => Answer { coding: None, body_bytes: body.len() as u64, body, ..answer },
            Err(fault) => Answer { fault: Some(fault), ..answer },
        }
    }
}

/// False for what is judged as it came: where coded bodies are not asked for, and a part of one (RFC 9110, section
/// 14.2).
fn is_to_be_unpacked(answer: &Answer<'_>, expectation: &Expectation) -> bool {
    expectation.accepted().is_any() && answer.status != PARTIAL_CONTENT
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Unpacker").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
