//! Whether an answer is the right stream of events. Each event is looked at when it has come, so that it has a time.

use crate::clock;
use crate::event_stream::{EVENT_BYTES_LIMIT, Event, EventParser, TooLong};
use crate::grpc::{self, MessageParser};
use crate::plan::{EventsPlan, FieldPlan};
use crate::record::EventRecord;

use super::message::{Compile, MessageBody};
use super::place::Place;
use super::sample::Sample;

/// What must be true of the events of the answers to one request, and what they came to in one thread.
#[derive(Debug)]
pub struct EventsExpectation {
    least: u64,
    most: Option<u64>,
    sequence: Option<Sequence>,
    content: Option<Place>,
    last: Option<String>,
    tokens: Option<Place>,
    /// `None`: events are server-sent.
    messages: Option<Messages>,
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
    /// What it asked for, as for [`super::Expectation::verify`].
    pub row: u64,
}

/// What stands in messages of gRPC.
#[derive(Debug)]
struct Messages {
    /// By place; the last one's is that of all further ones.
    wanted: Vec<MessageBody>,
    /// Answers whose messages are looked into.
    checked: Sample,
}

/// Where events have their numbers, and the first of these.
#[derive(Debug)]
struct Sequence {
    place: Place,
    first: u64,
}

/// What has come of one answer.
#[derive(Debug, Default)]
pub struct EventStream {
    parser: EventParser,
    messages: MessageParser,
    so_far: SoFar,
    /// What is wrong with the fields of a message.
    difference: String,
}

#[derive(Clone, Copy, Debug, Default)]
struct SoFar {
    /// Events that came, whether they count or not.
    heard: u64,
    /// Its messages are looked into.
    is_looked_into: bool,
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
    TooMany {
        most: u64,
    },
    TooFew {
        count: u64,
        least: u64,
        is_within_event: bool,
    },
    Number {
        found: Option<u64>,
        wanted: u64,
    },
    AfterEnd,
    NoEnd {
        is_within_event: bool,
    },
    NoTokens,
    Frame(grpc::Fault),
    /// The message at this place, from 1, has other fields than it must.
    Fields {
        place: u64,
    },
}

impl EventStream {
    /// Awaits a new answer.
    pub fn reset(&mut self) {
        self.parser.reset();
        self.messages.reset();
        self.difference.clear();
        self.so_far = SoFar::default();
    }

    /// Takes the next piece of the body.
    pub fn take(&mut self, mut piece: &[u8], expected: &mut EventsExpectation, now_ns: u64) {
        while self.so_far.fault.is_none() {
            let next = match &expected.messages {
                None => self.parser.next(&mut piece).map_err(|TooLong| Fault::TooLong),
                Some(_) => match self.messages.next(&mut piece) {
                    Ok(message) => Ok(message.map(|data| Event { data, id: b"" })),
                    Err(fault) => Err(Fault::Frame(fault)),
                },
            };
            let heard = match next {
                Ok(None) => return,
                Ok(Some(event)) => expected
                    .look_into(&event, &mut self.so_far, &mut self.difference)
                    .and_then(|()| expected.hear(&event, &mut self.so_far, now_ns)),
                Err(fault) => Err(fault),
            };
            self.so_far.fault = heard.err();
        }
    }
}

