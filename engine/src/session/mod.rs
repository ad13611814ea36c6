//! One thread's core: connections, schedule, verification and recording, without sockets.
//!
//! A driver tells the session what happened on a connection and when; the session answers with the [`Next`] step
//! for that connection. Times are nanoseconds on the run's clock and never go back.

mod answer_watch;
mod begin;
mod chain;
mod conclude;
mod connect;
mod conversation;
mod deadlines;
mod end;
mod event_streams;
mod free;
mod hear;
mod journeys;
mod judge;
mod lanes;
mod pace;
mod set_up;
mod shed;
mod slot;
mod spot_checks;

use std::ops::Range;
use std::sync::Arc;

use answer_watch::AnswerWatch;
pub use chain::Chain;
use conclude::Closing;
pub use conclude::Ended;
use deadlines::Deadlines;
pub(crate) use lanes::Heard;
use pace::Pace;
pub use pace::PacePlan;
use set_up::SetUp;
pub use set_up::SetupParts;
use slot::{InFlight, Slot};
pub use spot_checks::PlannedSpotChecks;
use spot_checks::SpotChecks;

use crate::driver::Conversation;
pub use crate::driver::Next;
use crate::halt::Halt;
use crate::http1::request::EncodedRequest;
use crate::mix::RequestMix;
use crate::record::{Record, SetupCounts, Totals};
use crate::reference::ThreadReference;
use crate::schedule::{Phase, Quota, Timeline};
use crate::template::{Drawn, Renderer};
use crate::unpack::Unpacker;
use crate::verify::Expectation;
use crate::warm_up::{Opening, TICK_NS};

/// What a session is made of.
#[derive(Debug)]
pub struct SessionParts {
    /// Connections of this thread; where several requests share one, its lanes: see [`crate::http2`] and
    /// [`crate::pipelining`].
    pub connections: usize,
    /// So many of them, one behind the other, are one connection's lanes.
    pub lanes: usize,
    /// Whether it is watched who is answered within milliseconds; not where a server answers many requests of a
    /// connection in one go.
    pub has_slices: bool,
    /// Requests of the mix, then spot checks, then setup requests, and at the same places what is expected of their
    /// answers.
    pub requests: Arc<[EncodedRequest]>,
    /// A share of them is traced.
    pub traces: bool,
    /// See `requests`.
    pub expectations: Vec<Expectation>,
    /// The choice among the requests of the mix.
    pub mix: RequestMix,
    /// What is sent beside the mix; needs a lane for each connection.
    pub spot_checks: PlannedSpotChecks,
    /// Renders templates.
    pub renderer: Renderer,
    /// What each connection sends before anything else; needs a lane for each connection.
    pub setup: Option<SetupParts>,
    /// How many requests may begin.
    pub quota: Quota,
    /// When requests begin.
    pub pace: PacePlan,
    /// What decides that the window opens before its latest moment; `None`: nothing does.
    pub opening: Option<Arc<Opening>>,
    /// What has the connections stand still; needs a closed load, and a lane for each connection.
    pub halt: Option<Arc<Halt>>,
    /// The last of so many requests on a connection says that it is; `None`: none does.
    pub requests_per_connection: Option<u32>,
    /// So many connects of the window find a local port, the others fail for good; `None`: all find one.
    pub local_ports: Option<u64>,
    /// From a request's begin, its connect included, to the error `timeout`.
    pub timeout_ns: u64,
    /// How long answers are awaited after a window that ends by the clock.
    pub drain_ns: u64,
    /// An open load's request is not sent later than so long after its intended start; `None`: it is, however late.
    pub deadline_ns: Option<u64>,
    /// Where the window is recorded.
    pub record: Record,
    /// What keeps answers, or compares them.
    pub reference: Option<ThreadReference>,
    /// What other threads may see.
    pub totals: Arc<Totals>,
}

