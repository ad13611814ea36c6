//! Everything about a plan that can be done, or found impossible, before the first connect.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::clock;
use crate::cookies::CookieHost;
use crate::dataset::Dataset;
use crate::driver::{self, Driver};
use crate::endpoint::Endpoint;
use crate::halt::Halt;
use crate::http1::request::{EncodedRequest, acknowledged_numbers, encode};
use crate::http3::QuicClient;
use crate::mix::RequestMix;
use crate::plan::{
    BodyPlan, CookiesPlan, Expect, InvalidPlan, Load, Plan, RequestPlan, Stop, ThinkPlan, mix_weights,
};
use crate::processors;
use crate::record::{KeptBodies, Record, RequestKinds, Routes, Totals};
use crate::reference::Reference;
use crate::requests;
use crate::rows::RowSources;
use crate::schedule::{Arrivals, Quota, ThinkTimes, ThreadShare, split};
use crate::session::{PacePlan, PlannedSpotChecks, SessionParts, SetupParts};
use crate::template::{Renderer, Sources, Tracer, Turn, nonce_key};
use crate::tls::TlsClient;
use crate::variables::{VariableSources, Variables};
use crate::verify::{ChangedRows, Expectation, pointer_names};
use crate::warm_up::Opening;
use crate::websocket::{self, IdleConnections, Socket};

/// Open files that are needed beside the connections: standard streams, wake-ups, epoll.
const OTHER_FILES: u64 = 64;

/// A prepared plan.
pub struct Run {
    pub(super) plan: Plan,
    endpoint: Endpoint,
    /// `None` for a Unix socket.
    pub(super) routes: Option<Routes>,
    pub(super) driver: Driver,
    /// Why it is not io_uring, where that was not asked for.
    pub(super) driver_fallback: Option<String>,
    pub(super) tls: Option<Arc<TlsClient>>,
    pub(super) quic: Option<Arc<QuicClient>>,
    dataset: Option<Arc<Dataset>>,
    rows: RowSources,
    variables: VariableSources,
    requests: Arc<[EncodedRequest]>,
    mix: RequestMix,
    reference: Option<Reference>,
    changed: ChangedRows,
    pub(super) socket: Option<Arc<Socket>>,
}

