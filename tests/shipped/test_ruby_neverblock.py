"""What ruby-neverblock brings along: a library with tests of its own, under which ordinary drivers wait at once."""

import os
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from fairtrial.base.locations import shipped
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.requests import BuildRequest, StartRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.stacks.run import start_process
from tests.machine.needs import needs

LIBRARY = shipped("stacks") / "ruby-neverblock" / "neverblock"

STACKS = find_stacks()

LONG_SECONDS, AT_ONCE = 0.4, 8


@needs("ruby-neverblock")
def test_the_tests_of_neverblock_pass() -> None:
    done = subprocess.run(
        ["ruby", "-w", "-e", 'Dir["test/*_test.rb"].sort.each { |file| require "./#{file}" }'],
        cwd=LIBRARY,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("warning:.*neverblock/", done.stderr) is None, done.stderr
    passed = re.search(r"^(\d+) runs, \d+ assertions, 0 failures, 0 errors", done.stdout, re.MULTILINE)
    assert passed, done.stdout
    assert int(passed[1]) >= 50, "the tests were found"


@pytest.mark.parametrize(
    "service", [pytest.param("postgresql", marks=needs("postgresql")), pytest.param("mariadb", marks=needs("mariadb"))]
)
@needs("ruby-neverblock", "ruby-rails", "nginx")
def test_long_queries_wait_at_once(cache: Path, tmp_path: Path, service: str) -> None:
    """On an application's own pool of connections; on Active Record's, half as large as the number of fibers, of which
    each has a connection of its own and waits for it; and in half as many blocking processes."""
    with pick_service(service).start(ServiceStart()) as database:
        own = _seconds_of_long_queries("ruby-neverblock", "default", tmp_path, database.url, pool=AT_ONCE)
        rails = _seconds_of_long_queries("ruby-rails", "neverblock", tmp_path, database.url, pool=AT_ONCE // 2)
        thins = _seconds_of_long_queries("ruby-rails", "four-thins", tmp_path, database.url, pool=1)
    one_after_the_other = LONG_SECONDS * AT_ONCE
    assert own < 0.6 * one_after_the_other, "an eighth of it, if no driver blocks the loop"
    assert 2 * LONG_SECONDS <= rails < 0.6 * one_after_the_other, "a quarter of it"
    assert 2 * LONG_SECONDS <= thins < 0.6 * one_after_the_other, "a quarter of it, as nginx gives each Thin two"


def _seconds_of_long_queries(name: str, variant: str, folder: Path, database_url: str, pool: int) -> float:
    """How long a stack takes for that many queries which sleep in the database, all asked for at once."""
    stack = STACKS[name]
    built = ready(BuildRequest(stack, folder / "log", lambda: None, versions=installed_versions(stack))).folder
    settings = {"DATABASE_URL": database_url, "WEB_CONCURRENCY": "1", "DB_POOL": str(pool)}
    settings |= stack.variants[variant].env
    running = start_process(
        StartRequest(stack, stack.variants[variant], built, settings=settings, cpus=[], log=folder / "log")
    )
    try:
        return _seconds_at(running.url)
    finally:
        running.process.stop()


def _seconds_at(url: str) -> float:
    def ask(client: httpx.Client) -> int:
        return client.get(f"/queries/long/{LONG_SECONDS * 1000:.0f}").status_code

    with ThreadPoolExecutor(AT_ONCE) as pool, httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
        start = time.monotonic()
        assert list(pool.map(ask, [client] * AT_ONCE)) == [200] * AT_ONCE
        return time.monotonic() - start


@pytest.mark.parametrize("name", ["ruby-batch", "ruby-rails"])
def test_the_copy_that_a_stack_has_is_the_library(name: str) -> None:
    """A stack is built from its folder alone."""
    own, copy = LIBRARY / "lib", shipped("stacks") / name / "vendor" / "neverblock"
    texts = [{path.relative_to(root): path.read_text() for path in root.rglob("*.rb")} for root in (own, copy)]
    assert texts[0] == texts[1]
