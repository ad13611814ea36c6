//! Sessions without sockets: times are given, so what must come out is known by arithmetic.

mod anything;
mod chains;
mod closed;
mod closes;
mod cohort;
mod cookies;
mod deadline;
mod evenness;
mod event_streams;
mod farewells;
mod first_byte;
mod halts;
mod http2;
mod http2_faults;
mod journeys;
mod open;
mod opening;
mod pipelined;
mod server;
mod set_up;
mod sightings;
mod spot_checks;
mod under_way;
mod websocket;

use serde_json::{Value, json};

use super::*;
use crate::clock;
use crate::cookies::CookieHost;
use crate::driver::Conversation;
use crate::http1::request;
use crate::pipelining::PipelinedConversation;
use crate::plan::{Load, RequestPlan, mix_weights};
use crate::record::{Cohort, ErrorKind, RequestKinds};
use crate::requests;
use crate::rows::RowSources;
use crate::schedule::{Arrivals, ThinkTimes, ThreadShare};
use crate::template::Sources;
use crate::variables::Variables;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A session in the making: one plain request, keep-alive, a warm-up of 100 ms from 0 on, a timeout of a second.
struct Setup {
    load: Value,
    setup: Value,
    requests: Value,
    /// They are kept by users, true, or by connections.
    cookies: Option<bool>,
    share: Option<u64>,
    starts_ns: u64,
    opens_ns: u64,
    opening: Option<Arc<Opening>>,
    halt: Option<Arc<Halt>>,
    closes_ns: Option<u64>,
    requests_per_connection: Option<u32>,
    local_ports: Option<u64>,
    pipeline: usize,
    lanes: usize,
    /// Requests are messages.
    are_messages: bool,
    drain_ns: u64,
    deadline_ns: Option<u64>,
    record_intended: usize,
    thread: ThreadShare,
}

impl Setup {
    fn closed(connections: usize) -> Setup {
        Setup::of(json!({"kind": "closed", "connections": connections}))
    }

    fn of(load: Value) -> Setup {
        Setup {
            load,
            setup: json!([]),
            requests: json!([{"path": "/"}]),
            cookies: None,
            share: None,
            starts_ns: 0,
            opens_ns: 100 * MS,
            opening: None,
            halt: None,
            closes_ns: None,
            requests_per_connection: None,
            local_ports: None,
            pipeline: 1,
            lanes: 1,
            are_messages: false,
            drain_ns: 0,
            deadline_ns: None,
            record_intended: 0,
            thread: ThreadShare { thread: 0, threads: 1 },
        }
    }

    fn session(self) -> Session {
        self.session_of(&RowSources::default())
    }

    /// With its pipelines around it.
    fn pipelined(self) -> PipelinedConversation {
        let lanes = self.pipeline;
        PipelinedConversation::new(self.session(), lanes)
    }

