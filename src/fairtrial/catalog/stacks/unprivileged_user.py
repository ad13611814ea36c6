"""The user that a stack is while it runs: one of its own where the lab is root, else that of the lab.

A user of its own is a number that nobody has, drawn anew for each start. It may read what was built and write to one
folder, which is its HOME and its TMPDIR. It finds no cache, no results and no folder that only their owners may enter.
"""

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import run_folder, why_not_root
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.shared_with_stacks import FIRST_ID, IDS, stacks_group
from fairtrial.engine.command_user import CommandUser
from fairtrial.engine.guard import Guarded, Places
from fairtrial.record.processes import StackUser

VARIABLE, LABS = "FAIRTRIAL_STACK_USER", "lab"
"""Set to this, stacks run as the lab does."""

MOST_PROCESSES = 16_384
"""Threads and processes that a stack may have: half of what a machine has room for by default
(kernel.pid_max, 32,768), so that the other half is left for the lab that ends them."""

MAPS = (Path("/proc/self/uid_map"), Path("/proc/self/gid_map"))
"""Of the user namespace of the lab, user_namespaces(7)."""

NAME = "stack"
OF_A_USER = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
"""Variables that name folders of the user of the lab, for writing."""

TRIED_WITHIN_SECONDS = 60.0
LONGEST_REASON = 200
READABILITY_TEST = """
case $1 in
*/*) [ -x "$1" ] ;;
*) command -v "$1" >/dev/null ;;
esac || { echo "it may not run $1"; exit 1; }
closed=$(find . ! -type l ! -readable -print -quit 2>&1)
[ -z "$closed" ] || { echo "it may not read $closed"; exit 1; }
"""
"""Fails, and says why, unless its argument can be run and what was built can be read."""


@dataclass(frozen=True)
class RunsAs:
    """Who a stack is."""

    recorded: StackUser
    command: CommandUser | None = None
    """None: the user of the lab"""
    home: Path | None = None
    """the folder that is its own"""
    files: Mapping[str, Path] = field(default_factory=dict)
    """by the path at which it alone finds them, those that tell programs of its name"""

    def seeing(self, places: Places) -> Places:
        """Its view, with what tells of its name, unless the stack has put something there."""
        return replace(places, files={**self.files, **places.files})

    def environment(self, environment: Mapping[str, str], choices: Collection[str]) -> dict[str, str]:
        """The variables with those that name a user's folders; those that somebody has chosen stay as they are."""
        if self.home is None:
            return dict(environment)
        folders = {"HOME": str(self.home / "home"), "TMPDIR": str(self.home / "tmp"), "USER": NAME, "LOGNAME": NAME}
        others = {name: value for name, value in environment.items() if name not in OF_A_USER or name in choices}
        return others | {name: value for name, value in folders.items() if name not in choices}


def as_lab(reason: str) -> RunsAs:
    """The user of the lab, for this reason."""
    return RunsAs(StackUser(own=False, reason=reason))


@contextmanager
def runs_as(
    stack: Stack, folder: Path, *, hidden: Sequence[Path] = (), most_processes: int = MOST_PROCESSES
) -> Iterator[RunsAs]:
    """The user that a stack is run as from this folder; its own folder is removed at the end.

    Args:
        hidden: folders that a user of its own finds empty, but for what it needs.
        most_processes: threads and processes that it may have at once.
    """
    reason = why_labs_user(stack)
    if reason:
        yield as_lab(reason)
        return
    built, program = folder.resolve(), stack.run[0]
    with run_folder(NAME) as home:
        needed_paths = [built, *programs_of(program, built)]
        opened = closed_above([*needed_paths, home])
        covered = [path.resolve() for path in hidden if path.is_dir()]
        covered = sorted({path for path in covered if path not in needed_paths}, key=lambda path: len(path.parts))
        exempt = [path for path in needed_paths if any(path.is_relative_to(each) for each in covered)]
        user = CommandUser(
            FIRST_ID + secrets.randbelow(IDS), stacks_group(), most_processes, opened, covered, _outermost(exempt)
        )
        reason = _why_not_reached(built, program, user)
        if reason and not opened:
            # Where there are no mount namespaces, it still may write to nobody's folder.
            user = replace(user, hidden=(), read_only=())
            reason = _why_not_reached(built, program, user)
        if reason:
            yield as_lab(reason)
            return
        give_home(home, user)
        has_mounts = bool(user.opened or user.hidden)
        yield RunsAs(StackUser(own=True), user, home, named_files(user, home) if has_mounts else {})


