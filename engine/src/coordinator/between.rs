//! What one plan leaves to the next one that the same engine carries out.

use crate::driver::Kept;
use crate::plan::Plan;
use crate::record::KeptConnections;

/// The connections that are open between two plans.
#[derive(Debug, Default)]
pub struct Between {
    /// By thread.
    threads: Vec<Kept>,
    /// Of which load they are, in words; of another one, none is taken over.
    of_load: String,
    /// As the plan that has begun found them; `None` for the first.
    found: Option<KeptConnections>,
}

impl Between {
    /// Looks at what there is for a plan that begins, and sets how long the plan warms up with it.
    pub fn find_for(&mut self, plan: &mut Plan) {
        let of_load = format!(
            "{:?}",
            (
                (&plan.address, &plan.other_addresses, plan.threads, plan.load.connections(), plan.lanes()),
                (plan.tls.is_some(), plan.streams(), plan.websocket.is_some())
            )
        );
        let is_first = self.of_load.is_empty();
        if of_load != self.of_load {
            *self = Between { of_load, ..Between::default() };
        }
        let mut found = KeptConnections::default();
        for kept in &mut self.threads {
            let (open, closes) = kept.close_lost();
            found = found.plus(KeptConnections { open, closes });
        }
        self.found = (!is_first).then_some(found);
        if let Some(seconds) = plan.kept_warmup_seconds
            && found.open == u64::from(plan.load.connections())
        {
            (plan.warmup_seconds, plan.warmup_limit_seconds) = (seconds, None);
        }
    }

    pub(super) fn found(&self) -> Option<KeptConnections> {
        self.found
    }

    /// Those of a thread.
    pub(super) fn take(&mut self, thread: usize) -> Kept {
        self.threads.get_mut(thread).map_or_else(Kept::between_runs, std::mem::take)
    }

    /// All threads have ended, and left these.
    pub(super) fn put(&mut self, threads: Vec<Kept>) {
        self.threads = threads;
    }
}
