"""Where an entry comes from: a folder, or a git repository at one commit, of which no more is taken than it needs."""

import posixpath
import re
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.catalog.stacks.repository import run_git

FETCHED_WITHIN_SECONDS = 900
SAFELY = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "core.symlinks=true")
OF_THE_COLLECTION = re.compile(r"(?:data|certs)/.*|[^/]+\.ya?ml")
"""What entries share with others of their board."""
LARGEST_SHARED = 16 << 20


class Source(Strict):
    """An entry as a registry has it, in a file of its own."""

    url: str = Field("", description="of a git repository")
    commit: str = Field("", pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})?$", description="its hash in full")
    path: str = Field(".", description="the entry's folder in it")
    folder: str = Field("", description="in place of url, commit and path: a folder of this machine")
    test: str = Field("", description="which of the tests or engines that it names; empty: the first")
    sha256: str = Field("", pattern=r"^([0-9a-f]{64})?$", description="of its files; empty: any")

    @field_validator("url", "path")
    @classmethod
    def _no_option(cls, value: str) -> str:
        if value.startswith("-") or not value.isprintable():
            raise ValueError("printable, and not beginning with a hyphen")
        return value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.url) == bool(self.folder):
            raise ValueError("set either `folder`, or `url` with `commit`")
        if bool(self.url) != bool(self.commit):
            raise ValueError("commit: a `url` goes with the commit that is meant: branches move")
        path = posixpath.normpath(self.path)
        if path.startswith(("..", "/")):
            raise ValueError("path: a folder of the repository")
        return self

    def __str__(self) -> str:
        return self.folder or f"{self.url} at {self.commit}, {self.path}"


@contextmanager
def entry_folder(source: Source) -> Iterator[Path]:
    """The folder of an entry, with what its board has above it; a fetched one is removed at the end.

    Raises:
        Problem: it is not there, or cannot be fetched.
    """
    if source.folder:
        folder = Path(source.folder).expanduser().resolve()
        if not folder.is_dir():
            raise Problem(f"there is no folder {folder}", "name the folder of an entry")
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="fairtrial-adopt-") as scratch:
        files = Path(scratch) / "files"
        files.mkdir()
        _fetch(source, Path(scratch) / "git", files)
        folder = files / source.path
        if not folder.is_dir():
            raise Problem(f"{source}: there is no such folder", "correct `path`")
        yield folder.resolve()


def copy_source(folder: Path, target: Path) -> None:
    """Copy an entry's files. Links that lead out of it are refused: a build would follow them.

    Raises:
        Problem: one does.
    """
    for path in folder.rglob("*"):  # before anything is written
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise Problem(f"{path.relative_to(folder)}: a link that leads out of the entry", "adopt another entry")
    shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))


def _fetch(source: Source, repository: Path, files: Path) -> None:
    _git(repository.parent, "init", "--quiet", "--bare", str(repository))
    _git(repository, "fetch", "--quiet", "--depth", "1", "--no-tags", "--", source.url, source.commit)
    path = posixpath.normpath(source.path)
    above = {"/".join(path.split("/")[:count]) for count in range(1, path.count("/") + 1)}
    paths = [f":(literal){path}"]
    lines = _git(repository, "ls-tree", "-r", "-l", "-z", source.commit).decode(errors="surrogateescape").split("\0")
    for line in filter(None, lines):
        about, _, name = line.partition("\t")
        size = about.split()[3]
        is_shared = OF_THE_COLLECTION.fullmatch(name) or posixpath.dirname(name) in above
        if is_shared and size.isdigit() and int(size) <= LARGEST_SHARED:
            paths.append(f":(literal){name}")
    archive = repository.parent / "files.tar"
    _git(repository, "archive", "--format=tar", f"--output={archive}", source.commit, "--", *paths)
    with tarfile.open(archive) as opened:
        opened.extractall(files, filter="data")


def _git(folder: Path, *arguments: str) -> bytes:
    """Git's output.

    Raises:
        Problem: it failed, or did not end in time.
    """
    process = run_git(folder, *arguments, within_seconds=FETCHED_WITHIN_SECONDS, settings=SAFELY)
    if process.returncode != 0:
        words = printable(process.stderr.decode(errors="replace").strip(), 300)
        raise Problem(f"`git {arguments[0]}` failed: {words}", "check `url` and `commit`")
    return process.stdout
