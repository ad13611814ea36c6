//! A thread's means to render messages: random numbers and scratch space.

use std::sync::Arc;

use super::trace::Tracer;
use crate::dataset::{Dataset, RowWriter, mix};
use crate::rows::{Pick, Table, percent_encode};
use crate::variables::Variables;

/// Which numbers of a sequence one of several engines gives out: of n, engine p every nth, beginning with the pth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// From 0.
    pub number: u64,
    /// How many engines there are.
    pub of: u64,
}

impl Default for Turn {
    fn default() -> Turn {
        Turn { number: 0, of: 1 }
    }
}

impl Turn {
    /// How far behind the sequence's first number this engine's next one is, after `given` others.
    #[inline]
    pub(super) fn place(self, given: u64) -> u64 {
        given * self.of + self.number
    }

    /// How many numbers of the sequence there are up to this engine's last one, if it gave out so many.
    pub fn begun(self, given: u64) -> u64 {
        given.checked_sub(1).map_or(0, |before| self.place(before) + 1)
    }
}

/// What was drawn for a request.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    began: u64,
    numbers: Vec<u64>,
    places: Vec<u64>,
    /// What rendering it gave.
    pub row: u64,
}

/// A thread's source of what differs between requests.
#[derive(Debug)]
pub struct Renderer {
    state: u64,
    /// The state when the last request began to be written, its rows taken.
    began: u64,
    writer: RowWriter,
    pub(super) turn: Turn,
    /// The numbers of the sequences of the request that is being rendered.
    pub(super) numbers: Vec<u64>,
    /// The places of the rows that the request took, one of each table.
    pub(super) places: Vec<u64>,
    /// Of the connection that the request is for.
    pub variables: Variables,
    /// Of requests that may be traced.
    pub tracer: Tracer,
    /// A field's text before it is escaped.
    text: Vec<u8>,
}

impl Renderer {
    /// `thread`: another one for every thread.
    pub fn new(seed: u64, thread: u64) -> Renderer {
        // Other constants than the arrivals' seeds are made of.
        let state = mix(mix(!seed).wrapping_add(thread));
        Renderer {
            state,
            began: state,
            turn: Turn::default(),
            writer: RowWriter::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            variables: Variables::default(),
            tracer: Tracer::default(),
            text: Vec::new(),
        }
    }

    /// The same, of an engine that is one of several.
    pub fn counting(self, turn: Turn) -> Renderer {
        Renderer { turn, ..self }
    }

    /// The number of the first sequence in the template that was rendered last; `None` if it has none.
    pub fn first_number(&self) -> Option<u64> {
        self.numbers.first().copied()
    }

    #[inline]
    pub(super) fn begin_drawing(&mut self) {
        self.began = self.state;
    }

    /// Keeps what was drawn for the request that was rendered last. `row`: what rendering it gave.
    pub fn keep_drawn(&self, row: u64, kept: &mut Drawn) {
        (kept.began, kept.row) = (self.began, row);
        kept.numbers.clone_from(&self.numbers);
        kept.places.clone_from(&self.places);
    }

    /// Has a request written for which the same is drawn again; what is drawn later is as though it had not been.
    pub(super) fn drawing_again(&mut self, drawn: &Drawn, write: impl FnOnce(&mut Renderer)) {
        let state = std::mem::replace(&mut self.state, drawn.began);
        self.numbers.clone_from(&drawn.numbers);
        self.places.clone_from(&drawn.places);
        write(self);
        self.state = state;
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(1);
        mix(self.state)
    }

