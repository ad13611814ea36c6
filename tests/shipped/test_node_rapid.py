"""What node-rapid brings along: a package with tests of its own, and variants that replicate a published flaw."""

from fairtrial.base.locations import shipped
from tests.command_line import Finished, Lab
from tests.machine.needs import needs
from tests.shipped.node_tests import node_tests_that_pass

PACKAGE = shipped("stacks") / "node-rapid" / "rapid"

ONE_CONNECTION = '[env]\nDB_POOL = "1"'
"""So that a server that does not wait for its writes runs ahead of them on any machine."""


@needs("node")
def test_the_tests_of_rapid_pass() -> None:
    assert node_tests_that_pass(PACKAGE) >= 100, "the tests were found"


@needs("node")
@needs("postgresql")
def test_unequal_work_is_refused_and_equal_work_is_not(lab: Lab) -> None:
    variants = ["batched", "fire-and-forget", "stores-null", "stores-string"]
    finished = lab.fairtrial(
        "run",
        lab.experiment(
            "node-rapid",
            *(f"node-rapid:{variant}" for variant in variants),
            workload="survey-insert",
            service="postgresql",
            more=ONE_CONNECTION,
        ),
        timeout_seconds=300,
    )
    assert refusals(finished, "default") == {}, finished.out + finished.err
    assert "answers are null" in refusals(finished, "stores-null")["writes-stored"]
    assert "answers are a string" in refusals(finished, "stores-string")["writes-stored"]
    assert "came after the last answer" in refusals(finished, "fire-and-forget")["work-after-the-run"]
    assert refusals(finished, "batched").keys() == {"ledger"}, "what it acknowledges is stored, in fewer statements"
    outcomes = {one["variant"]: one["outcome"] for one in finished.result["conditions"]}
    assert outcomes == {"default": "valid"} | dict.fromkeys(variants, "refused")


@needs("node")
@needs("postgresql")
def test_upserts_that_are_forgotten_are_refused_too(lab: Lab) -> None:
    """Answered first, upserted later: it was true of inserts only, and a replication measured something else."""
    finished = lab.fairtrial(
        "run",
        lab.experiment(
            "node-rapid",
            "node-rapid:fire-and-forget",
            workload="survey-insert",
            service="postgresql",
            more=ONE_CONNECTION + '\n[options]\nmode = "upsert"\n',
        ),
        timeout_seconds=300,
    )
    assert refusals(finished, "default") == {}, finished.out + finished.err
    assert "came after the last answer" in refusals(finished, "fire-and-forget")["work-after-the-run"]


def refusals(finished: Finished, variant: str) -> dict[str, str]:
    """By check, what it saw in the first trial."""
    trials = next(one["trials"] for one in finished.result["conditions"] if one["variant"] == variant)
    return {one["check"]: one["evidence"] for one in trials[0]["findings"] if one["severity"] == "refusal"}
