"""Hosts whose clocks are wrong: a namespace of time shifts the monotonic clock of a worker and of its engine."""

from pathlib import Path

import pytest

from tests.command_line import Lab
from tests.lab.lanes.conftest import Run, cluster
from tests.machine.needs import needs

AHEAD_SECONDS = 5000
FEW_ROWS = "[dataset]\nrows = 1000\n"
"""Of which one that has changed is asked for again, however few answers a busy machine manages."""
SHIFTED = ("unshare", "--time", f"--monotonic={AHEAD_SECONDS}", "--fork", "--kill-child=SIGTERM")


@needs("own-clock")
@pytest.mark.parametrize("load_hosts", [1, 2])
def test_a_load_host_whose_clock_is_wrong_changes_no_figure(
    lab: Lab, run_on: Run, cache: Path, tmp_path: Path, load_hosts: int
) -> None:
    """By its clock, all answers were asked for more than an hour after a row had changed, and stale ones excused."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    resources = ("server=1", *(["load=1"] * load_hosts))
    with cluster(folder, cache, *resources, prefixes={1: SHIFTED}) as processes:
        options = ("--load-hosts", str(load_hosts))
        finished = run_on(processes, lab.stack("one"), options=options, seconds=1, data=FEW_ROWS)
    assert finished.status == 0, finished.err + finished.out
    _, trial = finished.record
    engine, changes = trial["engine"], trial["row_changes"]
    assert trial["failure"] is None and engine["verified"] > 0
    assert 0.9 < engine["window_seconds"] < 1.5 and 0 < engine["response_time"]["max_seconds"] < 60
    assert changes["old"] == 0 < changes["answers"]
    assert 0 <= changes["latest_seconds"] < 60 and changes["grace_seconds"] < 0.5
    assert all(host["opened_after_seconds"] < 0.5 for host in trial["load_hosts"])
