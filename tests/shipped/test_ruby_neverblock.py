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

ACTIVE_RECORD = f"""
require "./config/environment"
require "./vendor/neverblock/neverblock"
require "./vendor/neverblock/neverblock/rails"
sleep = ENV["DATABASE_URL"].start_with?("mysql") ? "SLEEP" : "pg_sleep"
ActiveRecord::Base.connection_pool.disconnect! # the first fiber is the thread's own
done = 0
start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
NeverBlock.run do
  {AT_ONCE}.times do
    Fiber.schedule do
      Rails.application.executor.wrap {{ ActiveRecord::Base.connection.execute("SELECT #{{sleep}}({LONG_SECONDS})") }}
      done += 1
    end
  end
end
puts done, ActiveRecord::Base.connection_pool.connections.size, Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
"""


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


@needs("ruby-neverblock")
@pytest.mark.parametrize(
    "service", [pytest.param("postgresql", marks=needs("postgresql")), pytest.param("mariadb", marks=needs("mariadb"))]
)
def test_queries_of_one_process_wait_at_once(cache: Path, tmp_path: Path, service: str) -> None:
    """On the application's own pool of connections, and on Active Record's, which is smaller here than the number of
    fibers: each fiber has a connection of its own, and waits for it."""
    stack = STACKS["ruby-neverblock"]
    built = ready(BuildRequest(stack, tmp_path / "log", lambda: None, versions=installed_versions(stack))).folder
    with pick_service(service).start(ServiceStart()) as database:
        settings = {"DATABASE_URL": database.url, "WEB_CONCURRENCY": "1"}
        running = start_process(
            StartRequest(stack, stack.variants["default"], built, settings=settings, cpus=[], log=tmp_path / "log")
        )
        try:
            seconds = _seconds_of_long_queries(running.url)
        finally:
            running.process.stop()
        active_record = subprocess.run(
            ["ruby", "-e", ACTIVE_RECORD],
            cwd=STACKS["ruby-rails"].folder,
            env={**os.environ, "DATABASE_URL": database.url, "DB_POOL": str(AT_ONCE // 2), "RAILS_ENV": "production"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert active_record.returncode == 0, active_record.stderr
    done, connections, active_record_seconds = active_record.stdout.split()
    assert (int(done), int(connections)) == (AT_ONCE, AT_ONCE // 2)
    one_after_the_other = LONG_SECONDS * AT_ONCE
    assert seconds < 0.6 * one_after_the_other, "an eighth of it, if no driver blocks the loop"
    assert float(active_record_seconds) < 0.6 * one_after_the_other, "a quarter of it"


def _seconds_of_long_queries(url: str) -> float:
    """How long that many queries take which sleep in the database, all asked for at once."""

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
