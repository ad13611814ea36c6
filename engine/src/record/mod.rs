//! The record of the window, one per thread, and how threads' records become one.

mod acknowledged;
mod buckets;
mod cohort;
mod comparison;
mod counters;
mod distribution;
mod errors;
mod evenness;
mod event_streams;
mod example;
mod journeys;
mod kept;
mod latest;
mod part;
mod picks;
mod progress;
mod series;
mod setup;
mod shares;
mod sightings;
mod spot_checks;
mod statuses;
mod streams;
mod summary;
mod tail_dispersion;
mod times;
mod traced;
mod under_way;
mod unpacking;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use acknowledged::{AcknowledgedNumbers, Acknowledgements};
pub use cohort::Cohort;
pub use comparison::{Comparison, RequestComparison, UNEQUAL_KEPT, UnequalAnswer};
pub use counters::Counters;
pub use distribution::Distribution;
pub use errors::{ErrorCounts, ErrorKind};
pub use evenness::{ConnectionAnswers, Evenness};
pub use event_streams::{EventRecord, EventsWritten};
pub use example::{EXCERPT_BYTES, Example, Examples};
pub use journeys::{JourneyEnd, JourneyRecord, JourneyWritten};
pub use kept::{KeptBodies, KeptBody, LONGEST_BODY_BYTES};
pub use latest::{LatestSecond, LatestTimes};
pub use part::{Part, Unfit};
pub use picks::{BINS, PickCounts, Picks};
pub use progress::{Totals, WAKING_NS};
pub use series::{Series, SeriesPoint, Tenths};
pub use setup::SetupCounts;
pub use shares::{RequestCounts, RequestKinds, RequestShare};
pub use sightings::{Sighting, Sightings, SightingsWritten};
pub use spot_checks::{SpotCheckOutcome, SpotCheckWritten};
pub use statuses::UnexpectedStatuses;
pub use streams::StreamUse;
pub use summary::{
    BodyBytes, Books, Handshakes, KeptConnections, Routes, Summary, ThreadUse, TlsFacts, WaitingRequests,
    WindowAccount, WindowFacts,
};
pub use times::{Times, TimesByKind};
pub use traced::{Traced, TracedWritten};
pub use under_way::{UnderWay, UnderWayWritten};
pub use unpacking::{Unpacking, UnpackingWritten};

use crate::dataset::Dataset;
use crate::http1::response::{NOT_MODIFIED, PARTIAL_CONTENT};
use crate::plan::RequestPlan;
use distribution::exact;

/// Intended starts for which there is room from the start.
const INTENDED_RESERVED: usize = 1 << 20;

/// When an exchange happened, in nanoseconds on the run's clock.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct ExchangeTimes {
    /// Intended start.
    pub intended_ns: u64,
    /// Request bytes handed to the kernel.
    pub sent_ns: u64,
    /// First byte of the answer.
    pub first_byte_ns: u64,
    /// Last byte of the answer.
    pub done_ns: u64,
}

/// A request that nobody awaited to its end, in nanoseconds on the run's clock.
#[derive(Clone, Copy, Debug)]
pub struct Unanswered {
    /// Intended start.
    pub intended_ns: u64,
    /// Request bytes handed to the kernel; `None`: none were.
    pub sent_ns: Option<u64>,
    /// First byte of an answer; `None`: none came.
    pub first_byte_ns: Option<u64>,
    /// From then on it was awaited no longer.
    pub given_up_ns: u64,
}

/// One thread's record of the window, or that of all threads.
#[derive(Debug, Deserialize, Serialize)]
pub struct Record {
    kinds: RequestKinds,
    /// By kind of request.
    counts: Vec<RequestCounts>,
    /// What is counted one by one.
    pub counters: Counters,
    /// Of an open load, what became of the requests with an intended start in the window.
    pub cohort: Cohort,
    /// By kind.
    pub errors: ErrorCounts,
    times: TimesByKind,
    /// How long requests were under way, at both ends of the window and in it.
    pub under_way: UnderWay,
    /// From the intended start to sending.
    #[serde(with = "exact")]
    pub send_lag: Distribution,
    /// From the start of a connect to its success.
    #[serde(with = "exact")]
    pub connect_time: Distribution,
    /// From when a message of WebSocket was sent to each copy that a connection got.
    #[serde(with = "exact")]
    pub copy_time: Distribution,
    body_bytes: BodyBytes,
    /// Of wrong answers.
    pub examples: Examples,
    /// By status.
    pub statuses: UnexpectedStatuses,
    series: Series,
    /// Intended starts, on the run's clock.
    intended_ns: Vec<u64>,
    most_intended: usize,
    picks: Option<PickCounts>,
    /// Of the whole run: by place in the mix, or empty; `None` for a request that does not ask for it.
    acknowledged: Vec<Option<AcknowledgedNumbers>>,
    /// Of right answers in the window, those that the plan asks for.
    pub kept: KeptBodies,
    /// Of the whole run; `None` if nothing was set up.
    pub setup: Option<SetupCounts>,
    /// Of the journeys among the requests of the mix.
    pub journeys: Vec<JourneyRecord>,
    /// `None` without HTTP/2.
    pub streams: Option<StreamUse>,
    /// `None` if no answer is to be a stream of events.
    pub event_streams: Option<EventRecord>,
    /// `None` if no request asks for coded bodies.
    pub unpacking: Option<Unpacking>,
    /// Of the whole run; `None` if no answers are compared.
    pub comparison: Option<Comparison>,
    /// Of the answers, right or wrong, over the connections.
    pub evenness: Evenness,
    /// In the window, of rows that change; `None` if the plan names none.
    pub sightings: Option<Sightings>,
    spot_checks: Vec<SpotCheckOutcome>,
    traced: Traced,
    /// It is of several windows, one after the other.
    #[serde(skip)]
    is_in_turn: bool,
}

