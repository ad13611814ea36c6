//! The streams of a connection, as its frames say.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What a window may come to (RFC 9113, section 6.9.1), and what it is until somebody says otherwise.
pub(super) const MOST_WINDOW_BYTES: i64 = (1 << 31) - 1;
pub(super) const FIRST_WINDOW_BYTES: i64 = 65_535;

/// Runs of streams that the client reset, of which as many are told apart.
const MOST_RUNS: usize = 1024;

/// One stream that the client opened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stream {
    pub has_head: bool,
    /// A head with a final status has come for certain.
    pub has_final_head: bool,
    /// All heads that have come are interim ones for certain.
    pub is_interim: bool,
    /// The status forbids a body.
    pub is_bodiless: bool,
    pub has_data: bool,
    /// DATA frames that carry nothing, in a row.
    pub hollow_frames: u32,
    /// A second head has come, behind a body or a final head.
    pub has_trailers: bool,
    /// Of the body, without padding.
    pub body_bytes: u64,
    /// All of the request has gone.
    pub is_asked: bool,
    /// Opened by the server's WINDOW_UPDATEs, less what has gone: the initial window is not in it.
    pub window: i64,
}

/// Streams by their numbers, which are different already.
#[derive(Default)]
struct ByNumber(u64);

impl Hasher for ByNumber {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a stream's number is a u32");
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.0 = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Memory is bounded by the streams that are open at once.
#[derive(Default)]
pub(super) struct Streams {
    open: HashMap<u32, Stream, BuildHasherDefault<ByNumber>>,
    /// Those that have ended since the last bytes came: what is wrong with them is told after their end.
    gone: Vec<(u32, Stream)>,
    /// The last one that was opened.
    last: u32,
    /// Those that the client reset, for which frames may be under way: first and last of runs, in order.
    reset: Vec<(u32, u32)>,
    /// All up to this one may have been reset.
    floor: u32,
}

impl Streams {
    pub(super) fn open(&mut self, number: u32, is_asked: bool) {
        self.last = number;
        self.open.insert(number, Stream { is_asked, ..Stream::default() });
    }

    #[inline]
    pub(super) fn get_mut(&mut self, number: u32) -> Option<&mut Stream> {
        self.open.get_mut(&number)
    }

    /// One that is open, or has ended since the last bytes came.
    pub(super) fn find(&self, number: u32) -> Option<&Stream> {
        let gone = || self.gone.iter().rev().find(|&&(other, _)| other == number);
        self.open.get(&number).or_else(|| gone().map(|(_, stream)| stream))
    }

    /// The server has ended it.
    #[inline]
    pub(super) fn end(&mut self, number: u32) {
        if let Some(stream) = self.open.remove(&number) {
            self.gone.push((number, stream));
        }
    }

    /// The client resets it. Where the server had ended it, nothing is under way.
    pub(super) fn reset(&mut self, number: u32) {
        if !self.open.contains_key(&number) {
            return;
        }
        self.end(number);
        let place = self.reset.partition_point(|&(first, _)| first < number);
        if place < self.reset.len() && self.reset[place].0 == number + 2 {
            self.reset[place].0 = number;
        } else {
            self.reset.insert(place, (number, number));
        }
        if place > 0 && self.reset[place - 1].1 + 2 == number {
            let (_, last) = self.reset.remove(place);
            self.reset[place - 1].1 = last;
        }
        if self.reset.len() > MOST_RUNS {
            self.floor = self.reset.remove(0).1;
        }
    }

    /// It is not known that the server had ended it: the client may have reset it.
    pub(super) fn may_be_reset(&self, number: u32) -> bool {
        let place = self.reset.partition_point(|&(first, _)| first <= number);
        number <= self.floor || place > 0 && number <= self.reset[place - 1].1
    }

    /// The server has ended it, and the client did not reset it before.
    pub(super) fn has_ended(&self, number: u32) -> bool {
        !self.is_idle(number) && !self.open.contains_key(&number) && !self.may_be_reset(number)
    }

    /// The client never opened it.
    #[inline]
    pub(super) fn is_idle(&self, number: u32) -> bool {
        number.is_multiple_of(2) || number > self.last
    }

    /// More bytes come: of streams that have ended all is told.
    #[inline]
    pub(super) fn forget_gone(&mut self) {
        self.gone.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(last: u32) -> Streams {
        let mut streams = Streams::default();
        (1..=last).step_by(2).for_each(|number| streams.open(number, true));
        streams
    }

    #[test]
    fn streams_that_were_reset_are_told_from_those_that_ended() {
        let mut streams = opened(21);
        for number in [5, 1, 9, 7, 3, 15] {
            streams.reset(number);
        }
        streams.end(11);
        streams.reset(11);
        assert_eq!(streams.reset, [(1, 9), (15, 15)]);
        let may_be_reset: Vec<u32> =
            (1..=21).step_by(2).filter(|&number| streams.may_be_reset(number)).collect();
        assert_eq!(may_be_reset, [1, 3, 5, 7, 9, 15]);
        assert!(streams.is_idle(23) && streams.is_idle(2) && streams.is_idle(0) && !streams.is_idle(21));
    }

    #[test]
    fn memory_is_bounded() {
        let mut streams = Streams::default();
        for number in (1..100_000).step_by(2) {
            streams.open(number, true);
            if number % 4 == 1 {
                streams.reset(number);
            } else {
                streams.end(number);
            }
            if number % 1000 == 1 {
                streams.forget_gone();
            }
        }
        assert!(streams.open.is_empty() && streams.reset.len() <= MOST_RUNS && streams.gone.len() <= 500);
        // The last ones are told apart.
        assert!(streams.may_be_reset(99_997) && !streams.may_be_reset(99_999));
        // Of the first ones nobody is accused.
        assert!(streams.may_be_reset(1) && streams.may_be_reset(3));
    }
}
