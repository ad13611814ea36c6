//! The summary of a run, as it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cohort::CohortWritten;
use super::tail_dispersion::TailDispersion;
use super::{
    Acknowledgements, Comparison, ConnectionAnswers, Counters, Distribution, ErrorCounts, EventsWritten,
    Example, JourneyRecord, JourneyWritten, Picks, Record, RequestCounts, RequestShare, SeriesPoint,
    SetupCounts, Sightings, SightingsWritten, SpotCheckWritten, StreamUse, Tenths, Times, TracedWritten,
    UnderWayWritten, UnexpectedStatuses, Unpacking, UnpackingWritten,
};
use crate::PROTOCOL;
use crate::clock;
use crate::dataset::Dataset;
use crate::wait::Wait;
use crate::warm_up::WarmUpWritten;

/// Lengths of bodies.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
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

    /// As a summary has them; `None` without any.
    fn written(self) -> Option<BodyBytesWritten> {
        let BodyBytes { count, sum, min, max } = self;
        (count > 0).then(|| BodyBytesWritten { min, max, mean: sum as f64 / count as f64 })
    }
}

#[derive(Debug, Serialize)]
struct BodyBytesWritten {
    min: u64,
    max: u64,
    mean: f64,
}

/// What the coordinator and the drivers know of the window, as a summary has it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct WindowAccount {
    /// `"epoll"` or `"io_uring"`.
    pub driver: Cow<'static, str>,
    /// Why it is not io_uring though the plan left the choice to us.
    pub driver_fallback: Option<String>,
    /// What threads did while answers were awaited.
    pub wait: Wait,
    /// Where connections went, and from where; `None` for a Unix socket.
    pub routes: Option<Routes>,
    /// What the first connection's handshake came to.
    pub tls: Option<TlsFacts>,
    /// In the window; `None` without TLS.
    pub handshakes: Option<Handshakes>,
    /// Connections that the plan before has left; `None` if there is none.
    pub older_connections: Option<KeptConnections>,
    /// True if a signal ended the run.
    pub interrupted: bool,
    /// Measured length of the window.
    pub window_seconds: f64,
    /// Measured length of the warm-up.
    pub warmup_seconds: f64,
    /// How it went; `None` if its length was given.
    pub warm_up: Option<WarmUpWritten>,
    /// Requests by their begin and end.
    #[serde(flatten)]
    pub books: Books,
    /// Since the intended start of the oldest request that had not ended at the window's end.
    pub oldest_in_flight_seconds: Option<f64>,
    /// Verified answers since the begin of the run, warm-up included.
    pub run_verified: u64,
    /// Errors since the begin of the run, warm-up included.
    pub run_errors: u64,
    /// Of the tables whose rows are taken once, how many were.
    pub rows_used: BTreeMap<String, u64>,
    /// Think times of their own, by the name of the request.
    pub think_seconds: BTreeMap<String, f64>,
    /// Per thread.
    pub threads: Vec<ThreadUse>,
}

/// What only the coordinator and the drivers know of the window.
#[derive(Debug, Deserialize, Serialize)]
pub struct WindowFacts {
    /// What a summary has as it is.
    pub account: WindowAccount,
    /// Received and sent with what TLS adds; `None` without TLS: as much as HTTP's own.
    pub wire_bytes: Option<(u64, u64)>,
    /// Names of the requests, by place in the mix.
    pub requests: Vec<String>,
    /// How many numbers of its first sequence there are for each of them, up to the last that was given out.
    pub begun_numbers: Vec<u64>,
    /// When the window opened, on the run's clock.
    pub opened_ns: u64,
    /// From the window's end until nothing more was awaited.
    pub drain_seconds: f64,
}

