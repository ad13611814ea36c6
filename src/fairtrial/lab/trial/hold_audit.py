"""The hold audit: what was answered while all that answers have to wait for stood still.

It is tried beside a drawn trial, before it or after it, which is drawn as well, and is in none of its figures. The
stack is started for it as for a trial, its contract tried and its load offered. Around a drawn moment of that load all
processes of the database, the cache, the upstream and the proxies are stopped (SIGSTOP) together, and go on a moment
later. Their connections stay open, and no catalogue tells: to a stack it is a slow moment.

The load engine says every two milliseconds how many right answers there were. Of those that come while everything
stands still, each connection may have one whose request was sent before; what an honest server may have beyond that is
as little (`judge.checks.answered_while_held`). Who answers from memory goes on at its own pace, which is known from the
moment before: each hold lasts as long as eight answers on each connection.

Where the database is the limit, nearly all connections wait for it at any moment, and one that waits tells nothing. So
in half of the audits of a closed load there is one hold more, before which the load stands still: each connection gets
its answer and asks nothing more. When the sources are stopped, each asks once, which takes what was read ahead, and a
moment later as often as it is answered. A stack can tell that from a slow moment, so it takes no other hold's place.
"""

import math
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import SystemRandom
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import CanBeHeld, RunningService
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.hold import hold
from fairtrial.engine.process import EngineProcess, start_here
from fairtrial.engine.run import StopEarly
from fairtrial.judge.checks.answered_while_held import IN_FLIGHT, tells
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.offered_load import offer_watched_load, port_of
from fairtrial.lab.trial.state import may_differ
from fairtrial.lab.trial.up import up
from fairtrial.lab.trial.wire import LONGEST_SECONDS, TRIES, Tap, WireRecording
from fairtrial.load.request_load import OneRunLoad
from fairtrial.record.hold_audit import Hold, HoldAudit, Watch

HOLDS = 2
"""At most: another one where the pace was too high by the first, so that it was too short to tell."""
STILL_SHARE = 0.5
"""Of the audits of loads that can stand still, those with one hold more in which the load did. It takes a second."""
SHORTEST_LOAD_SECONDS, LONGEST_LOAD_SECONDS = 0.5, 10.0
"""Of which a moment is drawn: as long as the trial's own load, so that no part of that is safe, and what it costs at
most. It is the middle of the hold: who answers from memory for a share of the load is found in that share of audits."""
PACE_SECONDS = 0.25
"""Before each hold, in which the pace is measured; in what comes before that, a held server makes up for the last."""
LOOK_EVERY_SECONDS = 0.05
"""At the pace, which says how long the hold would be that begins now."""
APART_SECONDS = (0.3, 0.6)
"""Between two holds, at least and at most."""
TIMES_IN_FLIGHT = 8
"""So many answers to each request in flight take as long as a hold. Who has a share s of them in memory gives
s + s² + … on each connection before it waits for its source: of eight, more than three from s = 0.78 on."""
SHORTEST_HOLD_SECONDS, LONGEST_HOLD_SECONDS = 0.05, 0.8
LONGER_AT_MOST = 1.3
"""A hold may last so many times as long: no two are alike."""
STILL_WITHIN_SECONDS = 0.25
"""For so long at most, answers are awaited before the sources are stopped: who waits longer tells nothing."""
SETTLE_SECONDS = 0.01
"""Between the stop and the first request: what lies in the stack's sockets is read then."""
SHORTEST_STAGE_SECONDS = 0.02
FIRST_STAGE_SHARE = 3 / 8
"""Of a hold: an answer to each connection at its pace takes an eighth."""
SAMPLE_SECONDS = 0.002
MARGIN_SECONDS = 0.005
"""After the stop: what the lab hears of the engine's clock is late by less, at least once in a load."""
FEWEST_SAMPLES = 4
REASON_CHARACTERS = 300

IMPLIED = (
    *("reads", "rows_read", "writes", "rows_written", "commits", "writing_commits", "bytes_sent", "calls"),
    "statement_milliseconds",
)
"""Work for which an answer has to wait, by the fields of `catalog.workloads.model.Work`."""


def has_hold_audit(context: TrialContext) -> bool:
    """Whether this trial is drawn for one, and has something to wait for that can be held."""
    return context.trial.hold_audit and _has_source(context) and not why_no_hold(context)


