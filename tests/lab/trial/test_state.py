"""The state of a workload of one's own: loaded and brought back before a trial, audited after its load."""

import shutil
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.workloads.model import DatabaseState
from fairtrial.experiment.workload_file.state import AuditEntry, Reset
from fairtrial.lab.trial.state import audit_state, reset_state
from fairtrial.record.database import StateAudit
from tests.command_line import Finished, Lab

DESK = Path(__file__).parents[2] / "fixtures" / "order-desk"
LOAD = """kind = "fixed"
requests = 400
connections = 4
warmup_seconds = 0.1
warmup_limit_seconds = 0.1"""
AT_THE_END = (
    'store(order["item"], order["quantity"])',
    'later.append((order["item"], order["quantity"]))',
)
"""Stores orders when it is told to stop, and not before."""
ON_SIGTERM = """
import signal
later = []
signal.signal(signal.SIGTERM, lambda *_: ([store(*each) for each in later], os._exit(0)))
"""
SERVES = "ThreadingHTTPServer("


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """A run of an order desk with an honest contender, a forgetful one, and one that stores when it stops."""
    folder = shared_lab.folder / "order-desk"
    shutil.copytree(DESK, folder)
    lazy = folder / "lazy"
    shutil.copytree(folder / "orders", lazy)
    text = (lazy / "app.py").read_text().replace(*AT_THE_END).replace(SERVES, ON_SIGTERM + SERVES)
    (lazy / "app.py").write_text(text)
    stacks = ["orders", "orders:forgetful", "lazy"]
    experiment = shared_lab.experiment(*stacks, workload="orders.workload.toml", load=LOAD)
    return shared_lab.fairtrial("run", experiment, "--workloads", folder, "--stacks", folder)


def by_contender(finished: Finished) -> dict[str, dict[str, Any]]:
    return {condition["contender"]: condition["trials"][0] for condition in finished.result["conditions"]}


def audited(finished: Finished, trial: int) -> StateAudit:
    (line,) = [each for each in finished.record[1:] if each["index"] == trial]
    return StateAudit.model_validate(line["own_audits"][0])


def test_who_stores_what_was_acknowledged_passes_and_every_request_was_counted(finished: Finished) -> None:
    honest = by_contender(finished)["orders"]
    assert honest["outcome"] == "valid", finished.out
    (line,) = [each for each in finished.record[1:] if each["index"] == honest["index"]]
    assert line["stage_seconds"]["reset"] >= 0 and [each["name"] for each in line["own_audits"]][1] == "stock-agrees"
    # One for the contract, some in the warm-up, a quarter of the load; nothing was under way at its end.
    stored = audited(finished, honest["index"])
    assert stored.lowest == stored.value == stored.highest > 101


def test_who_forgets_one_order_in_a_hundred_is_refused_with_both_figures(finished: Finished) -> None:
    forgetful = by_contender(finished)["orders:forgetful"]
    stored = audited(finished, forgetful["index"])
    assert stored.value is not None and stored.value < stored.lowest
    assert forgetful["outcome"] == "refused" and forgetful["reason"].startswith("audit-failed: orders-stored: ")
    assert f"{stored.value:,}, not between {stored.lowest:,} {{{{acknowledged order}}}}" in forgetful["reason"]


def test_what_is_stored_only_when_the_stack_stops_was_not_stored(finished: Finished) -> None:
    lazy = by_contender(finished)["lazy"]
    assert lazy["outcome"] == "refused" and "audit-failed: orders-stored: 0, not" in lazy["reason"]


def test_what_the_audits_prove_is_not_listed_as_not_examined(finished: Finished) -> None:
    unexamined = {each["check"] for each in finished.result["findings"] if "not examined" in each["evidence"]}
    assert unexamined == {"answered-while-held", "ledger", "stale", "not-stationary", "not-warm"}


