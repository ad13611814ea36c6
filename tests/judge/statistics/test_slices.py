"""Measured in slices: how often a difference is found that is there, and one that is not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial.experiment.model import FIRST_BLOCKS
from fairtrial.experiment.slices import Slices
from fairtrial.judge.statistics.looks import level_at, plan_looks
from fairtrial.judge.statistics.median import median_intervals
from tests.judge.statistics.simulation import at_most_five_percent
from tests.judge.statistics.sliced_worlds import BLOCKS, FAILING, World, measured, outcomes, rounds_of

EXPERIMENTS = 200
MARGIN = 0.95
LOOKS = plan_looks(FIRST_BLOCKS, BLOCKS)
RULE = Slices()
LITTLE, MUCH = 0.01, 0.03
"""Between restarts. With the noise of the slices, the blocks' ratios scatter by 4% and by 5%: what was seen on a busy
machine with rounds left out was 2% to 5.5%."""


def intervals(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The interval of each experiment's ratio at each look, shape (experiments, looks, 2), of those in which every
    block has figures."""
    whole = logs[~np.isnan(logs).any(axis=1)]
    at_looks = []
    for number, blocks in enumerate(LOOKS, 1):
        ends = median_intervals(whole[:, :blocks].T, [level_at(number, LOOKS)])
        assert ends is not None
        at_looks.append(np.exp(np.array([interval for (interval,) in ends])))
    return np.stack(at_looks, axis=1)


def different(ends: NDArray[np.float64]) -> int:
    """How many experiments find equals different, at any look."""
    return int(((ends[..., 0] > 1) | (ends[..., 1] < 1)).any(axis=1).sum())


def slower(logs: NDArray[np.float64]) -> int:
    """How many experiments find the second condition slower than the margin allows, at any look."""
    return int((intervals(logs)[..., 1] < MARGIN).any(axis=1).sum())


def decided(logs: NDArray[np.float64]) -> int:
    """How many experiments decide, either way and at any look, a claim about the margin."""
    ends = intervals(logs)
    return int(((ends[..., 1] < MARGIN) | (ends[..., 0] >= MARGIN)).any(axis=1).sum())


@pytest.mark.parametrize("restarts", [LITTLE, MUCH])
def test_equals_are_told_apart_no_more_often_than_five_times_in_a_hundred(restarts: float) -> None:
    ends = intervals(measured(World(restarts=restarts), EXPERIMENTS, RULE))
    assert len(ends) > 0.95 * EXPERIMENTS
    assert different(ends) <= at_most_five_percent(len(ends))
    assert (ends[..., 1] < MARGIN).sum() == 0


@pytest.mark.parametrize("restarts", [LITTLE, MUCH])
def test_a_ratio_that_is_the_margin_is_decided_no_more_often(restarts: float) -> None:
    logs = measured(World(truth=MARGIN, restarts=restarts), EXPERIMENTS, RULE)
    assert decided(logs) <= at_most_five_percent(EXPERIMENTS)


@pytest.mark.parametrize("restarts", [LITTLE, MUCH])
def test_a_tenth_is_found_in_three_of_four_experiments(restarts: float) -> None:
    assert slower(measured(World(truth=0.9, restarts=restarts), EXPERIMENTS, RULE)) >= 0.75 * EXPERIMENTS


def test_the_worlds_scatter_as_a_busy_machine_does() -> None:
    for restarts in (LITTLE, MUCH):
        assert 0.03 < np.nanstd(measured(World(restarts=restarts), EXPERIMENTS, RULE)) < 0.06


def test_it_is_the_rule_that_finds_it() -> None:
    """With every round kept, the same experiments decide far less."""
    assert slower(measured(World(truth=0.9), EXPERIMENTS, None)) < 0.5 * EXPERIMENTS


def test_on_a_machine_that_is_never_quiet_even_rounds_decide_often_and_nothing_false() -> None:
    """Others use a half of the server's processors all the time."""
    always = World(busy=1.0, load=(0.45, 0.55), restarts=LITTLE)
    ends = intervals(measured(always, EXPERIMENTS, RULE))
    assert len(ends) == EXPERIMENTS
    assert different(ends) <= at_most_five_percent(EXPERIMENTS)
    assert slower(measured(replace(always, truth=0.9), EXPERIMENTS, RULE)) > 0.5 * EXPERIMENTS


