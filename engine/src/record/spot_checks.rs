//! What became of requests beside the mix.

use serde::Serialize;

use super::{EXCERPT_BYTES, ErrorKind, ExchangeTimes};

/// What became of one.
#[derive(Debug)]
pub struct SpotCheckOutcome {
    /// Its place among the requests.
    pub request: usize,
    /// Its end is that of its answer, or of its connection.
    pub times: ExchangeTimes,
    /// `None`: the answer was right.
    pub error: Option<ErrorKind>,
    /// `None`: there was no answer.
    pub status: Option<u16>,
    /// Of the answer; its beginning is kept.
    pub body: Vec<u8>,
    /// What is wrong with it, where more than the kind can be told.
    pub reason: Option<String>,
}

/// As a summary holds it.
#[derive(Debug, Serialize)]
pub struct SpotCheckWritten {
    name: String,
    sent_seconds: f64,
    seconds: f64,
    error: Option<&'static str>,
    status: Option<u16>,
    excerpt: String,
    reason: Option<String>,
}

impl SpotCheckOutcome {
    /// One without an answer so far.
    pub fn of(request: usize, times: ExchangeTimes) -> SpotCheckOutcome {
        SpotCheckOutcome { request, times, error: None, status: None, body: Vec::new(), reason: None }
    }

    /// The same with no more of the answer than a record keeps.
    pub(super) fn shortened(mut self) -> SpotCheckOutcome {
        self.body.truncate(EXCERPT_BYTES);
        self.body.shrink_to_fit();
        self.reason = self.reason.map(|text| text.chars().take(EXCERPT_BYTES).collect());
        self
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
            error: self.error.map(ErrorKind::name),
            status: self.status,
            excerpt: String::from_utf8_lossy(&self.body).into_owned(),
            reason: self.reason.clone(),
        }
    }
}
