"""A database that is killed in the middle of a trial: the trial says so, and the rest goes on with a new one."""

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.command_line import Lab
from tests.conftest import left_running
from tests.lab.trial.test_cheats import CHEAT
from tests.lab.trial.test_interrupt import begin, records
from tests.machine.needs import needs
from tests.waiting import PATIENCE_SECONDS, wait_for

pytestmark = needs("postgresql")


@pytest.fixture
def temporary(lab: Lab) -> Iterator[Path]:
    """The lab's folder for temporary files, short and open to other users; empty at the end."""
    folder = Path(tempfile.mkdtemp(prefix="ft-"))
    folder.chmod(0o755)
    lab.environment["TMPDIR"] = str(folder)
    yield folder
    left, running = [path.name for path in folder.iterdir()], left_running(folder)
    shutil.rmtree(folder)
    assert (left, running) == ([], [])


def serving(folder: Path) -> list[psutil.Process]:
    """The database's processes that have a connection of the stack's."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        try:
            below = Path(process.cwd()).is_relative_to(folder)
        except psutil.Error:
            continue
        if below and process.info["cmdline"] and process.info["cmdline"][0].startswith("postgres: fairtrial"):
            found.append(process)
    return found


def test_the_trial_is_told_apart_and_the_next_one_has_a_new_database(lab: Lab, temporary: Path) -> None:
    run = [sys.executable, "cheat.py", "none"]
    name = lab.stack("honest", run=run, server=CHEAT, service="postgresql")
    experiment = lab.experiment(name, blocks=2, service="postgresql", seconds=4.0)
    with begin(lab, "run", experiment, *lab.named(name)) as running:
        wait_for(lambda: len(records(lab)) == 1 and len(serving(temporary)) >= 4, "a load has begun")
        for process in serving(temporary):
            process.parent().send_signal(signal.SIGKILL)  # type: ignore[union-attr]
            break
        out, err = running.communicate(timeout=PATIENCE_SECONDS)

    assert running.returncode == 3, out + err
    first, second = records(lab)[1:]
    assert "PostgreSQL was killed by signal 9" in first
    assert '"failure":null' in second.replace(" ", "")
    assert '"maintenance":{"postgresql":{"seconds":' in second.replace(" ", "")
    assert "PostgreSQL was killed by signal 9" in out
