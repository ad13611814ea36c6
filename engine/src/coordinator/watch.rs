//! The events that the coordinator writes while the threads work.

use std::io;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::Worker;
use super::warming::Warming;
use crate::clock::{now_ns, seconds, timespec};
use crate::driver::StopLine;
use crate::events::{Event, ProgressPhase, WindowState, emit};
use crate::halt::Halt;
use crate::parent::{PARENT_SIGNAL, ParentWatch};
use crate::record::LatestTimes;
use crate::schedule::Timeline;
use crate::signals::{SIGUSR1, SIGUSR2, Signals};
use crate::warm_up::WarmUpWritten;

/// Follows a run on the clock.
pub(super) struct Watch {
    /// Until it is decided when the window opens, with the latest moment.
    timeline: Timeline,
    /// `None`: the warm-up's length was given.
    warming: Option<Warming>,
    progress_every_ns: u64,
    next_progress_ns: u64,
    last_progress_ns: u64,
    last_verified: u64,
    /// Totals when the window opened.
    before_window: (u64, u64),
    window: WindowSaid,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WindowSaid {
    Nothing,
    Opened,
    Closed,
}

impl Watch {
    /// `progress_every_ns` 0: no progress events.
    pub(super) fn new(timeline: Timeline, progress_every_ns: u64, warming: Option<Warming>) -> Watch {
        let next_progress_ns = match progress_every_ns {
            0 => u64::MAX,
            every_ns => timeline.starts_ns + every_ns,
        };
        Watch {
            timeline,
            warming,
            progress_every_ns,
            next_progress_ns,
            last_progress_ns: timeline.starts_ns,
            last_verified: 0,
            before_window: (0, 0),
            window: WindowSaid::Nothing,
        }
    }