impl Record {
    /// An empty record of a mix of these kinds; `dataset` if ids are to be tallied, `most_intended`: so many intended
    /// starts are kept.
    pub fn new(kinds: RequestKinds, dataset: Option<&Dataset>, most_intended: usize) -> Record {
        Record {
            counts: vec![RequestCounts::default(); kinds.count()],
            times: TimesByKind::new(kinds.names().len()),
            kinds,
            counters: Counters::default(),
            cohort: Cohort::default(),
            errors: ErrorCounts::default(),
            under_way: UnderWay::default(),
            send_lag: Distribution::new(),
            connect_time: Distribution::new(),
            copy_time: Distribution::new(),
            body_bytes: BodyBytes::default(),
            examples: Examples::default(),
            statuses: UnexpectedStatuses::default(),
            series: Series::default(),
            intended_ns: Vec::with_capacity(most_intended.min(INTENDED_RESERVED)),
            most_intended,
            picks: dataset.map(PickCounts::new),
            acknowledged: Vec::new(),
            kept: KeptBodies::default(),
            setup: None,
            journeys: Vec::new(),
            streams: None,
            event_streams: None,
            unpacking: None,
            comparison: None,
            evenness: Evenness::default(),
            sightings: None,
            spot_checks: Vec::new(),
            traced: Traced::default(),
            is_in_turn: false,
        }
    }

    /// True if this request is one of the mix's: else it is a spot check, or sets a connection up.
    #[inline]
    pub fn is_of_mix(&self, request: usize) -> bool {
        self.kinds.is_of_mix(request)
    }

    /// True if this request is one that sets a connection up.
    pub fn is_setup(&self, request: usize) -> bool {
        self.kinds.of(request) == self.kinds.of_setup()
    }

    /// Setup requests, if there are any, are counted as a kind of their own: these counts are theirs.
    pub fn conclude_setup(&mut self) {
        let RequestCounts { run_sent, run_verified, .. } = self.counts[self.kinds.of_setup()];
        if let Some(setup) = &mut self.setup {
            (setup.sent, setup.verified) = (run_sent, run_verified);
        }
    }

    /// A traced request of the mix, one of those whose times are recorded, was answered right.
    #[cold]
    pub fn traced(&mut self, trace_id: u128, request: usize, response_ns: u64, status: u16) {
        let name = &self.kinds.names()[self.kinds.of(request)];
        self.traced.add(trace_id, response_ns, name, status);
    }

    /// What became of a spot check.
    pub fn spot_checked(&mut self, outcome: SpotCheckOutcome) {
        self.spot_checks.push(outcome);
    }

    /// What became of all spot checks, in the order in which they were due.
    pub fn spot_checks(&self) -> &[SpotCheckOutcome] {
        &self.spot_checks
    }

    /// The same, and of each request of the mix for which there is one, verified numbers are kept there.
    pub fn acknowledging(mut self, numbers: Vec<Option<AcknowledgedNumbers>>) -> Record {
        if numbers.iter().any(Option::is_some) {
            self.acknowledged = numbers;
        }
        self
    }

    /// The same, and bodies are kept there.
    pub fn keeping(mut self, kept: KeptBodies) -> Record {
        self.kept = kept;
        self
    }

    /// The same, and with `is_needed` what answers show of changed rows is kept.
    pub fn watching(mut self, is_needed: bool) -> Record {
        self.sightings = is_needed.then(Sightings::default);
        self
    }

    /// A right answer shows this of a changed row; its request was sent at `sent_ns` on the run's clock.
    pub fn sighted(&mut self, sighting: Sighting, sent_ns: u64) {
        if let Some(sightings) = &mut self.sightings {
            sightings.add(sighting, sent_ns);
        }
    }

