//! The summary of a run, as it is written.

use serde::Serialize;

use super::{Distribution, ErrorCounts, Example, Picks, Record, SeriesPoint};
use crate::dataset::Dataset;
use crate::plan::PROTOCOL;

/// Lengths of bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodyBytes {
    count: u64,
    sum: u64,
    min: u64,
    max: u64,
}

impl Default for BodyBytes {
    fn default() -> BodyBytes {
        BodyBytes { count: 0, sum: 0, min: u64::MAX, max: 0 }
    }
}

impl BodyBytes {
    /// Adds one body's length.
    #[inline]
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.sum += bytes;
        self.min = self.min.min(bytes);
        self.max = self.max.max(bytes);
    }

    /// Adds another thread's lengths.
    pub fn merge(&mut self, other: &BodyBytes) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }
}

#[derive(Debug, Serialize)]
struct BodyBytesWritten {
    min: u64,
    max: u64,
    mean: f64,
}

/// What only the coordinator and the drivers know of the window.
#[derive(Debug)]
pub struct WindowFacts {
    /// `"epoll"` or `"io_uring"`.
    pub driver: &'static str,
    /// Why it is not io_uring though the plan left the choice to us.
    pub driver_fallback: Option<String>,
    /// What the first connection's handshake came to.
    pub tls: Option<TlsFacts>,
    /// Received and sent with what TLS adds; `None` without TLS: as much as HTTP's own.
    pub wire_bytes: Option<(u64, u64)>,
    /// True if a signal ended the run.
    pub interrupted: bool,
    /// Measured length of the window.
    pub window_seconds: f64,
    /// Measured length of the warm-up.
    pub warmup_seconds: f64,
    /// Requests begun and not answered at the end.
    pub in_flight_at_end: u64,
    /// Since the intended start of the oldest of them.
    pub oldest_in_flight_seconds: Option<f64>,
    /// Per thread.
    pub threads: Vec<ThreadUse>,
}

/// TLS as it was negotiated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TlsFacts {
    /// `"1.2"` or `"1.3"`.
    pub version: &'static str,
    /// As IANA names it.
    pub cipher_suite: String,
}

/// What one thread used of its processor in the window.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ThreadUse {
    /// User and system time.
    pub cpu_seconds: f64,
    /// The part of it that was spent awake, waiting for the next intended start; 0 in closed loads.
    pub spinning_seconds: f64,
}

/// Everything known of the window.
#[derive(Debug, Serialize)]
pub struct Summary {
    protocol: u32,
    driver: &'static str,
    driver_fallback: Option<String>,
    tls: Option<TlsFacts>,
    interrupted: bool,
    window_seconds: f64,
    warmup_seconds: f64,
    sent: u64,
    answers: u64,
    verified: u64,
    goodput_per_second: f64,
    errors: ErrorCounts,
    examples: Vec<Example>,
    service_time: Distribution,
    response_time: Distribution,
    send_lag: Distribution,
    connect_time: Distribution,
    body_bytes: Option<BodyBytesWritten>,
    received_bytes: u64,
    sent_bytes: u64,
    wire_received_bytes: u64,
    wire_sent_bytes: u64,
    connects: u64,
    in_flight_at_end: u64,
    oldest_in_flight_seconds: Option<f64>,
    checked_bodies: u64,
    series: Vec<SeriesPoint>,
    threads: Vec<ThreadUse>,
    picks: Option<Picks>,
}

impl Summary {
    /// Concludes from all threads' merged record. `dataset` as given to [`Record::new`].
    pub fn new(record: Record, facts: WindowFacts, dataset: Option<&Dataset>) -> Summary {
        let body_bytes = record.body_bytes;
        let goodput = record.verified as f64 / facts.window_seconds;
        let picks = record.picks.as_ref().zip(dataset).map(|(picks, dataset)| picks.conclude(dataset));
        let wire_bytes = facts.wire_bytes.unwrap_or((record.received_bytes, record.sent_bytes));
        let mut series = record.series;
        // Every begun second has its point, also the ones in which nothing ended.
        series.resize(series.len().max(facts.window_seconds.ceil() as usize), SeriesPoint::default());
        Summary {
            protocol: PROTOCOL,
            driver: facts.driver,
            driver_fallback: facts.driver_fallback,
            tls: facts.tls,
            interrupted: facts.interrupted,
            window_seconds: facts.window_seconds,
            warmup_seconds: facts.warmup_seconds,
            sent: record.sent,
            answers: record.answers,
            verified: record.verified,
            goodput_per_second: if goodput.is_finite() { goodput } else { 0.0 },
            errors: record.errors,
            examples: record.examples,
            service_time: record.service_time,
            response_time: record.response_time,
            send_lag: record.send_lag,
            connect_time: record.connect_time,
            body_bytes: (body_bytes.count > 0).then(|| BodyBytesWritten {
                min: body_bytes.min,
                max: body_bytes.max,
                mean: body_bytes.sum as f64 / body_bytes.count as f64,
            }),
            received_bytes: record.received_bytes,
            sent_bytes: record.sent_bytes,
            wire_received_bytes: wire_bytes.0,
            wire_sent_bytes: wire_bytes.1,
            connects: record.connects,
            in_flight_at_end: facts.in_flight_at_end,
            oldest_in_flight_seconds: facts.oldest_in_flight_seconds,
            checked_bodies: record.checked_bodies,
            series,
            threads: facts.threads,
            picks,
        }
    }
}
