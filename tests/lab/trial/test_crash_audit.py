"""Stacks that acknowledge what they have not stored: each seems honest until the database is killed under its load."""

import sys

import pytest

from fairtrial.catalog.services.common.power import why_no_power_cut
from tests.command_line import Finished, Lab
from tests.lab.trial.test_cheats import CHEAT, refusals
from tests.machine.needs import needs

pytestmark = needs("postgresql")

CHEATS = ("none", "relaxed", "deferred")


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Finished:
    """One run of the honest server and of two that cheat."""
    stacks = [
        shared_lab.stack(
            f"{cheat}-in-crash",
            run=[sys.executable, "cheat.py", cheat],
            server=CHEAT,
            workload="survey-insert",
            service="postgresql",
        )
        for cheat in CHEATS
    ]
    # Killed after 0.3 s at the earliest, when a slow disk may have stored nothing yet.
    more = {"workload": "survey-insert", "service": "postgresql"}
    experiment = shared_lab.experiment(*stacks, seconds=1.5, crash_audit="some", **more)
    return shared_lab.fairtrial("run", experiment, *shared_lab.named(*stacks))


def test_an_honest_stack_keeps_what_it_acknowledged_and_is_not_blamed_for_the_lost_connections(tried: Finished) -> None:
    assert tried.trial("none-in-crash")["outcome"] == "valid", tried.out + tried.err
    crash = next(line["crash"] for line in tried.record[1:] if line["condition"].startswith("none-"))
    assert crash["drawn"], "one trial of each condition is"
    assert crash["lost"] == 0
    assert crash["stored"] >= crash["acknowledged"] > 0
    assert crash["killed_after_seconds"] >= 0.3
    summary = next(one["evidence"] for one in tried.result["findings"] if one["check"] == "lost-in-crash")
    assert "tried in 3 of 3 trials" in summary
    reason = why_no_power_cut()
    assert (crash["power_cut"], crash["why_no_power_cut"]) == (not reason, reason)
    assert ("what had not been synced" if not reason else "a power cut was not tried") in summary


@pytest.mark.parametrize("cheat", CHEATS[1:])
def test_what_was_acknowledged_before_it_was_stored_is_lost(tried: Finished, cheat: str) -> None:
    told = refusals(tried, f"{cheat}-in-crash")
    assert "acknowledged writes were gone" in told.get("lost-in-crash", ""), tried.out
    assert "writes-stored" not in told, "without the crash nothing was missing"
