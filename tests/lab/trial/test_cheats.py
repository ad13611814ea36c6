"""Stacks that spare themselves the work: each is caught by the check that names what it did; the honest one is not."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.services.needed import needs
from tests.command_line import Finished, Lab

CHEAT = Path(__file__).parents[2] / "fixtures" / "cheat.py"

pytestmark = needs("postgresql")


def tried(lab: Lab, cheat: str, workload: str) -> Finished:
    """One trial of the cheating server."""
    name = lab.stack(
        cheat, run=[sys.executable, "cheat.py", cheat], server=CHEAT, workload=workload, service="postgresql"
    )
    experiment = lab.experiment(name, workload=workload, service="postgresql", seconds=2.5)
    return lab.fairtrial("run", experiment, *lab.named(name))


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


@pytest.mark.parametrize("workload", ["random-item", "categories", "survey-insert"])
def test_the_honest_one_is_valid(lab: Lab, workload: str) -> None:
    finished = tried(lab, "none", workload)
    assert refusals(finished, "none") == {}
    assert finished.trial("none")["outcome"] == "valid", finished.out + finished.err
    kind = "writing" if workload == "survey-insert" else "reading"
    told = re.search(rf"([\d.]+) {kind} statements a verified answer", notes(finished, "none")["ledger"])
    assert told
    assert 0.98 <= float(told[1]) <= 1.1


@pytest.mark.parametrize(
    ("cheat", "workload", "check", "evidence"),
    [
        ("memory", "random-item", "ledger", "reading statements a verified answer"),
        ("first-percent", "random-item", "picks-uniform", "parts of the table"),
        ("stale", "random-item", "stale", "3 of 3 rows"),
        ("stale", "categories", "stale", "3 of 3 rows"),
        ("drops", "survey-insert", "writes-stored", "acknowledged and not stored"),
        ("doubles", "survey-insert", "writes-stored", "stored more than once"),
        ("string", "survey-insert", "writes-stored", "a string"),
        ("later", "survey-insert", "work-after-the-run", "came after the last answer"),
    ],
)
def test_a_cheat_is_caught(lab: Lab, cheat: str, workload: str, check: str, evidence: str) -> None:
    finished = tried(lab, cheat, workload)
    assert evidence in refusals(finished, cheat)[check], finished.out
    assert finished.trial(cheat)["outcome"] == "refused"


def test_a_way_past_the_proxy_is_seen_and_connections_through_it_are_counted(lab: Lab) -> None:
    names = [
        lab.stack(cheat, run=[sys.executable, "cheat.py", cheat], server=CHEAT, service="postgresql")
        for cheat in ("none", "past-proxy")
    ]
    away = '[services.postgresql]\nlatency = "0 ms"\n[checks.latency-late]\nseconds = 10\n'
    experiment = lab.experiment(*names, service="postgresql", more=away)
    # Its threads, and so its connections, end with those of the load: they are seen in the warm-up.
    experiment.write_text(experiment.read_text().replace("warmup_seconds = 0.1", "warmup_seconds = 0.6"))
    finished = lab.fairtrial("run", experiment, *lab.named(*names))
    assert refusals(finished, "none") == {}, finished.out + finished.err
    assert "postgresql itself, past the proxy before it" in refusals(finished, "past-proxy")["latency-bypassed"]
    lines = {line["condition"].partition("/")[0]: line for line in finished.record[1:]}
    assert lines["none"]["database_connections"] >= 1
    assert lines["none"]["connections_past_proxies"] == {"postgresql": 0}
    assert lines["past-proxy"]["connections_past_proxies"]["postgresql"] >= 1
