"""What a trial leaves behind, however it ended."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import RunningService
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial import flow
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.flow import Workbench
from fairtrial.lab.trial.ready_stack import ReadyStack
from fairtrial.lab.trial.state import may_differ
from fairtrial.record.identity import StackIdentity
from tests.plan.plans import planned, without_spare


def rows_of(url: str, statement: str = "SELECT count(*) FROM items") -> list[tuple[int]]:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
        return database.execute(statement).fetchall()


def test_rows_are_restored_after_a_trial_that_a_proxy_or_an_upstream_failed(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    def fails(context: TrialContext) -> None:
        rows_of(context.service.url, "DELETE FROM items WHERE id <= 10")
        raise Problem("the proxy ended without an account", "run it again")

    monkeypatch.setattr(flow, "run_server", fails)
    plan = without_spare(planned(stacks=["a"], dataset={"rows": 50}, blocks=1))
    (trial,) = plan.trials()
    ready = {("a", 1): ReadyStack(StackIdentity.model_construct(), tmp_path, None)}
    with trial_environment(plan, local_placement()) as services:
        record = flow.run_trial(trial, Workbench(ready, services, tmp_path))
        assert rows_of(services.service(trial.condition).url) == [(50,)]
    assert record.failure is not None and record.failure.reason == snapshot


def test_a_database_may_differ_from_what_was_loaded_if_it_says_so_or_the_workload_writes(
    engine: Path, tmp_path: Path
) -> None:
    """An audit of a workload that reads leaves the database as it is, unless a stack has changed it."""
    plan = without_spare(planned(stacks=["a"], dataset={"rows": 50}, blocks=1))
    (trial,) = plan.trials()
    ready = {("a", 1): ReadyStack(StackIdentity.model_construct(), tmp_path, None)}
    with trial_environment(plan, local_placement()) as services:
        context = Workbench(ready, services, tmp_path).context(trial, flow.new_record(trial))
        assert not may_differ(context)
        writing = replace(plan, workload=replace(plan.workload, writes=True))
        assert may_differ(replace(context, plan=writing))
        rows_of(context.service.url, "DELETE FROM items WHERE id <= 10")
        assert may_differ(context)
        services.bring_back(context.service)
        assert not may_differ(context)


def test_a_trial_that_shares_processors_has_its_load_on_those_of_the_server(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab itself goes where the load generator goes."""
    bound: dict[object, set[int]] = {}

    def notes_where(context: TrialContext) -> None:
        bound[context.point.value] = os.sched_getaffinity(0)

    monkeypatch.setattr(flow, "run_server", notes_where)
    values = ["disjoint", "shared"]
    plan = planned(
        stacks=["a"], dataset={"rows": 50}, blocks=1, sweep={"parameter": "placement", "values": values}, claims=[]
    )
    ready = {("a", 1): ReadyStack(StackIdentity.model_construct(), tmp_path, None)}
    placement = local_placement()
    with trial_environment(plan, placement) as services:
        for trial in plan.trials():
            record = flow.run_trial(trial, Workbench(ready, services, tmp_path))
            assert record.failure is None, record.failure
    assert bound == {"disjoint": set(placement.load_cpus), "shared": set(placement.shared().load_cpus)}
    assert bound["shared"] <= set(placement.server_cpus)


class DyingCache:
    """A cache that died, until it is started anew."""

    pid = None
    url = "redis://127.0.0.1:1"
    identity = SimpleNamespace(name="redis")
    fault_told: str | None = "Redis was killed by signal 9"

    def fault(self) -> str | None:
        return self.fault_told

    def reset(self) -> None:
        self.fault_told = None


def test_a_cache_that_died_is_told_and_brought_back_for_the_next_trial(
    engine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "run_server", lambda _: None)
    plan = without_spare(planned(stacks=["a"], dataset={"rows": 50}, blocks=1))
    (trial,) = plan.trials()
    ready = {("a", 1): ReadyStack(StackIdentity.model_construct(), tmp_path, None)}
    with trial_environment(plan, local_placement()) as services:
        services.plan = replace(plan, cache=pick_service("redis"))
        cache = DyingCache()
        services.cache = cast("RunningService", cache)
        record = flow.run_trial(trial, Workbench(ready, services, tmp_path))
        assert record.failure is None, "it was brought back before"
        cache.fault_told = DyingCache.fault_told
        monkeypatch.setattr(services, "bring_back", lambda _service: None)
        record = flow.run_trial(trial, Workbench(ready, services, tmp_path))
    assert record.failure is not None and record.failure.reason == "Redis was killed by signal 9"
