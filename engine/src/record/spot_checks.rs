//! Counts of requests beside the mix.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ErrorKind, ExchangeTimes, example};

/// What became of one.
#[derive(Debug, Deserialize, Serialize)]
pub struct SpotCheckOutcome {
    /// Its place among the requests.
    request: usize,
    /// Its end is that of its answer, or of its connection.
    times: ExchangeTimes,
    /// `None`: the answer was right.
    error: Option<Cow<'static, str>>,
    /// `None`: there was no answer.
    status: Option<u16>,
    excerpt: String,
    /// What is wrong with it, where more than the kind can be told.
    reason: Option<String>,
}

/// As a summary holds it.
#[derive(Debug, Serialize)]
pub struct SpotCheckWritten {
    name: String,
    sent_seconds: f64,
    seconds: f64,
    error: Option<Cow<'static, str>>,
    status: Option<u16>,
    excerpt: String,
    reason: Option<String>,
}

impl SpotCheckOutcome {
    /// One without an answer so far.
    ///
    /// `error`: `None` if its answer is right.
    pub fn of(request: usize, times: ExchangeTimes, error: Option<ErrorKind>) -> SpotCheckOutcome {
        let (excerpt, error) = (String::new(), error.map(|kind| kind.name().into()));
        SpotCheckOutcome { request, times, error, status: None, excerpt, reason: None }
    }

    /// The same with the answer that came; `reason`: what is wrong with it.
    pub fn answered(self, status: u16, body: &[u8], reason: Option<String>) -> SpotCheckOutcome {
        let reason = reason.map(example::shortened);
        SpotCheckOutcome { status: Some(status), excerpt: example::excerpt(body), reason, ..self }
    }

    /// Its texts are shown as `hide` gives them.
    pub fn hide(&mut self, hide: impl Fn(&str) -> String) {
        self.excerpt = hide(&self.excerpt);
        self.reason = self.reason.as_deref().map(hide);
    }

    /// The same with its moments counted from `opened_ns`.
    pub(super) fn since(&mut self, opened_ns: u64) {
        for at_ns in [
            &mut self.times.intended_ns,
            &mut self.times.sent_ns,
            &mut self.times.first_byte_ns,
            &mut self.times.done_ns,
        ] {
            *at_ns = at_ns.saturating_sub(opened_ns);
        }
    }

    /// When it was due, on the run's clock.
    pub(super) fn intended_ns(&self) -> u64 {
        self.times.intended_ns
    }

    /// `requests`: their names, by place; `opened_ns`: the window's opening, on the run's clock.
    pub fn written(&self, requests: &[String], opened_ns: u64) -> SpotCheckWritten {
        let ExchangeTimes { intended_ns, done_ns, .. } = self.times;
        SpotCheckWritten {
            name: requests[self.request].clone(),
            sent_seconds: intended_ns.saturating_sub(opened_ns) as f64 / 1e9,
            seconds: done_ns.saturating_sub(intended_ns) as f64 / 1e9,
            error: self.error.clone(),
            status: self.status,
            excerpt: self.excerpt.clone(),
            reason: self.reason.clone(),
        }
    }
}
