"""An entry of a public board, as its own files describe it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class EntryExamination:
    """A workload of a board, as far as an entry takes part in it."""

    name: str
    workload: str
    """the name of a shipped workload file"""
    paths: Mapping[str, str]
    """by the beginning of a path in that file, the entry's own; requests below other paths are left out"""
    service: str = "none"
    data: Mapping[str, str] = field(default_factory=dict)
    """by service, the shipped file with its rows, where the workload file names none"""
    writes: bool = False
    """whether each answer changes rows, so that a fixed number is asked for"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry: the files that its image is built from, and what it is asked."""

    board: str
    name: str
    """as a slug"""
    title: str
    language: str
    folder: Path
    """what its Dockerfile calls the context"""
    dockerfile: str
    """the text of its Dockerfile"""
    command: str = ""
    """in place of the Dockerfile's CMD"""
    port: int
    examinations: tuple[EntryExamination, ...]
    mounted: Mapping[str, Path] = field(default_factory=dict)
    """by absolute path, files of the board that it finds there"""
    hosts: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    """what of it is not adopted, and why"""
