"""The source of an import: a command line in quotes, a file (also gzip), or standard input; read within bounds."""

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

HEAD_BYTES = 64 << 10
"""So much of a source is looked at to tell a log."""
LONG_HEAD_BYTES = 32 << 20
"""So much is looked at to tell a document, whose telling key may stand at its end."""
JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]', re.DOTALL)
YAML_KEY = re.compile(r"""^([ ]*)["']?([\w$./-]+)["']?[ ]*:(?=\s|$)""", re.MULTILINE)
COMMENTS = re.compile(r"(?:[ \t]*(?:[#%].*|---.*)?\r?\n)*")
LARGEST_STDIN_BYTES = 64 << 20
"""Standard input is kept in memory, as it cannot be read twice."""
LONGEST_LINE_BYTES = 64 << 10
"""Servers take request lines of 8 KiB (nginx, Apache), and log at most three texts of that length."""
GZIP = b"\x1f\x8b"
STDIN = "-"
MOST_FILES = 10_000
FOLDER_MARKS = frozenset({"bruno.json", "opencollection.yml", ".bru"})
"""A folder that holds one of these, or a file that ends so, is a collection of Bruno."""


@dataclass(frozen=True)
class ImportSource:
    """Something to import. `label` is printable, and names it in messages and in the file."""

    label: str
    stem: str
    """its name without endings, for a title"""
    open: Callable[[], BinaryIO]
    head: str
    """its beginning"""
    folder: str = ""
    """where it lies; empty: the working folder"""
    path: str | None = None
    """the path of a file that is not packed"""
    files: tuple[str, ...] = ()
    """of a folder: the paths of its files, within it"""

    def text(self, most_bytes: int) -> str:
        """All of it.

        Raises:
            Problem: it cannot be read, or has more than `most_bytes`.
        """
        with self.opened() as file:
            content = file.read(most_bytes + 1)
        if len(content) > most_bytes:
            raise Problem(f"{self.label}: larger than {most_bytes:,} bytes", "import a part of it")
        return _decoded(content)

    def lines(self, most_bytes: int) -> Iterator[str | None]:
        """Its lines, without their ends; None for one that is longer than 64 KiB.

        Raises:
            Problem: it cannot be read, or has more than `most_bytes` once it is unpacked.
        """
        total = 0
        with self.opened() as file:
            while line := file.readline(LONGEST_LINE_BYTES):
                total += len(line)
                whole = line.endswith(b"\n") or len(line) < LONGEST_LINE_BYTES
                yield _decoded(line).rstrip("\r\n") if whole else None
                while not whole and (rest := file.readline(LONGEST_LINE_BYTES)):
                    total += len(rest)
                    whole = rest.endswith(b"\n")
                if total > most_bytes:
                    raise Problem(
                        f"{self.label}: more than {most_bytes:,} bytes",
                        "import its last part: tail -n 100000 access.log | fairtrial import -",
                    )

    @cached_property
    def long_head(self) -> str:
        """All of it, or its first 32 MiB."""
        with self.opened() as file:
            return _decoded(file.read(LONG_HEAD_BYTES))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The names at the top of a JSON or a YAML document, in whatever order; empty if it is neither."""
        comments = COMMENTS.match(self.head)
        start = comments.end() if comments else 0
        if self.head.startswith("{", start) or self.head.lstrip().startswith("{"):
            return frozenset(_keys_of_json(self.long_head[start:]))
        first = YAML_KEY.match(self.head, start)
        if first is None:
            return frozenset()
        return frozenset(name for indent, name in YAML_KEY.findall(self.long_head) if indent == first[1])

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The bytes, unpacked. What goes wrong on the way becomes a `Problem`."""
        try:
            with self.open() as file:
                yield file
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise Problem(f"{self.label}: the gzip file is broken or cut off", "unpack what is whole of it") from error
        except OSError as error:
            raise Problem(
                f"{self.label}: cannot be read: {error.strerror}", "check the path and its permissions"
            ) from error


