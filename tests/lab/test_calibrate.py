"""The harness against itself, and the faults that the calibration is there to name."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import median
from threading import Event, Thread

import pytest

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.process import EngineProcess, start_here
from fairtrial.engine.run import run_engine
from fairtrial.lab.calibrate import SLICES, CeilingTerms, calibrate, idle_target
from fairtrial.lab.placement import local_placement
from fairtrial.load.engine_terms import Closed, Constant, StopAfterSeconds
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.command_line import Lab
from tests.judge.checks.findings import found

PLACEMENT = local_placement()
EXPERIMENT = an_experiment("a").record()
SLOW = ["--delay", "constant:5ms"]
ATTEMPTS = 8
"""At reaching the ceiling on a machine that others use too."""


def as_trial(summary: EngineSummary) -> TrialRecord:
    return a_trial().record().model_copy(update={"engine": summary})


@pytest.mark.measures
def test_the_ceiling_is_that_of_the_target(engine: Path) -> None:
    """Four connections and 5 ms each: 800 a second, and the timer's slack."""
    seen = calibrate(CeilingTerms(4), PLACEMENT, window_seconds=0.5, target_arguments=SLOW)
    assert 200 < seen.mean_per_second < 850
    assert len(seen.slices_per_second) == SLICES
    assert seen.ceiling_per_second == median(seen.slices_per_second)
    assert seen.engine_cpu_seconds_per_request > 0
    assert seen.machine is not None and seen.machine.own_server_cpu_seconds >= 0
    assert seen.rate_per_second is None and seen.pacing_lag is None and seen.floor_at_rate is None


@pytest.mark.measures
def test_the_floor_is_that_of_the_target(engine: Path) -> None:
    """Of 5 ms, whatever waits: on one connection out of four, and at a rate."""
    seen = calibrate(
        CeilingTerms(4, wait="awake"), PLACEMENT, rate_per_second=100, window_seconds=0.5, target_arguments=SLOW
    )
    assert seen.wait == "awake"
    for floor in (seen.floor, seen.floor_at_rate):
        assert floor is not None and floor.count <= 100
        assert 0.005 <= (floor.percentiles["50"] or 0) < 0.02
    again = calibrate(CeilingTerms(4), PLACEMENT, window_seconds=0.3, floor=seen.floor, target_arguments=SLOW)
    assert (again.floor, again.wait) == (seen.floor, "sleep")


@pytest.mark.measures
def test_threads_lie_on_the_processors_as_in_a_trial(engine: Path) -> None:
    """Sixteen connections, whatever the threads: 3,200 a second of 5 ms each, and the timer's slack."""
    seen = calibrate(CeilingTerms(16, threads=10), PLACEMENT, window_seconds=0.5, target_arguments=SLOW)
    assert seen.threads == 10
    assert 800 < seen.mean_per_second < 3400 and 800 < seen.ceiling_per_second < 3400
    few = calibrate(CeilingTerms(2, threads=10), PLACEMENT, window_seconds=0.3, target_arguments=SLOW)
    assert 100 < few.mean_per_second < 425


def test_of_threads_on_one_processor_the_sum_is_its_share(engine: Path) -> None:
    with idle_target(PLACEMENT.server_cpus, []) as address:
        plan = EnginePlan(
            address=address,
            requests=[Request(name="any", path="/")],
            load=Closed(connections=10),
            stop=StopAfterSeconds(seconds=0.5),
            warmup_seconds=0.1,
            threads=10,
            cpus=PLACEMENT.load_cpus[:1],
        )
        summary = run_engine(plan, lambda _event: None)
    assert len(summary.threads) == 10
    assert summary.busiest_processor_share(1) == pytest.approx(sum(summary.thread_shares))
    assert summary.busiest_processor_share(1) > 2 * summary.busiest_thread_share


def test_the_pacing_of_an_open_load_is_tried(engine: Path) -> None:
    seen = calibrate(CeilingTerms(4), PLACEMENT, window_seconds=0.3, rate_per_second=200)
    assert seen.rate_per_second == 200
    assert seen.pacing_lag is not None and seen.pacing_lag.count > 30


@pytest.mark.measures
def test_a_contender_at_the_ceiling_is_refused(engine: Path) -> None:
    """The contender is the target itself: what it reaches is what was calibrated, unless somebody slowed it."""
    ceiling = calibrate(CeilingTerms(16), PLACEMENT, target_arguments=SLOW)
    record = EXPERIMENT.model_copy(update={"placement": PLACEMENT, "calibrations": [ceiling]})
    attempts = (calibrate(CeilingTerms(16), PLACEMENT, target_arguments=SLOW).mean_per_second for _ in range(ATTEMPTS))
    findings = (found("harness-limited", record, [a_trial().serving(rate).record()]) for rate in attempts)
    (finding,) = next(filter(None, findings), [])
    assert finding.severity in ("refusal", "warning")  # a warning where somebody disturbed the calibration
    assert found("harness-limited", record, [a_trial().serving(ceiling.mean_per_second / 2).record()]) == []


@contextmanager
def held_up(process: EngineProcess) -> Iterator[None]:
    """The engine is stopped for 100 ms again and again, as it were if somebody else had its processor."""
    is_over = Event()

    def hold_up() -> None:
        with suppress(ProcessLookupError):
            while not is_over.wait(0.05):
                process.send_signal(signal.SIGSTOP)
                is_over.wait(0.1)
                process.send_signal(signal.SIGCONT)

    thread = Thread(target=hold_up)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_a_generator_that_is_held_up_is_late(engine: Path) -> None:
    with ExitStack() as until_end:

        def start(plan: EnginePlan) -> EngineProcess:
            process = start_here(plan)
            until_end.enter_context(held_up(process))
            return process

        plan = EnginePlan(
            address=until_end.enter_context(idle_target(PLACEMENT.server_cpus, [])),
            requests=[Request(name="any", path="/")],
            # More connections than requests: one is free for each, however long the engine stood.
            load=Constant(rate_per_second=150, connections=512),
            stop=StopAfterSeconds(seconds=2.0),
            warmup_seconds=0.2,
            cpus=PLACEMENT.load_cpus[:1],
        )
        summary = run_engine(plan, lambda _event: None, start=start)
    (finding,) = found("generator-late", EXPERIMENT, [as_trial(summary)])
    assert finding.severity in ("refusal", "warning")
    assert "after its time" in finding.evidence and "although a connection was free" in finding.evidence


@pytest.mark.measures
def test_an_experiment_s_record_holds_its_calibration(lab: Lab) -> None:
    finished = lab.run(lab.stack("one"), blocks=2)
    (calibration,) = finished.result["calibrations"]
    (series,) = finished.result["ceilings"]
    assert series["per_second"]["1"] == calibration["ceiling_per_second"] != series["per_second"]["2"]
    assert finished.results is not None
    whole = lab.fairtrial("judge", finished.results, "--verbose").out
    assert "before each of 2 blocks" in " ".join(whole.split())
    assert calibration["connections"] == 4
    assert (calibration["wait"], finished.trial("one")["engine"]["wait"]) == ("sleep", "sleep")
    assert 0 < calibration["floor"]["percentiles"]["50"] < 0.1
    assert "floor: from a server" in whole.replace("\n", " ")
    assert "load engine asleep" in whole.replace("\n", " ")
    goodput = finished.trial("one")["goodput"]["per_second"]
    assert calibration["ceiling_per_second"] > 2 * goodput
    assert "a server that does nothing" in whole.replace("\n", " ")
