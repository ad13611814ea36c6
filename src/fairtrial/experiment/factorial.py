"""Designs of two-level factors: which of them are switched in which run.

Up to MOST_IN_FULL factors, all combinations are tried. Beyond that a fraction of them, of resolution IV or better: the
effect of no factor is mixed up with that of another or with what two factors do together, but what two factors do
together may not be told from what two others do (they are aliases). A generator says that a factor is switched as the
product of the levels of others is, -1 or 1. Of a product of evenly many factors the sign is turned, so that the run in
which nothing is switched is always among the runs.

Source: NIST/SEMATECH e-Handbook of Statistical Methods, 5.3.3.4.7, "Summary tables of useful fractional factorial
designs", after G. E. P. Box, W. G. Hunter and J. S. Hunter, Statistics for Experimenters (1978), table 12.15.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import TypeVar

Item = TypeVar("Item")

Run = frozenset[str]
"""The factors that are switched."""

MOST_IN_FULL = 4
"""Factors whose combinations are all tried: 16 conditions."""

GENERATORS: Mapping[int, Sequence[str]] = {
    5: ("ABCD",),
    6: ("ABC", "BCD"),
    7: ("ABC", "BCD", "ACD"),
    8: ("BCD", "ACD", "ABC", "ABD"),
    9: ("BCDE", "ACDE", "ABDE", "ABCE"),
    10: ("ABCD", "ABCE", "ABDE", "ACDE", "BCDE"),
}
"""By number of factors, the products of the first ones (A, B, …) by which the last ones are switched."""

MOST_FACTORS = max(GENERATORS)


@dataclass(frozen=True)
class FactorialDesign:
    """The runs over some factors."""

    factors: Sequence[str]
    runs: Sequence[Run]
    in_order: bool = False
    """Each run has one factor more than the one before it."""

    @property
    def adds_up(self) -> bool:
        """Whether the parts of its factors make up what all of them change, with nothing assumed."""
        return self.in_order or self.is_full

    @property
    def is_full(self) -> bool:
        """Whether all combinations are among the runs."""
        return len(self.runs) == 1 << len(self.factors)

    @property
    def resolution(self) -> str:
        """`full`, `in order`, `V` or `IV`: V where no two pairs of factors are aliases."""
        if self.in_order:
            return "in order"
        if self.is_full:
            return "full"
        return "IV" if any(len(group) > 1 for group in self.aliases()) else "V"

    def levels(self, factor: str) -> list[int]:
        """-1 or 1 by run: 1 where the factor is switched."""
        return [1 if factor in run else -1 for run in self.runs]

    def together(self, pair: Sequence[str]) -> list[int]:
        """The products of the levels of some factors, by run."""
        return [prod(levels) for levels in zip(*map(self.levels, pair), strict=True)]

    def aliases(self) -> list[list[tuple[str, str]]]:
        """The pairs of factors in groups. What those of one group do together cannot be told apart in these runs."""
        groups: dict[tuple[int, ...], list[tuple[str, str]]] = {}
        for pair in combinations(self.factors, 2):
            column = self.together(pair)
            groups.setdefault(tuple(column[0] * level for level in column), []).append(pair)
        return list(groups.values())


def make_path(factors: Sequence[str]) -> FactorialDesign:
    """The design in which they are switched one after the other, and stay so: of what comes in an order."""
    return FactorialDesign(factors, [frozenset(factors[:count]) for count in range(len(factors) + 1)], in_order=True)


def make_design(factors: Sequence[str]) -> FactorialDesign:
    """The design over so many factors: all combinations, or a fraction with the published generators.

    Raises:
        ValueError: there are no factors, or more than MOST_FACTORS.
    """
    if not 1 <= len(factors) <= MOST_FACTORS:
        raise ValueError(f"a design has 1 to {MOST_FACTORS} factors, and this has {len(factors)}")
    words = GENERATORS.get(len(factors), ())
    base = factors[: len(factors) - len(words)]
    letters = {chr(ord("A") + place): factor for place, factor in enumerate(base)}
    runs = []
    for levels in product((-1, 1), repeat=len(base)):
        level_of = dict(zip(base, levels, strict=True))
        for factor, word in zip(factors[len(base) :], words, strict=True):
            sign = 1 if len(word) % 2 else -1
            level_of[factor] = sign * prod(level_of[letters[letter]] for letter in word)
        runs.append(frozenset(factor for factor, level in level_of.items() if level == 1))
    return FactorialDesign(factors, runs)


def evenly_spread(items: Sequence[Item], most: int) -> list[Item]:
    """So many of them at most, as evenly spread as can be."""
    if len(items) <= most:
        return list(items)
    return [items[(place + 1) * len(items) // (most + 1)] for place in range(most)]
