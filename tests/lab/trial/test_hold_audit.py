"""Holds under real loads: honest servers wait for their source, whatever it is; who answers from memory does not."""

import sys
from pathlib import Path
from typing import Any

import pytest

from fairtrial.judge.checks.answered_while_held import tells
from fairtrial.lab.trial.hold_audit import HOLDS, SAMPLE_SECONDS, Samples
from fairtrial.record.hold_audit import Hold
from tests.command_line import DATASET, SHORT_CALLS, Finished, Lab
from tests.lab.trial.test_calls_counted import CALLER
from tests.lab.trial.test_cheats import CHEAT, refusals
from tests.lab.trial.test_honest_habits import HABITS
from tests.lab.trial.test_keys_read import SERVER
from tests.machine.needs import needs

CONNECTIONS = 4
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


def run(lab: Lab, workload: str, service: str, manners: Manners) -> Finished:
    stacks = [
        lab.stack(
            name_of(file, manner),
            run=[sys.executable, file.name, manner],
            server=file,
            workload=workload,
            service=service,
        )
        for file, manner in manners
    ]
    data = SHORT_CALLS if workload == "fan-out" else DATASET
    experiment = lab.experiment(*stacks, workload=workload, service=service, hold_audit="some", data=data)
    return lab.fairtrial("run", experiment, *lab.named(*stacks))


def name_of(file: Path, manner: str) -> str:
    return f"{file.stem.replace('_', '-')}-{manner}-held"


def assert_held_until_told(audit: dict[str, Any]) -> None:
    """A hold tells something, or all were tried."""
    holds = [Hold.model_validate(each) for each in audit["holds"]]
    assert any(tells(each, audit["in_flight"]) for each in holds) or len(holds) == HOLDS, audit


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
        assert "answered-while-held" not in refusals(finished, name)
    for file, manner in cheats:
        assert "right answers came within" in refusals(finished, name_of(file, manner)).get("answered-while-held", "")


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