impl Run {
    /// Prepares a plan, and binds the calling thread to the plan's processors.
    ///
    /// # Errors
    /// The key that cannot be followed.
    pub fn prepare(plan: Plan) -> Result<Run, InvalidPlan> {
        let dataset = match &plan.dataset {
            Some(spec) => {
                let dataset = Dataset::new(spec).map_err(|error| InvalidPlan(format!("dataset.{error}")))?;
                Some(Arc::new(dataset))
            }
            None => None,
        };
        let connections = u64::from(plan.load.connections());
        let (endpoint, routes) =
            Endpoint::at(&plan.address).map_err(|text| InvalidPlan(format!("address: {text}")))?.shared_by(
                connections.div_ceil(plan.part.map_or(1, |part| part.of.into())),
                &plan.other_addresses,
            );
        let changed = ChangedRows::new(&plan.changed_rows, dataset.as_deref()).map_err(InvalidPlan)?;
        let mut rows = RowSources::read(&plan.rows).map_err(InvalidPlan)?;
        let nonce_key = nonce_key(&plan.nonce_key).map_err(InvalidPlan)?;
        let sources = Sources {
            dataset: dataset.as_ref(),
            rows: Some(&rows),
            nonce_key: nonce_key.as_ref(),
            is_traced: plan.trace_share > 0.0,
            is_http2: plan.streams().is_some(),
            is_websocket: plan.websocket.is_some(),
            has_cookies: plan.cookies.is_some(),
            is_secure: plan.tls.is_some(),
            ..Sources::default()
        };
        let (requests, variables) =
            requests::compile(&plan.requests, &plan.setup, plan.host(), sources).map_err(InvalidPlan)?;
        let expectations =
            requests::expectations(&plan.requests, &[], &requests, sources).map_err(InvalidPlan)?;
        let socket = socket(&plan, &requests, sources).map_err(InvalidPlan)?;
        let least_body_bytes = expectations.iter().map(Expectation::least_body_bytes).min().unwrap_or(0);
        rows.forget_texts();
        let reference = Reference::new(&plan, &requests).map_err(InvalidPlan)?;
        let tls = match &plan.tls {
            Some(tls) => {
                let client = TlsClient::new(tls, plan.address.host_name())
                    .map_err(|text| InvalidPlan(format!("tls.{text}")))?;
                Some(match (plan.http2, plan.http3) {
                    (Some(_), _) => client.for_http2(),
                    (None, Some(_)) => client.for_http3(),
                    (None, None) => client,
                })
            }
            None => None,
        };
        let mix = RequestMix::new(&mix_weights(plan.mix()))
            .map_err(|text| InvalidPlan(format!("requests[].{text}")))?;
        raise_file_limit(connections)?;
        bind_to_all(&plan.cpus)?;
        let connections = plan.load.connections();
        let per_thread = connections.div_ceil(plan.threads.min(connections));
        let (driver, driver_fallback) = match plan.http3 {
            Some(_) => (Driver::Epoll, Some("HTTP/3 goes by datagrams, and those by epoll alone".to_owned())),
            None => driver::choose(plan.driver, per_thread, least_body_bytes)
                .map_err(|reason| InvalidPlan(format!("driver: {reason}")))?,
        };
        let (tls, requests) = (tls.map(Arc::new), requests.into());
        let quic = match (plan.http3, &tls) {
            (Some(_), Some(tls)) => {
                let client = QuicClient::new(Arc::clone(tls));
                Some(Arc::new(client.map_err(|text| InvalidPlan(format!("http3: {text}")))?))
            }
            _ => None,
        };
        Ok(Run {
            plan,
            endpoint,
            routes,
            driver,
            driver_fallback,
            tls,
            quic,
            dataset,
            rows,
            variables,
            requests,
            mix,
            reference,
            changed,
            socket: socket.map(Arc::new),
        })
    }

    /// The parts of one thread's session.
    pub(super) fn session_parts(
        &self,
        thread: usize,
        connections: u64,
        share: Option<u64>,
        totals: Arc<Totals>,
        halt: Option<Arc<Halt>>,
        opening: Option<Arc<Opening>>,
    ) -> SessionParts {
        let plan = &self.plan;
        let sources = Sources {
            dataset: self.dataset.as_ref(),
            rows: Some(&self.rows),
            is_websocket: plan.websocket.is_some(),
            has_cookies: plan.cookies.is_some(),
            ..Sources::default()
        };
        let expectations = requests::expectations(&plan.requests, &plan.setup, &self.requests, sources)
            .expect("checked when the plan was prepared")
            .into_iter()
            .map(|expectation| expectation.watching(&self.changed))
            .enumerate()
            .map(|(place, expectation)| match plan.requests.get(place) {
                Some(request) if request.compared => expectation.keeping_all(),
                _ => expectation,
            })
            .collect();
        let mix = plan.mix();
        let kinds = RequestKinds::new(mix.iter().map(|request| request.name.as_str()))
            .with_spot_checks(plan.requests.len() - mix.len())
            .with_setup(plan.setup.len());
        let setup = (!plan.setup.is_empty()).then(|| SetupParts {
            requests: plan.requests.len()..self.requests.len(),
            first_connection: self.first_connection(thread),
        });
        let lanes = plan.lanes() as usize;
        let slots = connections as usize * lanes;
        let mut renderer = Renderer::new(plan.seed, self.place(thread) as u64).counting(self.turn());
        renderer.variables = Variables::new(&self.variables, slots);
        if let Some(cookies) = plan.cookies {
            let host = CookieHost::new(plan.host(), plan.tls.is_some());
            let is_of_journey = cookies == CookiesPlan::Journey;
            renderer.variables = renderer.variables.keeping_cookies(host, slots, is_of_journey);
        }
        renderer.tracer = Tracer::new(plan.trace_share);
        SessionParts {
            connections: slots,
            lanes,
            has_slices: plan.pipeline == 1,
            setup,
            traces: plan.trace_share > 0.0,
            requests: Arc::clone(&self.requests),
            expectations,
            mix: self.mix.clone(),
            spot_checks: self.spot_checks(thread),
            renderer,
            quota: Quota::new(share),
            pace: self.pace(thread),
            opening,
            halt,
            requests_per_connection: plan.requests_per_connection,
            local_ports: plan.load.local_ports().map(|ports| self.share_of(ports, thread)),
            timeout_ns: clock::from_seconds(plan.timeout_seconds),
            drain_ns: clock::from_seconds(plan.drain_seconds()),
            deadline_ns: plan.deadline_seconds.map(clock::from_seconds),
            record: Record::new(kinds, self.tallied_dataset(), plan.record_intended as usize)
                .telling(Arc::clone(&totals))
                .acknowledging(acknowledged_numbers(&self.requests))
                .keeping(self.kept_bodies())
                .with_journeys(mix)
                .watching(self.watches_rows()),
            reference: self.reference.as_ref().map(|reference| reference.of_thread(self.requests.len())),
            totals,
        }
    }

