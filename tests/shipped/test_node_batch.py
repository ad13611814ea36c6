"""What node-batch's clients do with connections, with calls that wait and with wrong answers."""

import os
import subprocess
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.machine.needs import needs
from tests.shipped.called import CALLS, CONCURRENCY, server

STACK = find_stacks()["node-batch"]
CALLERS = ["default", *sorted(name for name, variant in STACK.variants.items() if "CLIENT" in variant.env)]
ON_NODE_HTTP = [name for name in CALLERS if name != "default"]

COUNT_BEGUN = """
import { Agent } from "node:http";
const { addRequest } = Agent.prototype;
let begun = 0, told = false;
Agent.prototype.addRequest = function (request, ...rest) {
  begun += 1;
  request.once("response", () => {
    if (!told) console.log(begun);
    told = true;
  });
  return addRequest.call(this, request, ...rest);
};
"""
"""Prints how many calls had been begun when the first answer came."""

pytestmark = needs("node-batch")


@pytest.fixture(scope="module")
def built(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder to run the stack in."""
    return ready(
        BuildRequest(STACK, tmp_path_factory.mktemp("build") / "log", lambda: None, versions=installed_versions(STACK))
    ).folder


def call(built: Path, variant: str, url: str, *options: str) -> subprocess.CompletedProcess[str]:
    """`options`: of Node.js."""
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    job = {"JOB": "call-batch", "CALLS": str(CALLS), "CONCURRENCY": str(CONCURRENCY), "UPSTREAM_URL": url}
    settings = STACK.variants[variant].env if variant != "default" else {}
    program, *arguments = STACK.run
    return subprocess.run(
        [program, *options, *arguments],
        cwd=built,
        env={**environment, **job, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("variant", CALLERS)
def test_a_variant_keeps_connections_or_opens_one_a_call(built: Path, variant: str) -> None:
    with server() as (url, seen):
        done = call(built, variant, url)
    assert done.returncode == 0, done.stderr
    assert seen.requests == CALLS
    assert seen.most_under_way == CONCURRENCY
    if variant == "closing":
        assert seen.connections == CALLS
    else:
        assert seen.connections == CONCURRENCY


@pytest.mark.parametrize("variant", ON_NODE_HTTP)
def test_calls_are_begun_in_turn_or_all_at_once(built: Path, tmp_path: Path, variant: str) -> None:
    (tmp_path / "count.mjs").write_text(COUNT_BEGUN)
    with server() as (url, seen):
        done = call(built, variant, url, f"--import={(tmp_path / 'count.mjs').as_uri()}")
    assert done.returncode == 0, done.stderr
    assert seen.requests == CALLS
    assert int(done.stdout) == (CALLS if variant.endswith("at-once") else CONCURRENCY)


@pytest.mark.parametrize("variant", CALLERS)
def test_an_answer_of_another_status_fails_the_job(built: Path, variant: str) -> None:
    with server(503) as (url, _):
        done = call(built, variant, url)
    assert done.returncode == 1
    assert "status 503" in done.stderr


@pytest.mark.parametrize("variant", CALLERS)
def test_an_answer_that_is_cut_off_fails_the_job(built: Path, variant: str) -> None:
    with server(cut=True) as (url, seen):
        done = call(built, variant, url)
    assert seen.requests == CALLS
    # restify-clients tells nobody: a call never ends, nothing is left to wait for, and Node.js ends with status 13.
    expected = 13 if variant.startswith("restify-clients") else 1
    assert done.returncode == expected, "it counted an answer that did not come whole"
