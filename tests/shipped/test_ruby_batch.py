"""What ruby-batch's tasks do with calls, seen from the server that is called: threads, and fibers under a scheduler."""

import os
import subprocess

import pytest

from fairtrial.catalog.stacks.find import find_stacks
from tests.machine.needs import needs
from tests.shipped.called import CALLS, CONCURRENCY, server

STACK = find_stacks()["ruby-batch"]

pytestmark = needs("ruby-batch")


def call(task: str, url: str) -> subprocess.CompletedProcess[str]:
    job = {"JOB": "call-batch", "CALLS": str(CALLS), "CONCURRENCY": str(CONCURRENCY), "UPSTREAM_URL": url}
    return subprocess.run(
        [*STACK.run],
        cwd=STACK.folder,
        env={**os.environ, **job, "TASK": task},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("task", ["thread", "neverblock"])
def test_calls_wait_at_once_on_a_connection_of_each_task(task: str) -> None:
    with server() as (url, seen):
        done = call(task, url)
    assert done.returncode == 0, done.stderr
    assert (seen.requests, seen.most_under_way, seen.connections) == (CALLS, CONCURRENCY, CONCURRENCY)


@pytest.mark.parametrize("task", ["thread", "neverblock"])
def test_an_answer_of_another_status_fails_the_job(task: str) -> None:
    with server(503) as (url, _):
        done = call(task, url)
    assert done.returncode == 1
    assert "503" in done.stderr