    /// The plan's connections, to be kept without messages.
    ///
    /// # Errors
    /// If they are no WebSockets, or share too few addresses.
    pub fn idle_connections(self) -> Result<IdleConnections, InvalidPlan> {
        let Some(socket) = self.socket else {
            return Err(InvalidPlan("idle connections are WebSockets".to_owned()));
        };
        let number = self.plan.load.connections();
        if let Some(routes) = self.routes.filter(Routes::are_crowded) {
            return Err(InvalidPlan(format!(
                "load.connections: {number} idle connections need more source addresses than the {} that there are: \
                 a server on 127.0.0.0/8 is reached from as many as it takes",
                routes.source_addresses
            )));
        }
        let timeout_ns = clock::from_seconds(self.plan.timeout_seconds);
        let (endpoint, tls) = (self.endpoint, self.tls);
        Ok(IdleConnections { endpoint, tls, socket, number: number as usize, timeout_ns })
    }

    /// Whether signals have the load stand still.
    pub fn halts(&self) -> bool {
        self.plan.halts
    }

    /// True if rows change during the run that answers show.
    fn watches_rows(&self) -> bool {
        let is_watched = |request: &RequestPlan| matches!(&request.expect.body, BodyPlan::Exact { changed, .. } if !changed.is_empty());
        !self.plan.changed_rows.is_empty() || self.plan.requests.iter().any(is_watched)
    }

    /// For the bodies that one thread keeps.
    fn kept_bodies(&self) -> KeptBodies {
        let requests = &self.plan.requests;
        match requests.iter().filter(|request| request.expect.keep_bodies).count() {
            0 => KeptBodies::default(),
            keeping => KeptBodies::new(requests.len(), keeping * self.threads() as usize),
        }
    }

    /// By place in the mix, how many numbers of its first sequence there are up to the last that was given out.
    pub(super) fn begun_numbers(&self) -> Vec<u64> {
        let turn = self.turn();
        let begun = |request: &EncodedRequest| {
            request.message.first_sequence().map_or(0, |first| turn.begun(first.given))
        };
        self.requests.iter().map(begun).collect()
    }

    /// Of the tables whose rows are taken once, how many were.
    pub(super) fn used_rows(&self) -> BTreeMap<String, u64> {
        self.rows.tables().filter_map(|table| Some((table.name().to_owned(), table.used()?))).collect()
    }

