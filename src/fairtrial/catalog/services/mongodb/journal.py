"""Commits in the journal of WiredTiger, as SecantusDB writes it: uncompressed.

`top` counts commands, those among them that wrote nothing. What a command wrote is one record of the journal. The
format is that of WiredTiger's src/include/log.h: a record begins at a multiple of 128 bytes with its length, and what
kind it is stands behind a header of 16 bytes.
"""

import struct
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

FILES = "WiredTigerLog.*"
ALIGNED_TO = 128
LENGTH = struct.Struct("<I")
HEADER_BYTES = 16
COMMIT = 0x81
"""WT_LOGREC_COMMIT, 1, as a packed integer."""


def end(data: Path) -> str:
    """Where the journal ends now: the number of its last file, and how far that is written."""
    files = _files(data)
    if not files:
        return ""
    last, offset = max(files), 0
    with _mapped(files[last]) as journal:
        for begin, length in _records(journal, 0):
            offset = begin + length
    return f"{last}:{offset}"


def commits_between(data: Path, since: str, until: str, database: str) -> int | None:
    """How many transactions that wrote a document of this database were committed between two ends of the journal.

    Returns None where files of the journal were removed meanwhile.
    """
    if not since or not until:
        return None
    (first, first_offset), (last, last_offset) = _place(since), _place(until)
    files = _files(data)
    if not files.keys() >= set(range(first, last + 1)):
        return None
    # The key of a document begins with the name of its database.
    key = database.encode() + b"\0"
    commits = 0
    for number in range(first, last + 1):
        with _mapped(files[number]) as journal:
            stop = last_offset if number == last else len(journal)
            for begin, length in _records(journal, first_offset if number == first else 0):
                if begin >= stop:
                    break
                is_commit = journal[begin + HEADER_BYTES] == COMMIT
                commits += is_commit and journal.find(key, begin, begin + length) >= 0
    return commits


def _place(text: str) -> tuple[int, int]:
    number, _, offset = text.partition(":")
    return int(number), int(offset)


def _files(data: Path) -> dict[int, Path]:
    """The files of the journal by their numbers."""
    return {int(file.suffix[1:]): file for file in data.glob(FILES) if file.suffix[1:].isdigit()}


def _mapped(file: Path) -> mmap:
    """A file of the journal: of its 128 MB, what is not written yet takes no memory."""
    with file.open("rb") as opened:
        return mmap(opened.fileno(), 0, access=ACCESS_READ)


def _records(journal: mmap, offset: int) -> Iterator[tuple[int, int]]:
    """Where each record of a file begins from here on, and its length with what it is filled up with."""
    while offset + HEADER_BYTES < len(journal):
        (length,) = LENGTH.unpack_from(journal, offset)
        if not length:
            return
        length += -length % ALIGNED_TO
        yield offset, length
        offset += length
