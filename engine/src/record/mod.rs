//! What is kept of the window, per thread, and how threads' records become one.

mod distribution;
mod errors;
mod picks;
mod progress;
mod summary;

use serde::Serialize;

pub use distribution::Distribution;
pub use errors::{ErrorCounts, ErrorKind};
pub use picks::{BINS, PickCounts, Picks};
pub use progress::Totals;
pub use summary::{BodyBytes, Summary, ThreadUse, TlsFacts, WindowFacts};

use crate::dataset::Dataset;

/// Wrong answers that are kept as examples.
const EXAMPLES: usize = 8;

/// Bytes of a wrong answer that an example holds.
pub const EXCERPT_BYTES: usize = 200;

const SECOND_NS: u64 = 1_000_000_000;

/// When an exchange happened, in nanoseconds on the run's clock.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeTimes {
    /// Intended start.
    pub intended_ns: u64,
    /// Request bytes handed to the kernel.
    pub sent_ns: u64,
    /// Last byte of the answer.
    pub done_ns: u64,
}

/// One second of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SeriesPoint {
    /// Verified answers.
    pub verified: u64,
    /// Errors of all kinds.
    pub errors: u64,
}

/// A wrong answer.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    #[serde(skip)]
    at_ns: u64,
    kind: &'static str,
    /// `None` if what came was no answer.
    status: Option<u16>,
    excerpt: String,
}

/// One thread's record of the window.
#[derive(Debug)]
pub struct Record {
    /// Requests whose first byte was handed to the kernel.
    pub sent: u64,
    /// Complete answers, wrong ones included.
    pub answers: u64,
    /// Answers that passed every expectation.
    pub verified: u64,
    /// By kind.
    pub errors: ErrorCounts,
    /// Successful connects.
    pub connects: u64,
    /// Bytes from the peer.
    pub received_bytes: u64,
    /// Bytes handed to the kernel.
    pub sent_bytes: u64,
    /// Bodies that were compared as a whole.
    pub checked_bodies: u64,
    /// From sending to the last byte.
    pub service_time: Distribution,
    /// From the intended start to the last byte.
    pub response_time: Distribution,
    /// From the intended start to sending.
    pub send_lag: Distribution,
    /// From the start of a connect to its success.
    pub connect_time: Distribution,
    body_bytes: BodyBytes,
    examples: Vec<Example>,
    series: Vec<SeriesPoint>,
    picks: Option<PickCounts>,
}

impl Record {
    /// An empty record; `dataset` if ids are to be tallied.
    pub fn new(dataset: Option<&Dataset>) -> Record {
        Record {
            sent: 0,
            answers: 0,
            verified: 0,
            errors: ErrorCounts::default(),
            connects: 0,
            received_bytes: 0,
            sent_bytes: 0,
            checked_bodies: 0,
            service_time: Distribution::new(),
            response_time: Distribution::new(),
            send_lag: Distribution::new(),
            connect_time: Distribution::new(),
            body_bytes: BodyBytes::default(),
            examples: Vec::new(),
            series: Vec::with_capacity(1024),
            picks: dataset.map(PickCounts::new),
        }
    }

    /// A complete answer; whether right or wrong is recorded apart from it.
    #[inline]
    pub fn answer(&mut self, times: ExchangeTimes, body_bytes: u64) {
        self.answers += 1;
        self.service_time.record(times.done_ns.saturating_sub(times.sent_ns));
        self.response_time.record(times.done_ns.saturating_sub(times.intended_ns));
        self.send_lag.record(times.sent_ns.saturating_sub(times.intended_ns));
        self.body_bytes.add(body_bytes);
    }

    /// The answer passed, `since_opened_ns` after the window's opening.
    #[inline]
    pub fn verified(&mut self, since_opened_ns: u64) {
        self.verified += 1;
        self.point(since_opened_ns).verified += 1;
    }

    /// A request ended in an error, `since_opened_ns` after the window's opening.
    pub fn error(&mut self, kind: ErrorKind, since_opened_ns: u64) {
        self.errors.add(kind);
        self.point(since_opened_ns).errors += 1;
    }

    /// Keeps the answer as an example if it is among the first. `bytes`: of the body, or whatever came.
    pub fn example(&mut self, kind: ErrorKind, status: Option<u16>, bytes: &[u8], at_ns: u64) {
        if self.examples.len() < EXAMPLES {
            let excerpt = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT_BYTES)]).into_owned();
            self.examples.push(Example { at_ns, kind: kind.name(), status, excerpt });
        }
    }

    /// An id was answered that the dataset holds, or does not.
    #[inline]
    pub fn pick(&mut self, id: u64, is_known: bool) {
        if let Some(picks) = &mut self.picks {
            if is_known { picks.add(id) } else { picks.add_unknown() }
        }
    }

    /// Adds another thread's record.
    pub fn merge(&mut self, other: Record) {
        self.sent += other.sent;
        self.answers += other.answers;
        self.verified += other.verified;
        self.errors.merge(&other.errors);
        self.connects += other.connects;
        self.received_bytes += other.received_bytes;
        self.sent_bytes += other.sent_bytes;
        self.checked_bodies += other.checked_bodies;
        self.service_time.merge(&other.service_time);
        self.response_time.merge(&other.response_time);
        self.send_lag.merge(&other.send_lag);
        self.connect_time.merge(&other.connect_time);
        self.body_bytes.merge(&other.body_bytes);
        self.examples.extend(other.examples);
        self.examples.sort_by_key(|example| example.at_ns);
        self.examples.truncate(EXAMPLES);
        if self.series.len() < other.series.len() {
            self.series.resize(other.series.len(), SeriesPoint::default());
        }
        for (point, added) in self.series.iter_mut().zip(&other.series) {
            point.verified += added.verified;
            point.errors += added.errors;
        }
        if let (Some(picks), Some(added)) = (&mut self.picks, &other.picks) {
            picks.merge(added);
        }
    }

    #[inline]
    fn point(&mut self, since_opened_ns: u64) -> &mut SeriesPoint {
        let second = (since_opened_ns / SECOND_NS) as usize;
        if second >= self.series.len() {
            self.series.resize(second + 1, SeriesPoint::default());
        }
        &mut self.series[second]
    }
}
