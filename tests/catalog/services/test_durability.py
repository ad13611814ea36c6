"""Commits that are acknowledged before they are on the disk: what a stack can do to get them, and what shows it."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.catalog.services.model import RunningService
from fairtrial.judge.checks.model import Finding
from fairtrial.lab.trial.durability import durability_before, durability_since
from fairtrial.record.database import Durability
from tests.builders import a_trial, an_experiment
from tests.catalog.services.lab_client import lab_client
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.stacks_side import execute
from tests.judge.checks.findings import found
from tests.lines import line_with
from tests.machine.needs import needs

BOTH = [pytest.param(name, marks=needs(name)) for name in SQL]
INSERT = "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue')"
COMMITS = 320


def wrote(service: RunningService, sessions: int, url: str = "", first: str = "") -> list[Finding]:
    """What the check finds after so many sessions shared `COMMITS` inserts; `first` is said before."""
    context: Any = SimpleNamespace(service=service, plan=SimpleNamespace(workload=SimpleNamespace(writes=True)))
    before = durability_before(context)
    if first:
        execute(url or service.url, first)
    each = [INSERT, COMMITS // sessions]
    threads = [threading.Thread(target=execute, args=(url or service.url, *each)) for _ in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    durability = durability_since(context, before)
    assert durability is not None
    assert durability.commits is not None and COMMITS <= durability.commits <= COMMITS + 20
    return findings(durability, sessions)


def findings(durability: Durability, sessions: int) -> list[Finding]:
    told = {"durability": durability, "database_connections": sessions}
    return found("commits-not-flushed", an_experiment("a").record(), [a_trial().record().model_copy(update=told)])


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("sessions", [1, 16])
def test_commits_in_groups_are_honest(name: str, sessions: int, shared: Shared) -> None:
    with shared.private(name) as service:
        assert wrote(service, sessions) == []


@needs("postgresql")
def test_asynchronous_commits_by_the_url_alone(shared: Shared) -> None:
    """No statement says so, and no setting of the server's."""
    with shared.private("postgresql") as service:
        (finding,) = wrote(service, 2, f"{service.url}?options=-c%20synchronous_commit%3Doff")
    assert finding.severity == "refusal"
    assert "flushes of the log" in finding.evidence
    assert "role" not in finding.evidence


@needs("postgresql")
def test_asynchronous_commits_by_the_role_and_by_a_session(shared: Shared, snapshot: object) -> None:
    with shared.private("postgresql") as service:
        (finding,) = wrote(service, 2, first="ALTER ROLE fairtrial SET synchronous_commit = off")
        assert "role fairtrial: synchronous_commit=off" in finding.evidence
        service.reset()
        assert wrote(service, 2, first="SET synchronous_commit TO on") == []
        (finding,) = wrote(service, 2, first="SET LOCAL synchronous_commit TO 'off'")
        assert line_with(finding.evidence, "a session: SET") == snapshot
        service.reset()


@pytest.mark.parametrize("name", BOTH)
def test_a_server_that_was_told_not_to_flush(name: str, shared: Shared) -> None:
    """By whoever got in as superuser nevertheless."""
    asks = {
        "postgresql": ["ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "SELECT pg_sleep(0.1)"],
        "mariadb": ["SET GLOBAL innodb_flush_log_at_trx_commit = 0"],
    }
    with shared.private(name) as service:
        lab_client(service).execute(*asks[name])
        (finding,) = wrote(service, 2)
        service.reset()
    assert ("fsync was on, now off" if name == "postgresql" else "trx_commit was 1, now 0") in finding.evidence
    assert "flushes of the log" in finding.evidence


def test_what_the_experiment_chose_is_no_finding() -> None:
    relaxed = Durability(promised=False, commits=10_000, flushes=3)
    assert findings(relaxed, 8) == []
    assert findings(relaxed.model_copy(update={"promised": True}), 8)[0].severity == "refusal"
    assert findings(Durability(promised=True, commits=10_000, flushes=None), 8) == []
    assert findings(Durability(promised=True, commits=10_000, flushes=3), 0) == []
