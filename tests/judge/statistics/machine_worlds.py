"""Worlds of machines of which some lie: how often the pooled interval holds what the honest ones have in common."""

from dataclasses import dataclass

import numpy as np

from fairtrial.judge.statistics.random_effects import MINIMUM_MACHINES, disagreeing, interval_if_some_lie

MACHINES = (3, 5, 10, 30)
TRUTH = 0.2
"""The logarithm of the ratio on a typical machine."""
LIE = 0.3
"""By how much liars are off, all in one direction: on the logarithm."""


@dataclass(frozen=True)
class Coverage:
    """Counts over runs."""

    held: int
    """the interval held the truth"""
    named_wrongly: int
    """an honest machine was said to disagree"""
    liars_named: int
    """each liar was said to disagree"""
    width: float
    """of a typical interval"""


def coverage(machines: int, between: float, lie: int, runs: int, *, allowed: int | None = None) -> Coverage:
    """Machines whose true values scatter by `between`, with errors of 1 to 5%; the last `lie` of them lie.

    Args:
        allowed: how many may lie, as the reader thinks; None: as many as `fairtrial pool` takes by default, or do.
    """
    drawn = np.random.default_rng([machines, round(1000 * between), lie, 28])
    if allowed is None:
        allowed = max(lie, int(machines > MINIMUM_MACHINES))
    held = wrongly = named = 0
    widths = []
    for _ in range(runs):
        errors = drawn.uniform(0.01, 0.05, machines)
        values = TRUTH + between * drawn.standard_normal(machines) + errors * drawn.standard_normal(machines)
        values[machines - lie :] += LIE
        low, high = interval_if_some_lie(values, errors, allowed)
        held += low <= TRUTH <= high
        odd = set(disagreeing(values, errors))
        liars = set(range(machines - lie, machines))
        wrongly += bool(odd - liars)
        named += liars <= odd
        widths.append(high - low)
    return Coverage(held, wrongly, named, float(np.median(widths)))
