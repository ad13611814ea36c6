"""What ruby-neverblock brings along: a library with tests of its own, under which ordinary drivers wait at once."""

import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from fairtrial.base.locations import shipped
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.stacks.run import start_stack
from tests.catalog.services import stores
from tests.catalog.services.needed import needs

RUBY = shutil.which("ruby")
LIBRARY = shipped("stacks") / "ruby-neverblock" / "neverblock"

LONG_SECONDS, AT_ONCE = 0.4, 8


@pytest.mark.skipif(RUBY is None, reason="needs Ruby (Debian: apt install ruby ruby-nio4r puma)")
def test_the_tests_of_neverblock_pass() -> None:
    assert RUBY
    done = subprocess.run(
        [RUBY, "-w", "-e", 'Dir["test/*_test.rb"].sort.each { |file| require "./#{file}" }'],
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


@pytest.mark.skipif(RUBY is None, reason="needs Ruby (Debian: apt install ruby)")
@pytest.mark.parametrize(
    "service", [pytest.param("postgresql", marks=needs("postgresql")), pytest.param("mariadb", marks=needs("mariadb"))]
)
def test_queries_of_one_process_wait_at_once(cache: Path, tmp_path: Path, service: str) -> None:
    stack = find_stacks()["ruby-neverblock"]
    built = build_stack(stack, installed_versions(stack), tmp_path / "log", lambda: None)
    with pick_service(service).up([], "default", stores.unheard) as database:
        settings = {"DATABASE_URL": database.url, "WEB_CONCURRENCY": "1"}
        running = start_stack(stack, stack.variants["default"], built, settings=settings, cpus=[], log=tmp_path / "log")
        try:
            seconds = _seconds_of_long_queries(running.url)
        finally:
            running.process.stop()
    assert seconds < LONG_SECONDS * AT_ONCE / 2, "if a driver blocked the loop, one would come after the other"


def _seconds_of_long_queries(url: str) -> float:
    """How long that many queries take which sleep in the database, all asked for at once."""

    def ask(client: httpx.Client) -> int:
        return client.get(f"/queries/long/{LONG_SECONDS * 1000:.0f}").status_code

    with ThreadPoolExecutor(AT_ONCE) as pool, httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
        start = time.monotonic()
        assert list(pool.map(ask, [client] * AT_ONCE)) == [200] * AT_ONCE
        return time.monotonic() - start
