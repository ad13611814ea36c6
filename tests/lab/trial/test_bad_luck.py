"""Stacks that misbehave: each ends in one clear message, a trial refused or not run, and the rest goes on.

That nothing is left running is asserted by the `lab` fixture after every test.
"""

import pytest

from tests.command_line import Lab

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


@pytest.mark.parametrize("fault", NOT_RUN)
def test_a_stack_that_does_not_get_ready_is_not_run(lab: Lab, fault: str) -> None:
    finished = lab.run(lab.stack("bad", fault, more="ready_within_seconds = 3"), lab.stack("good"))

    trial = finished.trial("bad")
    assert trial["outcome"] == "not run"
    assert NOT_RUN[fault] in trial["reason"]
    assert trial["goodput"] is None
    assert finished.trial("good")["outcome"] == "valid"
    assert finished.status == 3


@pytest.mark.parametrize("fault", REFUSED)
def test_a_stack_that_misbehaves_is_refused(lab: Lab, fault: str) -> None:
    finished = lab.run(lab.stack("bad", fault), lab.stack("good"))

    check, evidence = REFUSED[fault]
    trial = finished.trial("bad")
    assert trial["outcome"] == "refused"
    refusals = [found for found in trial["findings"] if found["severity"] == "refusal"]
    assert check in {found["check"] for found in refusals}
    assert any(evidence in found["evidence"] for found in refusals if found["check"] == check)
    assert all(found["remedy"] for found in refusals)
    assert trial["goodput"] is None
    assert finished.trial("good")["outcome"] == "valid"
    assert finished.status == 3
    assert "\x1b" not in finished.out + finished.err


def test_a_stack_that_does_not_build_is_not_run(lab: Lab) -> None:
    bad = lab.stack("bad", build=[["python3", "-c", "import sys; sys.exit('the \x1b[1mcompiler\x1b[0m is cross')"]])
    finished = lab.run(bad, lab.stack("good"))

    trial = finished.trial("bad")
    assert trial["outcome"] == "not run"
    assert "cross" in trial["reason"]
    assert "\x1b" not in finished.out + trial["reason"]
    assert finished.trial("good")["outcome"] == "valid"


def test_a_stack_whose_runtime_is_missing_is_not_run(lab: Lab) -> None:
    missing = '[[requires]]\ncommand = ["no-such-runtime", "--version"]\nremedy = "apt install no-such-runtime"'
    finished = lab.run(lab.stack("bad", more=missing), lab.stack("good"))

    trial = finished.trial("bad")
    assert trial["outcome"] == "not run"
    assert "no-such-runtime" in trial["reason"]
    assert "apt install no-such-runtime" in finished.out
    assert finished.status == 3


def test_a_runtime_that_is_too_old_is_not_run(lab: Lab) -> None:
    old = '[[requires]]\ncommand = ["python3", "--version"]\nminimum = "99.1"\nremedy = "wait"'
    trial = lab.run(lab.stack("bad", more=old), lab.stack("good")).trial("bad")

    assert trial["outcome"] == "not run"
    assert "99.1 is needed" in trial["reason"]


def test_nothing_could_run(lab: Lab) -> None:
    finished = lab.run(lab.stack("bad", "dies-at-start"))

    assert finished.trial("bad")["outcome"] == "not run"
    assert finished.status == 4


def test_a_process_that_detached_itself_is_ended_with_its_stack(lab: Lab) -> None:
    finished = lab.run(lab.stack("daemon", "daemon"), blocks=2)

    assert finished.trial("daemon")["outcome"] == "valid"


def test_a_stack_that_stalls_is_refused_in_time(lab: Lab) -> None:
    trial = lab.run(lab.stack("bad", "stalls"), lab.stack("good")).trial("bad")

    assert trial["outcome"] == "refused"
    assert trial["goodput"] is None
