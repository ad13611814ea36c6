//! Whether an answer is the right stream of events. Each event is looked at when it has come, so that it has a time.

use std::fmt;

use crate::clock;
use crate::event_stream::{EVENT_BYTES_LIMIT, Event, EventParser, TooLong};
use crate::plan::EventsPlan;
use crate::record::EventRecord;
use crate::variables::value_at;

use super::json::names;

/// What must be true of the events of the answers to one request, and what they came to in one thread.
#[derive(Debug)]
pub struct EventsExpectation {
    least: u64,
    most: Option<u64>,
    sequence: Option<Sequence>,
    content: Option<Vec<String>>,
    last: Option<String>,
    tokens: Option<Vec<String>>,
    stall_ns: u64,
    asked: EventsAsked,
    record: EventRecord,
}

/// Whose events are looked at, and what is recorded of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventsAsked {
    /// Of the request.
    pub intended_ns: u64,
    /// Its times are recorded.
    pub is_in_cohort: bool,
    /// Its events are counted.
    pub is_in_window: bool,
}

/// Where events have their numbers, and the first of these.
#[derive(Debug)]
struct Sequence {
    /// `None`: in their ids.
    names: Option<Vec<String>>,
    first: u64,
}

/// What has come of one answer.
#[derive(Debug, Default)]
pub struct EventStream {
    parser: EventParser,
    so_far: SoFar,
}

#[derive(Clone, Copy, Debug, Default)]
struct SoFar {
    /// Events that count.
    count: u64,
    /// When the last one of these came.
    latest_ns: u64,
    tokens: Option<u64>,
    has_stalled: bool,
    /// The event that ends the stream has come.
    is_ended: bool,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    TooLong,
    TooMany { most: u64 },
    TooFew { count: u64, least: u64, is_within_event: bool },
    Number { found: Option<u64>, wanted: u64 },
    AfterEnd,
    NoEnd { is_within_event: bool },
    NoTokens,
}

impl EventStream {
    /// Awaits a new answer.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.so_far = SoFar::default();
    }

    /// Takes the next piece of the body.
    pub fn take(&mut self, mut piece: &[u8], expected: &mut EventsExpectation, now_ns: u64) {
        while self.so_far.fault.is_none() {
            let heard = match self.parser.next(&mut piece) {
                Ok(None) => return,
                Ok(Some(event)) => expected.hear(&event, &mut self.so_far, now_ns),
                Err(TooLong) => Err(Fault::TooLong),
            };
            self.so_far.fault = heard.err();
        }
    }
}

impl EventsExpectation {
    /// # Errors
    /// The key that does not fit and what is allowed.
    pub(super) fn new(plan: &EventsPlan) -> Result<EventsExpectation, String> {
        let pointer = |key: &str, text: &Option<String>| {
            let named = |error| format!("expect.body.{key}: {error}");
            text.as_deref().map(|text| names(text).map_err(named)).transpose()
        };
        let sequence = match plan.sequence.as_deref() {
            None => None,
            Some("id") => Some(Sequence { names: None, first: plan.first }),
            Some(_) => Some(Sequence { names: pointer("sequence", &plan.sequence)?, first: plan.first }),
        };
        let tokens = pointer("tokens", &plan.tokens)?;
        Ok(EventsExpectation {
            least: plan.min,
            most: plan.max,
            sequence,
            content: pointer("content", &plan.content)?,
            last: plan.last.clone(),
            stall_ns: clock::from_seconds(plan.stall_seconds),
            asked: EventsAsked::default(),
            record: EventRecord { tokens: tokens.as_ref().map(|_| 0), ..EventRecord::default() },
            tokens,
        })
    }

    /// What is looked at from now on belongs to this request.
    #[inline]
    pub fn turn_to(&mut self, asked: EventsAsked) {
        self.asked = asked;
    }

    /// What all events came to.
    pub fn record(&self) -> &EventRecord {
        &self.record
    }

    /// An event has come.
    fn hear(&mut self, event: &Event<'_>, so_far: &mut SoFar, now_ns: u64) -> Result<(), Fault> {
        if so_far.is_ended {
            return Err(Fault::AfterEnd);
        }
        if self.last.as_ref().is_some_and(|last| last.as_bytes() == event.data) {
            so_far.is_ended = true;
            return Ok(());
        }
        let counts = self.content.as_ref().is_none_or(|names| has_content(event.data, names));
        if let Some(tokens) = self.tokens.as_ref().and_then(|names| whole_number(event.data, names)) {
            so_far.tokens = Some(tokens);
        }
        if !counts {
            return Ok(());
        }
        if let Some(most) = self.most.filter(|&most| so_far.count >= most) {
            return Err(Fault::TooMany { most });
        }
        if let Some(sequence) = &self.sequence {
            let (found, wanted) = (sequence.number(event), sequence.first.saturating_add(so_far.count));
            if found != Some(wanted) {
                return Err(Fault::Number { found, wanted });
            }
        }
        self.time(so_far, now_ns);
        Ok(())
    }

    fn time(&mut self, so_far: &mut SoFar, now_ns: u64) {
        let EventsAsked { intended_ns, is_in_cohort, is_in_window } = self.asked;
        let gap_ns = now_ns.saturating_sub(so_far.latest_ns);
        let is_first = so_far.count == 0;
        so_far.latest_ns = now_ns;
        so_far.count += 1;
        so_far.has_stalled |= !is_first && gap_ns > self.stall_ns;
        self.record.events += u64::from(is_in_window);
        if is_in_cohort && is_first {
            self.record.first_event_time.record(now_ns.saturating_sub(intended_ns));
        } else if is_in_cohort {
            self.record.event_gap.record(gap_ns);
        }
    }