impl WindowAccount {
    /// Both engines' together.
    fn plus(self, other: WindowAccount) -> WindowAccount {
        let most = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
        let driver = match self.driver == other.driver {
            true => self.driver,
            false => format!("{}, {}", self.driver, other.driver).into(),
        };
        WindowAccount {
            driver,
            driver_fallback: self.driver_fallback.or(other.driver_fallback),
            routes: match (self.routes, other.routes) {
                (Some(one), Some(other)) => Some(one.plus(other)),
                (one, other) => one.or(other),
            },
            tls: self.tls.or(other.tls),
            handshakes: self.handshakes.zip(other.handshakes).map(|(one, other)| one.plus(other)),
            older_connections: match (self.older_connections, other.older_connections) {
                (Some(one), Some(other)) => Some(one.plus(other)),
                (one, other) => one.or(other),
            },
            interrupted: self.interrupted || other.interrupted,
            window_seconds: self.window_seconds.max(other.window_seconds),
            warmup_seconds: self.warmup_seconds.max(other.warmup_seconds),
            warm_up: match (self.warm_up, other.warm_up) {
                (Some(one), Some(other)) => Some(one.worse(other)),
                (one, other) => one.or(other),
            },
            books: self.books.plus(other.books),
            oldest_in_flight_seconds: most(self.oldest_in_flight_seconds, other.oldest_in_flight_seconds),
            run_verified: self.run_verified + other.run_verified,
            run_errors: self.run_errors + other.run_errors,
            threads: [self.threads, other.threads].concat(),
            wait: self.wait,
            rows_used: self.rows_used,
            think_seconds: self.think_seconds,
        }
    }

    /// That of a window that followed, too, of the same threads.
    fn then(self, later: WindowAccount) -> WindowAccount {
        let threads = self.threads.iter().zip(&later.threads).map(|(one, other)| one.plus(*other)).collect();
        let mut rows_used = self.rows_used.clone();
        for (table, rows) in &later.rows_used {
            *rows_used.entry(table.clone()).or_default() += rows;
        }
        let window_seconds = self.window_seconds + later.window_seconds;
        let books = self.books.then(later.books);
        WindowAccount { window_seconds, books, rows_used, threads, ..self.plus(later) }
    }
}

impl WindowFacts {
    /// Both engines' together.
    pub(super) fn plus(self, other: WindowFacts) -> WindowFacts {
        let numbers = self.begun_numbers.iter().zip(&other.begun_numbers);
        let wire_bytes = self.wire_bytes.zip(other.wire_bytes);
        WindowFacts {
            account: self.account.plus(other.account),
            wire_bytes: wire_bytes.map(|(one, other)| (one.0 + other.0, one.1 + other.1)),
            begun_numbers: numbers.map(|(one, other)| *one.max(other)).collect(),
            drain_seconds: self.drain_seconds.max(other.drain_seconds),
            requests: self.requests,
            opened_ns: self.opened_ns,
        }
    }

    /// Those of a window that followed, too.
    pub(super) fn then(self, later: WindowFacts) -> WindowFacts {
        let account = self.account.clone().then(later.account.clone());
        let drain_seconds = self.drain_seconds + later.drain_seconds;
        WindowFacts { account, drain_seconds, ..self.plus(later) }
    }
}

/// Requests of a thread, or of all. In a closed load a request comes when it begins; in an open one at its intended
/// start, whether or not a connection is free.
///
/// `in_flight_at_start + offered = answers + failures + in_flight_at_end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Books {
    /// Came before the window and had not ended when it opened.
    pub in_flight_at_start: u64,
    /// Came in the window.
    pub offered: u64,
    /// Had not ended at the window's end.
    pub in_flight_at_end: u64,
    /// `None` in a closed load.
    pub waiting: Option<WaitingRequests>,
}

/// Requests whose intended start has come and that wait for a free connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingRequests {
    /// No more may wait at once.
    pub limit: u64,
    /// The most that waited at once in the window; over several threads the sum of their peaks.
    pub peak: u64,
    /// At the window's end.
    pub at_end: u64,
}

impl Books {
    /// Both threads' together.
    pub fn plus(self, other: Books) -> Books {
        let waiting = self.waiting.zip(other.waiting).map(|(one, other)| WaitingRequests {
            limit: one.limit + other.limit,
            peak: one.peak + other.peak,
            at_end: one.at_end + other.at_end,
        });
        Books {
            in_flight_at_start: self.in_flight_at_start + other.in_flight_at_start,
            offered: self.offered + other.offered,
            in_flight_at_end: self.in_flight_at_end + other.in_flight_at_end,
            waiting: waiting.or(self.waiting).or(other.waiting),
        }
    }