def open_source(argument: str) -> ImportSource:
    """The source that an argument means: `-`, a command line that begins with `curl`, or a path.

    Raises:
        Problem: there is none, or it cannot be read.
    """
    if argument == STDIN:
        return _in_memory(_standard_input(), "standard input")
    if looks_like_curl(argument):
        return _in_memory(argument.encode(errors="replace"), "the curl command")
    label = printable(argument, 200)
    if "://" in argument and not os.path.exists(argument):
        raise Problem(f"{label}: is an address, and nothing is fetched", "save it to a file, and import the file")
    if FOLDER_MARKS & _names_in(argument):
        path = Path(argument).absolute()
        return ImportSource(label, path.name, lambda: io.BytesIO(b""), "", str(path), files=_files_below(path))
    if not os.path.isfile(argument):  # which, unlike Path.is_file, takes a name of any length
        raise Problem(f"{label}: there is no such file", "give a file, a command in quotes ('curl …'), or - for stdin")
    path = Path(argument)
    stem = path.name.partition(".")[0] or "imported"
    source = _with_head(ImportSource(label, stem, lambda: _unpacked(path), "", str(path.parent)))
    return source if _is_packed(path) else replace(source, path=argument)


def _names_in(argument: str) -> set[str]:
    """The names in a folder, and their endings; none if it is no folder."""
    try:
        names = os.listdir(argument) if os.path.isdir(argument) else []
    except OSError:
        names = []
    return {*names, *(os.path.splitext(name)[1] for name in names)}


def _files_below(folder: Path) -> tuple[str, ...]:
    """The paths of all files below a folder, without hidden ones and those of other projects."""
    paths: list[str] = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        paths += [os.path.relpath(os.path.join(place, name), folder) for name in sorted(files)]
        if len(paths) > MOST_FILES:
            raise Problem(f"{printable(str(folder), 200)}: more than {MOST_FILES:,} files", "give a folder within it")
    return tuple(paths)


def looks_like_curl(text: str) -> bool:
    """Whether a text begins with a call of curl, perhaps behind a prompt."""
    words = text.lstrip().removeprefix("$ ").split(maxsplit=1)
    return bool(words) and is_curl(words[0]) and len(words) > 1


def is_curl(word: str) -> bool:
    """Whether a command is curl."""
    return re.split(r"[/\\]", word)[-1] in ("curl", "curl.exe")


def _keys_of_json(text: str) -> Iterator[str]:
    """The names of the first object, however broken what follows is."""
    depth = 0
    for match in JSON_TOKEN.finditer(text):
        part = match.group()
        if part in "{[":
            depth += 1
        elif part in "}]":
            depth -= 1
            if depth <= 0:
                return
        elif depth == 1 and match[2]:
            yield match[1]


def _in_memory(content: bytes, label: str) -> ImportSource:
    def opened() -> BinaryIO:
        plain = io.BytesIO(content)
        return cast("BinaryIO", gzip.GzipFile(fileobj=plain)) if content.startswith(GZIP) else plain

    return _with_head(ImportSource(label, "imported", opened, ""))


def _with_head(source: ImportSource) -> ImportSource:
    with source.opened() as file:
        head = _decoded(file.read(HEAD_BYTES))
    return replace(source, head=head)


def _unpacked(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if _is_packed(path) else path.open("rb")


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(GZIP)) == GZIP


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise Problem("there is nothing to read", "pipe something: tail -n 100000 access.log | fairtrial import -")
    content = sys.stdin.buffer.read(LARGEST_STDIN_BYTES + 1)
    if len(content) > LARGEST_STDIN_BYTES:
        raise Problem(f"standard input: larger than {LARGEST_STDIN_BYTES:,} bytes", "give the file instead")
    return content


def _decoded(content: bytes) -> str:
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))  # what a redirection in PowerShell writes
    return content.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")