/// The state of one thread's run.
#[derive(Debug)]
pub struct Session {
    requests: Arc<[EncodedRequest]>,
    expectations: Vec<Expectation>,
    mix: RequestMix,
    spot_checks: SpotChecks,
    renderer: Renderer,
    quota: Quota,
    pace: Pace,
    /// Requests that a socket may carry; `None`: any number.
    socket_limit: Option<u32>,
    /// Left for connects of the window; `None`: there is always one.
    local_ports: Option<u64>,
    timeout_ns: u64,
    drain_ns: u64,
    /// `u64::MAX`: no request is too late.
    deadline_ns: u64,
    record: Record,
    reference: Option<Box<ThreadReference>>,
    totals: Arc<Totals>,
    /// By place among the requests, how long after it was sent a call may last, `u64::MAX`: any time; empty if none has such
    /// a deadline.
    call_deadlines_ns: Vec<u64>,
    /// `None`: no request asks for coded bodies.
    unpacker: Option<Box<Unpacker>>,
    timeline: Timeline,
    /// `None`: the timeline's opening is final.
    opening: Option<Arc<Opening>>,
    halt: Option<Arc<Halt>>,
    phase: Phase,
    /// When the phase ends by the clock, or is looked at whether it does.
    phase_ends_ns: u64,
    /// When the phase ends, or a slice of it.
    boundary_ns: u64,
    /// When the window ended.
    ended_ns: u64,
    /// When the last answers were awaited no longer.
    over_ns: u64,
    /// How things stood when the window ended, if a drain followed.
    closing: Option<Closing>,
    /// The times of requests with an intended start in it are recorded. An open load's are those that arrive in the
    /// window; a closed load's are those that end in it, so it begins out of reach before the window, and then with 0.
    cohort: Range<u64>,
    slots: Vec<Slot>,
    /// A connection that something was awaited on when last asked: see [`Session::is_awaiting`].
    awaited: usize,
    answer_watch: AnswerWatch,
    deadlines: Deadlines,
    /// By connection, what it sends if that is a template's; empty without templates.
    rendered: Vec<Vec<u8>>,
    /// Of no request its number is kept, none is traced, no answer is compared or a stream of events, nothing is taken of
    /// any, and nothing follows it or is set up, and none takes more than one exchange: the usual case, which must not pay
    /// for the others.
    is_plain: bool,
    /// What connections send before anything else.
    set_up: Option<Box<SetUp>>,
    /// By connection, its request's number in its first sequence; empty if no such numbers are kept.
    asked_numbers: Vec<u64>,
    /// By connection, the id under which its request is traced; empty if none is.
    trace_ids: Vec<Option<u128>>,
    /// By connection, the intended start of the journey that it is on, from its second step on; empty without journeys.
    arrivals_ns: Vec<u64>,
    /// By connection, the request that is being renewed; empty if none ever is.
    renewing: Vec<InFlight>,
    /// By request that may be sent again, and by connection, what was drawn for it.
    drawn: Vec<Vec<Drawn>>,
}

