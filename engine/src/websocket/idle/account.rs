//! What became of idle connections.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::clock;
use crate::driver::Failure;

/// When an account is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IdleState {
    /// Each connection was tried once.
    Opened,
    /// Somebody asked.
    Counted,
    /// They are to be closed now.
    Ended,
}

/// Connections that were lost, or not opened, for one reason.
#[derive(Clone, Debug, Serialize)]
pub struct Loss {
    number: u64,
    /// Since the first connect began, as all times here.
    first_seconds: f64,
    last_seconds: f64,
    /// In words, of the first.
    example: String,
}

/// What became of idle connections so far.
#[derive(Clone, Debug, Default, Serialize)]
pub struct IdleAccount {
    /// That the plan asks for.
    pub asked: u64,
    /// Whose handshake was answered.
    pub opened: u64,
    /// That are open now.
    pub open: u64,
    /// Until each was open or had failed; until now while they are being opened.
    pub opening_seconds: f64,
    /// Pings of the server, each of which was answered.
    pub pings: u64,
    /// Messages of the server, which are not looked at.
    pub messages: u64,
    /// By cause, those that were not opened.
    pub failed: BTreeMap<&'static str, Loss>,
    /// By cause, those that were open.
    pub lost: BTreeMap<&'static str, Loss>,
}

impl IdleAccount {
    /// Counts a connection that could not be opened, or was lost, so long after the first connect began.
    pub(super) fn ends(&mut self, was_open: bool, failure: Failure, after_ns: u64) {
        let seconds = clock::seconds(after_ns);
        let Failure { kind, explanation, cause } = failure;
        let losses = if was_open { &mut self.lost } else { &mut self.failed };
        self.open -= u64::from(was_open);
        let loss = losses.entry(cause.unwrap_or_else(|| kind.name())).or_insert_with(|| Loss {
            number: 0,
            first_seconds: seconds,
            last_seconds: seconds,
            example: explanation.into_owned(),
        });
        loss.number += 1;
        loss.last_seconds = seconds;
    }
}
