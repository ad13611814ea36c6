//! Whose answers came. Each slot counts its own since the begin of the run, which is one add to a line of memory that
//! an answer writes anyway; everything else is here, and is done when the window opens, when it ends, and once a slice.
//!
//! Nothing wakes for a slice's end: a slice is over when something happens after it.

use super::slot::Slot;
use crate::record::Evenness;

/// Long enough for a server that serves all connections to answer each of several. Shorter than the turns of one that
/// serves them one after the other and whose waits are in no p99: such a turn has more than a hundred answers.
const SLICE_NS: u64 = 10_000_000;

/// To look at so many connections takes some 10 µs: with one slice for each begun thousand, that is 0.1% of the time.
const CONNECTIONS_TO_A_SLICE: usize = 1000;

#[derive(Debug)]
pub(super) struct AnswerWatch {
    /// So many slots, one behind the other, are one connection.
    lanes: usize,
    /// By connection, its answers until the window opened; empty before.
    at_opening: Vec<u64>,
    /// The same until the slice began; empty if slices are not looked at.
    at_slice: Vec<u64>,
    opened_ns: u64,
    /// 0: slices are not looked at.
    slice_ns: u64,
    slice_ends_ns: u64,
    evenness: Evenness,
}

impl AnswerWatch {
    /// `lanes`: so many of the `slots` are one connection. `has_slices`: whether the server alone decides whose answer
    /// comes next.
    pub(super) fn new(slots: usize, lanes: usize, has_slices: bool) -> AnswerWatch {
        let connections = slots / lanes;
        let slice_ns = if has_slices && connections > 1 {
            SLICE_NS * connections.div_ceil(CONNECTIONS_TO_A_SLICE) as u64
        } else {
            0
        };
        AnswerWatch {
            lanes,
            at_opening: Vec::new(),
            at_slice: Vec::new(),
            opened_ns: 0,
            slice_ns,
            slice_ends_ns: u64::MAX,
            evenness: Evenness::in_slices_of(slice_ns),
        }
    }

    #[cold]
    pub(super) fn open(&mut self, slots: &[Slot], opens_ns: u64) {
        self.at_opening = by_connection(slots, self.lanes).collect();
        if self.slice_ns > 0 {
            self.at_slice.clone_from(&self.at_opening);
            self.opened_ns = opens_ns;
            self.slice_ends_ns = opens_ns + self.slice_ns;
        }
    }

    /// Closes the slice if it is over. Returns when the present one ends; `u64::MAX`: never.
    #[cold]
    pub(super) fn slice_ends_ns(&mut self, slots: &[Slot], now_ns: u64) -> u64 {
        if now_ns >= self.slice_ends_ns {
            self.close_slice(slots);
            let begun = (now_ns - self.opened_ns) / self.slice_ns;
            self.slice_ends_ns = self.opened_ns + (begun + 1) * self.slice_ns;
        }
        self.slice_ends_ns
    }

    /// What the window came to.
    pub(super) fn conclude(&mut self, slots: &[Slot]) -> Evenness {
        self.close_slice(slots);
        for (number, answers) in by_connection(slots, self.lanes).enumerate() {
            // Where it never opened, there was no answer in it.
            let before = self.at_opening.get(number).copied().unwrap_or(answers);
            self.evenness.connection(answers - before);
        }
        std::mem::take(&mut self.evenness)
    }

    fn close_slice(&mut self, slots: &[Slot]) {
        let in_slice = by_connection(slots, self.lanes).zip(&mut self.at_slice).map(|(answers, before)| {
            let since = answers - *before;
            *before = answers;
            since
        });
        self.evenness.slice(in_slice);
    }
}

/// The answers of each connection, which are those of its lanes.
fn by_connection(slots: &[Slot], lanes: usize) -> impl Iterator<Item = u64> {
    slots.chunks(lanes).map(|lanes| lanes.iter().map(|slot| slot.answers).sum())
}
