"""Stacks that spare themselves the work: each is caught by the check that names what it did; the honest one is not."""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Finished, Lab
from tests.machine.needs import needs

CHEAT = Path(__file__).parents[2] / "fixtures" / "cheat.py"

pytestmark = needs("postgresql")


CAUGHT = [
    ("memory", "random-item", "ledger", "reading statements a verified answer"),
    ("preload", "random-item", "ledger", "reading statements that looked at a table a verified answer"),
    ("owes", "random-item", "ledger", "more came when the load had ended, which was too late"),
    ("first-percent", "random-item", "picks-uniform", "parts of the table"),
    ("lax", "random-item", "contract-under-load", "of the contract were answered otherwise under the load than before"),
    ("stale", "random-item", "stale", "3 of 3 rows"),
    ("stale", "categories", "stale", "3 of 3 rows"),
    # Seen by the load, or afterwards: its memory may forget before that.
    (
        "ttl",
        "categories",
        "stale",
        "showed a changed row showed it as it had been|were still answered as they had been",
    ),
    ("short-ttl", "categories", "stale", "showed it as it had"),
    ("idle", "categories", "stale", "showed it as it had"),
    ("acts", "transaction-mix", "ledger", "rows written in units a verified answer"),
    ("naps", "query-mix", "ledger", "milliseconds within statements a verified answer"),
    ("late-commit", "survey-insert", "ledger", "commits a verified answer"),
    ("one-commit", "survey-insert", "ledger", "commits that wrote a verified answer"),
    ("ahead", "survey-insert", "writes-stored", "answers are {"),
    ("drops", "survey-insert", "writes-stored", "acknowledged and not stored"),
    ("doubles", "survey-insert", "writes-stored", "stored more than once"),
    ("string", "survey-insert", "writes-stored", "a string"),
    ("later", "survey-insert", "work-after-the-run", "came after the last answer"),
]
"""Cheat, workload, the check that refuses it, and what that saw: one of these."""

SECONDS = {"random-item": 2.1, "categories": 1.0, "survey-insert": 1.0, "transaction-mix": 1.0, "query-mix": 1.0}
"""Of a window: only during the load of `random-item` are rows changed, which takes two."""

FURTHER = {"query-mix": "[options]\nshort_per_long = 20\nlong_milliseconds = 50\n"}
"""Of an experiment, by workload."""

Tried = Callable[[str], Finished]


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Tried:
    """By workload, one run of the honest server and of all that cheat at it."""

    @cache
    def tried(workload: str) -> Finished:
        stacks = [
            shared_lab.stack(
                name_of(cheat, workload),
                run=[sys.executable, "cheat.py", cheat],
                server=CHEAT,
                workload=workload,
                service="postgresql",
            )
            for cheat in ["none", *(cheat for cheat, at, *_ in CAUGHT if at == workload)]
        ]
        experiment = shared_lab.experiment(
            *stacks,
            workload=workload,
            service="postgresql",
            seconds=SECONDS[workload],
            more=FURTHER.get(workload, ""),
        )
        return shared_lab.fairtrial("run", experiment, *shared_lab.named(*stacks))

    return tried


def name_of(cheat: str, workload: str) -> str:
    return f"{cheat}-at-{workload}"


def refusals(finished: Finished, stack: str) -> dict[str, str]:
    """The refusing checks and all that each of them saw."""
    return _evidence(finished, stack, "refusal")


def notes(finished: Finished, stack: str) -> dict[str, str]:
    return _evidence(finished, stack, "note")


def _evidence(finished: Finished, stack: str, severity: str) -> dict[str, str]:
    findings: list[dict[str, Any]] = finished.trial(stack)["findings"]
    found: dict[str, str] = {}
    for one in findings:
        if one["severity"] == severity:
            found[one["check"]] = f"{found.get(one['check'], '')} {one['evidence']}"
    return found


@pytest.mark.parametrize("workload", list(SECONDS))
def test_the_honest_one_is_valid(tried: Tried, workload: str) -> None:
    finished, name = tried(workload), name_of("none", workload)
    assert refusals(finished, name) == {}
    assert finished.trial(name)["outcome"] == "valid", finished.out + finished.err
    if workload == "transaction-mix":
        return
    kind = "writing" if workload == "survey-insert" else "reading"
    if workload == "random-item":
        under_load = notes(finished, name)["contract-under-load"]
        assert "rightly under the load: " in under_load
        assert re.search(r": uuid-changed [2-6], uuid-malformed 2, uuid-row 2, uuid-unknown 2$", under_load), under_load
    told = re.search(rf"([\d.]+) {kind} statements a verified answer", notes(finished, name)["ledger"])
    assert told
    assert 0.98 <= float(told[1]) <= 1.1


def test_statements_that_touch_no_row_look_like_honest_ones_to_a_count_of_statements(tried: Tried) -> None:
    """What makes these two informed: without the tables' own counts they would pass."""
    for cheat, workload in (("preload", "random-item"), ("acts", "transaction-mix")):
        told = refusals(tried(workload), name_of(cheat, workload))["ledger"]
        assert "reading statements a verified" not in told, told


def test_the_load_itself_is_answered_with_old_rows_from_a_list_whatever_the_row_s_own_path_reads(tried: Tried) -> None:
    told = refusals(tried("random-item"), name_of("preload", "random-item"))["stale"]
    assert "showed it as it had" in told
    assert "rows were still answered" not in told, told


@pytest.mark.parametrize(("cheat", "workload", "check", "evidence"), CAUGHT)
def test_a_cheat_is_caught(tried: Tried, cheat: str, workload: str, check: str, evidence: str) -> None:
    finished, name = tried(workload), name_of(cheat, workload)
    found = refusals(finished, name).get(check, "")
    assert any(words in found for words in evidence.split("|")), finished.out
    assert finished.trial(name)["outcome"] == "refused"


def test_a_way_past_the_proxy_is_seen_and_connections_through_it_are_counted(lab: Lab) -> None:
    names = [
        lab.stack(cheat, run=[sys.executable, "cheat.py", cheat], server=CHEAT, service="postgresql")
        for cheat in ("none", "past-proxy")
    ]
    away = '[services.postgresql]\nlatency = "0 ms"\n[checks.latency-late]\nseconds = 10\n'
    experiment = lab.experiment(*names, service="postgresql", more=away)
    # Its threads, and so its connections, end with those of the load: they are seen in the warm-up.
    experiment.write_text(experiment.read_text().replace("_seconds = 0.1\n", "_seconds = 0.6\n"))
    finished = lab.fairtrial("run", experiment, *lab.named(*names))
    assert refusals(finished, "none") == {}, finished.out + finished.err
    assert "postgresql itself, past the proxy" in refusals(finished, "past-proxy")["latency-bypassed"]
    lines = {line["condition"].partition("/")[0]: line for line in finished.record[1:]}
    assert lines["none"]["database_connections"] >= 1
    assert lines["none"]["connections_past_proxies"] == {"postgresql": 0}
    assert lines["past-proxy"]["connections_past_proxies"]["postgresql"] >= 1