def without_hold_audit(context: TrialContext) -> HoldAudit | None:
    """The account of a trial that has none; None where answers have nothing to wait for, or nothing that runs apart."""
    if not _has_source(context):
        return None
    not_asked_for = context.plan.experiment.hold_audit == "none"
    return HoldAudit(
        is_drawn=False, why_not=why_no_hold(context) or ("the experiment asks for none" if not_asked_for else "")
    )


def audit_by_holds(context: TrialContext, again: TrialContext, *, is_first: bool) -> HoldAudit:
    """Hold a load, and count what is answered meanwhile. The tables are those of a trial's start then, and afterwards.

    Args:
        again: the same for one more start of its stack, whose record and log are in no figure.

    Raises:
        Problem: the database cannot be brought back.
    """
    with context.stage("hold"), bound_to(context.lab_cpus):
        try:
            if not is_first:
                _bring_back(context)
            with up(again) as contender:
                contender.assert_contract_again()
                audit = _hold_under_load(contender.context, contender.deployment, _load(context))
        except Problem as problem:
            reason = again.redaction.hidden(problem.reason)
            audit = HoldAudit(is_drawn=True, why_not=printable(reason, REASON_CHARACTERS))
        finally:
            _bring_back(context)
    return audit.model_copy(update={"is_first": is_first})


def _bring_back(context: TrialContext) -> None:
    """Raises Problem: that was not possible."""
    context.environment.as_loaded(context.service, changed=may_differ(context))


def _has_source(context: TrialContext) -> bool:
    """Whether each answer waits for something that runs beside the stack: as far as the workload says."""
    workload = context.plan.workload
    work = workload.work(context.point.options)
    if not any(getattr(work, name) for name in IMPLIED):
        return False
    return workload.upstream is not None or context.service.identity.where != "embedded"


def why_no_hold(context: TrialContext) -> str:
    """Why no trial of this condition can have a hold audit, in words; empty if it can."""
    load = context.condition.load
    if not isinstance(context.plan.workload, ServerWorkload):
        return "a program does not tell of its single operations"
    if not load.is_stationary or load.loses_clients:
        return "the load changes by intent while it lasts"
    if context.environment.trial_hosts.start is not start_here:
        return "the load comes from another host, with another clock"
    if context.condition.stack.origin.runs_already:
        return "a stack that ran already is not the lab's to start again"
    rate = load.offered_per_second
    if rate is not None and rate * LONGEST_HOLD_SECONDS <= IN_FLIGHT * load.most_in_flight:
        return "too little is asked for while database or upstream can be held"
    return next(filter(None, (_why_not_held(server) for _, server in context.services)), "")


def _why_not_held(server: RunningService) -> str:
    if isinstance(server, CanBeHeld):
        return server.why_not_held
    if server.identity.where == "embedded":
        return ""
    return f"the lab does not hold a server that is not its own, or on another host: {server.identity.name}"


def _load(context: TrialContext) -> OneRunLoad:
    """The load of the trial; of a search for the capacity, the one at the lowest rate that it found."""
    capacity = context.record.capacity
    rates = [] if capacity is None else [each.rate_per_second for each in capacity.found if each.rate_per_second]
    load: OneRunLoad = context.condition.load.single_run(min(rates, default=None))
    return load


@contextmanager
def _standstill(context: TrialContext) -> Iterator[None]:
    """Within it, all that the answers wait for is stopped. Raises Problem: it does not stop."""
    with ExitStack() as holding:
        for _, server in context.services:
            if isinstance(server, CanBeHeld):
                holding.enter_context(server.hold())
        holding.enter_context(hold(*context.partner_pids))
        yield


