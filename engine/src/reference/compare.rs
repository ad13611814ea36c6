//! Answers, held against those that were kept.

use std::sync::Arc;

use super::digest::{Digest, Digester};
use super::pool::{Expected, Pool, media_type};
use super::whole_body;
use crate::record::{Comparison, RequestComparison, UNEQUAL_KEPT, UnequalAnswer};
use crate::verify::Answer;

/// Bytes of an unequal body that are kept.
const UNEQUAL_BYTES: usize = 256 << 10;

/// One thread's comparison.
#[derive(Debug)]
pub struct Comparer {
    pool: Arc<Pool>,
    digester: Digester,
    /// By place in the mix, and instance: the number of the bytes that were equal last; 0: none yet. What comes again
    /// byte for byte need not be parsed again.
    equal_bytes: Vec<Vec<u64>>,
    /// The media type that was seen last, and its number.
    media_type: (Vec<u8>, u64),
    found: Vec<Option<RequestComparison>>,
    unequal: Vec<UnequalAnswer>,
}

impl Comparer {
    pub(super) fn new(pool: Arc<Pool>, digester: Digester) -> Comparer {
        let named = |request: Option<(&str, usize)>| {
            request
                .map(|(name, _)| RequestComparison { name: name.to_owned(), ..RequestComparison::default() })
        };
        let found = pool.requests().map(named).collect();
        let equal_bytes =
            pool.requests().map(|request| vec![0; request.map_or(0, |(_, instances)| instances)]).collect();
        Comparer { pool, digester, equal_bytes, media_type: Default::default(), found, unequal: Vec::new() }
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Compares an answer, and counts it.
    #[inline]
    pub fn is_equal(&mut self, request: usize, instance: u32, answer: &Answer<'_>) -> bool {
        let Some(expected) = self.pool.expected(request, instance) else { return true };
        let is_equal = self.fits(expected, request, instance, answer);
        let Some(found) = &mut self.found[request] else { return true };
        found.compared += 1;
        if !is_equal {
            found.unequal += 1;
            if found.unequal <= UNEQUAL_KEPT as u64 {
                let body = &answer.body[..answer.body.len().min(UNEQUAL_BYTES)];
                self.unequal.push(UnequalAnswer {
                    request: found.name.clone(),
                    instance,
                    status: answer.status,
                    content_type: String::from_utf8_lossy(answer.content_type).into_owned(),
                    body: String::from_utf8_lossy(body).into_owned(),
                });
            }
        }
        is_equal
    }

    #[inline]
    fn fits(&mut self, expected: Expected, request: usize, instance: u32, answer: &Answer<'_>) -> bool {
        if answer.status != expected.status || self.number_of(answer.content_type) != expected.media_type {
            return false;
        }
        let (Some(wanted), Some(body)) = (expected.digest, whole_body(answer)) else { return false };
        let bytes = self.digester.raw(body).max(1);
        let equal_bytes = &mut self.equal_bytes[request][instance as usize];
        if *equal_bytes == bytes {
            return true;
        }
        let is_equal = self.digester.body(answer.content_type, body) == Digest::Of(wanted);
        if is_equal {
            *equal_bytes = bytes;
        }
        is_equal
    }

    /// The number of a media type, which is nearly always the one before.
    #[inline]
    fn number_of(&mut self, content_type: &[u8]) -> u64 {
        let (last, number) = &mut self.media_type;
        if *number == 0 || last.as_slice() != content_type {
            last.clear();
            last.extend_from_slice(content_type);
            *number = self.digester.raw(&media_type(content_type));
        }
        *number
    }

    pub(super) fn conclude(self) -> Comparison {
        Comparison { requests: self.found.into_iter().flatten().collect(), unequal_answers: self.unequal }
    }
}