impl Session {
    /// A session whose connections all rest.
    pub fn new(mut parts: SessionParts, timeline: Timeline) -> Session {
        let connections = parts.connections;
        let mut record = parts.record;
        record.setup = parts.setup.as_ref().map(|_| SetupCounts::default());
        let mut slots = Vec::new();
        slots.resize_with(connections, Slot::default);
        let has_templates = parts.requests.iter().any(|request| request.message.fixed(false).is_none());
        let keeps_numbers = record.keeps_acknowledged();
        let has_journeys = !record.journeys.is_empty();
        let has_reference = parts.reference.is_some();
        let mut chains = parts.requests.iter().filter_map(|request| request.chain.as_ref());
        let has_renewals = chains.clone().any(|chain| chain.renews.is_some());
        let remembered = chains.clone().filter(|chain| chain.remembered.is_some()).count();
        let has_chains = chains.next().is_some();
        let unpacks = parts.expectations.iter().any(|expectation| expectation.accepted().is_any());
        record.unpacking = unpacks.then(Default::default);
        let unpacker = unpacks.then(Default::default);
        let mut call_deadlines_ns: Vec<u64> =
            parts.expectations.iter().map(Expectation::deadline_ns).collect();
        if call_deadlines_ns.iter().all(|&deadline_ns| deadline_ns == u64::MAX) {
            call_deadlines_ns.clear();
        }
        let has_cookies = parts.renderer.variables.keep_cookies();
        let has_events = parts.expectations.iter_mut().any(|expectation| expectation.events().is_some());
        let mut pace = Pace::new(parts.pace, connections);
        let is_open = matches!(pace, Pace::Open(_));
        let first_look_ns = match &parts.opening {
            Some(_) => timeline.opens_ns.min(timeline.starts_ns + TICK_NS),
            None => timeline.opens_ns,
        };
        if let Pace::Open(open) = &mut pace {
            open.arrivals.begin(timeline);
        }
        Session {
            requests: parts.requests,
            expectations: parts.expectations,
            mix: parts.mix,
            spot_checks: SpotChecks::new(parts.spot_checks, timeline.opens_ns),
            renderer: parts.renderer,
            quota: parts.quota.keeping(if pace.is_by_the_clock() { 0 } else { connections as u64 }),
            answer_watch: AnswerWatch::new(
                connections,
                parts.lanes,
                !pace.is_by_the_clock() && parts.has_slices,
            ),
            pace,
            socket_limit: parts.requests_per_connection,
            local_ports: parts.local_ports,
            timeout_ns: parts.timeout_ns,
            drain_ns: parts.drain_ns,
            deadline_ns: parts.deadline_ns.unwrap_or(u64::MAX),
            record,
            reference: parts.reference.map(Box::new),
            totals: parts.totals,
            call_deadlines_ns,
            unpacker,
            timeline,
            phase: Phase::WarmUp,
            phase_ends_ns: first_look_ns,
            boundary_ns: first_look_ns,
            opening: parts.opening,
            halt: parts.halt,
            ended_ns: timeline.opens_ns,
            over_ns: timeline.opens_ns,
            closing: None,
            cohort: if is_open { timeline.opens_ns } else { u64::MAX }..u64::MAX,
            slots,
            awaited: 0,
            deadlines: Deadlines::new(connections),
            rendered: vec![Vec::new(); if has_templates { connections } else { 0 }],
            is_plain: !keeps_numbers
                && !parts.traces
                && !has_journeys
                && !has_events
                && !has_reference
                && !has_cookies
                && !has_chains
                && parts.setup.is_none(),
            set_up: parts.setup.map(|setup| Box::new(SetUp::new(setup, connections))),
            asked_numbers: vec![0; if keeps_numbers { connections } else { 0 }],
            trace_ids: vec![None; if parts.traces { connections } else { 0 }],
            arrivals_ns: vec![0; if has_journeys { connections } else { 0 }],
            renewing: vec![InFlight::default(); if has_renewals { connections } else { 0 }],
            drawn: vec![vec![Drawn::default(); connections]; remembered],
        }
    }

    /// Ends the run early.
    pub fn stop(&mut self, now_ns: u64) {
        self.advance(now_ns);
        if self.phase != Phase::Over {
            self.end(now_ns);
        }
    }

    /// The kernel has taken `bytes` of the current request at `at_ns`.
    #[inline]
    pub(crate) fn has_sent(&mut self, number: usize, bytes: usize, at_ns: u64) {
        let current = &mut self.slots[number].current;
        if current.sent_bytes == 0 && !current.is_further {
            current.sent_ns = at_ns;
            if let Some(deadline_ns) = self.call_deadlines_ns.get(current.request) {
                current.has_deadline = self.deadlines.shorten(number, at_ns.saturating_add(*deadline_ns));
            }
            self.record.sent(current.request, self.phase == Phase::Window);
        }
        current.sent_bytes += bytes;
    }
}

/// The bytes of a connection's request.
#[inline]
fn sent<'s>(
    requests: &'s [EncodedRequest],
    rendered: &'s [Vec<u8>],
    current: &InFlight,
    number: usize,
) -> &'s [u8] {
    match requests[current.request].message.fixed(current.closes) {
        Some(bytes) => bytes,
        None => &rendered[number],
    }
}

#[cfg(test)]
mod tests;
