"""What is said of the design of each shipped experiment, on servers of any size: none of them stops."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.judge.design import flaws_of
from fairtrial.plan.design import design_of
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.docs.pages import EXAMPLES

OF_ONE_PROCESSOR: Mapping[str, Mapping[str, int]] = {
    "expander-one-connection": {"connections-below-budget: warning": 2, "unequal-budgets: note": 4},
    "ggm-latency": {"shared-cap: warning": 1},
    "http2-one-connection": {"window-too-short: note": 1},
    "models-waiting": {"closed-percentile: warning": 3, "shared-cap: warning": 5},
    "neverblock-background": {"unequal-budgets: note": 2},
    "neverblock-chain": {"unequal-budgets: note": 2},
    "neverblock-connections": {"connections-below-budget: warning": 1, "unequal-budgets: note": 2},
    "neverblock-database": {"unequal-budgets: note": 9},
    "neverblock-database-100": {"unequal-budgets: note": 7},
    "neverblock-database-50": {"unequal-budgets: note": 7},
    "neverblock-fanout-blocking": {"unequal-budgets: note": 4},
    "neverblock-fanout-no-delay": {"unequal-budgets: note": 2},
    "neverblock-fanout-processes": {"too-few-processors: refusal": 2, "unequal-budgets: note": 1},
    "neverblock-fanout-server": {"shared-cap: warning": 3},
    "neverblock-http-mix": {"unequal-budgets: note": 6},
    "neverblock-http-mix-10": {"unequal-budgets: note": 6},
    "neverblock-http-mix-1000": {"unequal-budgets: note": 6},
    "neverblock-matching": {"window-too-short: warning": 1},
    "neverblock-mysql": {"unequal-budgets: note": 3},
    "neverblock-orm": {"unequal-budgets: note": 3},
    "neverblock-rails": {"unequal-budgets: note": 5},
    "neverblock-rails-ten": {"unequal-budgets: note": 1},
    "neverblock-slow-queries": {"closed-percentile: warning": 1, "unequal-budgets: note": 2},
    "neverblock-tasks": {"gain-beyond-waiting: warning": 1},
    "own-api": {"closed-percentile: warning": 1},
    "profile-guided": {"window-too-short: note": 1},
    "profile-guided-page": {"window-too-short: note": 1},
    "profile-guided-random-item": {"window-too-short: note": 1},
    "profile-guided-similar-items": {"window-too-short: note": 1},
    "python-models": {"closed-percentile: warning": 3, "shared-cap: warning": 3},
    "rest-stress-layer": {"window-too-short: warning": 1},
    "rest-stress-none": {"window-too-short: warning": 1},
    "stream": {"window-too-short: warning": 1},
    "stream-fast": {"window-too-short: warning": 1},
}
"""By experiment, how many flaws of each kind there are where the server has one processor."""


@cache
def plans() -> dict[str, Plan]:
    files = [*shipped_experiments().values(), *EXAMPLES.rglob("experiment.toml"), *EXAMPLES.glob("*.toml")]
    stacks = find_stacks([EXAMPLES, EXAMPLES / "own-api"])
    return {name_of(file): plan_of(file, stacks) for file in files}


def name_of(file: Path) -> str:
    return file.parent.name if file.name == "experiment.toml" else file.stem


def plan_of(file: Path, stacks: Mapping[str, Stack]) -> Plan:
    experiment = load_experiment(file)
    return make_plan(experiment, with_contenders(stacks, experiment, file.parent, {}), file)


@pytest.mark.parametrize("processors", [1, 2, 3, 6, 24])
def test_none_stops(processors: int) -> None:
    stopped = {
        (name, flaw.claim, flaw.evidence)
        for name, plan in plans().items()
        for flaw in flaws_of(design_of(plan, processors))
        if flaw.severity == "stop"
    }
    assert stopped == set()


def test_what_each_is_told() -> None:
    kinds = {
        name: Counter(f"{flaw.kind}: {flaw.severity}" for flaw in flaws_of(design_of(plan, 1)))
        for name, plan in plans().items()
    }
    assert {name: dict(of_one) for name, of_one in kinds.items() if of_one} == OF_ONE_PROCESSOR
