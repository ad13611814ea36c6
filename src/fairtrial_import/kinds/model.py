"""How one kind of source is recognised and read."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import ImportSource
from fairtrial_import.variables import Variables


@dataclass(frozen=True)
class SourceKind:
    """A kind of source."""

    name: str
    """as `--from` takes it"""
    title: str
    """in words, for messages"""
    recognises: Callable[[ImportSource], bool]
    """whether it is such a source, by its structure"""
    read: Callable[[ImportSource, Variables], ImportedRequests]
    """reads its requests; raises a `Problem` that names the place and the remedy"""
    rank: int = 0
    """Kinds of lower ranks are asked first: documents (0) are told by their keys, the others (1, 2, …) by their lines,
    which documents may quote."""
