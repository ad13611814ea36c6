"""Contradictions in printed figures. To add a kind, add a function with `@contradiction_kind` to a file beside this."""

from collections.abc import Iterator, Mapping
from functools import cache

from fairtrial.base.registry import instances_in
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.model import PrintedOutput

__all__ = ["contradiction_kinds", "find_contradictions"]


@cache
def contradiction_kinds() -> Mapping[str, ContradictionKind]:
    """Every kind by name, in the order of the names."""
    return instances_in(__name__, __path__, ContradictionKind)


def find_contradictions(evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Every contradiction of every kind, kind by kind."""
    for kind in contradiction_kinds().values():
        yield from kind.examine(kind, evidence)