    /// Think times of requests that have their own, by name, of a distribution its mean; of several of one name, the
    /// longest.
    pub(super) fn think_seconds(&self) -> BTreeMap<String, f64> {
        let mut by_name = BTreeMap::new();
        for request in &self.plan.requests {
            if let Some(Ok(think)) = request.think_seconds.as_ref().map(ThinkPlan::delay) {
                let seconds = think.typical_ns() as f64 / 1e9;
                let longest = by_name.entry(request.name.clone()).or_insert(seconds);
                *longest = seconds.max(*longest);
            }
        }
        by_name
    }

    /// What to say if a table had no row left when one was needed.
    pub(super) fn ran_out(&self) -> Option<String> {
        self.rows.tables().find_map(|table| table.ran_out())
    }

    /// What makes one thread's requests begin.
    fn pace(&self, thread: usize) -> PacePlan {
        let Plan { load, seed, .. } = &self.plan;
        let window_seconds = match self.plan.stop() {
            Stop::Seconds { seconds } => Some(seconds),
            Stop::Requests { .. } => None,
        };
        let share = ThreadShare { thread: self.place(thread) as u64, threads: u64::from(self.all_threads()) };
        let limit = load.waiting_limit().unwrap_or(0);
        // Threads draw apart.
        let draws_seed = seed.wrapping_mul(1 << 20).wrapping_add(share.thread);
        let think_times = |load_ns| ThinkTimes::new(load_ns, self.plan.mix(), draws_seed);
        match (Arrivals::new(load, window_seconds, share, *seed), load) {
            (Some(arrivals), _) => PacePlan::Open {
                arrivals,
                waiting_limit: self.share_of(limit, thread) as usize,
                think_times: think_times(0),
            },
            (None, Load::Closed { think_time_seconds, .. }) => {
                PacePlan::Closed { think_times: think_times(clock::from_seconds(*think_time_seconds)) }
            }
            (None, _) => unreachable!("every other load has arrivals"),
        }
    }

    /// Those that one thread sends: the threads take turns.
    fn spot_checks(&self, thread: usize) -> PlannedSpotChecks {
        let requests = self.plan.requests.iter().enumerate();
        let moments = requests.flat_map(|(place, request)| {
            request.spot_check_at_seconds.iter().map(move |&seconds| (seconds, place))
        });
        let mut planned: Vec<(u64, usize)> =
            moments.map(|(seconds, place)| (clock::from_seconds(seconds), place)).collect();
        planned.sort_unstable();
        planned.into_iter().skip(self.place(thread)).step_by(self.all_threads() as usize).collect()
    }

    /// One thread's part of what all have together.
    fn share_of(&self, total: u32, thread: usize) -> u64 {
        split(u64::from(total), self.all_threads()).nth(self.place(thread)).unwrap_or(0)
    }

    /// The number of a thread's first connection among those of all threads.
    fn first_connection(&self, thread: usize) -> u64 {
        split(u64::from(self.plan.load.connections()), self.all_threads()).take(self.place(thread)).sum()
    }

    /// Where one thread's connections go.
    pub(super) fn endpoint(&self, thread: usize) -> Endpoint {
        self.endpoint.from_connection(self.first_connection(thread))
    }

    /// How many threads there are: one without a connection would have nothing to do.
    pub(super) fn threads(&self) -> u32 {
        self.plan.threads.min(self.plan.load.connections())
    }

    /// Of all engines that share the load.
    pub(super) fn all_threads(&self) -> u32 {
        self.threads() * self.plan.part.map_or(1, |part| part.of)
    }

    /// Which numbers of a sequence this engine gives out.
    fn turn(&self) -> Turn {
        self.plan
            .part
            .map_or(Turn::default(), |part| Turn { number: u64::from(part.number), of: u64::from(part.of) })
    }

    /// A thread's place among all of them.
    pub(super) fn place(&self, thread: usize) -> usize {
        thread + self.plan.part.map_or(0, |part| part.number as usize * self.threads() as usize)
    }

