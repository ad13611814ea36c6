//! Indices of how evenly the answers of the window spread over the connections.
//!
//! The index is Jain's: (Σx)² / (n Σx²) for n connections with x answers each. It is 1 if all have the same, and k/n if
//! k of them share all evenly (R. Jain, D. Chiu, W. Hawe, *A Quantitative Measure of Fairness and Discrimination for
//! Resource Allocation in Shared Computer Systems*, DEC-TR-301, 1984).
//!
//! A server that serves one connection after the other for a while is even over a long window. So the window is looked
//! at in short slices as well, where a connection has few answers, or none. There the index would be low by chance.
//! Pairs of answers are not: of two answers in a slice, one in n pairs is of one connection if chance decides (E. H.
//! Simpson, *Measurement of Diversity*, Nature 163, 1949).

use serde::{Deserialize, Serialize};

/// As a summary has it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConnectionAnswers {
    connections: u64,
    least: u64,
    most: u64,
    without: u64,
    evenness: Option<f64>,
    evenness_in_slices: Option<f64>,
    slice_seconds: Option<f64>,
}

/// What is added up over connections, slices and threads.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Evenness {
    connections: u64,
    /// Undefined without a connection.
    least: u64,
    most: u64,
    without: u64,
    answers: u64,
    squares: u128,
    /// Of the windows before: what their squares would be if each had been even.
    past_even_squares: f64,
    past_squares: u128,
    /// 0: slices are not looked at.
    slice_ns: u64,
    /// Ordered pairs of answers of one slice and one connection.
    pairs_of_one: f64,
    /// How many these are on average if chance decides whose an answer is.
    pairs_by_chance: f64,
}

impl Evenness {
    /// With slices of this length; 0: without slices.
    pub fn in_slices_of(slice_ns: u64) -> Evenness {
        Evenness { slice_ns, ..Evenness::default() }
    }

    /// Adds a connection that had so many answers in the window.
    pub fn connection(&mut self, answers: u64) {
        self.least = if self.connections == 0 { answers } else { self.least.min(answers) };
        self.connections += 1;
        self.most = self.most.max(answers);
        self.without += u64::from(answers == 0);
        self.answers += answers;
        self.squares += u128::from(answers) * u128::from(answers);
    }

    /// Adds a slice. `answers`: in it, of each connection of the thread.
    pub fn slice(&mut self, answers: impl Iterator<Item = u64>) {
        let (mut connections, mut all, mut pairs) = (0_u64, 0_u64, 0_u64);
        for answers in answers {
            connections += 1;
            all += answers;
            pairs += answers * answers.saturating_sub(1);
        }
        self.pairs_of_one += pairs as f64;
        self.pairs_by_chance += all as f64 * all.saturating_sub(1) as f64 / connections.max(1) as f64;
    }

    /// Adds another thread's.
    pub fn merge(&mut self, other: &Evenness) {
        self.least = match (self.connections, other.connections) {
            (_, 0) => self.least,
            (0, _) => other.least,
            _ => self.least.min(other.least),
        };
        self.connections += other.connections;
        self.most = self.most.max(other.most);
        self.without += other.without;
        self.answers += other.answers;
        self.squares += other.squares;
        self.slice_ns = self.slice_ns.max(other.slice_ns);
        self.pairs_of_one += other.pairs_of_one;
        self.pairs_by_chance += other.pairs_by_chance;
    }

    /// Adds the same connections in a window that followed: least, most and without are the extremes of any window, and
    /// unevenness is that within windows, not between them.
    pub fn then(&mut self, later: &Evenness) {
        self.past_even_squares = self.even_squares() + later.even_squares();
        self.past_squares = self.all_squares() + later.all_squares();
        (self.answers, self.squares) = (0, 0);
        self.connections = self.connections.max(later.connections);
        self.least = self.least.min(later.least);
        self.most = self.most.max(later.most);
        self.without = self.without.max(later.without);
        self.pairs_of_one += later.pairs_of_one;
        self.pairs_by_chance += later.pairs_by_chance;
    }

