"""Whether rows were picked uniformly and independently, by two tests that detect different faults.

The chi-square test over parts of the id range detects a program that reads one part of the table; it cannot detect one
that reads few rows spread over all of it. The test of pairs detects that: among n picks from N rows, the
expected number of pairs of equal picks is n(n-1)/(2N), and it is k times as large when 1/k of the rows are read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.judge.statistics.distributions import (
    chi_square_above,
    chi_square_up_to,
    poisson_above,
    poisson_up_to,
)

EXPECTED_PER_BIN = 5.0
"""W. G. Cochran, "Some methods for strengthening the common chi-square tests", Biometrics 10 (1954), 417-451."""


@dataclass(frozen=True)
class BinsTest:
    """Chi-square of the counts over parts of the table against equal shares."""

    statistic: float
    degrees: int
    p_value: float


@dataclass(frozen=True)
class PairsTest:
    """Pairs of equal picks against the expectation."""

    pairs: int
    expected: float
    pearson: float
    """chi-square over single rows"""
    degrees: int
    """of its freedom"""

    @property
    def p_too_many(self) -> float:
        """The larger of both p-values, of so many pairs or more."""
        return max(poisson_above(self.pairs - 1, self.expected), chi_square_above(self.pearson, self.degrees))

    @property
    def p_too_few(self) -> float:
        """The larger of both p-values, of so few pairs or fewer."""
        return max(poisson_up_to(self.pairs, self.expected), chi_square_up_to(self.pearson, self.degrees))

    @property
    def effective_share(self) -> float:
        """Share of the rows that, read uniformly, would give this many pairs: the inverse Simpson index over N.
        At most 1."""
        return min(1.0, self.expected / self.pairs) if self.pairs else 1.0

    def are_too_many(self, alpha: float) -> bool:
        """Whether `p_too_many` is below alpha; Poisson's goes first, as chi-square of a million rows takes longer."""
        return poisson_above(self.pairs - 1, self.expected) < alpha and self.p_too_many < alpha

    def are_too_few(self, alpha: float) -> bool:
        """The same of `p_too_few`."""
        return poisson_up_to(self.pairs, self.expected) < alpha and self.p_too_few < alpha


def bins_test(counts: Sequence[int], rows: int) -> BinsTest | None:
    """Counts over `len(counts)` nearly equal parts of `rows` rows, in id order.

    Neighbouring parts are merged until each is expected to hold at least EXPECTED_PER_BIN picks.

    Returns:
        None if fewer than two parts remain.
    """
    observed = np.asarray(counts, dtype=np.float64)
    parts = observed.size
    total = float(observed.sum())
    if parts < 2 or total <= 0:
        return None
    edges = np.ceil(np.arange(parts + 1) * rows / parts)
    expected = np.diff(edges) / rows * total
    merged = _merge(observed, expected)
    if merged is None:
        return None
    counted, even = merged
    statistic, degrees = float(((counted - even) ** 2 / even).sum()), counted.size - 1
    return BinsTest(statistic, degrees, chi_square_above(statistic, degrees))


def _merge(
    observed: np.ndarray[tuple[int], np.dtype[np.float64]],
    expected: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]] | None:
    starts = [0]
    expectation = 0.0
    for place, share in enumerate(expected):
        if expectation >= EXPECTED_PER_BIN:
            starts.append(place)
            expectation = 0.0
        expectation += float(share)
    if expectation < EXPECTED_PER_BIN and len(starts) > 1:
        starts.pop()
    if len(starts) < 2:
        return None
    return np.add.reduceat(observed, starts), np.add.reduceat(expected, starts)


def pairs_test(picks: int, pairs: int, rows: int) -> PairsTest:
    """`pairs` of equal picks among `picks` from `rows` rows, against uniform and independent picking.

    Few picks a row: pairs are Poisson. Many picks a row: (2·pairs + n)·N/n - n is Pearson's chi-square over
    single rows, with N - 1 degrees of freedom. Each is off where the other holds, so the larger p-value counts.

    Raises:
        ValueError: fewer than two picks or rows.
    """
    if picks < 2 or rows < 2:
        raise ValueError("pairs need at least two picks and two rows")
    possible = picks * (picks - 1) / 2
    expected = possible / rows
    pearson = max(0.0, (2 * pairs + picks) * rows / picks - picks)
    return PairsTest(pairs, expected, pearson, rows - 1)
