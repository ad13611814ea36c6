"""Contradictions in printed figures: one file for each kind. Adding a kind is adding a file that defines `KIND`."""

from collections.abc import Iterator, Mapping
from functools import cache

from fairtrial.base.registry import defined_in
from fairtrial_cross_examine.contradictions.model import Contradiction, Kind
from fairtrial_cross_examine.model import Evidence

__all__ = ["all_kinds", "find_contradictions"]


@cache
def all_kinds() -> Mapping[str, Kind]:
    """Every kind by name, in the order of the names."""
    return defined_in(__name__, __path__, "KIND")


def find_contradictions(evidence: Evidence) -> Iterator[Contradiction]:
    """Every contradiction of every kind, kind by kind."""
    for kind in all_kinds().values():
        yield from kind.examine(kind, evidence)
