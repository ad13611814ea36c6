"""Servers that answer without the call that each answer implies: the upstream counted, and the ledger refuses them."""

import re
import sys
from pathlib import Path

import pytest

from tests.command_line import SHORT_CALLS, Finished, Lab
from tests.lab.trial.test_cheats import notes, refusals

CALLER = Path(__file__).parents[2] / "fixtures" / "caller.py"


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Finished:
    """One run of the honest server and of all that cheat."""
    stacks = [
        shared_lab.stack(
            cheat, run=[sys.executable, "caller.py", cheat], server=CALLER, workload="fan-out", service="none"
        )
        for cheat in ("none", "sleeps", "owes", "shares", "skips", "ahead")
    ]
    experiment = shared_lab.experiment(*stacks, workload="fan-out", service="none", seconds=1, data=SHORT_CALLS)
    return shared_lab.fairtrial("run", experiment, *shared_lab.named(*stacks))


def test_the_honest_one_is_valid(tried: Finished) -> None:
    assert refusals(tried, "none") == {}, tried.out
    counted = re.search(r"([\d.]+) answered calls a verified answer", notes(tried, "none")["ledger"])
    assert counted
    assert 1 <= float(counted[1]) <= 1.5  # the contract's own calls among them
    trial = next(line for line in tried.record[1:] if line["condition"].startswith("none/"))
    (window,) = trial["window_work"]
    calls = window["upstream_share"] * trial["ledger"]["done"]["calls"]
    assert 0.6 <= calls / window["verified"] <= 1.4, "those of the window took about as long as those before it"


def test_answers_that_did_not_wait_for_the_upstream_are_refused_by_their_times_alone(tried: Finished) -> None:
    assert "takes 5 ms at least" in refusals(tried, "skips")["faster-than-possible"]


@pytest.mark.parametrize("cheat", ["sleeps", "owes", "shares", "skips"])
def test_an_answer_without_a_call_is_refused(tried: Finished, cheat: str) -> None:
    assert "answered calls a verified answer" in refusals(tried, cheat).get("ledger", ""), tried.out
    assert tried.trial(cheat)["outcome"] == "refused"


def test_calls_before_anybody_asked_do_not_pay_for_the_answers_of_the_window(tried: Finished) -> None:
    """There are more of them than answers, so that the ledger balances."""
    assert list(refusals(tried, "ahead")) == ["work-before-the-window"], tried.out
    assert "the upstream used" in refusals(tried, "ahead")["work-before-the-window"]
