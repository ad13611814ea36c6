//! The main thread of a run: starts the threads that offer load, says what happens when, and sums up.

mod between;
mod prepare;
mod warming;
mod watch;
mod worker;

use std::fmt;
use std::sync::Arc;

use anyhow::{Context, anyhow};

pub use between::Between;
pub use prepare::Run;
use warming::Warming;
use watch::Watch;
use worker::Worker;

use crate::clock::{self, now_ns};
use crate::driver::{Kept, StopLine};
use crate::events::{Event, emit};
use crate::hold::Hold;
use crate::parent::ParentWatch;
use crate::plan::{PartPlan, Stop};
use crate::record::{Books, Part, Record, Summary, ThreadUse, WindowAccount, WindowFacts};
use crate::schedule::Timeline;
use crate::signals::Signals;
use crate::warm_up::Opening;

/// A request needed a row of a table whose rows are taken once, and there was none left. The run has ended without a
/// summary: what it measured is not what the plan asked for.
#[derive(Debug)]
pub struct RowsRanOut(String);

impl fmt::Display for RowsRanOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for RowsRanOut {}

impl Run {
    /// Runs to the end, or until a signal comes or the parent dies; false if so. `hold`: it begins when that says so.
    /// `between`: where connections come from, and are left; `None`: the engine ends with this run.
    ///
    /// # Errors
    /// If the threads cannot be started, if nobody reads standard output any more, if nobody says when to begin, or
    /// [`RowsRanOut`].
    pub fn run(
        self,
        signals: &mut Signals,
        parent: Option<&ParentWatch>,
        mut hold: Option<Hold>,
        mut between: Option<&mut Between>,
    ) -> anyhow::Result<bool> {
        let all_ended = Arc::new(StopLine::new()?);
        let rule = self.plan.warm_up();
        let opening = rule.map(|_| Arc::<Opening>::default());
        let workers = worker::start(&self, &all_ended, opening.as_ref(), between.as_deref_mut())?;
        let begins_ns = match &mut hold {
            Some(hold) => {
                emit(&Event::Ready)?;
                let begins_ns = hold.await_go(signals, parent)?;
                begins_ns.ok_or_else(|| anyhow!("ended while it was held; nothing was sent"))?
            }
            None => now_ns(),
        };
        if let Some(routes) = self.routes.as_ref().filter(|routes| routes.are_crowded()) {
            emit(&Event::Crowded(routes))?;
        }
        let starts_ns = begins_ns + self.lead_ns();
        let longest_seconds = rule.map_or(self.plan.warmup_seconds, |rule| rule.limit_seconds);
        let opens_ns = starts_ns + clock::from_seconds(longest_seconds);
        let closes_ns = match self.plan.stop() {
            Stop::Seconds { seconds } => Some(opens_ns + clock::from_seconds(seconds)),
            Stop::Requests { .. } => None,
        };
        let timeline = Timeline { starts_ns, opens_ns, closes_ns };
        for worker in &workers {
            worker.begin.send(timeline).map_err(|_| anyhow!("a load thread has ended early"))?;
        }
        let progress_every_ns = clock::from_seconds(self.plan.progress_every_seconds);
        // Engines that share a load open their windows together.
        let others = hold.filter(|_| self.plan.part.is_some());
        let warming = rule.zip(opening).map(|(rule, opening)| Warming::new(rule, opening, others));
        let mut watch = Watch::new(timeline, progress_every_ns, warming);
        let watched = watch.run(&workers, &all_ended, signals, parent);
        for worker in &workers {
            worker.stop.pull();
        }
        let interrupted = watched?;
        self.sum_up(workers, interrupted, &mut watch, between)?;
        Ok(!interrupted)
    }

