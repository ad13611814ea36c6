"""Python packages that are pinned in a file, and put into the cache when they are needed first."""

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.cache.once import find_made, made_once
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem

INSTALLED_WITHIN_SECONDS = 600


@dataclass(frozen=True)
class Pinned:
    """A set of packages."""

    title: str
    """for messages"""
    name: str
    """of their folder in the cache"""
    file: Path
    """every package with its version and its digests, as `pip --require-hashes` reads them"""
    remedy: str
    """where they cannot be installed"""

    def find(self) -> Path | None:
        """The environment that has them; None if they are not installed yet."""
        return find_made("tools", self.name, self._sha256())

    def install(self, assert_good: Callable[[Path], object] = lambda _: None) -> Path:
        """The environment that has them, which is made if it is not there yet.

        Args:
            assert_good: raises Problem if the environment that was made cannot be used; it is removed then.

        Raises:
            Problem: as `assert_good`; or they cannot be fetched, or the cache cannot be written.
        """

        def make(folder: Path) -> None:
            self._fill(folder)
            assert_good(folder)

        return made_once("tools", self.name, self._sha256(), make)

    def _fill(self, folder: Path) -> None:
        print(f"fairtrial: fetching {self.title} (once; some seconds)", file=sys.stderr, flush=True)
        pip = [str(folder / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        self._step([sys.executable, "-m", "venv", str(folder)], folder)
        self._step([*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(self.file)], folder)

    def _step(self, command: Sequence[str], folder: Path) -> None:
        log = folder / "install.log"
        try:
            with log.open("ab") as output:
                subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    check=True,
                    timeout=INSTALLED_WITHIN_SECONDS,
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise Problem(f"{self.title} could not be installed:\n{log_tail(log)}", self.remedy) from error

    def _sha256(self) -> str:
        return hashlib.sha256(self.file.read_bytes()).hexdigest()