def test_a_round_is_no_unit() -> None:
    """Equal refs, on a quiet machine: with each round as a value of its own, restarts that differ pass for a
    difference."""
    rates, keep, _ = rounds_of(World(restarts=0.05, busy=0.0), EXPERIMENTS, RULE)
    logs = np.where(keep.all(axis=-1), np.log(rates[..., 1] / rates[..., 0]), np.nan).reshape(EXPERIMENTS, -1)
    units = (~np.isnan(logs)).sum(axis=1)
    reach = 2 * np.nanstd(logs, axis=1) / np.sqrt(units)
    assert (np.abs(np.nanmean(logs, axis=1)) > reach).sum() > 3 * 0.05 * EXPERIMENTS


def test_load_that_the_meters_cannot_see_leaves_it_undecided() -> None:
    """It falls on both sides by chance: nothing false is found, and little that is true."""
    blind = World(truth=0.9, seen=False)
    assert slower(measured(blind, EXPERIMENTS, RULE)) < 0.5 * EXPERIMENTS
    ends = intervals(measured(World(seen=False), EXPERIMENTS, RULE))
    assert different(ends) <= at_most_five_percent(EXPERIMENTS)


def test_what_slows_one_side_alone_and_cannot_be_seen_passes_for_a_slower_commit() -> None:
    """Here the method fails, and no statistics would notice: equal refs, of which one is slowed from outside."""
    assert slower(measured(World(unseen=0.1), EXPERIMENTS, RULE)) > 0.7 * EXPERIMENTS


@pytest.mark.parametrize("name", FAILING)
def test_where_slices_might_fail_equals_are_told_apart_no_more_often(name: str) -> None:
    """But for what hits one side alone and nobody sees, or what one side really does while it is up."""
    world = FAILING[name]
    slices = outcomes(world, "slices", EXPERIMENTS, RULE)
    fails = world.beside > 0 or world.leak > 0
    differing = len(slices.intervals) - slices.covered(1.0)
    assert len(slices.intervals) > 0.95 * EXPERIMENTS
    if not fails:
        assert differing <= at_most_five_percent(EXPERIMENTS)
        assert slices.slower(MARGIN) == 0
    elif world.seen and world.leak < 0.05:
        assert slices.slower(MARGIN) <= at_most_five_percent(EXPERIMENTS) / 2
    else:
        assert differing > 0.5 * EXPERIMENTS


def test_a_neighbour_in_the_beat_of_the_rounds_is_why_their_order_is_drawn() -> None:
    unseen = FAILING["the same, which no meter sees"]
    drawn, fixed = (outcomes(unseen, design, EXPERIMENTS, RULE) for design in ("slices", "slices in order"))
    assert drawn.reach < 0.5 * fixed.reach


def test_slices_are_worth_most_where_the_machine_changes_between_two_windows() -> None:
    for name in ("the machine's speed wanders by 3% in a block", "the machine slows by 5% in each block"):
        slices, whole = (outcomes(FAILING[name], each, EXPERIMENTS, RULE) for each in ("slices", "whole windows"))
        assert slices.reach < 0.9 * whole.reach, name
    for name in ("quiet, by 5%", "quiet, a third of restarts slower by a tenth"):
        slices, whole = (outcomes(FAILING[name], each, EXPERIMENTS, RULE) for each in ("slices", "whole windows"))
        assert slices.reach > 0.8 * whole.reach, "restarts remain the unit"


GROUPS = [
    "quiet, by 5%",
    "others at work for 60% of the time",
    "the machine's speed wanders by 3% in a block",
    "the machine slows by 5% in each block",
]


@pytest.mark.parametrize("name", GROUPS)
def test_in_groups_equals_are_told_apart_no_more_often_and_less_is_found_than_together(name: str) -> None:
    """In some blocks or in all of them the two are measured one after the other."""
    world = FAILING[name]
    together, drawn, apart = (
        outcomes(world, design, EXPERIMENTS, RULE) for design in ("slices", "groups drawn", "groups apart")
    )
    for each in (drawn, apart):
        assert len(each.intervals) - each.covered(1.0) <= at_most_five_percent(EXPERIMENTS)
        assert each.slower(MARGIN) == 0
    assert 0.9 * together.reach < drawn.reach < 1.1 * apart.reach
