"""What node-rapid brings along: a package with tests of its own, and variants that replicate a published flaw."""

import os
import subprocess
from pathlib import Path

import pytest

from fairtrial.base.locations import shipped
from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.catalog.services.needed import needs
from tests.command_line import Finished, Lab
from tests.shipped.node_tests import NODE, needs_node, node_tests_that_pass

PACKAGE = shipped("stacks") / "node-rapid" / "rapid"

ONE_CONNECTION = '[env]\nDB_POOL = "1"'
"""So that a server that does not wait for its writes runs ahead of them on any machine."""


COMPILED = """
let compiled = 0;
globalThis.RegExp = new Proxy(RegExp, { construct: (made, told) => (compiled++, new made(...told)) });
const { createApp } = await import("./app.js");
const { settingsFromEnvironment } = await import("./settings.js");
const { listener } = createApp({ ping: async () => {}, surveys: {} }, settingsFromEnvironment());
const statuses = [];
for (const url of ["/plaintext", "/health", "/survey/s1/1"]) {
  const request = { method: "GET", url, headers: {}, socket: {} };
  await new Promise((end) => listener(request, { writeHead: (status) => statuses.push(status), end }));
}
console.log(compiled, ...statuses);
"""
"""Three requests to the app, without a server: how many expressions were compiled in all, and what was answered."""


@needs_node
def test_the_tests_of_rapid_pass() -> None:
    assert node_tests_that_pass(PACKAGE) >= 100, "the tests were found"


@needs_node
@pytest.mark.parametrize(("variant", "compiled"), [("default", 1), ("parses-routes-each-time", 3)])
def test_routes_are_parsed_once_or_each_time(cache: Path, tmp_path: Path, variant: str, compiled: int) -> None:
    assert NODE
    stack = find_stacks()["node-rapid"]
    settings = stack.variants[variant].env if variant != "default" else {}
    built = build_stack(stack, installed_versions(stack), tmp_path / "log", lambda: None)
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", COMPILED],
        cwd=built,
        env={"PATH": os.environ["PATH"], **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.split() == [str(compiled), "200", "200", "405"], done.stderr


@needs_node
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


@needs_node
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
