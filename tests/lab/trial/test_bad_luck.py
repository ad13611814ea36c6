"""Stacks that misbehave: each ends in one clear message, a trial refused or not run, and the rest goes on.

All of them are tried in one run, beside an honest one. That nothing is left running is asserted by the fixture of the
lab.
"""

import pytest

from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE
from tests.command_line import Finished, Lab

NOT_RUN = {
    "dies-at-start": "ended with status 1 before it was ready",
    "never-listens": "nothing listened on its port",
    "unready": "GET /health answered 503",
}
REFUSED = {
    "garbage": ("errors", "protocol"),
    "errors": ("errors", "status_5xx"),
    "exits": ("server-exited", "9"),
    "wrong-row": ("errors", "wrong_body"),
    "first-percent": ("picks-uniform", ""),
    "padded": ("contract", "name"),
    "writes": ("dataset-altered", ""),
    "endless": ("contract", "larger than"),
    "answers-anything": ("contract", "status 200"),
    "second-address": ("contract", "127.0.0.2"),
    "hangs-on-stop": ("contract", "SIGTERM"),
}


NOT_BUILT = {
    "does-not-build": "cross",
    "no-runtime": "no-such-runtime",
    "old-runtime": "99.1 is needed",
}
MANIFESTS = {
    "no-runtime": '[[requires]]\ncommand = ["no-such-runtime", "--version"]\nremedy = "apt install no-such-runtime"',
    "old-runtime": '[[requires]]\ncommand = ["python3", "--version"]\nminimum = "99.1"\nremedy = "wait"',
    **dict.fromkeys(NOT_RUN, "ready_within_seconds = 3"),
}
BUILDS = {"does-not-build": [["python3", "-c", "import sys; sys.exit('the \x1b[1mcompiler\x1b[0m is cross')"]]}


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """The run of all of them, of one that stalls, and of an honest one."""
    stacks = [
        shared_lab.stack(fault, fault, build=BUILDS.get(fault, ()), more=MANIFESTS.get(fault, ""))
        for fault in [*NOT_RUN, *NOT_BUILT, *REFUSED, "stalls"]
    ]
    return shared_lab.run(*stacks, shared_lab.stack("good"))


def test_the_honest_one_among_them_is_valid(finished: Finished) -> None:
    assert finished.trial("good")["outcome"] == "valid", finished.out
    assert finished.status == 3
    assert "\x1b" not in finished.out + finished.err


@pytest.mark.parametrize("fault", NOT_RUN | NOT_BUILT)
def test_a_stack_that_does_not_get_ready_is_not_run(finished: Finished, fault: str) -> None:
    trial = finished.trial(fault)
    assert trial["outcome"] == "not run"
    assert (NOT_RUN | NOT_BUILT)[fault] in trial["reason"]
    assert "\x1b" not in trial["reason"]
    assert trial["goodput"] is None


def test_a_runtime_that_is_missing_is_named_with_its_remedy(finished: Finished) -> None:
    assert "apt install no-such-runtime" in finished.out


@pytest.mark.parametrize("fault", REFUSED)
def test_a_stack_that_misbehaves_is_refused(finished: Finished, fault: str) -> None:
    check, evidence = REFUSED[fault]
    trial = finished.trial(fault)
    assert trial["outcome"] == "refused"
    refusals = [found for found in trial["findings"] if found["severity"] == "refusal"]
    assert check in {found["check"] for found in refusals}
    assert any(evidence in found["evidence"] for found in refusals if found["check"] == check)
    assert all(found["remedy"] for found in refusals)
    assert trial["goodput"] is None


def test_a_stack_that_stalls_is_refused_in_time(finished: Finished) -> None:
    trial = finished.trial("stalls")
    assert trial["outcome"] == "refused"
    assert trial["goodput"] is None


def test_nothing_could_run(lab: Lab) -> None:
    finished = lab.run(lab.stack("bad", "dies-at-start"))

    assert finished.trial("bad")["outcome"] == "not run"
    assert finished.status == 4


def test_a_process_that_detached_itself_is_ended_with_its_stack(lab: Lab) -> None:
    finished = lab.run(lab.stack("daemon", "daemon"), blocks=2)

    assert finished.trial("daemon")["outcome"] == "valid"


def test_a_stack_that_starts_at_times_is_refused_although_its_other_trials_are_valid(
    lab: Lab, snapshot: object
) -> None:
    lab.environment[VARIABLE] = LABS  # it counts its starts in its folder, where a user of its own may not write
    finished = lab.run(lab.stack("lame", "dies-at-every-other-start"), blocks=3)

    (condition,) = finished.result["conditions"]
    assert [trial["outcome"] for trial in condition["trials"]] == ["valid", "refused", "valid"], finished.out
    assert (condition["outcome"], condition["reason"]) == ("refused", "1 of 3 trials refused: start-failed")
    assert set(condition["figures"].values()) == {None}
    assert condition["trials"][1]["reason"] == snapshot
    assert "1 of 3 starts failed" in finished.out
    assert finished.status == 3
