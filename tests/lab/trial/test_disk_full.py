"""A disk that is full: what needs it is not run, with the cause; the rest goes on, and nothing is left behind.

The disk is a file system in memory, of a few megabytes, in a mount namespace of the test's own: it is gone with it.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Finished, Lab
from tests.conftest import left_running
from tests.lab.trial.test_cheats import CHEAT
from tests.machine.needs import needs

ON_SMALL_DISK = """
mount -t tmpfs -o "size=$MEGABYTES"m,mode=755 tmpfs "$DISK" || exit 99
"$@"
status=$?
(cd "$DISK" && find . -mindepth 1) > "$DISK".left
exit $status
"""


INITIALISING_AND_LOADING = [24, 64]

pytestmark = needs("postgresql", "mounts")


class SmallDisk:
    """A folder that is a disk of its own while a command runs."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        # Short, for the sake of sockets, and open to the servers' user.
        self.folder = Path(tempfile.mkdtemp(prefix="ft-"))
        self.folder.chmod(0o755)

    def run(self, variable: str, megabytes: int, *stacks: str) -> Finished:
        """An experiment of these stacks, with the disk where the environment variable points to."""
        environment = self._lab.environment | {variable: str(self.folder)}
        environment |= {"DISK": str(self.folder), "MEGABYTES": str(megabytes)}
        command = self._lab.command("run", self._lab.experiment(*stacks), *self._lab.named(*stacks))
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", ON_SMALL_DISK, "sh", *command],
            cwd=self._lab.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        *_, results = sorted((self._lab.folder / "results").glob("*"))
        return Finished(done.returncode, done.stdout, done.stderr, results)

    @property
    def left(self) -> list[str]:
        """What lay on it when the command had ended."""
        return self._left.read_text().splitlines()

    @property
    def _left(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.left")

    def remove(self) -> None:
        assert left_running(self.folder) == []
        self._left.unlink(missing_ok=True)
        self.folder.rmdir()


@pytest.fixture
def disk(lab: Lab) -> Iterator[SmallDisk]:
    small = SmallDisk(lab)
    yield small
    small.remove()


@pytest.fixture
def stacks(lab: Lab) -> tuple[str, str]:
    """One that needs no space but a little, and one on a database of its own."""
    run = [sys.executable, "cheat.py", "none"]
    return lab.stack("small"), f"{lab.stack('large', run=run, server=CHEAT, service='postgresql')}@postgresql"


def assert_only_the_large_one_is_not_run(finished: Finished) -> str:
    """The reason why it was not."""
    assert finished.status == 3, finished.out + finished.err
    assert finished.trial("small")["outcome"] == "valid", finished.out
    trial = finished.trial("large")
    assert trial["outcome"] == "not run"
    assert trial["goodput"] is None
    assert trial["remedy"]
    assert "Traceback" not in finished.out + finished.err
    return str(trial["reason"])


@pytest.mark.parametrize("megabytes", INITIALISING_AND_LOADING)
def test_a_disk_that_is_full_while_a_database_is_loaded(
    disk: SmallDisk, stacks: tuple[str, str], lab: Lab, tmp_path: Path, megabytes: int
) -> None:
    """At first there is no room for an empty database, then none for the rows."""
    lab.environment["FAIRTRIAL_CACHE"] = str(tmp_path / "cache")
    reason = assert_only_the_large_one_is_not_run(disk.run("TMPDIR", megabytes, *stacks))
    assert re.search("no space left", reason, re.IGNORECASE), reason
    assert disk.left == []
    assert list((tmp_path / "cache" / "datasets").glob("postgresql*[!k]")) == []


def test_a_disk_that_is_full_while_loaded_data_are_copied(disk: SmallDisk, stacks: tuple[str, str], lab: Lab) -> None:
    loaded = lab.run(*stacks)
    assert loaded.trial("large")["outcome"] == "valid", loaded.out + loaded.err
    reason = assert_only_the_large_one_is_not_run(disk.run("TMPDIR", 32, *stacks))
    assert "cannot be copied" in reason
    assert "No space left on device" in reason
    assert disk.left == []


def test_a_cache_that_is_full_keeps_nothing_that_is_half_made(disk: SmallDisk, stacks: tuple[str, str]) -> None:
    reason = assert_only_the_large_one_is_not_run(disk.run("FAIRTRIAL_CACHE", 32, *stacks))
    assert "No space left on device" in reason
    kept = [path for path in disk.left if path.startswith("./datasets/postgresql") and not path.endswith(".lock")]
    assert kept == []
