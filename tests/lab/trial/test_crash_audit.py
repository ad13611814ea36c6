"""Stacks that acknowledge what they have not stored: each seems honest until the database is killed under its load."""

import sys

import pytest

from fairtrial.catalog.services.common.power import why_no_power_cut
from fairtrial.lab.trial.crash_audit import ANOTHER_DRAWN, SHORTEST_SECONDS, drawn_moment
from tests.command_line import Finished, Lab
from tests.lab.trial.test_cheats import CHEAT, refusals
from tests.machine.needs import needs

pytestmark = needs("postgresql")

CHEATS = ("none", "relaxed", "deferred", "watches-disks")


def test_every_moment_of_a_trial_may_be_the_one_at_which_the_database_is_killed() -> None:
    """Who is honest for the first seconds of each load gets past few of them."""
    moments = [drawn_moment(20.0) for _ in range(1000)]
    assert SHORTEST_SECONDS <= min(moments) < 2.0
    assert 18.0 < max(moments) <= 20.0
    assert 400 < sum(moment > 10.15 for moment in moments) < 600
    assert drawn_moment(0.1) == SHORTEST_SECONDS


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Finished:
    """One run of the honest server and of three that cheat."""
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
    assert "tried in 4 of 4 trials" in summary
    reason = why_no_power_cut()
    # One in four has a disk of its own, where there can be one.
    drawn = {(True, ""), (False, ANOTHER_DRAWN)} if not reason else {(False, reason)}
    assert (crash["power_cut"], crash["why_no_power_cut"]) in drawn
    assert "what had not been synced" in summary or "power cut was not tried" in summary


@pytest.mark.parametrize("cheat", CHEATS[1:])
def test_what_was_acknowledged_before_it_was_stored_is_lost(tried: Finished, cheat: str) -> None:
    crash = next(line["crash"] for line in tried.record[1:] if line["condition"].startswith(f"{cheat}-"))
    if cheat == "watches-disks" and crash["power_cut"]:
        return  # the one time in four when there is something to be seen
    told = refusals(tried, f"{cheat}-in-crash")
    assert "acknowledged writes were gone" in told.get("lost-in-crash", ""), tried.out
    assert "writes-stored" not in told, "without the crash nothing was missing"