class Samples:
    """How many right answers there were by when, as the engine says."""

    def __init__(self) -> None:
        self._samples: list[tuple[float, int]] = []
        self._by_connection: list[tuple[float, list[int]]] = []
        self._engine_began = float("inf")
        self.still = 0
        """connections that stood still by the last event; 0: the load goes on"""

    def add(self, event: dict[str, Any], heard_at: float) -> None:
        """Add a progress event that was heard at this moment of the monotonic clock, in seconds."""
        self._samples.append((event["elapsed_seconds"], event["verified"]))
        halt = event.get("halt")
        self.still = sum(halt or ())
        if halt is not None:
            self._by_connection.append((event["elapsed_seconds"], halt))
        # The engine counts from its start, on the same clock. Of all events the one that was heard fastest tells it.
        self._engine_began = min(self._engine_began, heard_at - event["elapsed_seconds"])

    def between(self, begin: float, end: float) -> tuple[float, int] | None:
        """For how many seconds between two moments answers were counted, and how many came; None: too few samples.

        The engine looks at its clock and then counts, perhaps much later: what it counted for one sample was there
        before it looked at its clock for the next. So the last sample before the end gives the limit alone.
        """
        began = self._engine_began
        within = [(at, count) for at, count in list(self._samples) if begin <= began + at <= end]
        if len(within) < FEWEST_SAMPLES:
            return None
        (first_at, first_count), (last_at, last_count) = within[0], within[-2]
        return last_at - first_at, last_count - first_count

    def by_connection(self, begin: float, end: float) -> list[int] | None:
        """Connections by their right answers since the load stood still, as of the last sample but one between two
        moments, for the reason above; None: it did not stand still then."""
        began = self._engine_began
        within = [counts for at, counts in list(self._by_connection) if begin <= began + at <= end]
        return within[-2] if len(within) >= FEWEST_SAMPLES else None

    def pace(self, at: float) -> float:
        """Answers a second in the quarter of a second before a moment; 0: not known."""
        seconds, answers = self.between(at - PACE_SECONDS, at) or (1.0, 0)
        return answers / seconds


class Holder(Thread):
    """Holds a load at drawn moments, from its begin on, and reads along right before the first."""

    def __init__(
        self, context: TrialContext, samples: Samples, middle_seconds: float, in_flight: int, tap: Tap | None = None
    ) -> None:
        super().__init__(name="holds", daemon=True)
        self._context, self._samples, self._tap = context, samples, tap
        self._middle_seconds, self._in_flight = middle_seconds, in_flight
        self._over = Event()
        self.began = 0.0
        self.engine: EngineProcess | None = None
        """of a load that can stand still"""
        self.moments: list[tuple[float, float, float]] = []
        """of each, when the load stood still, its begin and its end, by the monotonic clock, in seconds"""
        self._recording: WireRecording | None = None
        self.problem: Problem | None = None

    def run(self) -> None:
        self.began = time.monotonic()
        generator = SystemRandom()
        self._await_first()
        if self._tap is not None and not self._over.is_set():
            self._recording = self._tap.read_along(self._samples.pace(time.monotonic()))
        try:
            while not self._over.is_set():
                before = time.monotonic()
                self._hold_once(generator, before)
                # One more of the longest would tell no more, unless nothing was known of the pace.
                is_longest = LONGEST_HOLD_SECONDS < self._wanted_seconds(before) < math.inf
                if len(self.moments) == HOLDS or is_longest or self._has_told():
                    break
                self._over.wait(generator.uniform(*APART_SECONDS))
            if self.engine is not None and generator.random() < STILL_SHARE:
                self._over.wait(generator.uniform(*APART_SECONDS))
                with self._still_load(self.engine) as before:
                    self._hold_once(generator, before, self.engine)
        except Problem as problem:
            self.problem = problem

    def _hold_once(self, generator: SystemRandom, before: float, still: EngineProcess | None = None) -> None:
        """Hold the sources once, for as long as the pace before a moment says; `still`: whose load stands still."""
        with _standstill(self._context):
            begin = time.monotonic()
            seconds = generator.uniform(1, LONGER_AT_MOST) * self._length(before)
            if still is None:
                self._over.wait(seconds)
            else:
                self._ask_in_stages(still, seconds)
            self.moments.append((before, begin, time.monotonic()))

    @contextmanager
    def _still_load(self, engine: EngineProcess) -> Iterator[float]:
        """Within it, the load stands still: when each connection had its answer, or soon. Gives when it was told to."""
        begin = time.monotonic()
        engine.send_signal(signal.SIGUSR1)
        try:
            give_up_at = begin + STILL_WITHIN_SECONDS
            while self._samples.still < self._in_flight and time.monotonic() < give_up_at:
                if self._over.wait(SAMPLE_SECONDS):
                    break
            yield begin
        finally:
            engine.send_signal(signal.SIGUSR1)

    def _ask_in_stages(self, engine: EngineProcess, seconds: float) -> None:
        """With the sources stopped: a load that stood still goes on in two stages."""
        first = max(SHORTEST_STAGE_SECONDS, FIRST_STAGE_SHARE * seconds)
        for stage_seconds in (first, max(SHORTEST_STAGE_SECONDS, seconds - first)):
            self._over.wait(SETTLE_SECONDS)
            engine.send_signal(signal.SIGUSR2)
            self._over.wait(stage_seconds)

    def _await_first(self) -> None:
        """Wait until a hold that begins now has the drawn moment in its middle."""
        waited = 0.0
        while waited < max(PACE_SECONDS, self._middle_seconds - self._length(time.monotonic()) / 2):
            if self._over.wait(LOOK_EVERY_SECONDS):
                return
            waited = time.monotonic() - self.began

    def holds(self) -> list[Hold]:
        """What was answered in each so far."""
        return [
            Hold(
                after_seconds=round(begin - self.began, 3),
                seconds=round(end - begin, 4),
                answers=answers,
                at_its_pace=round(self._samples.pace(before) * seconds, 1),
                by_connection=self._samples.by_connection(begin, end),
            )
            for before, begin, end in self.moments
            for seconds, answers in [self._samples.between(begin + MARGIN_SECONDS, end) or (0.0, 0)]
        ]

    def watch(self) -> Watch | None:
        """What was seen before the first; None: nothing was to be seen."""
        return None if self._tap is None or self._recording is None else self._tap.compared(self._recording)

    def _has_told(self) -> bool:
        return any(tells(each, self._in_flight) for each in self.holds())

    def _wanted_seconds(self, begin: float) -> float:
        """How long a hold has to last for its answers at the pace before; infinite: nothing is known of that."""
        pace = self._samples.pace(begin)
        return TIMES_IN_FLIGHT * self._in_flight / pace if pace else math.inf

    def _length(self, begin: float) -> float:
        return min(max(self._wanted_seconds(begin), SHORTEST_HOLD_SECONDS), LONGEST_HOLD_SECONDS)

    def halt_by(self, engine: EngineProcess) -> None:
        """Have the load of this engine stand still before a hold, where that is drawn."""
        self.engine = engine

    def end(self) -> None:
        """Hold nothing more: when this returns, all goes on."""
        self._over.set()
        if self.ident is not None:
            self.join()


