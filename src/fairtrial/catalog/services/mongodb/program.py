"""The program that speaks the MongoDB protocol: MongoDB's own server, or SecantusDB where there is none.

SecantusDB is a separate program on WiredTiger, the storage engine of MongoDB: a pre-release from PyPI, pinned. It calls
itself MongoDB 8.2; the lab never does.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.drivers import fetch_drivers
from fairtrial.catalog.services.common.folder import give_to_server, is_root
from fairtrial.catalog.services.common.installed import version_line
from fairtrial.catalog.services.common.pinned import Pinned
from fairtrial.catalog.services.common.server import copy_folder
from fairtrial.catalog.services.common.server_program import Location
from fairtrial.catalog.services.model import Missing

MONGOD = "mongod"
SECANTUS = "secantusd-rs"
PACKAGE = "SecantusDB 0.6.0b17"
PINNED = Pinned(
    title=PACKAGE,
    name=PACKAGE.lower().replace(" ", "-"),
    file=Path(__file__).with_name("secantusdb.txt"),
    remedy=f"check that the package index can be reached and has it for this machine, or install {MONGOD}",
)
"""Its own dependencies, which the file leaves out, belong to its half in Python, which is not run."""

CACHE_GIB = 1
LOADING_CACHE_GIB = 4
"""SecantusDB makes an index in one transaction, which has to fit: with 1 GiB, that of a million rows never ends."""

LOG_FILE_MB, LOADING_LOG_FILE_MB = 128, 16
"""Of SecantusDB's journal, by default 2 GB. That of the loaded data has its size from the start: it is copied before
each start and read in it, and the server begins another one."""

NATIVE = ("secantusdb.scripts", "secantusdb.libs")
"""The package's folders of the program and of its libraries; they have to lie side by side."""


@dataclass(frozen=True)
class MongodbProgram:
    """An installed server."""

    path: Path
    is_mongod: bool
    package: str = ""
    """what the lab installed it as, if it did"""

    @property
    def title(self) -> str:
        """Its product, for messages."""
        return "MongoDB" if self.is_mongod else "SecantusDB"

    @property
    def version(self) -> str | None:
        """Its product and version; None if it does not run."""
        line = version_line([str(self.path), "--version"])
        if line is None:
            return None
        if self.is_mongod:
            return f"MongoDB {line.removeprefix('db version v')}"
        return f"{self.package or 'SecantusDB'} ({line})"

    @property
    def settings(self) -> dict[str, str]:
        """The settings that bear on speed and durability."""
        synced = "synced every 100 ms" if self.is_mongod else "synced by each commit"
        return {
            "cache": f"{CACHE_GIB} GiB",
            "journal": f"on, {synced}",
            "write_concern": "w: 1, the default of a server of its own",
        }

    @property
    def loses_when_killed(self) -> str:
        """Why acknowledged writes may be lost when it is killed, in words; empty: none may."""
        if not self.is_mongod:
            return ""
        return "MongoDB acknowledges (w: 1) up to 100 ms before it writes its journal"

    @property
    def why_not_held(self) -> str:
        """Why it is not to be stopped for a moment, in words; empty: it may be."""
        return "" if self.is_mongod else "SecantusDB closes its connections when it has been stopped and goes on"

    def command(self, location: Location) -> list[str]:
        """The server's command for trials, which asks for passwords.

        SecantusDB would lose acknowledged writes when it is killed.
        """
        durable = [] if self.is_mongod else ["--sync-on-commit"]
        return [*self._command(location, CACHE_GIB, LOG_FILE_MB), "--auth", *durable]

    def loading_command(self, location: Location) -> list[str]:
        """Its command while data are made."""
        return self._command(location, LOADING_CACHE_GIB, LOADING_LOG_FILE_MB)

    def _command(self, location: Location, cache_gib: int, log_file_mb: int) -> list[str]:
        """Its cache takes `cache_gib` GiB of memory at most."""
        folder, data, port = location.data.parent, str(location.data), str(location.port)
        program = str(self._reachable(folder))
        if self.is_mongod:
            return [
                *(program, "--dbpath", data, "--bind_ip", location.host, "--port", port, "--nounixsocket"),
                *("--wiredTigerCacheSizeGB", str(cache_gib), "--quiet"),
            ]
        # An empty file of settings: without one it would look for one in several places.
        settings = folder / "secantusd.toml"
        settings.touch()
        return [
            *(program, "--config", str(settings), "--storage-path", data, "--host", location.host, "--port", port),
            *("--standalone", "--cache-size", f"{cache_gib}G", "--log-file-max", f"{log_file_mb}MB"),
        ]

    def _reachable(self, folder: Path) -> Path:
        """The program's path for the server's user; others cannot read root's cache, so they get a copy in `folder`."""
        if not self.package or not is_root():
            return self.path
        copy = folder / "program"
        if not copy.exists():
            copy.mkdir()
            for name in NATIVE:
                copy_folder(self.path.parents[1] / name, copy / name)
            give_to_server(copy)
        return copy / NATIVE[0] / SECANTUS


def installed_program() -> MongodbProgram | None:
    """`mongod` on PATH, else `secantusd-rs` on PATH, else what `install_lacking` put into the cache; or None."""
    for name in (MONGOD, SECANTUS):
        path = shutil.which(name)
        if path:
            return MongodbProgram(Path(path), is_mongod=name == MONGOD)
    tool = PINNED.find()
    native = _native(tool) if tool else None
    return MongodbProgram(native, is_mongod=False, package=PACKAGE) if native else None


def server_version() -> str | None:
    """The product and version of the installed program; None if there is none."""
    program = installed_program()
    return program.version if program else None


def missing_server() -> Missing | None:
    """None if a program is installed."""
    if installed_program():
        return None
    return Missing(
        reason=f"mongodb cannot be started: there is neither `{MONGOD}` nor `{SECANTUS}` on PATH",
        packages=(),
        remedy=f"install MongoDB (mongodb.com has packages), or {PACKAGE} from PyPI, which speaks its protocol",
    )


def install_lacking() -> None:
    """Put into the cache what is not there yet: the driver, and SecantusDB where no server is installed.

    Raises:
        Problem: it cannot be fetched, or does not run on this machine.
    """
    fetch_drivers()
    if installed_program() is None:
        PINNED.install(_assert_runs)


def _assert_runs(folder: Path) -> None:
    program = _native(folder)
    if program is None or version_line([str(program), "--version"]) is None:
        raise Problem(f"{PACKAGE} was installed, and its `{SECANTUS}` does not run here", PINNED.remedy)


def _native(folder: Path) -> Path | None:
    return next(folder.glob(f"lib/python*/site-packages/{NATIVE[0]}/{SECANTUS}"), None)
