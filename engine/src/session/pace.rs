//! The trigger by which requests begin: an answer, or the clock.

use std::collections::VecDeque;

use super::free::FreeConnections;
use crate::record::WaitingRequests;
use crate::schedule::{Arrivals, ThinkTimes, Thinking};

/// What a session's requests follow, as it is planned.
#[derive(Debug)]
pub enum PacePlan {
    /// The answers.
    Closed {
        /// From an answer to the next request's intended start.
        think_times: ThinkTimes,
    },
    /// A schedule of their own.
    Open {
        /// This thread's share of it.
        arrivals: Arrivals,
        /// Requests that may wait for a free connection.
        waiting_limit: usize,
        /// From an answer to the next step of its journey.
        think_times: ThinkTimes,
    },
}

#[derive(Debug)]
pub(super) enum Pace {
    Closed(Thinking),
    Open(OpenPace),
}

#[derive(Debug)]
pub(super) struct OpenPace {
    pub arrivals: Arrivals,
    pub waiting: Waiting,
    /// As long as requests wait, no connection is free.
    pub free: FreeConnections,
    /// Users between two steps of their journeys.
    pub thinking: Box<Thinking>,
}

impl Pace {
    pub(super) fn new(plan: PacePlan, connections: usize) -> Pace {
        match plan {
            PacePlan::Closed { think_times } => Pace::Closed(Thinking::new(think_times)),
            PacePlan::Open { arrivals, waiting_limit, think_times } => Pace::Open(OpenPace {
                arrivals,
                waiting: Waiting::new(waiting_limit),
                free: FreeConnections::new(connections),
                thinking: Box::new(Thinking::new(think_times)),
            }),
        }
    }

    /// The next moment at which a request begins by the clock; `u64::MAX` if none does.
    #[inline]
    pub(super) fn next_ns(&self) -> u64 {
        match self {
            Pace::Closed(thinking) => thinking.next_ns(),
            Pace::Open(open) => open.arrivals.next_ns().min(open.thinking.next_ns()),
        }
    }

    /// Users who think, between two requests or two steps of a journey.
    pub(super) fn thinking(&mut self) -> &mut Thinking {
        match self {
            Pace::Closed(thinking) => thinking,
            Pace::Open(open) => &mut open.thinking,
        }
    }

    /// True if the clock makes requests begin.
    pub(super) fn is_by_the_clock(&self) -> bool {
        match self {
            Pace::Closed(thinking) => thinking.is_needed(),
            Pace::Open(_) => true,
        }
    }
}

/// Room for intended starts that is there from the begin.
const RESERVED: usize = 100_000;

/// Intended starts that have come and wait for a free connection, first come, first served.
#[derive(Debug)]
pub(super) struct Waiting {
    intended_ns: VecDeque<u64>,
    limit: usize,
    peak: usize,
}

impl Waiting {
    fn new(limit: usize) -> Waiting {
        Waiting { intended_ns: VecDeque::with_capacity(limit.min(RESERVED)), limit, peak: 0 }
    }

    /// False if there is no room. As many as there are `free_connections` wait for somebody to look, and for no
    /// connection: they are not in the peak.
    pub(super) fn put(&mut self, intended_ns: u64, free_connections: usize) -> bool {
        if self.intended_ns.len() >= self.limit {
            return false;
        }
        self.intended_ns.push_back(intended_ns);
        self.peak = self.peak.max(self.intended_ns.len().saturating_sub(free_connections));
        true
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<u64> {
        self.intended_ns.pop_front()
    }

    /// Those that wait, the earliest first.
    pub(super) fn intended_ns(&self) -> impl Iterator<Item = u64> {
        self.intended_ns.iter().copied()
    }

    /// The earliest intended start.
    pub(super) fn oldest_ns(&self) -> Option<u64> {
        self.intended_ns.front().copied()
    }

    /// From now on the peak is the window's.
    pub(super) fn open_window(&mut self) {
        self.peak = self.intended_ns.len();
    }

    pub(super) fn conclude(&self) -> WaitingRequests {
        let [limit, peak, at_end] = [self.limit, self.peak, self.intended_ns.len()].map(|count| count as u64);
        WaitingRequests { limit, peak, at_end }
    }
}