    /// From the threads' begin to the warm-up's: an open load's connections are opened ahead of its first request, so
    /// that their connects are in no response time.
    pub(super) fn lead_ns(&self) -> u64 {
        const LEAST_NS: u64 = 5_000_000;
        const MOST_NS: u64 = 5_000_000_000;
        /// A login takes the server longer than a connect does, and how much longer is not known.
        const SETUP_NS: u64 = 2_000_000;
        if !self.plan.load.is_open() || self.plan.requests_per_connection == Some(1) {
            return 0;
        }
        let connections = u64::from(self.plan.load.connections() / self.all_threads());
        let per_connect_ns = if self.tls.is_some() { 1_000_000 } else { 40_000 };
        let per_connection_ns = per_connect_ns + SETUP_NS * self.plan.setup.len() as u64;
        (LEAST_NS + per_connection_ns * connections).min(MOST_NS)
    }

    /// The dataset, if answered ids are tallied.
    pub(super) fn tallied_dataset(&self) -> Option<&Dataset> {
        let is_row = |body: &BodyPlan| matches!(body, BodyPlan::Row { .. });
        let has_rows = self.plan.requests.iter().any(|request| is_row(&request.expect.body));
        self.dataset.as_deref().filter(|_| has_rows)
    }
}

/// How connections are opened that are WebSockets; `None`: they are none.
fn socket(plan: &Plan, requests: &[EncodedRequest], sources: Sources<'_>) -> Result<Option<Socket>, String> {
    let Some(websocket) = &plan.websocket else { return Ok(None) };
    let opens = RequestPlan {
        body: None,
        body_file: None,
        acknowledge: false,
        expect: Expect::default(),
        ..plan.requests[0].clone()
    };
    let of_http = Sources { is_websocket: false, ..sources };
    let opening = encode(&opens, plan.host(), None, of_http).map_err(|text| format!("requests[0].{text}"))?;
    let Some(request) = opening.message.fixed(false) else {
        return Err(
            "requests[0].path: a WebSocket's path and headers are the same for all connections".to_owned()
        );
    };
    let id = websocket.id.as_deref().map(pointer_names).transpose();
    let socket = Socket {
        opening: websocket::Opening::new(request, &opens.headers),
        is_binary: plan
            .requests
            .iter()
            .chain(&plan.setup)
            .map(|request| request.body_file.is_some())
            .collect(),
        id: id.map_err(|text| format!("websocket.id: {text}"))?,
        broadcast: websocket.broadcast,
        message_bytes_limit: websocket.message_bytes,
    };
    for ((key, _), request) in plan.entries().zip(requests) {
        let fixed = request.message.fixed(false);
        fixed.map_or(Ok(()), |text| socket.check(text)).map_err(|text| format!("{key}.{text}"))?;
    }
    Ok(Some(socket))
}

/// Connections are files; a common soft limit is 1024.
fn raise_file_limit(connections: u64) -> Result<(), InvalidPlan> {
    let needed = connections + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).map_err(
        |error| InvalidPlan(format!("load.connections: the file limit cannot be raised: {error}")),
    )?;
    match limit.maximum {
        Some(maximum) if maximum < needed => Err(InvalidPlan(format!(
            "load.connections: {connections} is above what the file limit of {maximum} allows (ulimit -Hn)"
        ))),
        _ => Ok(()),
    }
}

/// The coordinator shares the load threads' processors, so that it never takes time on the server's.
fn bind_to_all(cpus: &[u32]) -> Result<(), InvalidPlan> {
    let invalid = |error| InvalidPlan(format!("cpus: {error}"));
    for &cpu in cpus {
        processors::bind(&[cpu]).map_err(invalid)?;
    }
    if cpus.is_empty() { Ok(()) } else { processors::bind(cpus).map_err(invalid) }
}
