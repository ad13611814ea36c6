//! Answers that are streams of events: when each event came.

use serde::{Deserialize, Serialize};

use super::Distribution;
use super::distribution::exact;

/// The events of one thread's answers, or of all: of a closed load those that came in the window, of an open load those
/// of the requests with an intended start in it.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct EventRecord {
    /// Events that came in the window, whatever the load.
    pub events: u64,
    /// By the answers of the window that say it; `None`: none is asked.
    pub tokens: Option<u64>,
    /// Answers of which an event came, and which have ended.
    pub streams: u64,
    /// Of these, with a gap that was too long.
    pub stalled: u64,
    /// Of these, without their end.
    pub broken_off: u64,
    /// From the intended start to the first event.
    #[serde(with = "exact")]
    pub first_event_time: Distribution,
    /// From one event to the next of the same answer.
    #[serde(with = "exact")]
    pub event_gap: Distribution,
}

/// The same, as a summary has it.
#[derive(Debug, Serialize)]
pub struct EventsWritten {
    events: u64,
    events_per_second: f64,
    tokens: Option<u64>,
    tokens_per_second: Option<f64>,
    streams: u64,
    stalled: u64,
    broken_off: u64,
    first_event_time: Distribution,
    event_gap: Distribution,
}

impl EventRecord {
    /// Adds another's.
    pub fn merge(&mut self, other: &EventRecord) {
        self.events += other.events;
        if let Some(added) = other.tokens {
            let tokens = self.tokens.get_or_insert_default();
            *tokens = tokens.saturating_add(added);
        }
        self.streams += other.streams;
        self.stalled += other.stalled;
        self.broken_off += other.broken_off;
        self.first_event_time.merge(&other.first_event_time);
        self.event_gap.merge(&other.event_gap);
    }

    /// As a summary has it.
    pub fn written(self, window_seconds: f64) -> EventsWritten {
        let EventRecord { events, tokens, streams, stalled, broken_off, first_event_time, event_gap } = self;
        let per_second = |count: u64| if window_seconds > 0.0 { count as f64 / window_seconds } else { 0.0 };
        EventsWritten {
            events,
            events_per_second: per_second(events),
            tokens,
            tokens_per_second: tokens.map(per_second),
            streams,
            stalled,
            broken_off,
            first_event_time,
            event_gap,
        }
    }
}
