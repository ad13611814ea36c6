"""What is loaded, which processes are looked at, and an end that comes early."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab.profile import block
from fairtrial.lab.profile.condition import allocations_of, profiled_load
from fairtrial.lab.profile.processes import MOST_PROCESSES, busiest
from fairtrial.lab.trial.flow import Workbench
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.capacity import CapacityFound, CapacitySearch
from fairtrial.record.profile import PROFILES_FILE, Allocations, Profile, read_profiles
from tests.builders import a_trial, an_experiment, trials_of
from tests.plan.plans import planned

PROFILE = Profile(condition="x", contender="x", started_at="2026-01-01T00:00:00Z", load="closed")


def test_the_processes_that_do_the_work_are_looked_at() -> None:
    assert busiest({1: 5.0, 2: 0.0, 3: 1.0}, {1: 5.01, 2: 0.6, 3: 1.39, 4: 0.01}) == [2, 3]
    assert busiest({}, {}) == []
    assert busiest({1: 2.0}, {1: 2.0}) == [1], "nothing worked within a tick of the clock"
    assert len(busiest({}, dict.fromkeys(range(20), 1.0))) == MOST_PROCESSES


def test_allocations_are_told_where_all_processes_that_do_the_work_tell_them() -> None:
    by_process = {1: ("bytes", 5), 2: ("bytes", 7), 3: ("bytes", 1)}
    assert allocations_of(by_process, [1, 2], 4) == Allocations(verified=4, bytes=13)
    assert allocations_of(by_process, [1, 4], 4) is None
    assert allocations_of({**by_process, 4: ("objects", 9)}, [1, 4], 4) is None, "they count different things"
    assert allocations_of(by_process, [], 4) is None and allocations_of(by_process, [1], 0) is None


def test_a_search_for_the_capacity_is_profiled_at_the_rate_that_it_found() -> None:
    objectives = [{"name": "fast", "within_milliseconds": 10}]
    plan = planned(load={"kind": "capacity", "objectives": objectives, "lowest_per_second": 50}, stacks=["a"])
    trial = PlannedTrial(9, 9, plan.conditions[0])
    (record, *_) = trials_of(an_experiment("a").record(), a_trial())
    found = CapacitySearch(probes=[], found=[CapacityFound(objective="fast", rate_per_second=700.0)])
    of_it = record.model_copy(update={"condition": plan.conditions[0].recorded.id, "capacity": found})
    of_another = of_it.model_copy(update={"condition": "another"})
    rates = [getattr(profiled_load(trial, earlier), "rate_per_second", None) for earlier in ([of_it], [of_another], [])]
    assert rates == [700.0, 50.0, 50.0]
    assert profiled_load(PlannedTrial(9, 9, planned().conditions[0]), []) == planned().conditions[0].load


def profiled(plan: Plan, results: Path, outcomes: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said while each condition comes to one of these outcomes."""
    coming = iter(outcomes)

    def condition(*_arguments: Any) -> Profile:
        outcome = next(coming)
        if isinstance(outcome, BaseException):
            raise outcome
        return PROFILE

    monkeypatch.setattr(block, "profile_condition", condition)
    environment: Any = None
    said: list[Any] = []
    block.profile_block(plan, Workbench({}, environment, results, said.append), [])
    return [event.text for event in said]


def test_an_interrupt_ends_the_block_and_is_in_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = profiled(planned(), tmp_path, [None, KeyboardInterrupt()], monkeypatch)
    assert said == ["profiling a, uncounted: 1 of 2", "profiling b, uncounted: 2 of 2"]
    first, second = read_profiles(tmp_path).lines
    assert first.failure is None and second.contender == "b"
    assert second.failure is not None and second.failure.stage == "interrupted"


def test_what_cannot_be_written_ends_the_block_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / PROFILES_FILE).mkdir()
    assert "not profiled" in profiled(planned(), tmp_path, [], monkeypatch)[-1]


def test_a_problem_that_nobody_foresaw_ends_the_block_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no more" in profiled(planned(), tmp_path, [Problem("no more")], monkeypatch)[-1]


def test_the_second_of_a_pair_of_equals_is_not_profiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = profiled(planned(noise_floor=True), tmp_path, [None, None], monkeypatch)
    assert len(said) == len(read_profiles(tmp_path).lines) == 2
