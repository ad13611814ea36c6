"""The user that builds a stack: the lab's, or one of its own, which writes nowhere else and gets no login."""

import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.shared_with_stacks import FIRST_ID, IDS
from fairtrial.catalog.stacks.unprivileged_user import (
    MOST_PROCESSES,
    NAME,
    RunsAs,
    as_lab,
    closed_above,
    give_home,
    named_files,
    programs_of,
    why_no_other_user,
)
from fairtrial.engine.command_user import CommandUser
from fairtrial.experiment.origins import FolderOrigin
from fairtrial.record.processes import StackUser

TOOLS_WRITE = frozenset(
    [
        *("CARGO_HOME", "CARGO_BUILD_BUILD_DIR", "GOPATH", "GOCACHE", "GOMODCACHE", "GEM_HOME"),
        *("GRADLE_USER_HOME", "COMPOSER_HOME", "MIX_HOME", "HEX_HOME"),
    ]
)
"""Variables that name folders of the lab's user for writing. Without them, tools write below HOME."""

LOGINS = re.compile(
    r"token|auth|pass|publish|secret|key|credential|netrc|^bundle_(?!build__|mirror__).*__", re.IGNORECASE
)
"""In names of variables that are logins, or say where one is. Bundler's are named by a host, its dots doubled to __."""

TOOLCHAINS = {"RUSTUP_HOME": ".rustup"}
"""By the variable that says so, where programs lie that are looked for below HOME."""


def has_builder(stack: Stack) -> bool:
    """Whether a user of its own builds the stack."""
    return _asks_for_builder(stack) and not why_no_other_user()


def _asks_for_builder(stack: Stack) -> bool:
    return isinstance(stack.origin, FolderOrigin) and stack.origin.build_user == "own"


@contextmanager
def builder_of(stack: Stack, folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[RunsAs, dict[str, str]]]:
    """The user that builds a stack in this folder, and its variables.

    One of its own owns the folder meanwhile. Afterwards all that it made there is the lab's, and everybody may read it.
    """
    if not has_builder(stack):
        yield as_lab(why_no_other_user() if _asks_for_builder(stack) else ""), dict(environment)
        return
    with run_folder(NAME) as home:
        number = FIRST_ID + secrets.randbelow(IDS)
        opened = closed_above([folder, home, *programs_of("sh", folder)])
        user = CommandUser(number, number, MOST_PROCESSES, opened)
        give_home(home, user)
        _give(folder, os.geteuid(), user.uid, user.gid)
        toolchains = {name: str(path) for name, place in TOOLCHAINS.items() if (path := Path.home() / place).is_dir()}
        env_from = stack.origin.env_from
        others = {name: value for name, value in environment.items() if name in env_from or _is_for_builders(name)}
        builder = RunsAs(StackUser(own=True), user, home, named_files(user, home) if opened else {})
        yield builder, builder.environment(toolchains | others, env_from)
        _take_back(folder, user.uid)


def _is_for_builders(name: str) -> bool:
    return name not in TOOLS_WRITE and not LOGINS.search(name)


def _paths(folder: Path) -> Iterator[Path]:
    """A folder and all below it, without following links."""
    yield folder
    for above, folders, files in os.walk(folder):
        yield from (Path(above) / name for name in (*folders, *files))


def _give(folder: Path, owner: int, uid: int, gid: int) -> None:
    """Make a user the owner of what was `owner`'s."""
    for path in _paths(folder):
        if path.lstat().st_uid == owner:
            os.lchown(path, uid, gid)


def _take_back(folder: Path, owner: int) -> None:
    """Make the lab the owner of what was `owner`'s; everybody may read it, and run what its owner might run.

    What others own is left as it is: it may be a further name (link(2)) of a file that lies elsewhere. The kernel takes
    rights of a program's own (setuid) from what gets another owner.
    """
    for path in _paths(folder):
        state = path.lstat()
        if state.st_uid != owner:
            continue
        os.lchown(path, os.geteuid(), os.getegid())
        if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode):
            path.chmod(0o755 if stat.S_ISDIR(state.st_mode) or state.st_mode & stat.S_IXUSR else 0o644)
