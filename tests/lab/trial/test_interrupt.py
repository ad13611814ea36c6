"""Ends that nobody planned: whatever happens to the lab, nothing is left running and what was measured is kept."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command_line import Lab
from tests.conftest import left_running
from tests.forked_command import Forked
from tests.machine.needs import needs
from tests.waiting import PATIENCE_SECONDS, wait_for


@contextmanager
def begin(lab: Lab, *arguments: str | Path) -> Iterator[Forked]:
    running = lab.begin(*arguments)
    try:
        yield running
    finally:
        running.kill()  # of a test that failed: otherwise its end would be waited for


def records(lab: Lab) -> list[str]:
    files = list((lab.folder / "results").glob("*/record.jsonl"))
    return files[0].read_text().splitlines() if files else []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_reports_what_was_measured(lab: Lab, cache: Path, number: signal.Signals) -> None:
    experiment = lab.experiment(lab.stack("good"), blocks=500)
    with begin(lab, "run", experiment, *lab.named("good")) as running:
        wait_for(lambda: len(records(lab)) > 2, "a trial has ended")
        running.send_signal(number)
        out, err = running.communicate(timeout=PATIENCE_SECONDS)

    assert running.returncode == 130, err
    assert "interrupted" in out
    results = next((lab.folder / "results").iterdir())
    result = json.loads((results / "result.json").read_text())
    assert result["interrupted"] is True
    trials = result["conditions"][0]["trials"]
    assert trials[0]["outcome"] == "valid"
    assert (results / "report.html").stat().st_size > 0
    assert left_running(lab.folder, cache) == []


def test_an_interrupt_while_preparing_leaves_nothing(lab: Lab, cache: Path) -> None:
    slow = lab.stack("cut-off", build=[["python3", "-c", "import time; time.sleep(3600)"]])
    with begin(lab, "run", lab.experiment(slow), *lab.named(slow)) as running:
        wait_for(lambda: left_running(cache), "the build has begun")
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE_SECONDS)

    assert running.returncode == 130
    assert "interrupted" in err
    assert left_running(lab.folder, cache) == []
    assert list((cache / "stacks").glob("cut-off-*/*")) == []


def test_a_killed_lab_leaves_nothing_running(lab: Lab, cache: Path) -> None:
    """SIGKILL gives no chance to clean up: the guards see their lifeline end."""
    names = [lab.stack("good"), lab.stack("daemon", "daemon")]
    with begin(lab, "run", lab.experiment(*names, blocks=500), *lab.named(*names)) as running:
        wait_for(lambda: len(records(lab)) > 2 and left_running(cache), "a trial has ended")
        running.kill()
        running.wait()

    wait_for(lambda: left_running(lab.folder, cache) == [], "nothing runs any more")


def test_a_record_cut_off_by_a_kill_can_still_be_judged(lab: Lab) -> None:
    finished = lab.run(lab.stack("good"), blocks=2)
    assert finished.results
    record = finished.results / "record.jsonl"
    whole = record.read_text()
    record.write_text(whole[:-40])

    rebuilt = lab.fairtrial("judge", finished.results)

    assert len(json.loads((finished.results / "result.json").read_text())["conditions"][0]["trials"]) == 1
    assert rebuilt.status == 130, "fewer trials than planned: the run did not come to its end"


def run_on_a_small_disk(lab: Lab, size: str, blocks: int) -> "subprocess.CompletedProcess[str]":
    """Run with the results on a disk of this size, in a mount namespace of its own."""
    experiment = lab.experiment(lab.stack("good"), blocks=blocks)
    small = lab.folder / "small"
    small.mkdir()
    script = f'mount -t tmpfs -o size={size} tmpfs {small} && exec "$@"'
    command = lab.command("run", experiment, *lab.named("good"), "--out", small)
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *command],
        cwd=lab.folder,
        env=lab.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@needs("mounts")
@pytest.mark.parametrize(
    ("size", "blocks", "status"), [("4k", 1, 4), ("64k", 40, 3), ("300k", 2, 3)], ids=["nothing", "record", "report"]
)
def test_a_full_disk_is_one_clear_message(lab: Lab, size: str, blocks: int, status: int) -> None:
    """On the first disk no record begins, on the second it comes to its end, on the third the report does not fit."""
    done = run_on_a_small_disk(lab, size, blocks)

    assert done.returncode == status, done.stderr
    assert "No space left on device" in done.stderr
    assert "remedy: free" in done.stderr
    assert "Traceback" not in done.stderr
    assert ("goodput/s" in done.stdout) == (status == 3)


def test_a_results_folder_that_cannot_be_made_is_said_before_anything_starts(lab: Lab) -> None:
    occupied = lab.folder / "results"
    occupied.write_text("a file, not a folder")

    finished = lab.fairtrial("run", lab.experiment(lab.stack("good")), *lab.named("good"))

    assert finished.status == 2
    assert "--out" in finished.err
    assert "Traceback" not in finished.err


@pytest.mark.parametrize(
    ("out", "status"),
    [
        pytest.param("/proc/results", 2, id="where no folder can be"),
        pytest.param("/sys/results", 4, id="which the machine forbids"),
    ],
)
def test_a_read_only_place_for_results(lab: Lab, out: str, status: int) -> None:
    finished = lab.fairtrial("run", lab.experiment(lab.stack("good")), *lab.named("good"), "--out", out)

    assert finished.status == status
    assert out in finished.err
    assert "--out" in finished.err
