//! Equal answers without a specification: one server's answers are kept, and others' are compared with them.
//!
//! Of each compared request there are *instances*, one for each time it is rendered in a run that begins with the same
//! seed. A run in mode `keep` writes the answer to each; a run in mode `compare` renders the same instances again,
//! draws from them, and holds each answer against the one that was kept.

mod compare;
mod digest;
mod keep;
mod places;
mod pool;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use compare::Comparer;
pub use digest::{Digest, Digester, is_json};
pub use keep::{Keeper, KeptAnswer};
pub use pool::Pool;

use crate::http1::request::EncodedRequest;
use crate::plan::{Plan, ReferencePlan};
use crate::record::Comparison;
use crate::template::Renderer;
use crate::verify::{Answer, BODY_BYTES_LIMIT};

/// The instance of a request of which answers are neither kept nor compared.
pub const NO_INSTANCE: u32 = u32::MAX;

/// So many bytes of a body are compared; a longer one is never equal.
pub const COMPARED_BYTES: usize = BODY_BYTES_LIMIT;

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
pub struct AskedInstance<'a> {
    /// Its place in the mix.
    pub request: usize,
    /// Its number among those of this request.
    pub instance: u32,
    /// What it is about: see [`crate::template::Message::render`].
    pub about: u64,
    /// Its bytes.
    pub sent: &'a [u8],
}

/// What all threads share.
#[derive(Clone, Debug)]
pub enum Reference {
    /// Answers are kept.
    Keep(Arc<Keeper>, Digester),
    /// They are compared.
    Compare(Arc<Pool>, Digester),
}

/// What one thread does with its answers.
#[derive(Debug)]
pub enum ThreadReference {
    /// Keeps them. With how many instances each request was given.
    Keep(Arc<Keeper>, Digester, Vec<u32>),
    /// Compares them.
    Compare(Comparer),
}

impl Reference {
    /// Prepares what the plan says; `None` if it says nothing.
    ///
    /// # Errors
    /// The key that does not fit.
    pub fn new(plan: &Plan, requests: &[EncodedRequest]) -> Result<Option<Reference>, String> {
        let Some(reference) = &plan.reference else { return Ok(None) };
        let digester = Digester::new(reference.normalisation(), reference.key().as_bytes())
            .map_err(|text| format!("reference.normalisation.{text}"))?;
        Ok(Some(match reference {
            ReferencePlan::Keep { file, .. } => {
                let keeper = Keeper::new(file, &plan.requests, requests)
                    .map_err(|text| format!("reference.file: {text}"))?;
                Reference::Keep(Arc::new(keeper), digester)
            }
            ReferencePlan::Compare { file, seed, instances, .. } => {
                let mut pool = Pool::new(&plan.requests, requests, *seed, *instances)?;
                pool.read(file, &plan.requests, &digester)
                    .map_err(|text| format!("reference.file: {text}"))?;
                Reference::Compare(Arc::new(pool), digester)
            }
        }))
    }

    /// One thread's part.
    pub fn of_thread(&self, requests: usize) -> ThreadReference {
        match self {
            Reference::Keep(keeper, digester) => {
                ThreadReference::Keep(Arc::clone(keeper), digester.clone(), vec![0; requests])
            }
            Reference::Compare(pool, digester) => {
                ThreadReference::Compare(Comparer::new(Arc::clone(pool), digester.clone()))
            }
        }
    }
}

impl ThreadReference {
    /// The instance of a request whose bytes are always the same.
    pub fn fixed_instance(&mut self, request: usize) -> u32 {
        match self {
            ThreadReference::Keep(keeper, _, begun) => next_instance(keeper, begun, request),
            ThreadReference::Compare(comparer) => comparer.pool().fixed_instance(request),
        }
    }

    /// The instance of a request that was just rendered for itself.
    pub fn rendered_instance(&mut self, request: usize) -> u32 {
        match self {
            ThreadReference::Keep(keeper, _, begun) => next_instance(keeper, begun, request),
            ThreadReference::Compare(_) => NO_INSTANCE,
        }
    }

    /// Of a compared request every second time an instance, written to `out`: what it is about, and its number.
    #[inline]
    pub fn draw(
        &self,
        request: usize,
        closes: bool,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> Option<(u64, u32)> {
        let ThreadReference::Compare(comparer) = self else { return None };
        comparer.pool().draw(request, closes, renderer, out)
    }

    /// Keeps or compares an answer. False if it is unequal.
    pub fn take(&mut self, asked: &AskedInstance<'_>, answer: &Answer<'_>) -> bool {
        match self {
            ThreadReference::Keep(keeper, digester, _) => {
                keeper.keep(asked, answer, digester);
                true
            }
            ThreadReference::Compare(comparer) => comparer.is_equal(asked.request, asked.instance, answer),
        }
    }

    /// True if the answer to a request that failed its expectation is of interest.
    pub fn takes_wrong_answers(&self) -> bool {
        matches!(self, ThreadReference::Keep(..))
    }

    /// What was found out; `None` if nothing was compared.
    pub fn conclude(self) -> Option<Comparison> {
        match self {
            ThreadReference::Keep(..) => None,
            ThreadReference::Compare(comparer) => Some(comparer.conclude()),
        }
    }
}

fn next_instance(keeper: &Keeper, begun: &mut [u32], request: usize) -> u32 {
    if !keeper.keeps(request) {
        return NO_INSTANCE;
    }
    begun[request] += 1;
    begun[request] - 1
}

/// The first line of a request, without its end.
fn request_line(sent: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\r', sent).unwrap_or(sent.len());
    &sent[..end]
}

/// The whole body of an answer; `None` if it is too long to have been kept.
fn whole_body<'a>(answer: &Answer<'a>) -> Option<&'a [u8]> {
    (answer.body_bytes == answer.body.len() as u64).then_some(answer.body)
}
