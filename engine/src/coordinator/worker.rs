//! The threads that offer load.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::Context;

use super::{Between, Run};
use crate::driver::{Conversation, Driver, DriverUse, Kept, StopLine};
use crate::endpoint::Endpoint;
use crate::halt::Halt;
use crate::http2::Http2Conversation;
use crate::http3::Http3Conversation;
use crate::pipelining::PipelinedConversation;
use crate::plan::Stop;
use crate::processors;
use crate::record::Totals;
use crate::schedule::{Timeline, split};
use crate::session::{Ended, Session};
use crate::tls::{TlsClient, TlsConversation};
use crate::wait::Wait;
use crate::warm_up::Opening;
use crate::websocket::WebSocketConversation;

/// A thread that is ready and awaits its timeline.
pub(super) struct Worker {
    pub totals: Arc<Totals>,
    pub halt: Option<Arc<Halt>>,
    pub stop: Arc<StopLine>,
    pub begin: Sender<Timeline>,
    pub thread: JoinHandle<io::Result<(Ended, DriverUse, Kept)>>,
}

/// How a conversation's bytes go.
struct Wire<'w> {
    driver: Driver,
    endpoint: &'w Endpoint,
    stop: &'w StopLine,
    wait: Wait,
    tls: Option<Arc<TlsClient>>,
    kept: Kept,
}

impl Wire<'_> {
    /// Runs a conversation to its end on the calling thread.
    fn carry<C: Conversation<Outcome = Ended>>(
        self,
        conversation: C,
    ) -> io::Result<(Ended, DriverUse, Kept)> {
        let Wire { driver, endpoint, stop, wait, tls, mut kept } = self;
        let (ended, used) = match tls {
            None => driver.run(conversation, endpoint, stop, wait, &mut kept)?,
            Some(tls) => {
                driver.run(TlsConversation::new(conversation, tls), endpoint, stop, wait, &mut kept)?
            }
        };
        Ok((ended, used, kept))
    }
}

/// Starts the plan's threads and waits until all are ready. `all_ended` is pulled when the last one has ended.
///
/// `opening`: what decides that the window opens before its latest moment.
pub(super) fn start(
    run: &Run,
    all_ended: &Arc<StopLine>,
    opening: Option<&Arc<Opening>>,
    mut between: Option<&mut Between>,
) -> anyhow::Result<Vec<Worker>> {
    let connections = run.plan.load.connections();
    let threads = run.threads();
    let shares: Vec<Option<u64>> = match run.plan.stop() {
        Stop::Requests { requests } => split(requests, run.all_threads()).map(Some).collect(),
        Stop::Seconds { .. } => vec![None; run.all_threads() as usize],
    };
    let left = Arc::new(AtomicUsize::new(threads as usize));
    let (report_ready, ready) = channel();
    let mut workers = Vec::new();
    let own = split(u64::from(connections), run.all_threads()).skip(run.place(0)).take(threads as usize);
    for (number, connections) in own.enumerate() {
        let totals = Arc::new(Totals::default());
        let halt = run.halts().then(|| Arc::new(Halt::new(connections as usize)));
        let stop = Arc::new(StopLine::new().context("a wake-up for a load thread")?);
        let (begin, begun) = channel::<Timeline>();
        let cpu = run.plan.cpus.get(number % run.plan.cpus.len().max(1)).copied();
        let share = shares[run.place(number)];
        let parts = run.session_parts(
            number,
            connections,
            share,
            Arc::clone(&totals),
            halt.clone(),
            opening.map(Arc::clone),
        );
        let (driver, wait, endpoint, tls) =
            (run.driver, run.plan.wait, run.endpoint(number), run.tls.clone());
        let (http2, lanes, socket) = (run.plan.http2, run.plan.lanes() as usize, run.socket.clone());
        let quic = run.quic.clone();
        let kept = between.as_deref_mut().map_or_else(Kept::default, |between| between.take(number));
        let report_ready = report_ready.clone();
        let (pulled, left, all_ended) = (Arc::clone(&stop), Arc::clone(&left), Arc::clone(all_ended));
        let work = move || {
            let bound = cpu.map_or(Ok(()), |cpu| processors::bind(&[cpu]));
            let is_bound = bound.is_ok();
            let _ = report_ready.send(bound);
            let outcome = match begun.recv() {
                Ok(timeline) if is_bound => {
                    let session = Session::new(parts, timeline);
                    let is_tls = tls.is_some();
                    // QUIC has TLS inside.
                    let tls = tls.filter(|_| quic.is_none());
                    let wire = Wire { driver, endpoint: &endpoint, stop: &pulled, wait, tls, kept };
                    match (http2, quic, socket) {
                        (Some(_), ..) => {
                            wire.carry(Http2Conversation::new(session, lanes, is_tls, Arc::new(())))
                        }
                        (None, Some(quic), _) => {
                            wire.carry(Http3Conversation::new(session, lanes, is_tls, quic))
                        }
                        (None, None, Some(socket)) => {
                            wire.carry(WebSocketConversation::new(session, lanes, socket))
                        }
                        (None, None, None) if lanes > 1 => {
                            wire.carry(PipelinedConversation::new(session, lanes))
                        }
                        (None, None, None) => wire.carry(session),
                    }
                }
                _ => Err(io::Error::other("the run was not begun")),
            };
            if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                all_ended.pull();
            }
            outcome
        };
        let thread = thread::Builder::new()
            .name(format!("load-{number}"))
            .spawn(work)
            .context("a load thread cannot be started")?;
        workers.push(Worker { totals, halt, stop, begin, thread });
    }
    for _ in &workers {
        ready.recv().context("a load thread has ended early")?.context("a load thread")?;
    }
    Ok(workers)
}