def _hold_under_load(context: TrialContext, deployment: Deployment, load: OneRunLoad) -> HoldAudit:
    """Raises Problem: the stack ended, or something does not stop."""
    longest = min(LONGEST_LOAD_SECONDS, max(SHORTEST_LOAD_SECONDS, load.planned_seconds))
    middle_seconds = SystemRandom().uniform(0, longest)
    samples = Samples()
    holder = Holder(context, samples, middle_seconds, load.most_in_flight, _tap(context, deployment, load))
    longest_hold = APART_SECONDS[1] + LONGER_AT_MOST * LONGEST_HOLD_SECONDS
    all_seconds = PACE_SECONDS + middle_seconds + TRIES * LONGEST_SECONDS + 2 * (HOLDS + 1) * longest_hold
    cold_load = load.model_copy(update={"warmup_seconds": 0.0})

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "window" and event["state"] == "opened":
            holder.start()
        elif event["event"] == "progress":
            samples.add(event, time.monotonic())
            if not holder.is_alive():
                raise StopEarly
            if deployment.status() is not None:
                raise Problem("the stack ended when it was started again")

    try:
        offer_watched_load(
            context, deployment, cold_load, on_event, all_seconds, SAMPLE_SECONDS, on_halting_engine=holder.halt_by
        )
    finally:
        holder.end()
    if holder.problem is not None:
        raise holder.problem
    return HoldAudit(is_drawn=True, in_flight=load.most_in_flight, holds=holder.holds(), watch=holder.watch())


def _tap(context: TrialContext, deployment: Deployment, load: OneRunLoad) -> Tap | None:
    """Where to read along what answers show and what services sent before; None: answers show nothing of these."""
    workload = context.server_workload
    ports = [port_of(context.urls.get(service.name) or server.url, service) for service, server in context.services]
    service_ports = [port for port in ports if port is not None]
    if workload.freshness is None or not service_ports:
        return None
    port = urlsplit(f"//{deployment.address}").port
    assert port is not None
    # Else the lab asks for single rows by other paths than the load's.
    names_row = workload.freshness.spot_check is None and load.most_in_flight == load.connections
    return Tap(port, service_ports, load.most_in_flight, names_row)
