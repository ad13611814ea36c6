"""Worlds of machines of which some lie: how often the pooled interval holds what the honest ones have in common."""

from dataclasses import dataclass

import numpy as np

from fairtrial.judge.statistics.random_effects import MINIMUM_MACHINES, disagreeing, hull, pools_if_some_lie

TRUTH = 0.2
"""The logarithm of the ratio on a typical machine."""


@dataclass(frozen=True)
class Coverage:
    """Counts over runs."""

    held: int
    """the interval held the truth"""
    named_wrongly: int
    """an honest machine was said to disagree"""
    liars_named: int
    """each liar was said to disagree"""


def coverage(
    machines: int, between: float, liars: int, runs: int, *, allowed: int | None = None, lie: float = 0.3
) -> Coverage:
    """Machines whose true values scatter by `between`, with errors of 1 to 5%; the last `liars` of them lie.

    Args:
        allowed: how many may lie, as the reader thinks; None: as many as do, or as `fairtrial pool` takes by default.
        lie: by how much liars are off, all in one direction: on the logarithm.
    """
    drawn = np.random.default_rng([machines, round(1000 * between), liars])
    if allowed is None:
        allowed = max(liars, int(machines > MINIMUM_MACHINES))
    held = wrongly = named = 0
    of_liars = set(range(machines - liars, machines))
    for _ in range(runs):
        errors = drawn.uniform(0.01, 0.05, machines)
        values = TRUTH + between * drawn.standard_normal(machines) + errors * drawn.standard_normal(machines)
        values[machines - liars :] += lie
        low, high = hull(pools_if_some_lie(values, errors, allowed))
        held += low <= TRUTH <= high
        odd = set(disagreeing(values, errors))
        wrongly += bool(odd - of_liars)
        named += of_liars <= odd
    return Coverage(held, wrongly, named)