    /// Returns when all threads have ended, or true when the run is to be ended early.
    pub(super) fn run(
        &mut self,
        workers: &[Worker],
        all_ended: &StopLine,
        signals: &mut Signals,
        parent: Option<&ParentWatch>,
    ) -> io::Result<bool> {
        loop {
            let now = now_ns();
            self.say_what_is_due(now, workers)?;
            if all_ended.is_pulled() {
                return Ok(false);
            }
            let wait = timespec(self.next_ns().saturating_sub(now));
            let stdin = io::stdin();
            let mut polled = vec![
                PollFd::from_borrowed_fd(signals.wake_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(all_ended.wake_fd(), PollFlags::IN),
            ];
            if self.awaits_others() {
                polled.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
            }
            match poll(&mut polled, Some(&wait)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if polled.get(2).is_some_and(|stdin| !stdin.revents().is_empty()) {
                self.hear_others();
            }
            for signal in signals.take() {
                let halts = workers.iter().filter_map(|worker| worker.halt.as_deref());
                match signal {
                    SIGUSR1 => {
                        halts.for_each(Halt::begin_or_end);
                        continue;
                    }
                    SIGUSR2 => {
                        halts.for_each(Halt::next_stage);
                        continue;
                    }
                    _ => {}
                }
                if signal != PARENT_SIGNAL || parent.is_some_and(ParentWatch::is_gone) {
                    return Ok(true);
                }
            }
        }
    }

    fn awaits_others(&self) -> bool {
        self.window == WindowSaid::Nothing && self.warming.as_ref().is_some_and(Warming::awaits_others)
    }

    fn hear_others(&mut self) {
        let Timeline { starts_ns, .. } = self.timeline;
        if let Some(at_ns) = self.warming.as_mut().and_then(|warming| warming.hear(starts_ns)) {
            self.open_at(starts_ns + at_ns);
        }
    }

    fn open_at(&mut self, opens_ns: u64) {
        self.timeline = self.timeline.opening_at(opens_ns.min(self.timeline.opens_ns));
    }

    /// With the window's opening as it was decided.
    pub(super) fn timeline(&self) -> Timeline {
        self.timeline
    }

    /// How the warm-up went; `None` if its length was given.
    pub(super) fn warm_up(&self) -> Option<WarmUpWritten> {
        self.warming.as_ref().map(Warming::written)
    }

    /// Says that the window has closed, if it is open.
    pub(super) fn close_window(&mut self) -> io::Result<()> {
        if self.window != WindowSaid::Opened {
            return Ok(());
        }
        self.window = WindowSaid::Closed;
        self.say_window(WindowState::Closed)
    }

    fn next_ns(&self) -> u64 {
        let boundary_ns = match self.window {
            WindowSaid::Nothing => {
                let sample_ns = self.warming.as_ref().map_or(u64::MAX, Warming::next_ns);
                self.timeline.opens_ns.min(self.timeline.starts_ns.saturating_add(sample_ns))
            }
            WindowSaid::Opened => self.timeline.closes_ns.unwrap_or(u64::MAX),
            WindowSaid::Closed => return u64::MAX,
        };
        boundary_ns.min(self.next_progress_ns)
    }

    fn say_what_is_due(&mut self, now: u64, workers: &[Worker]) -> io::Result<()> {
        if self.window == WindowSaid::Nothing {
            self.look_at_warm_up(now, workers)?;
        }
        if self.window == WindowSaid::Nothing && now >= self.timeline.opens_ns {
            self.window = WindowSaid::Opened;
            self.say_window(WindowState::Opened)?;
            self.before_window = totals(workers);
            (self.last_progress_ns, self.last_verified) = (now, 0);
            if self.progress_every_ns > 0 {
                self.next_progress_ns = now + self.progress_every_ns;
            }
        }
        if self.timeline.closes_ns.is_some_and(|closes_ns| now >= closes_ns) {
            self.close_window()?;
        }
        if now >= self.next_progress_ns && self.window != WindowSaid::Closed {
            self.say_progress(now, workers)?;
        }
        Ok(())
    }

    fn look_at_warm_up(&mut self, now: u64, workers: &[Worker]) -> io::Result<()> {
        let Timeline { starts_ns, opens_ns, .. } = self.timeline;
        let Some(warming) = &mut self.warming else { return Ok(()) };
        if now >= opens_ns {
            warming.close(now - starts_ns, workers);
        } else if let Some(at_ns) = warming.look(now.saturating_sub(starts_ns), workers)? {
            self.open_at(starts_ns + at_ns);
        } else if self.awaits_others() && self.warming.as_ref().is_some_and(Warming::was_said) {
            self.hear_others();
        }
        Ok(())
    }

    fn say_window(&self, state: WindowState) -> io::Result<()> {
        emit(&Event::Window { state, elapsed_seconds: seconds(now_ns() - self.timeline.starts_ns) })
    }

    fn say_progress(&mut self, now: u64, workers: &[Worker]) -> io::Result<()> {
        let (verified, errors) = totals(workers);
        let latest = workers.iter().map(|worker| &worker.totals.latest);
        let times = LatestTimes::of(latest, now.saturating_sub(self.timeline.opens_ns));
        let verified = verified - self.before_window.0;
        let errors = errors - self.before_window.1;
        let since_last = seconds((now - self.last_progress_ns).max(1));
        let phase = match self.window {
            WindowSaid::Nothing => ProgressPhase::Warmup,
            _ => ProgressPhase::Window,
        };
        emit(&Event::Progress {
            elapsed_seconds: seconds(now - self.timeline.starts_ns),
            phase,
            verified,
            errors,
            verified_per_second: (verified - self.last_verified) as f64 / since_last,
            p50_seconds: times.p50_seconds,
            p99_seconds: times.p99_seconds,
            rise: match phase {
                ProgressPhase::Warmup => self.warming.as_ref().and_then(Warming::rise),
                ProgressPhase::Window => None,
            },
            halt: workers
                .iter()
                .filter_map(|worker| worker.halt.as_deref())
                .fold(None, |released, halt| halt.add_to(released)),
        })?;
        (self.last_progress_ns, self.last_verified) = (now, verified);
        while self.next_progress_ns <= now {
            self.next_progress_ns += self.progress_every_ns;
        }
        Ok(())
    }
}

fn totals(workers: &[Worker]) -> (u64, u64) {
    workers
        .iter()
        .map(|worker| worker.totals.read())
        .fold((0, 0), |sum, (verified, errors)| (sum.0 + verified, sum.1 + errors))
}
