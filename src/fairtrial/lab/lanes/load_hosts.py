"""The hosts that the load of a lane comes from, as the lane's lab sees them."""

from collections.abc import Sequence
from dataclasses import replace

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.engine import RemoteEngine, process_of, remote_engine
from fairtrial.cluster.joint import JointEngines
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import EngineProcess, EngineStart
from fairtrial.lab.lanes.remote_host import assert_answers
from fairtrial.lab.placement import TrialHosts
from fairtrial.record.load_hosts import LoadHostAccount

PROGRESS_SECONDS = 1.0
"""How often an engine tells how far it is. Its worker only keeps that."""
LATE_SECONDS = 2.0
"""Events pass the scheduler, and are fetched then: milliseconds, on a busy machine a second and more."""
QUIET_SECONDS = 10.0
"""How often the lab takes it while a load is measured, which takes the worker some 8 ms: less than a thousandth of the
time. For so long, a stack that has ended may go unnoticed. The end of a window is told at once."""


class LoadHosts:
    """The hosts of a cluster that the load of a lane, or of `fairtrial load`, comes from: several share each load."""

    def __init__(self, engines: Sequence[RemoteEngine], quiet_seconds: float = QUIET_SECONDS) -> None:
        """So many of them as there are engines.

        Args:
            quiet_seconds: for so long an engine's events are left with its worker.
        """
        self._engines, self._quiet_seconds = engines, quiet_seconds
        self._joint: JointEngines | None = None
        """the engines of the last load, if they were several"""
        self._clocks: list[ClockOffset] = []
        self._clocks_of_run: list[ClockOffset] = []

    def with_loads(self, trial_hosts: TrialHosts) -> TrialHosts:
        """Hosts of trials whose load comes from these hosts."""
        return replace(
            trial_hosts,
            start=self.start,
            start_on=self.start_on,
            load_hosts=self._accounts,
            progress_every_seconds=PROGRESS_SECONDS,
            events_late_seconds=LATE_SECONDS,
            engine_clock=self.clock,
        )

    def start(self, plan: EnginePlan) -> EngineProcess:
        """Start an engine on each host, which share a plan: its `cpus` and `threads` are those of all.

        Raises:
            Problem: a file of the plan cannot be read or is too long.
        """
        if len(self._engines) == 1:
            return self.start_on(0)(plan)
        self._clocks_of_run, self._joint = self._clocks or [engine.clock() for engine in self._engines], None
        self._joint = JointEngines(
            self._engines,
            plan.model_copy(update={"threads": plan.threads // len(self._engines)}),
            monotonic=self._clocks_of_run,
            quiet_seconds=self._quiet_seconds,
        )
        return self._joint.process

    def start_on(self, host: int) -> EngineStart:
        """Starts an engine on one of the hosts, from 0, which carries a plan out alone."""

        def start(plan: EnginePlan) -> EngineProcess:
            engine = self._engines[host].start(plan, quiet_seconds=self._quiet_seconds)
            return process_of(engine, self._quiet_seconds)

        return start

    def clock(self) -> ClockOffset:
        """The monotonic clock by which engines tell when they sent requests.

        Of several hosts, a run's times are set by this machine's clock with the offsets from right before it. What an
        offset has changed since, they may be wrong by.
        """
        self._clocks = [engine.clock() for engine in self._engines]
        if len(self._clocks) == 1:
            return self._clocks[0]
        errors = [clock.error_seconds for clock in (*self._clocks, *self._clocks_of_run)]
        changes = [
            abs(now.ahead_seconds - before.ahead_seconds)
            for now, before in zip(self._clocks, self._clocks_of_run, strict=False)
        ]
        return ClockOffset(0.0, max(errors) + max(changes, default=0.0))

    @property
    def apart(self) -> str:
        """How far apart the windows of the last load opened, in words; empty where they did not."""
        return "" if self._joint is None else self._joint.apart

    def _accounts(self) -> Sequence[LoadHostAccount]:
        return [] if self._joint is None else self._joint.accounts

    def assert_connected(self) -> None:
        """Raise HostLost if the worker of one of them does not answer."""
        for engine in self._engines:
            assert_answers(engine.cluster, engine.worker, "load host")


def load_hosts(cluster: Cluster, workers: Sequence[str], quiet_seconds: float = QUIET_SECONDS) -> LoadHosts:
    """The load hosts of these workers, with the engine built on each.

    Args:
        quiet_seconds: for so long an engine's events are left with its worker.

    Raises:
        Problem: an engine cannot be built there, or a worker is lost.
    """
    return LoadHosts([remote_engine(cluster, worker) for worker in workers], quiet_seconds)