    fn sum_up(
        &self,
        workers: Vec<Worker>,
        interrupted: bool,
        watch: &mut Watch,
        between: Option<&mut Between>,
    ) -> anyhow::Result<()> {
        let timeline = watch.timeline();
        let (mut outcomes, mut kept) = (Vec::new(), Vec::<Kept>::new());
        let (mut run_verified, mut run_errors) = (0, 0);
        for worker in workers {
            let joined = worker.thread.join().map_err(|_| anyhow!("a load thread has panicked"))?;
            let (ended, used, left) = joined.context(self.driver.name())?;
            outcomes.push((ended, used));
            kept.push(left);
            let (verified, errors) = worker.totals.read();
            run_verified += verified;
            run_errors += errors;
        }
        if let Some(text) = self.ran_out() {
            return Err(RowsRanOut(text).into());
        }
        watch.close_window()?;
        let found = between.as_deref().and_then(Between::found);
        if let Some(between) = between {
            between.put(kept);
        }
        let ended_ns = outcomes.iter().map(|(ended, _)| ended.at_ns).max().unwrap_or(timeline.opens_ns);
        let oldest_ns = outcomes.iter().filter_map(|(ended, _)| ended.oldest_intended_ns).min();
        let wire = self.tls.as_ref().map(|tls| tls.wire_use());
        let account = WindowAccount {
            driver: self.driver.name().into(),
            driver_fallback: self.driver_fallback.clone(),
            wait: self.plan.wait,
            routes: self.routes.clone(),
            tls: self.tls.as_ref().and_then(|tls| tls.facts()),
            handshakes: wire.map(|wire| wire.handshakes),
            older_connections: found,
            interrupted,
            window_seconds: clock::seconds(ended_ns.saturating_sub(timeline.opens_ns)),
            warmup_seconds: clock::seconds(
                timeline.opens_ns.min(ended_ns).saturating_sub(timeline.starts_ns),
            ),
            warm_up: watch.warm_up(),
            books: outcomes.iter().map(|(ended, _)| ended.books).fold(Books::default(), Books::plus),
            oldest_in_flight_seconds: oldest_ns
                .map(|oldest_ns| clock::seconds(ended_ns.saturating_sub(oldest_ns))),
            run_verified,
            run_errors,
            rows_used: self.used_rows(),
            think_seconds: self.think_seconds(),
            threads: outcomes
                .iter()
                .map(|(_, used)| ThreadUse {
                    cpu_seconds: clock::seconds(used.cpu_ns),
                    user_seconds: clock::seconds(used.user_ns),
                    system_seconds: clock::seconds(used.system_ns),
                    spinning_seconds: clock::seconds(used.spinning_ns),
                })
                .collect(),
        };
        let facts = WindowFacts {
            account,
            // Of datagrams, the counters have all bytes.
            wire_bytes: wire
                .filter(|_| self.quic.is_none())
                .map(|wire| (wire.received_bytes, wire.sent_bytes)),
            requests: self.plan.requests.iter().map(|request| request.name.clone()).collect(),
            begun_numbers: self.begun_numbers(),
            opened_ns: timeline.opens_ns,
            drain_seconds: clock::seconds(
                outcomes.iter().map(|(ended, _)| ended.drained_ns).max().unwrap_or(0),
            ),
        };
        let mut records = outcomes.into_iter().map(|(ended, _)| ended.record);
        let mut record: Record = records.next().context("a run has at least one thread")?;
        records.for_each(|other| record.merge(other));
        for (request, body) in record.kept.bodies() {
            let text = std::str::from_utf8(&body.bytes).ok();
            let request = &self.plan.requests[request].name;
            emit(&Event::Body { request, status: body.status, times: body.times, text })?;
        }
        let (record, facts) = if let Some(PartPlan { number, of }) = self.plan.part {
            let opened_unix_ns = (clock::real_time_ns() + timeline.opens_ns).saturating_sub(now_ns());
            let part = Part::new(number, of, clock::seconds(opened_unix_ns), record, facts)
                .tallied_by(self.plan.dataset.clone().filter(|_| self.tallied_dataset().is_some()));
            emit(&Event::Part(&part))?;
            part.alone()
        } else {
            (record, facts)
        };
        let summary = Summary::new(record, facts, self.tallied_dataset());
        emit(&Event::Summary(&summary))?;
        Ok(())
    }
}
