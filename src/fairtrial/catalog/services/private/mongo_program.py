"""The program that speaks MongoDB's protocol: MongoDB's own server, or SecantusDB where there is none.

SecantusDB is a separate program on WiredTiger, the storage engine of MongoDB; a pre-release, pinned, from PyPI. It says
that it is MongoDB 8.2; the lab never does.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.cache.once import kept, made_once
from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.installed import said_version
from fairtrial.catalog.services.model import Missing
from fairtrial.catalog.services.private.folder import give_to_server, is_root
from fairtrial.catalog.services.private.server import Command, copy_folder

MONGOD = "mongod"
SECANTUS = "secantusd-rs"
PACKAGE = "SecantusDB 0.6.0b17"
PINNED = Path(__file__).with_name("secantusdb.txt")
TOOL = PACKAGE.lower().replace(" ", "-")
REMEDY = f"see whether the package index can be reached and has it for this machine, or install {MONGOD}"
INSTALLED_WITHIN_SECONDS = 600
CACHE_GIB = 1
LOADING_CACHE_GIB = 4
"""SecantusDB makes an index in one transaction, which has to fit: of a million rows it tries for ever in 1 GiB."""

LOG_FILE_MB = 128
"""Of SecantusDB's journal, which is as large from the start: 2 GB by default, to be copied for each start."""

NATIVE = ("secantusdb.scripts", "secantusdb.libs")
"""The folders of the package in which the program and its libraries lie, side by side."""


@dataclass(frozen=True)
class Program:
    """A server that was found."""

    path: Path
    is_mongod: bool
    package: str = ""
    """what it was installed as, if the lab installed it"""

    @property
    def title(self) -> str:
        """What it is, for messages."""
        return "MongoDB" if self.is_mongod else "SecantusDB"

    @property
    def version(self) -> str | None:
        """What it says of itself, after the package's name, if the lab installed it."""
        said = said_version([str(self.path), "--version"])
        if said is None or self.is_mongod:
            return f"MongoDB {said.removeprefix('db version v')}" if said else None
        return f"{self.package or 'SecantusDB'} ({said})"

    @property
    def settings(self) -> dict[str, str]:
        """Those that bear on speed and durability."""
        synced = "synced every 100 ms" if self.is_mongod else "not synced by commits"
        return {
            "cache": f"{CACHE_GIB} GiB",
            "journal": f"on, {synced}",
            "write_concern": "w: 1, the default of a server of its own",
        }

    def command(self, folder: Path, cache_gib: int = CACHE_GIB) -> Command:
        """The server's command, run in `folder`, with so much memory for its cache at most."""
        program = str(self._reachable(folder))
        if self.is_mongod:
            return lambda data, port: [
                *(program, "--dbpath", str(data), "--bind_ip", LOOPBACK, "--port", str(port), "--nounixsocket"),
                *("--wiredTigerCacheSizeGB", str(cache_gib), "--quiet"),
            ]
        # An empty file of settings: it would look for one in several places.
        settings = folder / "secantusd.toml"
        settings.touch()
        return lambda data, port: [
            *(program, "--config", str(settings), "--storage-path", str(data), "--host", LOOPBACK, "--port", str(port)),
            *("--standalone", "--cache-size", f"{cache_gib}G", "--log-file-max", f"{LOG_FILE_MB}MB"),
        ]

    def _reachable(self, folder: Path) -> Path:
        """The program where the server's user can run it: root's cache is closed to others."""
        if not self.package or not is_root():
            return self.path
        there = folder / "program"
        there.mkdir()
        for name in NATIVE:
            copy_folder(self.path.parents[1] / name, there / name)
        give_to_server(there)
        return there / NATIVE[0] / SECANTUS


def found_program() -> Program | None:
    """`mongod` on PATH, else `secantusd-rs` there, else the one that `install` put into the cache."""
    for name in (MONGOD, SECANTUS):
        found = shutil.which(name)
        if found:
            return Program(Path(found), is_mongod=name == MONGOD)
    tool = kept("tools", TOOL, _pinned_sha256())
    path = _native(tool) if tool else None
    return Program(path, is_mongod=False, package=PACKAGE) if path else None


def missing() -> Missing | None:
    """None if there is a program."""
    if found_program():
        return None
    return Missing(
        reason=f"mongodb cannot be started: there is neither `{MONGOD}` nor `{SECANTUS}` on PATH",
        packages=(),
        remedy=f"install MongoDB (mongodb.com has packages), or {PACKAGE} from PyPI, which speaks its protocol",
    )


def install() -> None:
    """Put SecantusDB into the cache, if it is not there.

    Raises:
        Problem: it cannot be fetched, or does not run on this machine.
    """

    def make(folder: Path) -> None:
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        _step([sys.executable, "-m", "venv", str(folder)], folder)
        # Its dependencies are those of its other half, in Python, which is not run.
        _step([*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(PINNED)], folder)
        program = _native(folder)
        if program is None or said_version([str(program), "--version"]) is None:
            raise Problem(f"{PACKAGE} was installed, and its `{SECANTUS}` does not run here", REMEDY)

    made_once("tools", TOOL, _pinned_sha256(), make)


def _step(command: Sequence[str], folder: Path) -> None:
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
        raise Problem(f"{PACKAGE} could not be installed:\n{log_tail(log)}", REMEDY) from error


def _native(folder: Path) -> Path | None:
    return next(folder.glob(f"lib/python*/site-packages/{NATIVE[0]}/{SECANTUS}"), None)


def _pinned_sha256() -> str:
    return hashlib.sha256(PINNED.read_bytes()).hexdigest()