impl EventsExpectation {
    /// # Errors
    /// The key that does not fit and what is allowed.
    ///
    /// `check_every`: the messages of one answer in so many are looked into.
    pub(super) fn new(
        plan: &EventsPlan,
        check_every: u32,
        compile: Compile<'_>,
    ) -> Result<EventsExpectation, String> {
        let is_of_messages = plan.messages.is_some();
        let place = |key: &str, text: &Option<String>| {
            let named = |error| format!("expect.body.{key}: {error}");
            text.as_deref().map(|text| Place::new(text, is_of_messages).map_err(named)).transpose()
        };
        let tokens = place("tokens", &plan.tokens)?;
        let wanted = |plans: &Vec<Vec<FieldPlan>>| {
            plans.iter().map(|fields| MessageBody::new(fields, compile)).collect::<Result<Vec<_>, _>>()
        };
        let wanted = plan.messages.as_ref().map(wanted).transpose();
        let wanted = wanted.map_err(|text| format!("expect.body.messages: {text}"))?;
        Ok(EventsExpectation {
            least: plan.min,
            most: plan.max,
            sequence: place("sequence", &plan.sequence)?.map(|place| Sequence { place, first: plan.first }),
            content: place("content", &plan.content)?,
            last: plan.last.clone(),
            stall_ns: clock::from_seconds(plan.stall_seconds),
            asked: EventsAsked::default(),
            record: EventRecord { tokens: tokens.as_ref().map(|_| 0), ..EventRecord::default() },
            tokens,
            messages: wanted.map(|wanted| Messages { wanted, checked: Sample::new(check_every) }),
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

    /// Counts an event that has come, and compares its fields if it is a message.
    fn look_into(
        &mut self,
        event: &Event<'_>,
        so_far: &mut SoFar,
        difference: &mut String,
    ) -> Result<(), Fault> {
        let place = so_far.heard;
        so_far.heard += 1;
        let Some(Messages { wanted, checked }) = &mut self.messages else { return Ok(()) };
        if place == 0 {
            so_far.is_looked_into = checked.is_due();
        }
        // One message too many is told as such.
        let is_looked_into = so_far.is_looked_into && self.most.is_none_or(|most| place < most);
        let wanted = usize::try_from(place).ok().and_then(|place| wanted.get(place)).or(wanted.last());
        match wanted.filter(|_| is_looked_into).map(|wanted| wanted.check(event.data, self.asked.row)) {
            Some(Err(text)) => {
                *difference = text;
                Err(Fault::Fields { place: place + 1 })
            }
            _ => Ok(()),
        }
    }

    /// An event has come that is what it must be in itself.
    fn hear(&mut self, event: &Event<'_>, so_far: &mut SoFar, now_ns: u64) -> Result<(), Fault> {
        if so_far.is_ended {
            return Err(Fault::AfterEnd);
        }
        if self.last.as_ref().is_some_and(|last| last.as_bytes() == event.data) {
            so_far.is_ended = true;
            return Ok(());
        }
        let counts = self.content.as_ref().is_none_or(|place| place.has_content(event));
        if let Some(tokens) = self.tokens.as_ref().and_then(|place| place.number(event)) {
            so_far.tokens = Some(tokens);
        }
        if !counts {
            return Ok(());
        }
        if let Some(most) = self.most.filter(|&most| so_far.count >= most) {
            return Err(Fault::TooMany { most });
        }
        if let Some(sequence) = &self.sequence {
            let (found, wanted) = (sequence.place.number(event), sequence.first.saturating_add(so_far.count));
            if found != Some(wanted) {
                return Err(Fault::Number { found, wanted });
            }
        }
        self.time(so_far, now_ns);
        Ok(())
    }

    fn time(&mut self, so_far: &mut SoFar, now_ns: u64) {
        let EventsAsked { intended_ns, is_in_cohort, is_in_window, .. } = self.asked;
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

    /// Counts a complete answer that ended otherwise than with all its events. `is_wrong`: it was not to end so.
    pub(super) fn ended_early(&mut self, stream: Option<&EventStream>, is_wrong: bool) {
        let so_far = stream.map(|stream| stream.so_far).unwrap_or_default();
        self.count(&so_far, is_wrong);
    }

    /// What is wrong with an answer that is complete.
    pub(super) fn difference(&self, stream: Option<&EventStream>) -> Option<String> {
        Some(match (self.fault(stream)?, stream) {
            (Fault::Fields { place }, Some(stream)) => format!("message {place}: {}", stream.difference),
            (fault, _) => fault.words(self.messages.is_some()),
        })
    }

    /// True if an answer was compared as a whole.
    pub(super) fn is_checked(&self, stream: Option<&EventStream>) -> bool {
        self.messages.is_none() || stream.is_some_and(|stream| stream.so_far.is_looked_into)
    }

    /// How many messages had come of a call that ended wrongly.
    pub(super) fn came(&self, stream: Option<&EventStream>) -> String {
        count_of(stream.map_or(0, |stream| stream.so_far.heard), self.messages.is_some())
    }

    fn fault(&self, stream: Option<&EventStream>) -> Option<Fault> {
        let SoFar { count, tokens, is_ended, fault, .. } =
            stream.map(|stream| stream.so_far).unwrap_or_default();
        let is_within_event = stream.is_some_and(|stream| stream.parser.is_within_event());
        let cut = stream.and_then(|stream| stream.messages.unfinished());
        let at_end = || match () {
            () if cut.is_some() => cut.map(Fault::Frame),
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

/// "3 messages".
fn count_of(count: u64, are_messages: bool) -> String {
    format!("{count} {}s", noun(are_messages))
}

fn noun(are_messages: bool) -> &'static str {
    if are_messages { "message" } else { "event" }
}

impl Fault {
    /// For people. `are_messages`: what events are.
    fn words(self, are_messages: bool) -> String {
        let (noun, article) = (noun(are_messages), if are_messages { "a" } else { "an" });
        let unfinished = |is_within_event: bool| match is_within_event {
            true => "; the last one has no blank line behind it",
            false => "",
        };
        match self {
            Fault::TooLong => format!("an event is longer than {} MiB", EVENT_BYTES_LIMIT >> 20),
            Fault::TooMany { most } => format!("more than {}", count_of(most, are_messages)),
            Fault::TooFew { count, least, is_within_event } => {
                format!("{}, not {least}{}", count_of(count, are_messages), unfinished(is_within_event))
            }
            Fault::Number { found: None, wanted } => format!("{article} {noun} without the number {wanted}"),
            Fault::Number { found: Some(found), wanted } => {
                format!("{noun} {found} came where {wanted} was to come")
            }
            Fault::AfterEnd => "an event came behind the last one".to_owned(),
            Fault::NoEnd { is_within_event } => {
                format!("the event that ends the stream is missing{}", unfinished(is_within_event))
            }
            Fault::NoTokens => format!("no {noun} says how many tokens there are"),
            Fault::Frame(fault) => fault.to_string(),
            Fault::Fields { place } => format!("message {place} has other fields"),
        }
    }
}