def test_a_reset_that_fails_leaves_the_trial_not_run(lab: Lab, snapshot: object) -> None:
    folder = lab.folder / "order-desk"
    shutil.copytree(DESK, folder)
    script = folder / "reset.sh"
    script.write_text('#!/bin/sh\necho "no such table: $1"\nprintf "\\033[2J%s\\n" "$DATABASE_URL" >&2\nexit 3\n')
    script.chmod(0o755)
    workload = folder / "orders.workload.toml"
    workload.write_text(workload.read_text().replace('{ sql = "reset.sql" }', '{ command = ["./reset.sh", "tea"] }'))
    experiment = lab.experiment("orders", workload="orders.workload.toml", load=LOAD)

    finished = lab.fairtrial("run", experiment, "--workloads", folder, "--stacks", folder)

    assert finished.status == 4, finished.err
    trial = by_contender(finished)["orders"]
    assert trial["outcome"] == "not run" and finished.record[1]["failure"]["stage"] == "reset"
    assert trial["reason"] == snapshot
    assert "sqlite:/" not in trial["reason"] and "\x1b" not in finished.out


URL = "postgresql://fairtrial:s3cret@127.0.0.1:1/fairtrial"


def context(folder: Path, reset: Reset | None = None, url: str = URL, **audits: AuditEntry) -> Any:
    """What is looked at of a trial's context."""
    state = DatabaseState(folder=folder, reset=reset, audits=audits)
    return SimpleNamespace(
        plan=SimpleNamespace(workload=SimpleNamespace(state=state, secrets={"TOKEN": "t0p-secret"})),
        service=SimpleNamespace(url=url),
        condition=SimpleNamespace(service=pick_service("sqlite")),
        stage=lambda _name: nullcontext(),
        contract_runs=[],
        engine_runs=[],
    )


def test_a_command_gets_the_url_and_its_output_is_shown_without_secrets(tmp_path: Path) -> None:
    says = ["sh", "-c", 'echo "$DATABASE_URL s3cret t0p-secret"; pwd; exit 1']
    with pytest.raises(Problem) as raised:
        reset_state(context(tmp_path, Reset(command=says)))
    shown = raised.value.reason
    assert "s3cret" not in shown and "t0p" not in shown and "{{env TOKEN}}" in shown and str(tmp_path) in shown


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"did not end within 0.2 s"):
        reset_state(context(tmp_path, Reset(command=["sleep", "600"], within_seconds=0.2)))
    with pytest.raises(Problem, match=r"no-such-program .*ended with status 127"):
        reset_state(context(tmp_path, Reset(command=["no-such-program", "x"])))


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'data.db'}"
    sql = pick_service("sqlite").sql
    assert sql is not None
    sql.execute(url, "CREATE TABLE orders (id INTEGER, paid REAL); INSERT INTO orders VALUES (1, 2.0), (2, 0.5);", 5)
    return url


@pytest.mark.parametrize(
    ("asked", "value", "problem"),
    [
        ({"sql": "SELECT count(*) FROM orders"}, 2, ""),
        ({"sql": "SELECT sum(paid) * 2 FROM orders"}, 5, ""),
        ({"sql": "SELECT sum(paid) FROM orders"}, None, "no whole number"),
        ({"sql": "SELECT max(id) FROM orders WHERE id > 9"}, None, "None"),
        ({"sql": "SELECT id FROM orders"}, None, "several rows"),
        ({"sql": "SELECT id, id FROM orders LIMIT 1"}, None, "2 columns"),
        ({"sql": "SELECT id FROM orders WHERE id > 9"}, None, "no row"),
        ({"sql": "SELECT count(*) FROM shops"}, None, "no such table: shops"),
        (
            {"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT max(i) FROM n"},
            None,
            "did not finish within 0.2 s",
        ),
        ({"command": ["echo", "warning\n17"]}, 17, ""),
        ({"command": ["echo", "seventeen"]}, None, "'seventeen', which is no whole"),
        ({"command": ["true"]}, None, "''"),
        ({"command": ["sh", "-c", "echo 17; exit 1"]}, None, "ended with status 1"),
    ],
)
def test_an_audit_takes_one_whole_number_and_nothing_else(
    tmp_path: Path, database: str, asked: dict[str, str | Sequence[str]], value: int | None, problem: str
) -> None:
    audit = AuditEntry.model_validate({**asked, "equals": "{{acknowledged order}}", "within_seconds": 0.2})
    (found,) = audit_state(context(tmp_path, url=database, orders=audit))
    assert (found.value, problem in found.problem) == (value, True), found
    assert (found.lowest, found.highest, found.lowest_is) == (0, 0, "{{acknowledged order}}")
