"""Holds under real loads: honest servers wait for their source, whatever it is; who answers from memory does not."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.catalog.workloads import pick_workload
from fairtrial.engine.process import start_here
from fairtrial.judge.checks.answered_before_read import ENOUGH
from fairtrial.judge.checks.answered_while_held import connections_answered_again, connections_asked, tells
from fairtrial.lab.trial.hold_audit import (
    HOLDS,
    LONGEST_HOLD_SECONDS,
    PACE_SECONDS,
    SAMPLE_SECONDS,
    Holder,
    Samples,
    why_no_hold,
)
from fairtrial.load.open import OpenLoad
from fairtrial.record.hold_audit import Hold, HoldAudit, Watch
from tests.command_line import CLOSED, DATASET, SHORT_CALLS, Finished, Lab
from tests.lab.trial.test_calls_counted import CALLER
from tests.lab.trial.test_cheats import CHEAT, refusals
from tests.lab.trial.test_honest_habits import HABITS
from tests.lab.trial.test_keys_read import SERVER
from tests.machine.lack import lack_of
from tests.machine.needs import needs

CONNECTIONS = 4
MANY_CONNECTIONS = 32
Manners = list[tuple[Path, str]]

HONEST_AND_CHEATS = [
    pytest.param(
        *("random-item", "postgresql", [(CHEAT, "none"), (HABITS, "ahead"), (HABITS, "together")], [(CHEAT, "pays")]),
        marks=needs("postgresql"),
    ),
    pytest.param("fan-out", "none", [(CALLER, "none"), (CALLER, "shares")], [(CALLER, "sleeps")]),
    pytest.param("redirect", "redis", [(SERVER, "piped")], [], marks=needs("redis")),
    pytest.param("redirect", "memcached", [(SERVER, "none")], [], marks=needs("memcached")),
]
"""Workload, service, servers that wait for it in one manner or another, and such that do not."""


def run(lab: Lab, workload: str, service: str, manners: Manners, load: str = CLOSED, word: str = "held") -> Finished:
    stacks = [
        lab.stack(
            name_of(file, manner, word),
            run=[sys.executable, file.name, manner],
            server=file,
            workload=workload,
            service=service,
        )
        for file, manner in manners
    ]
    data = SHORT_CALLS if workload == "fan-out" else DATASET
    experiment = lab.experiment(*stacks, workload=workload, service=service, hold_audit="some", data=data, load=load)
    return lab.fairtrial("run", experiment, *lab.named(*stacks))


def name_of(file: Path, manner: str, word: str = "held") -> str:
    return f"{file.stem.replace('_', '-')}-{manner}-{word}"


def assert_held_until_told(audit: dict[str, Any]) -> None:
    """A hold tells something, or all were tried that could."""
    holds = [Hold.model_validate(each) for each in audit["holds"]]
    *_, last = moving = [each for each in holds if each.by_connection is None]
    is_longest = last.seconds >= LONGEST_HOLD_SECONDS
    assert any(tells(each, audit["in_flight"]) for each in moving) or len(moving) == HOLDS or is_longest, audit


def assert_read_before_answered(watch: Watch | None) -> None:
    assert watch is not None and (watch.why_not, watch.unread) == ("", 0), watch
    assert watch.answers > 0, watch


@pytest.mark.parametrize(("workload", "service", "honest", "cheats"), HONEST_AND_CHEATS)
def test_an_answer_waits_for_its_source(
    shared_lab: Lab, workload: str, service: str, honest: Manners, cheats: Manners
) -> None:
    """The cheats pay for each answer, as counters see it: the one behind it, the other too late."""
    finished = run(shared_lab, workload, service, honest + cheats)
    lines: dict[str, dict[str, Any]] = {line["condition"].partition("/")[0]: line for line in finished.record[1:]}
    for file, manner in honest:
        name = name_of(file, manner)
        audit = lines[name]["holds"]
        assert (audit["is_drawn"], audit["why_not"], audit["in_flight"]) == (True, "", CONNECTIONS), finished.out
        assert_held_until_told(audit)
        assert all(hold["seconds"] >= 0.05 for hold in audit["holds"])
        assert max(hold["answers"] for hold in audit["holds"]) <= 2 * CONNECTIONS, audit
        assert not {"answered-while-held", "answered-before-read"} & refusals(finished, name).keys()
        if workload == "redirect" and lack_of("packet-socket") is None:
            assert_read_before_answered(HoldAudit.model_validate(audit).watch)
    for file, manner in cheats:
        name = name_of(file, manner)
        assert "answered-while-held" in refusals(finished, name), lines[name]["holds"]


@needs("postgresql", "packet-socket")
def test_memory_behind_a_part_of_the_answers_shows_on_single_connections(shared_lab: Lab) -> None:
    """Its rows are read behind it, many in a message. A pool of rows that were read ahead gives each connection one.

    What is sent over loopback shows memory behind a tenth of the answers as well.
    """
    honest, cheat, seldom = (
        [(CHEAT, "none"), (HABITS, "ahead"), (HABITS, "pool")],
        (CHEAT, "batches"),
        (CHEAT, "few-batches"),
    )
    load = CLOSED.replace(f"connections = {CONNECTIONS}", f"connections = {MANY_CONNECTIONS}")
    finished = run(shared_lab, "random-item", "postgresql", [*honest, cheat, seldom], load, "many")
    lines = {line["condition"].partition("/")[0]: line["holds"] for line in finished.record[1:]}
    audits = {name: HoldAudit.model_validate(holds) for name, holds in lines.items()}
    for name, audit in audits.items():
        assert_held_until_told(lines[name])
        *others, still = audit.holds
        assert sum(still.by_connection or ()) >= MANY_CONNECTIONS / 2, audit
        assert others and not any(hold.by_connection for hold in others), "a stack can tell a load that stands still"
    for file, manner in honest:
        name = name_of(file, manner, "many")
        assert connections_answered_again(audits[name]) <= 1, audits
        assert not {"answered-while-held", "answered-before-read"} & refusals(finished, name).keys()
        assert_read_before_answered(audits[name].watch)
    for each in (cheat, seldom):
        name = name_of(*each, "many")
        watch = audits[name].watch
        is_too_slow = watch is not None and watch.answers < ENOUGH
        assert is_too_slow or "answered-before-read" in refusals(finished, name), audits
    name = name_of(*cheat, "many")
    is_too_slow = not connections_asked(audits[name])
    assert is_too_slow or "answered-while-held" in refusals(finished, name), audits


def samples(pace: float, begin: float, heard_late: float = 0.0) -> Samples:
    """Of an engine that started at 100 by the lab's clock: answers come at this pace from `begin` seconds on."""
    counted = Samples()
    for number in range(500):
        elapsed = number * SAMPLE_SECONDS
        late = heard_late if number % 10 else 0.0
        event = {"elapsed_seconds": elapsed, "verified": round(pace * max(elapsed - begin, 0.0))}
        counted.add(event, 100 + elapsed + late)
    return counted


