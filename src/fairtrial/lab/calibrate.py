"""Calibration: how far the load engine gets on this placement, against a server that does nothing.

A target has one thread, so there is one target, on one of the server's processors, for each processor that the
generator uses, those of all load hosts. The engine's threads and connections are spread over its processors as in a
trial. The sum of their rates, all at the same time, is a ceiling: no stack can be measured above it. What one request
after the other takes on a single connection, and what requests take at the rate of an open load, is a floor: no stack
can be measured below it.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle
from statistics import median
from typing import Any, NamedTuple

from fairtrial.base.formatting import count
from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.process import EngineStart
from fairtrial.engine.run import run_engine
from fairtrial.engine.server import engine_server
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.placement import THIS_MACHINE, TrialHosts, bound_to
from fairtrial.lab.trial.events import Preparing, StageBegins, Watcher, unwatched
from fairtrial.lab.trial.waiting import wait_of
from fairtrial.load.engine_terms import Closed, Constant, EngineLoad, StopAfterSeconds, Wait
from fairtrial.load.kinds import Load
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.calibration import CEILING_STAGE, BlockCeiling, Calibration
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.placement import Placement

WARM_UP_SECONDS = 0.2
SHORTEST_WINDOW_SECONDS = 0.3
LONGEST_WINDOW_SECONDS = 1.0
LONGEST_FLOOR_SECONDS = 0.5
"""One connection answers thousands of times in it: enough for its p99."""
BLOCK_WINDOW_SECONDS = 0.4
"""Four slices of a tenth of a second, each of thousands of answers: with the warm-up and the start of both programs,
below a second for each load and block."""
SLICES = 4
BODY_BYTES = 200
"""About a row of the shipped workloads. It is not compared: verifying takes the engine longer, and the ceiling is lower
still."""


class CeilingTerms(NamedTuple):
    """The part of a load that decides a ceiling. Loads that differ in anything else, such as a rate, have one in
    common."""

    connections: int
    keep_alive: bool = True
    threads: int | None = None
    """of the engine; None: one for each of the generator's processors"""
    wait: Wait = "sleep"
    """what it does while it awaits answers"""


