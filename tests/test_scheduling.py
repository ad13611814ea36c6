"""How tests share a machine, tried on a few that write down when they ran and where."""

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

CONFTEST = """
import json, os, time
from contextlib import contextmanager
import pytest
from tests.scheduling import (
    pytest_collection_modifyitems, pytest_configure, pytest_runtest_protocol, pytest_xdist_make_scheduler
)

@pytest.fixture(autouse=True)
def log(request):
    began = time.monotonic()
    time.sleep(0.05)
    yield
    row = {"name": request.node.name, "worker": os.environ["PYTEST_XDIST_WORKER"], "span": [began, time.monotonic()]}
    with open(request.config.rootpath / "log", "a") as file:
        file.write(json.dumps(row) + "\\n")
"""
GROUPED = """
import pytest

@pytest.fixture(scope="module")
def database():
    return "up"

@pytest.mark.parametrize("number", range(6))
def test_grouped(database, number):
    pass
"""
SINGLE = """
import pytest

@pytest.mark.parametrize("number", range(10))
def test_single(number):
    pass

@pytest.mark.measures
@pytest.mark.parametrize("number", range(3))
def test_measured(number):
    pass
"""


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, object]]:
    """What a run with two workers wrote down."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_grouped.py").write_text(GROUPED)
    (tmp_path / "test_single.py").write_text(SINGLE)
    options = ["--numprocesses", "2", "--dist", "loadscope", "--no-loadscope-reorder", "-p", "no:cacheprovider"]
    folders = [f"--rootdir={tmp_path}", f"--basetemp={tmp_path / 'base'}", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *folders],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


@pytest.mark.processes
def test_what_measures_runs_alone_and_a_group_stays_together(rows: list[dict[str, object]]) -> None:
    assert len(rows) == 19
    assert len({row["worker"] for row in rows if str(row["name"]).startswith("test_grouped")}) == 1
    assert len({row["worker"] for row in rows}) == 2, "the others run beside it"
    for one, other in combinations(rows, 2):
        (begin, end), (other_begin, other_end) = one["span"], other["span"]  # type: ignore[misc]
        if "measured" in f"{one['name']} {other['name']}":
            assert end <= other_begin or other_end <= begin, f"{one['name']} beside {other['name']}"
