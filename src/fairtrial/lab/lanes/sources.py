"""Folders of stacks, sent to a lane's host: by digest, bounded in size, and kept there by content."""

import io
import tarfile
from pathlib import Path

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import made_once
from fairtrial.base.locations import shipped
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.catalog.stacks.model import Stack

MOST_BYTES = 64 << 20
"""The packed folders of all stacks have so many at most: they travel in Dask's messages, through the scheduler."""


class SentFolder(Strict):
    """The sources in a folder."""

    sha256: str
    shipped: str = ""
    """the name of the shipped stack whose folder it is: that is on the other host already"""
    packed: bytes = b""
    """else a tar.xz"""


class SentStack(Strict):
    """A stack as it is described here, and the folders that it names."""

    stack: Stack
    """whose folders are those of the other host"""
    folder: SentFolder
    checkouts: dict[str, SentFolder]
    """by variant"""


def packed_stack(stack: Stack) -> SentStack:
    """Raises a Problem for a stack that is more than its folder: what it is then may not be on the other host."""
    why = _why_bound_here(stack)
    if why:
        raise Problem(
            f"stack {stack.name} {why}, which is not there on hosts of a cluster",
            "let the lab build it from a folder with a stack.toml, or try it without --cluster",
        )
    return SentStack(
        stack=stack,
        folder=_packed_folder(stack.folder),
        checkouts={variant: _packed_folder(checkout.folder) for variant, checkout in stack.checkouts.items()},
    )


def unpacked_stack(content: SentStack) -> Stack:
    """The stack, with folders of this host.

    Raises:
        Problem: a shipped stack is another one here, or the cache cannot be written.
    """
    stack = content.stack
    return stack.model_copy(
        update={
            "folder": _unpacked(stack.name, content.folder),
            "checkouts": {
                variant: checkout.model_copy(update={"folder": _unpacked(stack.name, content.checkouts[variant])})
                for variant, checkout in stack.checkouts.items()
            },
        }
    )


def assert_sendable(stacks: "list[SentStack]") -> None:
    """Raises a Problem if they are too long together."""
    total = sum(len(each.packed) for stack in stacks for each in (stack.folder, *stack.checkouts.values()))
    if total > MOST_BYTES:
        raise Problem(
            f"the folders of the stacks are longer than {MOST_BYTES >> 20} MiB when packed, which is the most that is "
            "sent to a host",
            "keep out of them what a build can fetch or make; folders that builds leave behind are not sent",
        )


def _why_bound_here(stack: Stack) -> str:
    if stack.origin.why_bound_here:
        return stack.origin.why_bound_here
    if stack.origin.network is not None:
        return "asks for a network of its own"
    return "finds files outside of its folder" if stack.origin.files else ""


def _packed_folder(folder: Path) -> SentFolder:
    sha256 = folder_sha256(folder)
    if folder.parent == shipped("stacks").resolve():
        return SentFolder(sha256=sha256, shipped=folder.name)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as archive:
        for file in source_files(folder):
            archive.add(file.resolve(), arcname=str(file.relative_to(folder)), recursive=False)
    return SentFolder(sha256=sha256, packed=buffer.getvalue())


def _unpacked(name: str, content: SentFolder) -> Path:
    if content.shipped:
        folder = shipped("stacks").resolve() / content.shipped
        _assert_same(name, folder, content)
        return folder

    def make(folder: Path) -> None:
        source = folder / "source"
        source.mkdir()
        with tarfile.open(fileobj=io.BytesIO(content.packed), mode="r:xz") as archive:
            archive.extractall(source, filter="data")
        _assert_same(name, source, content)

    return made_once("sent", name, content.sha256, make) / "source"


def _assert_same(name: str, folder: Path, content: SentFolder) -> None:
    if not folder.is_dir() or folder_sha256(folder) != content.sha256:
        raise Problem(
            f"stack {name} is another one in {printable(str(folder))} on the lane's host",
            "install the same there, or remove what was changed, and run again",
        )