    /// A number below `span`, which is at least 1. The bias is below span / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, span: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(span)) >> 64) as u64
    }

    /// A number of [0, 1).
    #[inline]
    pub(super) fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Takes a row of each table, and gives their combined place: see [`super::RowText`]. `None`: one has no more.
    pub(super) fn take_rows(&mut self, tables: &[Arc<Table>]) -> Option<u64> {
        self.places.clear();
        let (mut combined, mut radix) = (0, 1);
        for table in tables {
            let place = self.take_row(table)?;
            self.places.push(place);
            combined += radix * place;
            // What comes after the last table is not used, and may be too large.
            radix = radix.wrapping_mul(table.rows());
        }
        Some(combined)
    }

    /// Takes the row at this place of each table, and after the last one the first. Gives their combined place.
    pub(super) fn take_rows_at(&mut self, place: u64, tables: &[Arc<Table>]) -> u64 {
        self.places.clear();
        let (mut combined, mut radix) = (0_u64, 1_u64);
        for table in tables {
            let place = place % table.rows();
            self.places.push(place);
            combined += radix * place;
            radix = radix.wrapping_mul(table.rows());
        }
        combined
    }

    fn take_row(&mut self, table: &Table) -> Option<u64> {
        match table.pick() {
            Pick::Sequential => Some(table.next() % table.rows()),
            Pick::Random => Some(self.below(table.rows())),
            Pick::Zipf(zipf) => Some(zipf.draw(|| self.unit()) - 1),
            Pick::Once => Some(table.next()).filter(|&place| place < table.rows()),
        }
    }

    /// The id of a row, all equally likely.
    pub(super) fn row(&mut self, dataset: &Dataset) -> u64 {
        loop {
            let id = 1 + self.below(dataset.last_id());
            if dataset.holds(id) {
                return id;
            }
        }
    }

    /// Appends a field's text as it is.
    pub(super) fn field(&mut self, dataset: &Dataset, id: u64, place: usize, out: &mut Vec<u8>) {
        self.writer.write_field(dataset, id, place, out);
    }

    /// Appends a field's text so that it may stand in a path: percent-encoded where needed.
    pub(super) fn field_in_path(&mut self, dataset: &Dataset, id: u64, place: usize, out: &mut Vec<u8>) {
        self.text.clear();
        self.writer.write_field(dataset, id, place, &mut self.text);
        percent_encode(&self.text, out);
    }
}

/// A number's digits, right-aligned in the buffer; gives where they start.
#[inline]
pub(super) fn digits(number: u64, buffer: &mut [u8; 20]) -> usize {
    let mut start = buffer.len();
    let mut rest = number;
    loop {
        start -= 1;
        buffer[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return start;
        }
    }
}

/// Appends a number.
#[inline]
pub(super) fn push_number(number: u64, out: &mut Vec<u8>) {
    let mut buffer = [0; 20];
    let start = digits(number, &mut buffer);
    out.extend_from_slice(&buffer[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::tests::items;

    #[test]
    fn numbers_are_written_whole() {
        for number in [0, 7, 10, 4711, u64::MAX] {
            let mut out = Vec::new();
            push_number(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }

    #[test]
    fn rows_are_drawn_evenly_and_never_from_gaps() {
        let dataset = Dataset::new(&items(50, 0.5)).unwrap();
        let mut renderer = Renderer::new(1, 0);
        let mut counts = vec![0_u64; dataset.last_id() as usize + 1];
        (0..50_000).for_each(|_| counts[renderer.row(&dataset) as usize] += 1);
        let drawn: Vec<u64> = counts.iter().copied().filter(|&count| count > 0).collect();
        assert_eq!(drawn.len(), 50);
        let statistic: f64 = drawn.iter().map(|&count| (count as f64 - 1000.0).powi(2) / 1000.0).sum();
        // The 0.999 quantile of chi-square with 49 degrees of freedom.
        assert!(statistic < 85.4, "{statistic}");
    }

    #[test]
    fn paths_are_percent_encoded() {
        let dataset = Dataset::new(&items(5, 0.0)).unwrap();
        let mut out = Vec::new();
        let place = dataset.place("name").unwrap();
        Renderer::new(1, 0).field_in_path(&dataset, 1, place, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.split("%20").count() == 3 && !text.contains(' '), "{text}");
    }
}