    /// The same, and what becomes of the journeys in this mix is counted.
    pub fn with_journeys(mut self, mix: &[RequestPlan]) -> Record {
        self.journeys = JourneyRecord::all(mix);
        self
    }

    /// True if [`Record::acknowledged`] has to be told of verified numbers.
    pub fn keeps_acknowledged(&self) -> bool {
        !self.acknowledged.is_empty()
    }

    /// The request with this number of its first sequence had a verified answer, in the window or before.
    pub fn acknowledged(&mut self, request: usize, number: u64) {
        if let Some(Some(numbers)) = self.acknowledged.get_mut(request) {
            numbers.add(number);
        }
    }

    /// The same, and each second of the window that is over is seen there.
    pub fn telling(mut self, totals: Arc<Totals>) -> Record {
        self.series.tell(totals);
        self
    }

    /// A request's first byte was handed to the kernel, in the window or outside of it. `request`: its place in the mix.
    #[inline]
    pub fn sent(&mut self, request: usize, in_window: bool) {
        let counts = &mut self.counts[self.kinds.of(request)];
        counts.run_sent += 1;
        counts.sent += u64::from(in_window);
    }

    /// A redirect is followed.
    pub fn redirected(&mut self, request: usize, in_window: bool) {
        self.counts[self.kinds.of(request)].redirects += u64::from(in_window);
    }

    /// A request is sent again, with values that were taken anew.
    pub fn renewed(&mut self, request: usize, in_window: bool) {
        self.counts[self.kinds.of(request)].renewals += u64::from(in_window);
    }

    /// An answer passed, in the window or before it.
    #[inline]
    pub fn verified_in_run(&mut self, request: usize) {
        self.counts[self.kinds.of(request)].run_verified += 1;
    }

    /// A request of the window has this intended start.
    #[inline]
    pub fn intended(&mut self, at_ns: u64) {
        if self.intended_ns.len() < self.most_intended {
            self.intended_ns.push(at_ns);
        }
    }

    /// A complete answer, `since_opened_ns` after the window's opening; whether it is right is recorded apart from it.
    #[inline]
    pub fn answer(&mut self, request: usize, times: ExchangeTimes, body_bytes: u64, since_opened_ns: u64) {
        let kind = self.kinds.of(request);
        let response_ns = times.done_ns.saturating_sub(times.intended_ns);
        self.counts[kind].answers += 1;
        self.under_way.ended(response_ns);
        self.series.answer(since_opened_ns, response_ns);
        self.send_lag.record(times.sent_ns.saturating_sub(times.intended_ns));
        self.body_bytes.add(body_bytes);
    }

    /// A request of the cohort has a complete answer, in the window or after it.
    #[inline]
    pub fn answer_of_cohort(&mut self, request: usize, times: ExchangeTimes) {
        self.times.record(self.kinds.of(request), times);
        self.cohort.answers += 1;
    }

    /// A request of the cohort is awaited no longer.
    #[cold]
    pub fn unanswered(&mut self, request: usize, times: Unanswered) {
        self.times.record_unanswered(self.kinds.of(request), times);
    }

    /// The answer passed, `since_opened_ns` after the window's opening.
    #[inline]
    pub fn verified(&mut self, request: usize, status: u16, since_opened_ns: u64) {
        let counts = &mut self.counts[self.kinds.of(request)];
        counts.verified += 1;
        match status {
            NOT_MODIFIED => counts.not_modified += 1,
            PARTIAL_CONTENT => counts.partial += 1,
            _ => {}
        }
        self.series.verified(since_opened_ns);
    }

    /// An answer was wrong, `since_opened_ns` after the window's opening.
    pub fn wrong_answer(&mut self, kind: ErrorKind, since_opened_ns: u64) {
        self.errors.add(kind);
        self.series.error(since_opened_ns);
    }

    /// A request ended without a complete answer. `request`: its place in the mix; `None` if it never began.
    pub fn failure(&mut self, request: Option<usize>, kind: ErrorKind, since_opened_ns: u64) {
        self.counters.failures += 1;
        if let Some(request) = request {
            self.counts[self.kinds.of(request)].failures += 1;
        }
        self.wrong_answer(kind, since_opened_ns);
    }

    /// The intended starts that were kept, on the run's clock, ascending.
    pub fn intended_starts(&self) -> &[u64] {
        &self.intended_ns
    }

    /// By kind of request.
    pub fn by_kind(&self) -> &[RequestCounts] {
        &self.counts[..self.kinds.names().len()]
    }

    /// Of each kind of request, in the order in which they first come in the mix.
    pub fn shares(&self) -> Vec<RequestShare> {
        let named = self.kinds.names().iter().zip(&self.counts).enumerate();
        named.map(|(kind, (name, counts))| RequestShare::new(name, *counts, self.times.of(kind))).collect()
    }

    /// Times of all complete answers.
    pub fn times(&self) -> Times {
        self.times.total()
    }

