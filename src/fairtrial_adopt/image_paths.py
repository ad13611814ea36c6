"""The absolute paths of an image: which are its own, and so lie in the folder that stands for it, and which would be
the machine's."""

import posixpath
import re

FOLDER = "$IMAGE"
"""In a script, the folder that stands for the root of the image."""

OF_MACHINES = frozenset(
    [
        "bin",
        "boot",
        "dev",
        "etc",
        "home",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "media",
        "mnt",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "srv",
        "sys",
        "tmp",
        "usr",
        "var",
    ]
)
"""Folders at the root of every machine (Filesystem Hierarchy Standard 3.0, section 3)."""
ROOMS = ("/usr/src", "/usr/app", "/opt", "/srv", "/home", "/var/www", "/var/app", "/root", "/tmp")  # noqa: S108 - an image's
"""Folders of a machine in which an image keeps files of its own."""
NOT_SEEN = ("/root", "/tmp")  # noqa: S108 - an image's
"""Of these, what a build alone uses: a program finds the machine's."""

READ_BY_ALL = frozenset(
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/urandom", "/proc/cpuinfo", "/bin/sh", "/bin/bash", "/usr/bin/env"]
)
PATH = re.compile(r"(?<![\w./~$}\\*-])/(?:[\w.+@-]+/*)+")
"""An absolute path in a shell's command: no part of a URL, of a relative path or of a variable's."""
PIECE = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|[^'\"]+|['\"]", re.DOTALL)
"""A shell's text in quotes of one kind, or in none."""


def own(path: str) -> str | None:
    """The outermost folder or file of the image that holds this path; None: the path is the machine's."""
    parts = [part for part in posixpath.normpath(path).split("/") if part]
    if not parts:
        return None
    if parts[0] not in OF_MACHINES:
        return f"/{parts[0]}"
    for room in ROOMS:
        names = room.strip("/").split("/")
        if parts[: len(names)] == names and len(parts) > len(names):
            return "/" + "/".join(parts[: len(names) + 1])
    return None


def machines_path(command: str) -> str | None:
    """The first path of the machine, which is not the image's own, that a command names; None: it names none. One
    that leads up is the machine's, too: where to, is told by the links on its way."""
    return next(filter(_is_machines, PATH.findall(command)), None)


def _is_machines(path: str) -> bool:
    if ".." in path.split("/"):
        return True
    return own(path) is None and path.rstrip("/") not in READ_BY_ALL and not path.strip("/").isdigit()


def own_paths(command: str) -> set[str]:
    """The folders or files that hold the image's own paths which a command names."""
    return {place for path in PATH.findall(command) if (place := own(path)) is not None}


def within(command: str) -> str:
    """The command with each path of the image's own below the folder that stands for it."""
    return "".join(_moved(piece) for piece in PIECE.findall(command))


def _moved(piece: str) -> str:
    inserted = {"'": f"'\"{FOLDER}\"'", '"': FOLDER}.get(piece[0], f'"{FOLDER}"')
    return PATH.sub(lambda match: f"{inserted}{match[0]}" if own(match[0]) is not None else match[0], piece)