    fn session_of(self, rows: &RowSources) -> Session {
        let load: Load = serde_json::from_value(self.load.clone()).unwrap();
        let plans: Vec<RequestPlan> = serde_json::from_value(self.requests.clone()).unwrap();
        let has_cookies = self.cookies.is_some();
        let is_websocket = self.are_messages;
        let sources = Sources { rows: Some(rows), has_cookies, is_websocket, ..Sources::default() };
        let setup_plans: Vec<RequestPlan> = serde_json::from_value(self.setup.clone()).unwrap();
        let (requests, variables) = requests::compile(&plans, &setup_plans, "host", sources).unwrap();
        let expectations = requests::expectations(&plans, &setup_plans, &requests, sources).unwrap();
        let mix = plans.iter().take_while(|plan| !plan.is_spot_check()).count();
        let kinds = RequestKinds::new(plans[..mix].iter().map(|plan| plan.name.as_str()))
            .with_spot_checks(plans.len() - mix)
            .with_setup(setup_plans.len());
        let weights = mix_weights(&plans[..mix]);
        let spot_checks = plans.iter().enumerate().flat_map(|(place, plan)| {
            plan.spot_check_at_seconds.iter().map(move |&seconds| (clock::from_seconds(seconds), place))
        });
        let window_seconds = self.closes_ns.map(|closes_ns| (closes_ns - self.opens_ns) as f64 / 1e9);
        let pace = match (Arrivals::new(&load, window_seconds, self.thread, 7), &load) {
            (Some(arrivals), _) => PacePlan::Open {
                arrivals,
                waiting_limit: load.waiting_limit().unwrap() as usize,
                think_times: ThinkTimes::new(0, &plans, 7),
            },
            (None, Load::Closed { think_time_seconds, .. }) => {
                let load_ns = clock::from_seconds(*think_time_seconds);
                PacePlan::Closed { think_times: ThinkTimes::new(load_ns, &plans, 7) }
            }
            (None, _) => unreachable!(),
        };
        let mut renderer = Renderer::new(7, 0);
        let connections = load.connections() as usize * self.lanes * self.pipeline;
        renderer.variables = Variables::new(&variables, connections);
        if let Some(is_of_journey) = self.cookies {
            let host = CookieHost::new("host", false);
            renderer.variables = renderer.variables.keeping_cookies(host, connections, is_of_journey);
        }
        let setup = (!setup_plans.is_empty())
            .then_some(SetupParts { requests: plans.len()..requests.len(), first_connection: 0 });
        let parts = SessionParts {
            traces: false,
            connections,
            lanes: self.lanes * self.pipeline,
            has_slices: self.pipeline == 1,
            record: Record::new(kinds, None, self.record_intended)
                .acknowledging(request::acknowledged_numbers(&requests))
                .watching(true)
                .with_journeys(&plans[..mix]),
            requests: requests.into(),
            expectations,
            mix: RequestMix::new(&weights).unwrap(),
            spot_checks: spot_checks.collect(),
            renderer,
            setup,
            quota: Quota::new(self.share),
            pace,
            opening: self.opening,
            halt: self.halt,
            requests_per_connection: self.requests_per_connection,
            local_ports: self.local_ports,
            timeout_ns: SECOND,
            drain_ns: self.drain_ns,
            deadline_ns: self.deadline_ns,
            reference: None,
            totals: Arc::default(),
        };
        let Setup { starts_ns, opens_ns, closes_ns, .. } = self;
        Session::new(parts, Timeline { starts_ns, opens_ns, closes_ns })
    }
}

/// Takes a connection from [`Next::Connect`] to a sent request.
fn connect_and_send(session: &mut impl Conversation, number: usize, now_ns: u64) {
    assert_eq!(session.connected(number, now_ns), Next::Send);
    send(session, number, now_ns);
}

fn send(session: &mut impl Conversation, number: usize, now_ns: u64) {
    let bytes = session.to_send(number).len();
    assert!(bytes > 0);
    session.handed_over(number, bytes, now_ns);
    assert!(session.to_send(number).is_empty());
}

/// in_flight_at_start + offered = answers + failures + in_flight_at_end; and of an open load's cohort, all that were
/// offered came to one end.
fn assert_books_balance(ended: &Ended) {
    let Ended { books, record, .. } = ended;
    let came = books.in_flight_at_start + books.offered;
    let went = record.totals().answers + record.counters.failures + books.in_flight_at_end;
    assert_eq!(came, went, "{books:?}, {:?}, {} failures", record.totals(), record.counters.failures);
    if books.waiting.is_some() {
        let Cohort { answers, failures, censored } = record.cohort;
        assert_eq!(books.offered, answers + failures + censored, "{books:?}, {:?}", record.cohort);
    }
}

fn errors(ended: &Ended) -> Vec<(String, u64)> {
    let counts = serde_json::to_value(&ended.record.errors).unwrap();
    let counts =
        counts.as_object().unwrap().iter().map(|(kind, count)| (kind.clone(), count.as_u64().unwrap()));
    counts.filter(|(_, count)| *count > 0).collect()
}

fn error(kind: &str, count: u64) -> (String, u64) {
    (kind.to_owned(), count)
}
