"""Real runs in which something other than the contender's speed makes the figure: each is named by its check."""

import pytest

from fairtrial.lab.placement import local_placement
from tests.command_line import Finished, Lab
from tests.lab.trial.neighbour import busy
from tests.machine.needs import needs


def severities(finished: Finished, stack: str, check: str) -> list[str]:
    return [one["severity"] for one in finished.trial(stack)["findings"] if one["check"] == check]


def evidence(finished: Finished, stack: str, check: str) -> str:
    return " ".join(one["evidence"] for one in finished.trial(stack)["findings"] if one["check"] == check)


def tried(lab: Lab, fault: str, seconds: float) -> Finished:
    name = lab.stack(fault, fault)
    return lab.fairtrial("run", lab.experiment(name, seconds=seconds), *lab.named(name))


def test_a_server_that_ages_and_hoards_is_not_stationary(lab: Lab) -> None:
    """Every answer takes ten milliseconds longer for each second since the start; 50 kB are kept for each."""
    finished = tried(lab, "ages", 11)
    assert "refusal" in severities(finished, "ages", "not-stationary"), finished.out
    seen = evidence(finished, "ages", "not-stationary")
    assert "goodput" in seen
    assert "memory grew" in seen


@pytest.fixture(scope="module")
def quiet(shared_lab: Lab) -> Finished:
    """A run of a server that sleeps and of an honest one, with nobody else at work."""
    stacks = [shared_lab.stack(fault, fault) for fault in ("sleeps", "none")]
    return shared_lab.fairtrial("run", shared_lab.experiment(*stacks, seconds=2.5), *shared_lab.named(*stacks))


@pytest.mark.measures
def test_a_server_that_sleeps_is_idle_and_has_no_p99(quiet: Finished) -> None:
    # Where somebody else has the processor, that is said instead.
    if not severities(quiet, "sleeps", "foreign-load"):
        assert severities(quiet, "sleeps", "contender-idle") == ["note"], quiet.out
        assert "nothing was at its limit" in evidence(quiet, "sleeps", "contender-idle")
    assert severities(quiet, "sleeps", "percentile-unsupported") == ["note"]
    assert "needs 1,000 answers" in evidence(quiet, "sleeps", "percentile-unsupported")
    assert severities(quiet, "sleeps", "delayed-ack") == []


@pytest.mark.measures
def test_an_honest_run_is_left_alone(quiet: Finished) -> None:
    assert quiet.trial("none")["outcome"] == "valid", quiet.out
    for check in ("littles-law", "delayed-ack", "not-stationary"):
        assert severities(quiet, "none", check) == []


@needs("two-processors")
def test_another_process_on_the_server_s_processor_is_seen(lab: Lab) -> None:
    with busy(local_placement().server_cpus[0]):
        finished = tried(lab, "none", 1)
    assert severities(finished, "none", "foreign-load") == ["warning"], finished.out