    /// Both windows', one after the other.
    fn then(self, later: Books) -> Books {
        let waiting = self.waiting.zip(later.waiting).map(|(one, other)| WaitingRequests {
            limit: one.limit,
            peak: one.peak.max(other.peak),
            at_end: one.at_end + other.at_end,
        });
        Books { waiting: waiting.or(self.waiting), ..self.plus(later) }
    }

    /// Answers over offered requests; `None` in a closed load, which offers no more than is answered.
    fn achieved(&self, answers: u64) -> Option<f64> {
        (self.waiting.is_some() && self.offered > 0).then(|| answers as f64 / self.offered as f64)
    }
}

/// Where connections go, and from where: they take turns over the server's addresses and over the sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routes {
    /// The server's.
    pub addresses: Vec<String>,
    /// How many addresses of this host they come from.
    pub source_addresses: u64,
    /// The most that share an address and a source.
    pub connections_each: u64,
    /// So many of these find a local port at once: see [`crate::sources`].
    pub ports_each: u64,
}

impl Routes {
    /// True if connects have to search for a local port.
    pub fn are_crowded(&self) -> bool {
        self.connections_each > self.ports_each
    }

    /// The worst of both engines'.
    fn plus(self, other: Routes) -> Routes {
        Routes {
            addresses: self.addresses,
            source_addresses: self.source_addresses.max(other.source_addresses),
            connections_each: self.connections_each.max(other.connections_each),
            ports_each: self.ports_each.min(other.ports_each),
        }
    }
}

/// TLS as it was negotiated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsFacts {
    /// `"1.2"` or `"1.3"`.
    pub version: Cow<'static, str>,
    /// As IANA names it.
    pub cipher_suite: String,
}

/// Finished handshakes of TLS.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Handshakes {
    /// With certificates.
    pub full: u64,
    /// Of sessions that were taken up again.
    pub resumed: u64,
}

impl Handshakes {
    /// Adds one.
    pub fn add(&mut self, is_resumed: bool) {
        *(if is_resumed { &mut self.resumed } else { &mut self.full }) += 1;
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Handshakes) -> Handshakes {
        Handshakes { full: self.full + other.full, resumed: self.resumed + other.resumed }
    }
}

/// Connections that a plan has left, when the next one of the same engine begins.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct KeptConnections {
    /// Taken over.
    pub open: u64,
    /// Closed by the server while nothing was asked, or spoilt by bytes that nobody had asked for.
    pub closes: u64,
}

impl KeptConnections {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: KeptConnections) -> KeptConnections {
        KeptConnections { open: self.open + other.open, closes: self.closes + other.closes }
    }
}

/// What one thread used of its processor in the window.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ThreadUse {
    /// User and system time.
    pub cpu_seconds: f64,
    /// User time, by the kernel's own, coarser account.
    pub user_seconds: f64,
    /// System time, by the same.
    pub system_seconds: f64,
    /// The part of `cpu_seconds` that was spent waiting awake, for the next intended start or for answers.
    pub spinning_seconds: f64,
}

impl ThreadUse {
    /// Both windows' together.
    fn plus(self, other: ThreadUse) -> ThreadUse {
        ThreadUse {
            cpu_seconds: self.cpu_seconds + other.cpu_seconds,
            user_seconds: self.user_seconds + other.user_seconds,
            system_seconds: self.system_seconds + other.system_seconds,
            spinning_seconds: self.spinning_seconds + other.spinning_seconds,
        }
    }
}