    /// Whether a complete answer is right. Counts it. `is_right_else`: nothing else of the answer is wrong.
    pub(super) fn fits(&mut self, stream: Option<&EventStream>, is_right_else: bool) -> bool {
        let fault = self.fault(stream);
        let so_far = stream.map(|stream| stream.so_far).unwrap_or_default();
        self.count(&so_far, matches!(fault, Some(Fault::TooFew { .. } | Fault::NoEnd { .. })));
        if fault.is_none() && is_right_else && self.asked.is_in_window {
            let added = so_far.tokens.unwrap_or(0);
            self.record.tokens = self.record.tokens.map(|tokens| tokens.saturating_add(added));
        }
        fault.is_none()
    }

    /// What is wrong with an answer that is complete.
    pub(super) fn difference(&self, stream: Option<&EventStream>) -> Option<String> {
        self.fault(stream).map(|fault| fault.to_string())
    }

    fn fault(&self, stream: Option<&EventStream>) -> Option<Fault> {
        let SoFar { count, tokens, is_ended, fault, .. } =
            stream.map(|stream| stream.so_far).unwrap_or_default();
        let is_within_event = stream.is_some_and(|stream| stream.parser.is_within_event());
        let at_end = || match () {
            () if count < self.least => Some(Fault::TooFew { count, least: self.least, is_within_event }),
            () if self.last.is_some() && !is_ended => Some(Fault::NoEnd { is_within_event }),
            () if self.tokens.is_some() && tokens.is_none() => Some(Fault::NoTokens),
            () => None,
        };
        fault.or_else(at_end)
    }

    /// The request has failed, or never was sent. `stream`: what had come of its answer.
    #[cold]
    pub fn broke_off(&mut self, stream: Option<&EventStream>, at_ns: u64) {
        let mut so_far = stream.map(|stream| stream.so_far).unwrap_or_default();
        let was_silent = at_ns.saturating_sub(so_far.latest_ns) > self.stall_ns;
        so_far.has_stalled |= so_far.count > 0 && !so_far.is_ended && so_far.fault.is_none() && was_silent;
        self.count(&so_far, true);
    }

    /// The same, as it was awaited no longer: what was to come next took at least so long.
    ///
    /// `is_owed`: it was to be awaited. Else only a stall that is under way is recorded: nobody could miss what came later.
    #[cold]
    pub fn gave_up(&mut self, stream: Option<&EventStream>, is_owed: bool, at_ns: u64) {
        let mut so_far = stream.map(|stream| stream.so_far).unwrap_or_default();
        let EventsAsked { intended_ns, is_in_cohort, .. } = self.asked;
        let awaits_more =
            !so_far.is_ended && so_far.fault.is_none() && self.most.is_none_or(|most| so_far.count < most);
        let gap_ns = at_ns.saturating_sub(so_far.latest_ns);
        let is_stall = awaits_more && so_far.count > 0 && gap_ns > self.stall_ns;
        if !(is_owed || is_stall) {
            return;
        }
        so_far.has_stalled |= is_stall;
        if is_in_cohort && awaits_more {
            match so_far.count {
                0 => self.record.first_event_time.record_at_least(at_ns.saturating_sub(intended_ns)),
                _ => self.record.event_gap.record_at_least(gap_ns),
            }
        }
        self.count(&so_far, false);
    }

    /// Counts a stream that has ended, if an event came of it.
    fn count(&mut self, so_far: &SoFar, is_broken_off: bool) {
        if self.asked.is_in_cohort && so_far.count > 0 {
            self.record.streams += 1;
            self.record.stalled += u64::from(so_far.has_stalled);
            self.record.broken_off += u64::from(is_broken_off);
        }
    }
}

impl Sequence {
    fn number(&self, event: &Event<'_>) -> Option<u64> {
        match &self.names {
            None => std::str::from_utf8(event.id).ok()?.parse().ok(),
            Some(names) => whole_number(event.data, names),
        }
    }
}

fn whole_number(data: &[u8], names: &[String]) -> Option<u64> {
    value_at(std::str::from_utf8(data).ok()?.trim(), names)?.parse().ok()
}

/// True if something stands there: a text that is not empty, or any value but null.
fn has_content(data: &[u8], names: &[String]) -> bool {
    let value = std::str::from_utf8(data).ok().and_then(|text| value_at(text.trim(), names));
    value.is_some_and(|value| !matches!(value, "" | "null" | "\"\""))
}

/// For people.
impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unfinished = |is_within_event: bool| match is_within_event {
            true => "; the last one has no blank line behind it",
            false => "",
        };
        match *self {
            Fault::TooLong => write!(formatter, "an event is longer than {} MiB", EVENT_BYTES_LIMIT >> 20),
            Fault::TooMany { most } => write!(formatter, "more than {most} events"),
            Fault::TooFew { count, least, is_within_event } => {
                write!(formatter, "{count} events, not {least}{}", unfinished(is_within_event))
            }
            Fault::Number { found: None, wanted } => {
                write!(formatter, "an event without the number {wanted}")
            }
            Fault::Number { found: Some(found), wanted } => {
                write!(formatter, "event {found} came where {wanted} was to come")
            }
            Fault::AfterEnd => formatter.write_str("an event came behind the last one"),
            Fault::NoEnd { is_within_event } => {
                write!(formatter, "the event that ends the stream is missing{}", unfinished(is_within_event))
            }
            Fault::NoTokens => formatter.write_str("no event says how many tokens there are"),
        }
    }
}