def test_answers_are_counted_between_two_moments_of_the_lab_s_clock() -> None:
    told = samples(10_000, 0.0).between(100.2, 100.3)
    assert told == pytest.approx((0.096, 960), abs=25)
    assert samples(10_000, 0.0, heard_late=0.05).between(100.2, 100.3) == told, "however late it is heard"
    assert samples(10_000, 0.0).pace(100.5) == pytest.approx(10_000, rel=0.01)


def test_what_came_in_the_last_sample_may_have_come_after_the_end() -> None:
    """The engine looks at its clock first, and then counts."""
    seconds, answers = samples(1e6, 0.296).between(100.2, 100.3) or (0.0, -1)
    assert seconds > 0.09 and answers <= 2_000, answers
    assert samples(1.0, 0.0).between(100.2, 100.203) is None, "too few samples say nothing"


class Even(Samples):
    """Of a stack that answers at an even pace, and not at all while it is held."""

    def __init__(self, per_second: float) -> None:
        super().__init__()
        self._per_second = per_second

    def pace(self, at: float) -> float:
        return self._per_second

    def between(self, begin: float, end: float) -> tuple[float, int] | None:
        return None


def moments(per_second: float, middle_seconds: float) -> list[tuple[float, float]]:
    """When nothing was held that could not be: begin and end of each moment, in seconds of the load."""
    nothing: Any = SimpleNamespace(services=(), partner_pids=())
    holder = Holder(nothing, Even(per_second), middle_seconds, in_flight=16)
    holder.start()
    holder.join(10)
    assert not holder.is_alive() and holder.problem is None
    return [(begin - holder.began, end - holder.began) for _, begin, end in holder.moments]


def test_the_drawn_moment_is_the_middle_of_the_first_hold() -> None:
    (begin, end), _ = moments(1_280, middle_seconds=0.6)
    assert 0.55 <= begin <= 0.8 and 0.1 <= end - begin <= 0.3, "8 answers to each of 16 take 0.1 s"


def test_one_hold_is_enough_where_another_could_be_no_longer() -> None:
    ((begin, end),) = moments(100, middle_seconds=0.1)
    assert PACE_SECONDS <= begin <= PACE_SECONDS + 0.3, "the pace has to be known"
    assert end - begin >= LONGEST_HOLD_SECONDS


@pytest.mark.parametrize(("rate", "tried"), [(50, False), (70, True)])
def test_no_stack_is_started_for_a_load_that_asks_too_little_to_tell(rate: float, tried: bool) -> None:
    """Of 48 answers that may come, with 16 requests in flight, 0.8 s have to hold more."""
    load = OpenLoad(kind="open", rate_per_second=rate, connections=16)
    context: Any = SimpleNamespace(
        condition=SimpleNamespace(load=load, stack=SimpleNamespace(origin=SimpleNamespace(runs_already=False))),
        plan=SimpleNamespace(workload=pick_workload("random-item")),
        environment=SimpleNamespace(trial_hosts=SimpleNamespace(start=start_here)),
        services=(),
    )
    assert (why_no_hold(context) == "") is tried
