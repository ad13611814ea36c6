"""What node-batch's clients do with connections and with wrong answers, seen from the server that is called."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from tests.shipped.called import CALLS, CONCURRENCY, server

NODE = shutil.which("node")
STACK = find_stacks()["node-batch"]
CLIENTS = ["undici", *sorted(variant.env["CLIENT"] for variant in STACK.variants.values() if "CLIENT" in variant.env)]

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node.js (Debian: apt install nodejs npm)")


@pytest.fixture(scope="module")
def built(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder to run the stack in."""
    return build_stack(STACK, installed_versions(STACK), tmp_path_factory.mktemp("build") / "log", lambda: None)


def call(built: Path, client: str, url: str) -> subprocess.CompletedProcess[str]:
    assert NODE
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    job = {"JOB": "call-batch", "CALLS": str(CALLS), "CONCURRENCY": str(CONCURRENCY), "UPSTREAM_URL": url}
    return subprocess.run(
        [*STACK.run],
        cwd=built,
        env={**environment, **job, "CLIENT": client},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_a_variant_keeps_connections_or_opens_one_a_call(built: Path, client: str) -> None:
    with server() as (url, seen):
        done = call(built, client, url)
    assert done.returncode == 0, done.stderr
    assert seen.requests == CALLS
    assert seen.most_under_way == CONCURRENCY
    if client == "closing":
        assert seen.connections == CALLS
    else:
        assert seen.connections == CONCURRENCY


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_of_another_status_fails_the_job(built: Path, client: str) -> None:
    with server(503) as (url, _):
        done = call(built, client, url)
    assert done.returncode == 1
    assert "status 503" in done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_that_is_cut_off_fails_the_job(built: Path, client: str) -> None:
    with server(cut=True) as (url, seen):
        done = call(built, client, url)
    assert seen.requests == CALLS
    assert done.returncode == 1, "it counted an answer that did not come whole"
