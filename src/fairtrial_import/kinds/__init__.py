"""Kinds of sources: one file for each. Adding a kind is adding a file that defines `KIND`."""

from collections.abc import Mapping
from functools import cache

from fairtrial.base.problem import Problem
from fairtrial.base.registry import defined_in, pick
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.log_formats import known_in_words
from fairtrial_import.source import ImportSource


@cache
def source_kinds() -> Mapping[str, SourceKind]:
    """Every kind by its name, in the order of the names."""
    return defined_in(__name__, __path__, "KIND")


def kind_of(source: ImportSource, name: str | None) -> SourceKind:
    """The kind of this name; without a name, the one that recognises the source.

    Raises:
        Problem: there is no such kind, or none recognises it.
    """
    if name is not None:
        return pick("kind of source", name, source_kinds())
    for kind in sorted(source_kinds().values(), key=lambda kind: kind.rank):
        if kind.recognises(source):
            return kind
    if description := known_in_words(source.head):
        raise Problem(f"{source.label}: is {description[0]}, which is not read", description[1])
    titles = ", ".join(kind.title for kind in source_kinds().values())
    raise Problem(
        f"{source.label}: is nothing that can be imported; these can: {titles}",
        f"say what it is with --from: {', '.join(source_kinds())}",
    )