def calibrate(
    use: CeilingTerms,
    placement: Placement,
    *,
    rate_per_second: float | None = None,
    window_seconds: float = 1.0,
    floor: Distribution | None = None,
    target_arguments: Sequence[str] = (),
    trial_hosts: TrialHosts = THIS_MACHINE,
) -> Calibration:
    """Measure the engine's ceiling with so many connections, and its floor with a single one.

    With `rate_per_second`, its pacing and its floor at that rate are measured, too.

    Args:
        floor: with a single connection, where it was measured before; None: it is measured here.
        target_arguments: further arguments of the target, such as a delay: a slower server has a lower ceiling.
        trial_hosts: where the targets listen, and where the load comes from.

    Raises:
        Problem: engine or target did not run.
    """
    in_use = placement.load_threads(use.threads, use.connections)
    places = placement.load_places(in_use)
    cpus = [placement.load_cpus[place] for place in places]
    by_thread = [use.connections // in_use + (thread < use.connections % in_use) for thread in range(in_use)]
    shares = [by_thread[place :: len(cpus)] for place in range(len(cpus))]
    with bound_to(trial_hosts.cpus_of_lab(placement)), ExitStack() as targets:
        addresses = [
            targets.enter_context(idle_target([server_cpu], target_arguments, trial_hosts.host))
            for _, server_cpu in zip(cpus, cycle(placement.server_cpus), strict=False)
        ]

        def run(place: int, load: EngineLoad, seconds: float = window_seconds) -> tuple[EngineSummary, list[float]]:
            return _run(
                addresses[place],
                load,
                use._replace(threads=min(len(shares[place]), load.connections)),
                cpus[place],
                seconds=seconds,
                start=trial_hosts.start_at(placement, places[place]),
            )

        machine = MachineWatch(placement.server_cpus)
        machine.open()
        with ThreadPoolExecutor(len(cpus)) as pool:
            closed = [Closed(connections=sum(share)) for share in shares]
            runs = list(pool.map(run, range(len(cpus)), closed))
        paced = None
        if rate_per_second is not None:
            rate = rate_per_second * len(shares[0]) / in_use
            paced, _ = run(0, Constant(rate_per_second=rate, connections=sum(shares[0])))
        if floor is None:
            alone, _ = run(0, Closed(connections=1), min(window_seconds, LONGEST_FLOOR_SECONDS))
            floor = alone.response_time
        during = machine.close()
    summaries = [summary for summary, _ in runs]
    mean = sum(summary.goodput_per_second for summary in summaries)
    slices = [sum(rates) for rates in zip(*(rates for _, rates in runs), strict=False)]
    answers = sum(summary.answers for summary in summaries)
    if answers == 0:
        raise Problem("the load engine got no answer from its own target")
    return Calibration(
        **use._asdict(),
        ceiling_per_second=median(slices or [mean]),
        slices_per_second=slices,
        mean_per_second=mean,
        window_seconds=max(summary.window_seconds for summary in summaries),
        engine_cpu_seconds_per_request=sum(thread.busy_seconds for summary in summaries for thread in summary.threads)
        / answers,
        busiest_thread_share=max(summary.busiest_processor_share(1) for summary in summaries),
        machine=during,
        rate_per_second=rate_per_second,
        pacing_lag=None if paced is None else paced.send_lag,
        floor=floor,
        floor_at_rate=None if paced is None else paced.response_time,
    )


def calibrate_loads(
    plan: Plan, placement: Placement, watcher: Watcher = unwatched, trial_hosts: TrialHosts = THIS_MACHINE
) -> list[Calibration]:
    """Calibrate for each different load of requests in the plan, and each way of waiting in its trials.

    A load that the engine could not carry out against its own target has no calibration; `watcher` is told why. So it
    is with HTTP/2, HTTP/3 and WebSocket, which the target does not speak: over HTTP/1.1, the ceiling would be that of
    another load.
    """
    loads: dict[tuple[str, Wait], Load] = {}
    left_out = {str(each.load.protocol) for each in plan.conditions if each.load.has_streams}
    if any(each.point.workload.websocket is not None for each in plan.conditions):
        left_out.add("WebSocket")
    for protocol in sorted(left_out):
        watcher(Preparing(f"calibration left out over {protocol}: the load engine's own target speaks HTTP/1.1 alone"))
    for condition in plan.conditions:
        if _is_calibrated(condition):
            key = condition.load.model_dump_json(exclude={"local_ports"}), wait_of(condition, placement)
            loads[key] = condition.load
    calibrations: list[Calibration] = []
    for (_, wait), load in loads.items():
        threads = "" if load.threads is None else f", {count(min(load.threads, load.connections), 'thread')}"
        watcher(
            Preparing(f"calibration: the load engine against its own target, {load.connections} connections{threads}")
        )
        try:
            calibrations.append(
                calibrate(
                    CeilingTerms(load.connections, load.keep_alive, load.threads, wait),
                    placement,
                    rate_per_second=load.offered_per_second,
                    window_seconds=_window_seconds(load),
                    floor=_known_floor(calibrations, load, wait),
                    trial_hosts=trial_hosts,
                )
            )
        except Problem as problem:
            watcher(Preparing(f"calibration left out: {problem.reason}"))
    return calibrations


def _known_floor(calibrations: Sequence[Calibration], load: Load, wait: Wait) -> Distribution | None:
    """The floor with a single connection, if a load before this one had the same."""
    alike = (each for each in calibrations if each.keep_alive == load.keep_alive and each.wait == wait)
    return next((each.floor for each in alike), None)


def _window_seconds(load: Load) -> float:
    """As before each further block; half of the load's own window, up to a second, where its pacing is measured."""
    if load.offered_per_second is None:
        return BLOCK_WINDOW_SECONDS
    half = LONGEST_WINDOW_SECONDS if load.window_seconds is None else load.window_seconds / 2
    return min(LONGEST_WINDOW_SECONDS, max(SHORTEST_WINDOW_SECONDS, half))


def _run(
    address: str,
    load: EngineLoad,
    use: CeilingTerms,
    cpu: int,
    *,
    seconds: float,
    start: EngineStart,
) -> tuple[EngineSummary, list[float]]:
    """The engine on one processor: its summary, and its rate in each slice of the window."""
    plan = EnginePlan(
        address=address,
        requests=[Request(name="calibration", path="/")],
        load=load,
        stop=StopAfterSeconds(seconds=seconds),
        warmup_seconds=WARM_UP_SECONDS,
        requests_per_connection=None if use.keep_alive else 1,
        threads=use.threads,
        cpus=[cpu],
        wait=use.wait,
        progress_every_seconds=seconds / SLICES,
    )
    rates: list[float] = []

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "progress" and event["phase"] == "window":
            rates.append(event["verified_per_second"])

    summary = run_engine(plan, on_event, start=start)
    if len(rates) == SLICES - 1:  # the last ends with the window: it is what is left of the whole
        rates.append(max(SLICES * summary.goodput_per_second - sum(rates), 0.0))
    return summary, rates


@contextmanager
def idle_target(cpus: Sequence[int], arguments: Sequence[str], host: str = LOOPBACK) -> Iterator[str]:
    """A server that does nothing but answer, bound to these processors, by its address; it ends at the end."""
    answer = ["--body-bytes", str(BODY_BYTES), *arguments]
    with engine_server("the load engine's own target", "target", answer, cpus, host) as server:
        yield server.address


class BlockCeilings:
    """Measures the ceiling of each load before the first trial of each block, and gives it to the block's trials.

    Before the first block, the calibration has just measured it. A load that could not be calibrated has none.
    """

    def __init__(
        self,
        plan: Plan,
        placement: Placement,
        calibrations: Iterable[Calibration],
        watcher: Watcher,
        trial_hosts: TrialHosts = THIS_MACHINE,
    ) -> None:
        self._placement, self._watcher, self._trial_hosts = placement, watcher, trial_hosts
        self._calibrations = {
            CeilingTerms(each.connections, each.keep_alive, each.threads, each.wait or "sleep"): each
            for each in reversed([*calibrations])
        }
        self._loads = {
            condition.recorded.id: load
            for condition in plan.conditions
            if (load := _load_of(condition, placement)) in self._calibrations
        }
        self._block = 1
        self._ceilings = {load: BlockCeiling.of(each) for load, each in self._calibrations.items()}

    def before(self, trial: PlannedTrial) -> float:
        """If the trial is the first of a further block, measure. How many seconds that took; 0: nothing was measured.

        KeyboardInterrupt ends what was started, and is raised again.
        """
        if trial.block == self._block or not self._loads:
            return 0.0
        began = time.monotonic()
        self._block, self._ceilings = trial.block, {}
        self._watcher(StageBegins(CEILING_STAGE))
        for load in dict.fromkeys(self._loads.values()):
            try:
                again = calibrate(
                    load,
                    self._placement,
                    window_seconds=BLOCK_WINDOW_SECONDS,
                    floor=self._calibrations[load].floor,
                    trial_hosts=self._trial_hosts,
                )
            except Problem:  # the block has none: its trials are held against the calibration
                continue
            self._ceilings[load] = BlockCeiling.of(again)
        return time.monotonic() - began

    def add_to(self, record: TrialRecord, seconds: float) -> TrialRecord:
        """The trial's record with the ceiling of its block, and with the seconds that measuring took before it."""
        load = self._loads.get(record.condition)
        record.ceiling = None if load is None else self._ceilings.get(load)
        if seconds:
            record.stage_seconds[CEILING_STAGE] = round(seconds, 3)
        return record


def _is_calibrated(condition: PlannedCondition) -> bool:
    """False for programs, and for loads over HTTP/2, HTTP/3 and WebSocket."""
    sends_messages = condition.point.workload.websocket is not None
    return condition.load.offers_requests and not condition.load.has_streams and not sends_messages


def _load_of(condition: PlannedCondition, placement: Placement) -> CeilingTerms | None:
    """None for what is not calibrated."""
    load = condition.load
    if not _is_calibrated(condition):
        return None
    return CeilingTerms(load.connections, load.keep_alive, load.threads, wait_of(condition, placement))
