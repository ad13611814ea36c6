"""The user's files, from which a service is loaded: their digest, and how one is read or handed to a program."""

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LOADED_WITHIN_SECONDS = 1800
LARGEST_TEXT_BYTES = 512 << 20
"""Of a file that the lab reads as a whole."""

COMPLAINT_CHARACTERS = 500


def files_sha256(files: Sequence[Path]) -> str:
    """A digest of names and contents, in their order, as hex.

    Raises:
        Problem: one cannot be read.
    """
    digest = hashlib.sha256()
    for each in files:
        try:
            with each.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(each, error) from error
        digest.update(f"{each.name}\0{content}\0".encode())
    return digest.hexdigest()


def text_of(file: Path) -> str:
    """The whole of a file.

    Raises:
        Problem: it cannot be read, is larger than half a GiB, or is not UTF-8.
    """
    try:
        if file.stat().st_size > LARGEST_TEXT_BYTES:
            raise Problem(f"{file}: larger than {LARGEST_TEXT_BYTES >> 20} MiB", "write it as several files")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(file, error) from error
    except UnicodeDecodeError as error:
        raise Problem(f"{file}: not UTF-8 text", "is it a dump in a format of its own? dump it as text") from error


def unreadable(file: Path, error: OSError) -> Problem:
    """That a file cannot be read, as a problem."""
    return Problem(f"{file}: cannot be read: {error.strerror}", "name a file that can be read")


def refused(title: str, file: Path, message: str) -> Problem:
    """That a database refused what a file says, as a problem."""
    return Problem(
        f"{file}: {title} refused it: {printable(message.strip(), COMPLAINT_CHARACTERS)}",
        "load it into an empty database by hand, with the client of the database, until it does not complain",
    )


def load_by_client(title: str, command: Sequence[str], file: Path, environment: Mapping[str, str]) -> None:
    """Have the client of a database read a file from its standard input.

    Args:
        environment: beside what the client needs to run.

    Raises:
        Problem: the client complains, or takes longer than half an hour.
    """
    base = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    try:
        with file.open("rb") as content:
            process = subprocess.run(
                list(command),
                stdin=content,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**base, **environment},
                cwd=file.parent,
                timeout=LOADED_WITHIN_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{file}: {title} did not load it within {LOADED_WITHIN_SECONDS} s", "take fewer rows") from error
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}", f"are the file and {command[0]} there?") from error
    if process.returncode != 0:
        raise refused(title, file, process.stderr.decode(errors="replace")[-4000:])