def give_home(home: Path, user: CommandUser) -> None:
    """Make HOME and TMPDIR of a user's own in a folder, which stays the lab's: so do the files that name the user."""
    os.chown(home, os.geteuid(), os.getegid())
    home.chmod(0o711)
    for path in (home / "home", home / "tmp"):
        path.mkdir(mode=0o700)
        os.chown(path, user.uid, user.gid)


def named_files(user: CommandUser, home: Path) -> dict[str, Path]:
    """The machine's users and groups with its own: some programs do not start for a number without a name."""
    entries = {
        "/etc/passwd": f"{NAME}:x:{user.uid}:{user.gid}::{home / 'home'}:/bin/sh",
        "/etc/group": f"{NAME}:x:{user.gid}:",
    }
    files = {}
    for path, entry in entries.items():
        with suppress(OSError):
            content = Path(path).read_bytes()
            files[path] = home / Path(path).name
            files[path].write_bytes(content.rstrip(b"\n") + f"\n{entry}\n".encode())
            files[path].chmod(0o644)
    return files


def why_labs_user(stack: Stack) -> str:
    """Why a stack runs as the lab does, as far as that is known before it is tried; empty if it need not."""
    reason, port = stack.origin.why_labs_user or why_no_other_user(), stack.origin.port
    if not reason and port is not None and port < _first_free_port():
        return f"port {port} is root's"
    return reason


def why_no_other_user() -> str:
    """Why everything runs as the lab does, as far as that is known before it is tried; empty if it need not."""
    if os.environ.get(VARIABLE) == LABS:
        return f"{VARIABLE} asks for it"
    if why_not_root():
        return why_not_root()
    return "" if all(_are_known(each) for each in MAPS) else "there are no other users in this container"


def _outermost(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if not any(path != other and path.is_relative_to(other) for other in paths)]


def _why_not_reached(folder: Path, program: str, user: CommandUser) -> str:
    """Why such a user may not run the program there; empty if it may. It is tried once for each place."""
    ways = CommandUser(
        FIRST_ID, FIRST_ID, opened=tuple(user.opened), hidden=tuple(user.hidden), read_only=tuple(user.read_only)
    )
    return _why_not_readable(folder, program, ways)


@cache
def _why_not_readable(folder: Path, program: str, user: CommandUser) -> str:
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as output:
        try:
            command = ["sh", "-c", READABILITY_TEST, "sh", program]
            with Guarded(command, folder=folder, environment=environment, output=output, user=user) as trying:
                if not trying.ends_within(TRIED_WITHIN_SECONDS):
                    return f"it takes longer than {TRIED_WITHIN_SECONDS:.0f} s to see whether another user may read it"
                status = trying.status()
        except Problem as problem:
            return problem.reason
        if status == 0:
            return ""
        output.seek(0)
        message = printable(output.read(4 * LONGEST_REASON).decode(errors="replace").strip(), LONGEST_REASON)
        return message or f"to try another user ended with status {status}"


def _are_known(numbers: Path) -> bool:
    """Whether the numbers that are drawn exist in the user namespace of the lab."""
    try:
        spans = [tuple(map(int, line.split())) for line in numbers.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return False
    return any(first <= FIRST_ID and first + count >= FIRST_ID + IDS for first, _, count in spans)


def _first_free_port() -> int:
    """The lowest port on which others than root may listen."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text(encoding="utf-8"))
    return 1024


def programs_of(command: str, folder: Path) -> list[Path]:
    """The folders in which programs are looked for, and where the one of this name and Python lie, links followed: an
    environment that a build makes links to the Python which made it."""
    folders = [Path(entry) for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    location = folder / command if os.sep in command else shutil.which(command)
    # Not what the build itself links to: it could open any folder.
    locations = [Path(each) for each in (location, shutil.which("python3")) if each is not None]
    programs = [path for each in locations for path in (each, each.resolve())]
    return [path for path in [*folders, *programs] if path.is_absolute() and path.exists()]


def closed_above(paths: Iterable[Path]) -> list[Path]:
    """Every folder above these paths that only its owner or group may go through, outer ones first."""
    above = {folder for path in paths for each in (path, path.resolve()) for folder in each.parents}
    closed = {folder.resolve() for folder in above if not folder.stat().st_mode & stat.S_IXOTH}
    return sorted(closed, key=lambda folder: len(folder.parts))
