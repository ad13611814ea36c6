"""Ranks of several contenders, as far as the blocks distinguish them.

Every pair is compared by its ratio, paired within blocks: the test of a median of the logarithms' differences, which is
a claim's interval inverted (median.median_p_values). Each pair has its own spread: pooling it over all pairs, as
Tukey's studentized range does, would assume that a garbage-collected stack scatters no more than any other.

The chance of reporting any false difference is held at 1 - level over all pairs together, by Holm's step-down procedure
with Shaffer's numbers: the smallest of the p-values is multiplied by how many hypotheses can be true at that step. For
k contenders those are all k(k-1)/2 pairs at first; once one pair differs, no more than (k-1)(k-2)/2 of the others can
be equal, since equality is transitive. It holds whatever the dependence between the pairs, which share contenders.

A stack may start in one of two kinds, fast or slow, by chance. Of two equal stacks, each kind as likely, one starts
fast and the other slow in all n blocks, or the other way round, in 2 · 4^-n of experiments. No p-value of so few blocks
can know that: it is why few blocks rank few contenders (`blocks_for_ranks`).

Sources: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
(1979), 65-70; J. P. Shaffer, "Modified sequentially rejective multiple test procedures", Journal of the American
Statistical Association 81 (1986), 826-831; H.-P. Piepho, "An algorithm for a letter-based representation of
all-pairwise comparisons", Journal of Computational and Graphical Statistics 13 (2004), 456-466.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from operator import or_

import numpy as np

from fairtrial.judge.statistics.median import median_p_values
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS


@dataclass(frozen=True)
class OrderedPair:
    """Two contenders: `higher` is so in a typical block."""

    higher: str
    lower: str
    ratio: float
    """The median of the blocks' ratios of `higher` to `lower`, at least 1."""
    p_value: float
    """Adjusted for all pairs: the smallest family-wise error at which the pair would be different."""
    different: bool


@dataclass(frozen=True)
class Ranking:
    """Contenders in the order of their estimates, and what of that order is proven."""

    order: tuple[str, ...]
    """Best first: the highest estimate, or the lowest with `lowest_first`."""
    pairs: tuple[OrderedPair, ...]
    """Every two contenders once."""
    ranks: Mapping[str, tuple[int, int]]
    """The best and worst rank that each can have: 1 + how many are proven better, k - how many are proven worse."""
    groups: tuple[tuple[str, ...], ...]
    """The largest sets of contenders of which no two are told apart, best first. A contender may be in several: `a`
    and `b` may be alike, and `b` and `c`, and yet `a` differ from `c`."""
    blocks: int

    def different(self, first: str, second: str) -> bool:
        """Whether two contenders are told apart."""
        return any(pair.different for pair in self.pairs if {pair.higher, pair.lower} == {first, second})

    @property
    def letters(self) -> dict[str, str]:
        """The compact letter display: contenders that share a letter are not told apart. After z comes aa."""
        between = "" if len(self.groups) <= len(ALPHABET) else " "
        return {
            name: between.join(_letter(place) for place, group in enumerate(self.groups) if name in group)
            for name in self.order
        }


ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def blocks_for_ranks(contenders: int, level: float = LEVEL) -> int:
    """The fewest blocks that rank so many contenders, whatever kinds of starts they have: 4 for four, 5 for seven, 6
    for fourteen.

    From here on all pairs together lie apart by two kinds of starts alone in at most 1 - level of experiments.
    """
    pairs = contenders * (contenders - 1) / 2
    return max(MINIMUM_BLOCKS, math.ceil(math.log(max(2 * pairs, 1) / (1 - level), 4)))


