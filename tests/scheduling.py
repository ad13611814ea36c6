"""How tests share a machine: several at a time, those that measure alone, those that build or load much first.

`make test` starts two workers more than there are processors (pytest-xdist). Without workers, as in `pytest
tests/judge`, tests run one after another and nothing here delays them.

The process that hands out tests does not collect them: the workers leave the groups for it in a file. (The groups of
pytest-xdist 3.8 itself, `--dist loadgroup`, have no effect under pytest 9.)
"""

import fcntl
import json
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

TESTS = Path(__file__).parent

LONGEST_FIRST = ("shipped", "catalog/services", "lab", "tools", "commands", "benches")
"""Folders whose tests take long. They begin first, so that no worker is left with a long test at the end."""

START_PROCESSES = (
    "shipped",
    "commands",
    "benches",
    "catalog/services",
    "tools/compare",
    "report/test_in_a_browser",
    "cluster/test_by_ssh",
)
"""Folders (or beginnings of files) whose tests start processes without asking for the `engine` fixture."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and let Ctrl-C reach what tests start.

    A shell starts what it runs in the background with SIGINT ignored, and so would be all that is started here.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers",
        "measures: asserts on a figure that other tests at work would change (a rate that is reached, a share of a "
        "processor, an absolute time). It runs while no other test does.",
    )
    config.addinivalue_line(
        "markers",
        "processes: starts processes (the engine, stacks, databases, a browser). `make test-quick` leaves it out.",
    )
    config.addinivalue_line("markers", "needs(*names): what the machine may lack. By `tests.machine.needs.needs` only.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what starts processes, order the tests, and tell which belong together."""
    for item in items:
        if starts_processes(item):
            item.add_marker("processes")
    items.sort(key=_turn)
    if "PYTEST_XDIST_WORKER" in os.environ:
        groups = {item.nodeid: group for item in items if (group := _group(item))}
        _groups_file(config, os.environ["PYTEST_XDIST_WORKER"]).write_text(json.dumps(groups))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Hands out groups, in the order in which they were collected."""
    return Groups(config, log)


class Groups(LoadScopeScheduling):  # type: ignore[misc]
    """Tests of a group run in one worker, one after another; a test without a group runs wherever there is room."""

    def schedule(self) -> None:
        """Begin, once all workers have collected: their groups are the same."""
        first = next(iter(self.registered_collections))
        self._by_test: dict[str, str] = json.loads(_groups_file(self.config, first.gateway.id).read_text())
        super().schedule()

    def _split_scope(self, nodeid: str) -> str:
        return self._by_test.get(nodeid, nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    """A test that measures has the machine to itself, from its first fixture to its last."""
    with _machine(item):
        return (yield)


def starts_processes(item: pytest.Item) -> bool:
    """Whether a test starts processes: by its marker, its fixtures or its folder."""
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("processes") is not None or "engine" in fixtures or _below(item, START_PROCESSES)


def shared_between_workers(config: pytest.Config) -> Path:
    """A folder of this test session that all of its workers see."""
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _groups_file(config: pytest.Config, worker: str) -> Path:
    return shared_between_workers(config) / f"groups-{worker}.json"


def _group(item: pytest.Item) -> str | None:
    """The group that a test belongs to, if any."""
    if item.get_closest_marker("measures"):
        return "measures"
    if _shares_a_fixture(item):
        return item.nodeid.partition("::")[0]
    return None


def _shares_a_fixture(item: pytest.Item) -> bool:
    """Whether a fixture of this test, such as a database, serves other tests of its module as well."""
    fixtures = getattr(item, "_fixtureinfo", None)
    definitions = fixtures.name2fixturedefs.values() if fixtures else ()
    return any(definition[-1].scope in {"class", "module", "package"} for definition in definitions)


def _turn(item: pytest.Item) -> tuple[bool, int]:
    measures = item.get_closest_marker("measures") is not None
    place = next((place for place, folder in enumerate(LONGEST_FIRST) if _below(item, [folder])), len(LONGEST_FIRST))
    return measures, place


def _below(item: pytest.Item, beginnings: Sequence[str]) -> bool:
    return _file(item.path).startswith(tuple(beginnings))


@cache
def _file(path: Path) -> str:
    return os.path.relpath(path, TESTS)


@contextmanager
def _machine(item: pytest.Item) -> Iterator[None]:
    """Hold the machine while a test runs: together with others, or alone."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    alone = item.get_closest_marker("measures") is not None
    folder = shared_between_workers(item.config)
    with (folder / "turnstile.lock").open("w") as turnstile, (folder / "machine.lock").open("w") as machine:
        fcntl.flock(turnstile, fcntl.LOCK_EX)  # nobody begins while a test waits to be alone
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(turnstile, fcntl.LOCK_UN)
        yield