/// Everything known of the window.
#[derive(Debug, Serialize)]
pub struct Summary {
    protocol: u32,
    #[serde(flatten)]
    account: WindowAccount,
    #[serde(flatten)]
    counters: Counters,
    sent: u64,
    answers: u64,
    verified: u64,
    goodput_per_second: f64,
    achieved_over_offered: Option<f64>,
    errors: ErrorCounts,
    examples: Vec<Example>,
    statuses: UnexpectedStatuses,
    service_time: Distribution,
    response_time: Distribution,
    first_byte_time: Distribution,
    send_lag: Distribution,
    connect_time: Distribution,
    copy_time: Option<Distribution>,
    body_bytes: Option<BodyBytesWritten>,
    wire_received_bytes: u64,
    wire_sent_bytes: u64,
    connects_per_answer: Option<f64>,
    connection_answers: ConnectionAnswers,
    under_way: UnderWayWritten,
    cohort: Option<CohortWritten>,
    mix: Vec<RequestShare>,
    series: Vec<SeriesPoint>,
    tenths: Option<Tenths>,
    tail_dispersion: TailDispersion,
    intended_seconds: Vec<f64>,
    picks: Option<Picks>,
    acknowledgements: Vec<Acknowledgements>,
    bodies_left_out: u64,
    comparison: Option<Comparison>,
    setup_requests: Option<SetupCounts>,
    journeys: Vec<JourneyWritten>,
    streams: Option<StreamUse>,
    event_streams: Option<EventsWritten>,
    unpacking: Option<UnpackingWritten>,
    sightings: Option<SightingsWritten>,
    spot_checks: Vec<SpotCheckWritten>,
    traced: u64,
    slowest_traced: Vec<TracedWritten>,
}

impl Summary {
    /// Concludes from all threads' merged record. `dataset` as given to [`Record::new`].
    pub fn new(mut record: Record, facts: WindowFacts, dataset: Option<&Dataset>) -> Summary {
        let WindowFacts { account, wire_bytes, requests, begun_numbers, opened_ns, drain_seconds } = facts;
        let (counters, window_seconds, books) = (record.counters, account.window_seconds, account.books);
        let RequestCounts { sent, answers, verified, .. } = record.totals();
        let goodput = verified as f64 / window_seconds;
        let picks = record.picks.as_ref().zip(dataset).map(|(picks, dataset)| picks.conclude(dataset));
        let wire_bytes = wire_bytes.unwrap_or((counters.received_bytes, counters.sent_bytes));
        let spot_checks =
            record.spot_checks().iter().map(|each| each.written(&requests, opened_ns)).collect();
        let Times { service: service_time, response: response_time, first_byte: first_byte_time } =
            record.times();
        // The course of several windows is that of none.
        let has_course = !record.is_in_turn;
        let window_ns = if has_course { clock::from_seconds(window_seconds) } else { 0 };
        let acknowledgements = record.acknowledgements(&requests, &begun_numbers);
        let mix = record.shares();
        let tail_dispersion = record.series.tail_dispersion(window_ns);
        let (series, tenths) = record.series.conclude(window_ns);
        let since_opened = |&at_ns: &u64| (at_ns - opened_ns) as f64 / 1e9;
        Summary {
            protocol: PROTOCOL,
            account,
            counters,
            sent,
            answers,
            verified,
            goodput_per_second: if goodput.is_finite() { goodput } else { 0.0 },
            achieved_over_offered: books.achieved(answers),
            errors: record.errors,
            examples: record.examples.into_vec(),
            statuses: record.statuses,
            service_time,
            response_time,
            first_byte_time,
            send_lag: record.send_lag,
            connect_time: record.connect_time,
            copy_time: Some(record.copy_time).filter(|times| times.count() > 0),
            body_bytes: record.body_bytes.written(),
            wire_received_bytes: wire_bytes.0,
            wire_sent_bytes: wire_bytes.1,
            connects_per_answer: (answers > 0).then(|| counters.connects as f64 / answers as f64),
            connection_answers: record.evenness.conclude(),
            under_way: record.under_way.written(window_seconds),
            cohort: books.waiting.map(|_| record.cohort.written(drain_seconds)),
            mix,
            series,
            tenths: has_course.then_some(tenths),
            tail_dispersion,
            intended_seconds: record.intended_ns.iter().map(since_opened).collect(),
            picks,
            acknowledgements,
            bodies_left_out: record.kept.left_out(),
            comparison: record.comparison,
            setup_requests: record.setup,
            journeys: record.journeys.into_iter().map(JourneyRecord::written).collect(),
            streams: record.streams,
            event_streams: record.event_streams.map(|events| events.written(window_seconds)),
            unpacking: record.unpacking.map(Unpacking::written),
            sightings: record.sightings.map(Sightings::conclude),
            spot_checks,
            traced: record.traced.count,
            slowest_traced: record.traced.written(),
        }
    }
}
