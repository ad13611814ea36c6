"""Medians and intervals over blocks of which some values are lower bounds, against true values drawn at random."""

import random

import pytest

from fairtrial.judge.statistics.estimate import over_blocks
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded


def of(*values: float, bounds: set[int]) -> tuple[bool, bool]:
    """Whether the median, and whether the interval's upper end may be higher; `bounds` are places from 0."""
    found = over_blocks_bounded(values, [place in bounds for place in range(len(values))])
    plain = over_blocks(values)
    assert (found.estimate, found.interval, found.blocks) == (plain.estimate, plain.interval, plain.blocks)
    return found.is_lower_bound, found.open_above


@pytest.mark.parametrize(
    ("values", "bounds", "expected"),
    [
        ((1, 2, 3, 4, 5), set(), (False, False)),
        ((1, 2, 3, 4, 5), {4}, (False, True)),  # Student's interval rests on every value
        ((1, 2, 3, 4, 5), {2}, (True, True)),
        ((5, 4, 3, 2, 1), {4}, (True, True)),  # it may be the longest in truth
        ((1, 2, 3, 4), {2}, (True, True)),  # both middle values make the median
        ((1, 2, 3, 4), {3}, (False, True)),
        ((1, 2, 2, 2), {0}, (False, True)),  # wherever the first lies, the middle values are 2
        ((7,), {0}, (True, False)),
        ((7, 7), {1}, (True, False)),
        (tuple(range(1, 13)), {11}, (False, False)),  # the interval ends between the third and fourth from above
        (tuple(range(1, 13)), {9}, (False, True)),
        (tuple(range(1, 13)), {5}, (True, True)),
    ],
)
def test_what_may_in_truth_be_higher(values: tuple[float, ...], bounds: set[int], expected: tuple[bool, bool]) -> None:
    assert of(*values, bounds=bounds) == expected


def test_no_true_values_contradict_what_is_called_exact() -> None:
    draw = random.Random(5)
    marked = exact = 0
    for _ in range(300):
        blocks = draw.randint(1, 14)
        values = [draw.choice([1.0, 1.5, 2.0, 3.0]) for _ in range(blocks)]
        bounds = [draw.random() < 0.2 for _ in range(blocks)]
        found = over_blocks_bounded(values, bounds)
        worlds = [
            over_blocks(
                [
                    value * draw.choice([1, 1, 1.2, 50]) if is_one else value
                    for value, is_one in zip(values, bounds, strict=True)
                ]
            )
            for _ in range(8)
        ]
        assert all(world.estimate >= found.estimate for world in worlds)
        if found.is_lower_bound:
            marked += 1
        else:
            exact += 1
            assert all(world.estimate == found.estimate for world in worlds)
        if not found.open_above and found.interval is not None:
            assert all(world.interval is not None and world.interval[1] == found.interval[1] for world in worlds)
    assert marked > 50 and exact > 50