def compare_all(
    values: Mapping[str, Sequence[float]],
    level: float = LEVEL,
    *,
    lowest_first: bool = False,
) -> Ranking:
    """Rank contenders by `values`: for each, one value a block, the i-th of each from the same block.

    With fewer blocks than `blocks_for_ranks` nothing is told apart.

    Args:
        lowest_first: rank 1 is the lowest estimate, as for a response time.

    Raises:
        ValueError: no contenders, no blocks, different numbers of them, or a value that is not positive.
    """
    names = list(values)
    if not names:
        raise ValueError("a ranking needs contenders")
    lengths = {len(values[name]) for name in names}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError("a ranking needs as many blocks of each contender, and at least one")
    if any(value <= 0 or not math.isfinite(value) for name in names for value in values[name]):
        raise ValueError("a ranking by ratios needs positive, finite values")
    logs = np.log(np.asarray([values[name] for name in names], dtype=np.float64)).T
    blocks = logs.shape[0]
    typical = np.median(logs, axis=0)
    descending = sorted(range(len(names)), key=lambda place: -typical[place])
    pairs: list[OrderedPair] = []
    if len(names) > 1:
        couples = list(combinations(descending, 2))
        differences = np.stack([logs[:, first] - logs[:, second] for first, second in couples], axis=1)
        adjusted = adjust(median_p_values(differences).tolist(), len(names))
        for couple, difference, p_value in zip(couples, np.median(differences, axis=0), adjusted, strict=True):
            high, low = couple if difference >= 0 else couple[::-1]
            different = blocks >= blocks_for_ranks(len(names), level) and p_value <= 1 - level + 1e-12
            pairs.append(OrderedPair(names[high], names[low], float(np.exp(abs(difference))), p_value, different))
    order = tuple(names[place] for place in descending)
    if lowest_first:
        order = order[::-1]
    return Ranking(order, tuple(pairs), _ranks(order, pairs, lowest_first), _groups(order, pairs), blocks)


def adjust(unadjusted: Sequence[float], contenders: int) -> list[float]:
    """P-values of all pairs of `contenders`, adjusted by Holm's procedure with Shaffer's numbers (his S1).

    At step j, when j - 1 pairs are different, the j-th smallest p-value is multiplied by the largest number of
    hypotheses that can be true together and is at most m - j + 1; an adjusted value is never below an earlier one.
    """
    possible = _possibly_true(contenders)
    adjusted = [0.0] * len(unadjusted)
    reached = 0.0
    for step, place in enumerate(sorted(range(len(unadjusted)), key=lambda at: unadjusted[at])):
        factor = possible[bisect_right(possible, len(unadjusted) - step) - 1]
        reached = max(reached, min(1.0, max(factor, 1) * unadjusted[place]))
        adjusted[place] = reached
    return adjusted


@cache
def _possibly_true(contenders: int) -> Sequence[int]:
    """How many of the pairs can be equal, ascending: contenders split into sets of equals, j(j-1)/2 pairs in a set of
    j.

    The numbers for each number of contenders are the bits of one integer: hundreds of contenders take no second.
    """
    bits = [1]
    for number in range(1, contenders + 1):
        sums = (bits[number - size] << (size * (size - 1) // 2) for size in range(1, number + 1))
        bits.append(reduce(or_, sums))
    return [place for place, bit in enumerate(reversed(f"{bits[contenders]:b}")) if bit == "1"]


def _ranks(order: Sequence[str], pairs: Sequence[OrderedPair], lowest_first: bool) -> dict[str, tuple[int, int]]:
    better = dict.fromkeys(order, 0)
    worse = dict.fromkeys(order, 0)
    for pair in pairs:
        if pair.different:
            ahead, behind = (pair.lower, pair.higher) if lowest_first else (pair.higher, pair.lower)
            better[behind] += 1
            worse[ahead] += 1
    return {name: (1 + better[name], len(order) - worse[name]) for name in order}


def _groups(order: Sequence[str], pairs: Sequence[OrderedPair]) -> tuple[tuple[str, ...], ...]:
    """Piepho's groups, contender after contender: each joins those of the groups so far that it does not differ from.

    With one more, a group goes on as it is unless it is joined whole; of what is joined, what lies within another part
    is absorbed. A group is an integer, with a bit for each place in the order: hundreds of contenders have thousands of
    pairs.
    """
    bit = {name: 1 << at for at, name in enumerate(order)}
    apart = dict.fromkeys(order, 0)
    for pair in pairs:
        if pair.different:
            apart[pair.higher] |= bit[pair.lower]
            apart[pair.lower] |= bit[pair.higher]
    groups = {0}
    for name in order:
        parts = {group & ~apart[name] for group in groups}
        largest = {part for part in parts if not any(part & other == part and part != other for other in parts)}
        groups = {group for group in groups if group & apart[name]} | {part | bit[name] for part in largest}
    ordered = sorted([place for place in range(len(order)) if group >> place & 1] for group in groups)
    return tuple(tuple(order[place] for place in places) for places in ordered)


def _letter(place: int) -> str:
    more, last = divmod(place, len(ALPHABET))
    return (_letter(more - 1) if more else "") + ALPHABET[last]
