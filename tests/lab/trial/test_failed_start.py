"""Whose failure a start is that failed."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_run import with_remedy
from fairtrial.catalog.stacks.run import NotReady
from fairtrial.lab.trial import context, partners, up
from fairtrial.lab.trial.up import NotUp, failed_start

ENDED = NotReady("it ended with status 1 before it was ready:\nno database", "see its log")


def beside(*faults: str | None, pid: int | None = 12) -> Any:
    """A trial whose database, with this process, tells these faults, one after the other, and the last for ever."""
    told = iter(faults)
    return SimpleNamespace(services=[(None, SimpleNamespace(pid=pid))], fault=lambda: next(told, faults[-1]))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "FAULT_WITHIN_SECONDS", 0.1)


def test_a_stack_that_ends_beside_a_database_that_runs_failed_by_itself() -> None:
    failure = failed_start(beside(None), ENDED)
    assert (failure.stage, failure.by_contender, failure.reason) == ("start", True, ENDED.reason)


def test_a_database_that_died_first_is_the_reason_though_its_end_is_known_later() -> None:
    failure = failed_start(beside(None, None, "PostgreSQL was killed by signal 9"), ENDED)
    assert (failure.stage, failure.by_contender) == ("service", False)
    assert failure.reason == "PostgreSQL was killed by signal 9"


def test_a_database_of_somebody_else_is_asked_once() -> None:
    assert failed_start(beside("no connection", pid=None), ENDED).stage == "service"
    assert failed_start(beside(None, "asked too late", pid=None), ENDED).by_contender


def test_a_port_that_is_taken_is_nobodys_failure_of_the_stacks() -> None:
    failure = failed_start(beside(None), Problem("port 8080 is held by sshd", "end it"))
    assert (failure.stage, failure.by_contender) == ("start", False)


def test_words_of_a_container_program_in_the_log_do_not_excuse_a_stack() -> None:
    problem = with_remedy(NotReady("it ended with status 1 before it was ready:\niptables", "see its log"))
    assert isinstance(problem, NotReady) and "firewall" in problem.remedy


@pytest.mark.parametrize("upstream_died", [False, True])
def test_a_stack_whose_upstream_died_did_not_fail_by_itself(
    monkeypatch: pytest.MonkeyPatch, upstream_died: bool
) -> None:
    """The upstream says so when it is asked for its account; a proxy is asked at its end in any case."""

    def served() -> int:
        if upstream_died:
            raise Problem("the upstream ended without an account", "run it again")
        return 0

    @contextmanager
    def entered(value: object) -> Iterator[object]:
        yield value

    @contextmanager
    def fails(_context: object) -> Iterator[None]:
        raise ENDED
        yield

    trial = beside(None)
    trial.record, trial.urls = SimpleNamespace(proxies={}), {}
    trial.plan = SimpleNamespace(workload=SimpleNamespace(upstream=lambda _options: []))
    trial.point = SimpleNamespace(options=None, service_options=lambda _service: SimpleNamespace(latency=None))
    trial.placement, trial.stage = SimpleNamespace(server_cpus=[0]), lambda _name: entered(None)
    trial.lab_cpus, trial.partner_pids = [0], []
    trial.proxies, trial.times_round_trips = {}, False
    trial.environment, trial.service = SimpleNamespace(touch=lambda _service: None), None
    monkeypatch.setattr(up, "reset_state", lambda _context: None)
    monkeypatch.setattr(up, "durability_before", lambda _context: None)
    monkeypatch.setattr(partners, "running_upstream", lambda *_: entered(SimpleNamespace(served=served, url="", pid=1)))
    monkeypatch.setattr(up, "deployed", fails)
    with pytest.raises(Problem) as raised, up.up(trial):
        raise AssertionError("it is not up")
    if upstream_died:
        assert "upstream ended" in raised.value.reason and not isinstance(raised.value, NotUp)
    else:
        assert isinstance(raised.value, NotUp) and raised.value.failure.by_contender