    /// Over all requests of the mix.
    pub fn totals(&self) -> RequestCounts {
        self.by_kind().iter().copied().fold(RequestCounts::default(), RequestCounts::plus)
    }

    /// An id was answered that the dataset holds, or does not.
    #[inline]
    pub fn pick(&mut self, id: u64, is_known: bool) {
        if let Some(picks) = &mut self.picks {
            if is_known { picks.add(id) } else { picks.add_unknown() }
        }
    }

    /// Of the requests that ask for it. `names` and `begun`, how many numbers were given out, are by place in the mix.
    pub fn acknowledgements(&self, names: &[String], begun: &[u64]) -> Vec<Acknowledgements> {
        let requests = names.iter().zip(begun).zip(&self.acknowledged);
        requests
            .filter_map(|((name, &begun), numbers)| Some(numbers.as_ref()?.conclude(name, begun)))
            .collect()
    }

    /// The same with moments since `opened_ns`.
    fn since(mut self, opened_ns: u64) -> Record {
        self.intended_ns.iter_mut().for_each(|at_ns| *at_ns = at_ns.saturating_sub(opened_ns));
        self.examples.since(opened_ns);
        self.spot_checks.iter_mut().for_each(|outcome| outcome.since(opened_ns));
        self.series.close();
        self
    }

    /// True if both are of the same requests.
    fn is_of_same_mix(&self, other: &Record) -> bool {
        self.kinds.names() == other.kinds.names()
    }

    /// True if answered ids were tallied by this dataset, or none were and there is none.
    fn is_tallied_by(&self, dataset: Option<&Dataset>) -> bool {
        match (&self.picks, dataset) {
            (Some(picks), Some(dataset)) => picks.is_of(dataset),
            (picks, dataset) => picks.is_none() && dataset.is_none(),
        }
    }

    /// The same as one of several windows: without what describes the course of a single one, and which numbers were drawn
    /// in it, and so much later than the first.
    fn in_turn(mut self, by_ns: u64) -> Record {
        self.is_in_turn = true;
        self.series = Series::default();
        self.intended_ns.clear();
        self.acknowledged.clear();
        self.examples.later(by_ns);
        self
    }

    /// Adds the record of a window that followed.
    fn then(&mut self, later: Record) {
        self.evenness.then(&later.evenness);
        self.add(later);
    }

    /// Adds another thread's record.
    pub fn merge(&mut self, other: Record) {
        self.evenness.merge(&other.evenness);
        self.add(other);
    }

    /// Adds all of a record but its evenness.
    fn add(&mut self, other: Record) {
        for (counts, added) in self.counts.iter_mut().zip(&other.counts) {
            *counts = counts.plus(*added);
        }
        self.counters = self.counters.plus(other.counters);
        self.cohort.merge(other.cohort);
        self.errors.merge(&other.errors);
        self.times.merge(&other.times);
        self.under_way.merge(other.under_way);
        self.send_lag.merge(&other.send_lag);
        self.connect_time.merge(&other.connect_time);
        self.copy_time.merge(&other.copy_time);
        self.body_bytes.merge(&other.body_bytes);
        self.examples.merge(other.examples);
        self.statuses.merge(other.statuses);
        self.series.merge(other.series);
        self.intended_ns.extend(other.intended_ns);
        self.intended_ns.sort_unstable();
        self.intended_ns.truncate(self.most_intended);
        self.kept.merge(other.kept);
        self.traced.merge(other.traced);
        self.spot_checks.extend(other.spot_checks);
        self.spot_checks.sort_by_key(SpotCheckOutcome::intended_ns);
        if let Some(added) = other.setup {
            self.setup.get_or_insert_default().merge(&added);
        }
        for (journey, added) in self.journeys.iter_mut().zip(&other.journeys) {
            journey.merge(added);
        }
        if let (Some(streams), Some(added)) = (&mut self.streams, other.streams) {
            *streams = streams.plus(added);
        }
        if let (Some(events), Some(added)) = (&mut self.event_streams, &other.event_streams) {
            events.merge(added);
        }
        if let (Some(unpacking), Some(added)) = (&mut self.unpacking, other.unpacking) {
            *unpacking = unpacking.plus(added);
        }
        if let (Some(picks), Some(added)) = (&mut self.picks, &other.picks) {
            picks.merge(added);
        }
        if let (Some(comparison), Some(added)) = (&mut self.comparison, other.comparison) {
            comparison.merge(added);
        }
        if let (Some(sightings), Some(added)) = (&mut self.sightings, other.sightings) {
            sightings.merge(added);
        }
        for (numbers, added) in self.acknowledged.iter_mut().zip(other.acknowledged) {
            if let (Some(numbers), Some(added)) = (numbers, added) {
                numbers.merge(added);
            }
        }
    }
}
