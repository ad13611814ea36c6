"""The programs of a service that are installed, and their versions."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem, why_no_answer
from fairtrial.catalog.services.common.folder import unprivileged
from fairtrial.catalog.services.common.full_disk import FREE_SPACE, complaints
from fairtrial.catalog.services.model import Missing

VERSION_WITHIN_SECONDS = 20.0
INITIALISED_WITHIN_SECONDS = 120


def missing_program(title: str, program: str, package: str) -> Missing | None:
    """Why a service cannot be started whose `program` is in the Debian package `package`, or None if it can."""
    if shutil.which(program):
        return None
    return Missing(
        reason=f"{title} cannot be started: there is no `{program}` on PATH",
        packages=(package,),
        remedy=f"install it (Debian: apt install {package}); no system service of it needs to run",
    )


def assert_installed(missing: Missing | None) -> None:
    """Raise Problem if something is missing."""
    if missing is not None:
        raise Problem(missing.reason, missing.remedy)


def version_line(command: Sequence[str]) -> str | None:
    """The first line that this command writes to its standard output; None if it cannot be run or fails."""
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=VERSION_WITHIN_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = process.stdout.splitlines()
    return printable(lines[0], 200) if process.returncode == 0 and lines else None


def dotted(version: Sequence[int]) -> str:
    """(10, 5) as 10.5."""
    return ".".join(map(str, version))


@dataclass
class Programs:
    """A product's programs, on PATH or where its packages put them."""

    title: str
    names: Sequence[str]
    """the server first; of names separated by `|` one is enough, the first is preferred"""
    usual_folders: Sequence[str]
    """where they are if not on PATH, as glob patterns"""
    packages: Sequence[str]
    """Debian packages that bring them"""
    oldest: tuple[int, ...]
    """the oldest version supported"""

    def path_of(self, name: str) -> str | None:
        """The path of a program, on PATH or in a usual folder, the newest version first; None if there is none."""
        folders = sorted({folder for pattern in self.usual_folders for folder in glob(pattern)}, key=_numbers)
        for alternative in name.split("|"):
            path = shutil.which(alternative) or shutil.which(alternative, path=":".join(reversed(folders)))
            if path:
                return path
        return None

    def path(self, name: str) -> str:
        """The path of a program.

        Raises:
            Problem: it is not installed.
        """
        path = self.path_of(name)
        if path is None:
            assert_installed(self.missing())
            raise Problem(f"there is no `{name}` of {self.title}")
        return path

    def missing(self) -> Missing | None:
        """None if all programs are installed, and new enough."""
        absent = [name.split("|")[0] for name in self.names if self.path_of(name) is None]
        if not absent:
            return self._too_old()
        return Missing(
            f"{', '.join(absent)} of {self.title} not found, neither on PATH nor in {', '.join(self.usual_folders)}",
            self.packages,
            f"install it (Debian: apt install {' '.join(self.packages)}), or name a running server by `url_from`",
        )

    def _too_old(self) -> Missing | None:
        """A server that does not say its version is accepted: what is wrong with it shows when it is started."""
        version = self.version()
        if version is None or _numbers(version) >= self.oldest:
            return None
        return Missing(
            f"{self.path_of(self.names[0])} is {version}; {dotted(self.oldest)} or newer is needed",
            self.packages,
            f"install a newer one, and put it before the old one on PATH (Debian: apt install "
            f"{' '.join(self.packages)}), or name a running server by `url_from`",
        )

    def version(self) -> str | None:
        """The product and the number in the server's `--version`; None if it is not installed or gives no number."""
        path = self.path_of(self.names[0])
        if path is None:
            return None
        with suppress(OSError, subprocess.SubprocessError):
            # What it complains of beside its version (MariaDB where there is no interface but loopback) is no news.
            output = subprocess.check_output(
                [path, "--version"], text=True, stderr=subprocess.DEVNULL, timeout=VERSION_WITHIN_SECONDS
            )
            number = re.search(r"\d+\.\d[\w.]*", output)
            return f"{self.title} {number.group()}" if number else None
        return None

    def run(self, folder: Path, command: Sequence[str]) -> None:
        """Run a program that prepares data in the folder, as the server's user.

        Raises:
            Problem: it failed, or took longer than two minutes; with the end of its output.
        """
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        program = f"{Path(command[0]).name} of {self.title}"
        try:
            process = subprocess.run(
                unprivileged(list(command)),
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=INITIALISED_WITHIN_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Problem(f"{program} did not finish: {why_no_answer(error)}") from error
        if process.returncode != 0:
            output = complaints(process.stdout + process.stderr)
            raise Problem(
                f"{program} ended with status {process.returncode} in {folder}:\n{output}",
                f"see its output; {FREE_SPACE}",
            )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))
