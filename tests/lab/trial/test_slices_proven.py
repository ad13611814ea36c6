"""Trials in slices, with upstream and services of their own: the work of the honest ones is proven, cheats are caught.

Those that are up together are measured in turn, and what each of them does is in accounts that nobody else is in.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.command_line import SERVER as SMALL
from tests.command_line import SHORT_CALLS, Finished, Lab
from tests.lab.trial.test_calls_counted import CALLER
from tests.lab.trial.test_cheats import CHEAT, notes, refusals
from tests.lab.trial.test_hold_audit import assert_held_until_told
from tests.lab.trial.test_keys_read import SERVER
from tests.machine.needs import needs

IN_SLICES = """
[slices]
seconds = 0.3
together = {together}
server_share = 1.0                         # whoever else works on this machine
engine_share = 1.0
[checks.busy-while-idle]
processors = 0.3                           # a thread that looks around in Python, on a busy machine
"""


def tried(
    lab: Lab,
    workload: str,
    service: str,
    server: Path,
    manners: Sequence[str],
    seconds: float = 1.2,
    together: int = 6,
    more: str = "",
    rows: int = 20_000,
    **audits: str,
) -> Finished:
    """One block of these manners of a server, so many of them up together."""
    stacks = [
        lab.stack(
            name_in_slices(server, manner),
            run=[sys.executable, server.name, manner],
            server=server,
            workload=workload,
            service=service,
        )
        for manner in manners
    ]
    data = SHORT_CALLS if workload == "fan-out" else f"[dataset]\nrows = {rows}\n"
    experiment = lab.experiment(
        *stacks,
        workload=workload,
        service=service,
        seconds=seconds,
        data=data,
        more=IN_SLICES.format(together=together) + more,
        **audits,
    )
    return lab.fairtrial("run", experiment, *lab.named(*stacks))


def name_in_slices(server: Path, manner: str) -> str:
    return f"{server.stem.replace('_', '-')}-{manner}-in-slices"


def lines_of(finished: Finished) -> dict[str, dict[str, Any]]:
    """The trials, by contender."""
    return {line["condition"].partition("/")[0]: line for line in finished.record[1:]}


def assert_proven(finished: Finished, name: str, rounds: int = 4) -> dict[str, Any]:
    """The trial of an honest one: nothing refuses it, and its slices hold the answers of its figures."""
    trial = lines_of(finished)[name]
    assert refusals(finished, name) == {}, finished.out
    assert finished.trial(name)["outcome"] == "valid", finished.out
    assert len(trial["slices"]["slices"]) == rounds
    verified = [trial["engine"]["verified"], trial["window_work"][0]["verified"]]
    if trial["ledger"] is not None:
        verified.append(trial["ledger"]["verified"])
    assert 0 < verified[0] < verified[1] and verified == sorted(verified), (
        "leads are in the books, the warm-up in the ledger"
    )
    return trial


def test_calls_of_an_upstream_of_its_own_are_in_the_account_of_each(lab: Lab) -> None:
    """Two are up together, and one by itself."""
    finished = tried(lab, "fan-out", "none", CALLER, ("none", "sleeps", "ahead"), together=2, hold_audit="some")
    assert sorted(len(line["slices"]["beside"]) for line in lines_of(finished).values()) == [0, 1, 1]
    honest, sleeps, ahead = (name_in_slices(CALLER, manner) for manner in ("none", "sleeps", "ahead"))
    trial = assert_proven(finished, honest)
    assert trial["ledger"]["done"]["calls"] >= trial["ledger"]["verified"]
    assert trial["window_work"][0]["upstream_share"] > 0.5
    assert_held_until_told(trial["holds"])
    assert "answered calls a verified answer" in refusals(finished, sleeps)["ledger"]
    assert "the upstream used" in refusals(finished, ahead)["work-before-the-window"]
    assert "answered calls a verified answer" in notes(finished, honest)["ledger"]


@needs("postgresql")
def test_reads_of_a_database_of_its_own_are_counted_rows_change_and_clauses_are_tried(lab: Lab) -> None:
    manners = ("none", "preload", "between", "first-percent")
    # What `between` owes for its last slice, which it cannot pay before the load ends, is to be a small part.
    finished = tried(lab, "random-item", "postgresql", CHEAT, manners, seconds=2.4)
    honest, preload, between, first_percent = (name_in_slices(CHEAT, manner) for manner in manners)
    trial = assert_proven(finished, honest, rounds=8)
    assert trial["ledger"]["done"]["reads"] >= trial["ledger"]["verified"]
    assert trial["window_work"][0]["counts"]["reads"] >= trial["window_work"][0]["verified"]
    assert (trial["row_changes"]["in_window"], trial["row_changes"]["old"]) == (30, 0)
    assert trial["freshness"]["stale"] == 0
    assert trial["engine"]["picks"]["answered"] == trial["engine"]["verified"]
    assert trial["engine"]["spot_checks"] and "contract-under-load" in notes(finished, honest)
    assert trial["service"]["cpu_user_seconds"] + trial["service"]["cpu_system_seconds"] > 0
    assert trial["maintenance"]["postgresql"]["seconds"] > trial["engine"]["window_seconds"]
    assert 1 <= trial["database_connections"] <= 16
    assert trial["altered"] == ""
    assert "looked at a table" in refusals(finished, preload)["ledger"]
    assert "reading statements" in refusals(finished, between)["work-before-the-window"], finished.out
    assert "parts of the table" in refusals(finished, first_percent)["picks-uniform"]


@needs("postgresql")
def test_rows_of_all_slices_are_audited_and_each_database_is_killed_for_itself(lab: Lab) -> None:
    manners = ("none", "drops", "later")
    finished = tried(lab, "survey-insert", "postgresql", CHEAT, manners, crash_audit="some", hold_audit="none")
    honest, drops, later = (name_in_slices(CHEAT, manner) for manner in manners)
    trial = assert_proven(finished, honest)
    assert trial["audit"]["faults"] == []
    assert 0 < trial["audit"]["acknowledged"] <= trial["audit"]["stored"]
    assert trial["durability"]["commits"] >= trial["audit"]["stored"]
    assert (trial["crash"]["drawn"], trial["crash"]["lost"]) == (True, 0) and trial["crash"]["acknowledged"] > 0
    assert trial["settle"]["at_rest"]
    assert "acknowledged and not stored" in refusals(finished, drops)["writes-stored"]
    assert "came after the last answer" in refusals(finished, later).get("work-after-the-run", ""), finished.out


@needs("redis")
def test_keys_of_a_store_of_its_own_are_told_apart(lab: Lab) -> None:
    finished = tried(lab, "redirect", "redis", SERVER, ("none", "one-key"), hold_audit="none")
    trial = assert_proven(finished, name_in_slices(SERVER, "none"))
    assert trial["keys_read"]["read"] > 0
    assert "drawn keys of links" in refusals(finished, name_in_slices(SERVER, "one-key"))["keys-unread"]


def test_a_file_of_its_own_shows_each_what_changed_in_it(lab: Lab) -> None:
    """SQLite counts nothing: rows that change in the slices tell who answers from memory. Of a thousand, some are drawn
    again even where a busy machine lets few answers through."""
    manners = ("none", "remembers")
    finished = tried(lab, "random-item", "sqlite", SMALL, manners, rows=1000, hold_audit="none")
    assert_proven(finished, name_in_slices(SMALL, "none"))
    assert "as it had been" in refusals(finished, name_in_slices(SMALL, "remembers"))["stale"]


def test_each_value_of_a_sweep_has_a_start_and_slices_of_its_own(lab: Lab) -> None:
    """Rows of either number, and an account for each."""
    swept = '[sweep]\nparameter = "dataset.rows"\nvalues = [1000, 20000]\n'
    finished = tried(lab, "random-item", "sqlite", SMALL, ("none",), more=swept, seconds=0.9, hold_audit="none")
    trials = finished.record[1:]
    assert sorted(line["condition"].rpartition("/")[2] for line in trials) == ["1000", "20000"]
    for number, line in enumerate(trials):
        assert line["slices"]["beside"] == [trials[1 - number]["condition"]], finished.out
        assert line["engine"]["verified"] > 0 and line["freshness"]["stale"] == 0
        assert line["engine"]["picks"]["answered"] == line["engine"]["verified"]
