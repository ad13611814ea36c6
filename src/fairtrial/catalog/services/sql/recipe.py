"""How a database's own programs are run: found, initialised, started, let stacks in."""

import re
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import ClassVar

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Missing
from fairtrial.catalog.services.private.folder import unprivileged
from fairtrial.catalog.services.private.no_space import REMEDY, complaints
from fairtrial.catalog.services.sql.client import SqlClient, dotted

USER = "fairtrial"
"""The stacks' user, and their database."""

INITIALISED_WITHIN_SECONDS = 120
VERSION_WITHIN_SECONDS = 20
MOST_CONNECTIONS = 500
"""More than any pool of the contract asks for."""


@dataclass(frozen=True)
class Place:
    """Where a server of the lab's own is."""

    data: Path
    port: int


class Recipe(ABC):
    """One kind of database server, in the version that is installed."""

    name: ClassVar[str]
    title: ClassVar[str]
    scheme: ClassVar[str]
    layout: ClassVar[int]
    """raised when the way in which data are made changes: kept data are made again"""
    leftovers: ClassVar[Sequence[str]]
    end_signal: ClassVar[signal.Signals]
    clean_end_signal: ClassVar[signal.Signals]
    programs: ClassVar[Sequence[str]]
    """by their names; of those separated by `|` one is enough, the first is preferred"""
    usual_places: ClassVar[Sequence[str]]
    """where they lie if not on PATH, as patterns"""
    packages: ClassVar[Sequence[str]]
    oldest: ClassVar[tuple[int, ...]]
    """the oldest version that does"""

    @abstractmethod
    def initialise(self, folder: Path) -> None:
        """Make empty data in `folder / "data"`, by `run`."""

    @abstractmethod
    def command(self, place: Place, further: Sequence[str]) -> list[str]:
        """The server's command; a socket for the lab is in its data."""

    @abstractmethod
    def while_loading(self) -> Sequence[str]:
        """Arguments for loading fast: the data are complete or they are made again."""

    @abstractmethod
    def of_variant(self, variant: str) -> Sequence[str]:
        """Arguments that make the variant."""

    @abstractmethod
    def lab(self, place: Place) -> SqlClient:
        """The lab's access to the database of the stacks, by the socket, with all rights."""

    @abstractmethod
    def is_ready(self, place: Place) -> bool:
        """Whether the server answers the lab on the socket."""

    @abstractmethod
    def prepare(self, place: Place) -> None:
        """In new data, make the stacks' user and database."""

    @abstractmethod
    def let_in(self, place: Place, password: str) -> None:
        """Give the stacks' user this password."""

    @abstractmethod
    def settings(self, lab: SqlClient) -> Mapping[str, str]:
        """Those that bear on speed and durability, as the server has them."""

    def found(self, program: str) -> str | None:
        """The path of a program, on PATH or in a usual place, the newest version first."""
        for name in program.split("|"):
            places = sorted({place for pattern in self.usual_places for place in glob(pattern)}, key=_version_in)
            path = shutil.which(name) or shutil.which(name, path=":".join(reversed(places)))
            if path:
                return path
        return None

    def program(self, program: str) -> str:
        """The path of a program.

        Raises:
            Problem: it is not installed.
        """
        path = self.found(program)
        if path is None:
            raise _not_installed(self)
        return path

    def missing(self) -> Missing | None:
        """None if all programs are installed, and new enough."""
        absent = [program.split("|")[0] for program in self.programs if self.found(program) is None]
        if not absent:
            return self._too_old()
        return Missing(
            f"{', '.join(absent)} of {self.title} not found, neither on PATH nor in {', '.join(self.usual_places)}",
            self.packages,
            f"install it (Debian: apt install {' '.join(self.packages)}), or name a server that runs by `url_from`",
        )

    def _too_old(self) -> Missing | None:
        """One that does not say its version is taken as it is: what is wrong with it shows when it is started."""
        version = self.version()
        if version is None or _version_in(version) >= self.oldest:
            return None
        needed = dotted(self.oldest)
        return Missing(
            f"{self.found(self.programs[0])} is {version}; {needed} or newer is needed",
            self.packages,
            f"install a newer one, and have it before the old one on PATH (Debian: apt install "
            f"{' '.join(self.packages)}), or name a server that runs by `url_from`",
        )

    def version(self) -> str | None:
        """The server's `--version`, shortened to its product and number; None if it is not installed."""
        path = self.found(self.programs[0])
        if path is None:
            return None
        with suppress(OSError, subprocess.SubprocessError):
            said = subprocess.check_output([path, "--version"], text=True, timeout=VERSION_WITHIN_SECONDS)
            number = re.search(r"\d+\.\d[\w.]*", said)
            return f"{self.title} {number.group()}" if number else None
        return None

    def run(self, folder: Path, command: Sequence[str]) -> None:
        """Run a program that prepares data, as the server's user, in the folder.

        Raises:
            Problem: it failed or took longer than two minutes; with the end of what it says.
        """
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run(
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
            raise Problem(f"{Path(command[0]).name} of {self.title} did not finish: {error}") from error
        if done.returncode != 0:
            said = complaints(done.stdout + done.stderr)
            raise Problem(
                f"{Path(command[0]).name} of {self.title} ended with status {done.returncode} in {folder}:\n{said}",
                f"see what it says; {REMEDY}",
            )


def _not_installed(recipe: Recipe) -> Problem:
    missing = recipe.missing()
    assert missing is not None, "only called for a program that is not found"
    return Problem(missing.reason, missing.remedy)


def assert_installed(recipe: Recipe) -> None:
    """Raise the Problem that says what is missing, if anything is."""
    if recipe.missing() is not None:
        raise _not_installed(recipe)


def _version_in(path: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", path))