    fn even_squares(&self) -> f64 {
        let answers = self.answers as f64;
        self.past_even_squares + answers * answers / self.connections.max(1) as f64
    }

    fn all_squares(&self) -> u128 {
        self.past_squares + self.squares
    }

    /// The figures of all that was added.
    pub fn conclude(&self) -> ConnectionAnswers {
        let Evenness { connections, least, most, without, .. } = *self;
        let squares = self.all_squares();
        let in_slices = self.slice_ns > 0 && self.pairs_by_chance > 0.0;
        ConnectionAnswers {
            connections,
            least,
            most,
            without,
            evenness: (squares > 0).then(|| self.even_squares() / squares as f64),
            // Turns are more even than chance: above 1, and without a pair of one connection as many as there are.
            evenness_in_slices: in_slices.then(|| {
                self.pairs_by_chance / self.pairs_of_one.max(self.pairs_by_chance / connections.max(1) as f64)
            }),
            slice_seconds: in_slices.then_some(self.slice_ns as f64 / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[u64]) -> Evenness {
        let mut evenness = Evenness::in_slices_of(10_000_000);
        counts.iter().for_each(|&answers| evenness.connection(answers));
        evenness
    }

    #[test]
    fn the_index_is_the_share_that_is_served() {
        let index = |counts: &[u64]| of(counts).conclude().evenness;
        assert_eq!(index(&[7, 7, 7, 7]), Some(1.0));
        assert_eq!(index(&[0, 9, 0, 9]), Some(0.5));
        assert_eq!(index(&[0, 0, 0, 5]), Some(0.25));
        assert_eq!((index(&[0, 0]), index(&[])), (None, None));
        let some = of(&[3, 0, 8]).conclude();
        assert_eq!((some.connections, some.least, some.most, some.without), (3, 0, 8, 1));
    }

    #[test]
    fn threads_are_one_whole() {
        let mut merged = of(&[5, 0]);
        merged.merge(&of(&[2, 2, 9]));
        merged.merge(&Evenness::default());
        assert_eq!(merged.conclude(), of(&[5, 0, 2, 2, 9]).conclude());
        let mut from_nothing = Evenness::default();
        from_nothing.merge(&of(&[4, 6]));
        assert_eq!(from_nothing.conclude(), of(&[4, 6]).conclude());
    }

    #[test]
    fn windows_in_turn_are_uneven_as_each_of_them_is() {
        let mut in_turn = of(&[4, 0]);
        in_turn.then(&of(&[0, 4]));
        in_turn.then(&of(&[0, 0]));
        let even_sums = in_turn.conclude();
        assert_eq!(even_sums.evenness, Some(0.5));
        assert_eq!((even_sums.connections, even_sums.least, even_sums.most, even_sums.without), (2, 0, 4, 2));
        in_turn.then(&of(&[8, 8]));
        assert_eq!(in_turn.conclude().evenness, Some((8.0 + 8.0 + 128.0) / (16.0 + 16.0 + 128.0)));
    }

    #[test]
    fn turns_within_a_slice_are_even_and_turns_of_slices_are_not() {
        let in_slices = |slices: &[[u64; 4]]| {
            let mut evenness = of(&[1; 4]);
            slices.iter().for_each(|slice| evenness.slice(slice.iter().copied()));
            evenness.conclude().evenness_in_slices
        };
        assert_eq!(in_slices(&[[25; 4], [25; 4]]), Some(99.0 / 96.0), "more even than chance");
        assert_eq!(in_slices(&[[100, 0, 0, 0], [0, 100, 0, 0]]), Some(0.25));
        assert_eq!(in_slices(&[[1, 1, 0, 0]]), Some(4.0), "few answers are no unevenness");
        assert_eq!(in_slices(&[[1, 0, 0, 0], [0; 4]]), None, "there is no pair");
    }

    #[test]
    fn without_slices_there_is_no_index_in_slices() {
        let mut evenness = Evenness::default();
        evenness.connection(3);
        let concluded = evenness.conclude();
        assert_eq!((concluded.evenness_in_slices, concluded.slice_seconds), (None, None));
    }
}
