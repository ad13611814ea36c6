"""A ratio divided among factors: exact where nothing scatters, and covered as often as it says where all does."""

import math

import numpy as np
import pytest
from scipy import stats

from fairtrial.experiment.factorial import make_design, make_path
from fairtrial.judge.statistics.causes import divide, part_weights
from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.judge.statistics.fieller import fieller_interval
from tests.judge.statistics.cause_worlds import (
    SCATTER,
    WORLDS,
    World,
    alike,
    an_experiment,
    parts_held,
    parts_held_at_looks,
)

REPETITIONS = 400
BLOCKS = 8


def at_least(share: float, of: int) -> int:
    """What a true share of `share` falls short of once in a thousand simulations (binomial)."""
    return int(stats.binom.ppf(0.001, of, share))


def still(random: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Nothing scatters."""
    return np.zeros(shape)


@pytest.mark.parametrize("with_interactions", [False, True])
@pytest.mark.parametrize("factors", [1, 2, 3, 4, 6])
def test_parts_are_what_was_planted_and_multiply_to_the_whole(factors: int, with_interactions: bool) -> None:
    world = World(factors, with_interactions)
    division = an_experiment(world, still, 3, np.random.default_rng(1))
    for part in division.parts:
        assert math.log(part.ratio) == pytest.approx(world.part(part.kind, tuple(part.factors)), abs=1e-9), part
    assert math.log(division.ratio) == pytest.approx(world.whole)
    assert math.prod(part.ratio for part in division.parts) == pytest.approx(division.ratio)
    assert sum(part.share or 0 for part in division.parts) == pytest.approx(1)


def test_two_factors_have_three_parts_and_what_is_not_explained() -> None:
    parts = an_experiment(World(2, with_interactions=True), alike, 5, np.random.default_rng(1)).parts
    assert [(part.kind, part.factors) for part in parts] == [
        ("factor", ["driver"]), ("factor", ["pool"]), ("pair", ["driver", "pool"]), ("not explained", []),
    ]  # fmt: skip


def test_without_an_end_of_its_own_all_is_explained() -> None:
    design = make_design(["a"])
    division = divide(design, {frozenset(): [1.0, 1.0, 1.1], frozenset("a"): [2.0, 2.1, 2.1]}, None)
    assert [part.kind for part in division.parts] == ["factor"]
    assert division.parts[0].share_interval == pytest.approx((1, 1), abs=1e-6)


def test_what_is_switched_in_order_has_what_each_step_changes() -> None:
    design = make_path(["a", "b", "c"])
    rates = dict(zip(design.runs, (1.0, 2.0, 1.0, 4.0), strict=True))
    division = divide(design, {run: [rate, rate * 1.01, rate * 0.99] for run, rate in rates.items()}, None)
    assert [(part.kind, part.factors, part.ratio) for part in division.parts] == [
        ("factor", ["a"], pytest.approx(2)), ("factor", ["b"], pytest.approx(0.5)), ("factor", ["c"], pytest.approx(4)),
    ]  # fmt: skip
    assert [part.share for part in division.parts] == pytest.approx([0.5, -0.5, 1])


def test_three_factors_that_work_only_together_are_a_part_of_their_own() -> None:
    design = make_design(["a", "b", "c"])
    runs = {run: [2.0 if len(run) == 3 else 1.0] * 3 for run in design.runs}
    parts = {part.kind: part.ratio for part in divide(design, runs, None).parts if part.ratio != pytest.approx(1)}
    assert parts == {"more": pytest.approx(2)}


def test_in_a_fraction_pairs_that_cannot_be_told_apart_share_their_interaction() -> None:
    """Driver and pool:  e^0.08. Driver and log (e^-0.05) are an alias of pool and codec (e^0.06)."""
    division = an_experiment(World(6, with_interactions=True), still, 3, np.random.default_rng(1))
    by_pair = {tuple(pair): math.log(each.ratio) for each in division.interactions for pair in each.pairs}
    assert by_pair["driver", "pool"] == pytest.approx(0.08) == by_pair["log", "codec"]
    assert by_pair["driver", "log"] == by_pair["pool", "codec"] == pytest.approx(0.01)
    assert len(division.interactions) == 7
    assert an_experiment(World(2, with_interactions=True), still, 3, np.random.default_rng(1)).interactions == []


@pytest.mark.parametrize("factors", [2, 3, 4, 5, 7, 10])
def test_what_slows_a_whole_block_has_no_weight(factors: int) -> None:
    for part in part_weights(make_design([str(place) for place in range(factors)])):
        assert sum(part.of) == pytest.approx(0, abs=1e-9)


def test_what_was_read_coarsely_has_a_wider_interval_of_ratio_and_share() -> None:
    design = make_design(["a", "b"])
    random = np.random.default_rng(1)
    runs = {run: (2.0 ** len(run) * np.exp(0.01 * random.standard_normal(8))).tolist() for run in design.runs}
    fine = divide(design, runs, None)
    coarse = divide(design, runs, None, read=lambda powers: Resolution(above=0.2 * float(np.sum(np.abs(powers)))))
    assert fine.interval is not None and coarse.interval is not None
    assert coarse.interval == pytest.approx((fine.interval[0], fine.interval[1] * 1.4))
    for narrow, wide in zip(fine.parts, coarse.parts, strict=True):
        assert narrow.interval is not None and wide.interval is not None
        assert narrow.share_interval is not None and wide.share_interval is not None
        assert narrow.interval[1] < wide.interval[1] and narrow.share == wide.share
        assert wide.share_interval[0] <= narrow.share_interval[0]
        assert wide.share_interval[1] > narrow.share_interval[1]
    lost = divide(design, runs, None, read=lambda _powers: Resolution(below=8))
    assert all(part.share is None for part in lost.parts), "the whole may be 1"


def test_fewer_than_three_blocks_have_no_interval_and_no_share() -> None:
    division = an_experiment(World(2, with_interactions=False), alike, 2, np.random.default_rng(1))
    assert division.interval is None
    assert all(part.interval is None and part.share is None for part in division.parts)


def test_values_of_zero_have_no_ratio() -> None:
    with pytest.raises(ValueError, match="positive"):
        divide(make_design(["a"]), {frozenset(): [0.0], frozenset("a"): [1.0]}, None)


def test_a_share_lies_where_fiellers_inequality_holds() -> None:
    random = np.random.default_rng(3)
    wholes = 1 + 0.2 * random.standard_normal(9)
    parts = 0.6 * wholes + 0.1 * random.standard_normal(9)
    interval = fieller_interval(parts, wholes, 2.306)
    assert interval is not None
    for share, expected in ((interval[0], 2.306), (interval[1], 2.306), (parts.mean() / wholes.mean(), 0)):
        contrasts = parts - share * wholes
        assert abs(contrasts.mean() / (contrasts.std(ddof=1) / 3)) == pytest.approx(expected, abs=1e-6)


def test_there_is_no_share_of_what_is_not_told_from_nothing() -> None:
    wholes = np.array([0.02, -0.01, 0.03, 0.01])
    assert fieller_interval(wholes / 2, wholes, 3.18) is None
    assert fieller_interval(wholes / 2 + 1, wholes + 1, 3.18) is not None


@pytest.mark.parametrize("with_interactions", [False, True])
@pytest.mark.parametrize("name", WORLDS)
def test_the_intervals_of_all_parts_hold_the_truth_together(name: str, with_interactions: bool) -> None:
    held = parts_held(World(2, with_interactions), WORLDS[name], BLOCKS, REPETITIONS)
    assert held.ratios >= at_least(0.94, REPETITIONS)
    assert held.whole >= at_least(0.93, REPETITIONS)
    assert held.with_shares >= 0.9 * REPETITIONS
    assert held.shares >= at_least(0.94, held.with_shares)


def test_the_intervals_of_a_fraction_hold_the_truth_together() -> None:
    held = parts_held(World(6, with_interactions=True), alike, BLOCKS, REPETITIONS)
    assert min(held.ratios, held.shares) >= at_least(0.94, REPETITIONS)


@pytest.mark.parametrize("name", WORLDS)
def test_a_run_that_ends_when_its_shares_are_known_holds_the_truth(name: str) -> None:
    """Looks at 5, 10 and 20 blocks: where some end early and some late, as where none does, no more are wrong."""
    held, ends = parts_held_at_looks(World(2, with_interactions=True), WORLDS[name], (5, 10, 20), REPETITIONS)
    assert min(held.ratios, held.whole) >= at_least(0.95, REPETITIONS)
    assert held.with_shares >= 0.95 * REPETITIONS and held.shares >= at_least(0.95, held.with_shares)
    if name == "all scatter alike":
        assert 10 <= np.mean(ends) < 20, "it ends by itself"


def test_the_intervals_are_no_wider_than_they_have_to_be() -> None:
    """A ratio of two figures that scatter by 3% each, at 1 - 5% / 4 with seven degrees of freedom: 5.0% either way."""
    random = np.random.default_rng(5)
    widths = []
    for _ in range(200):
        (driver, *_) = an_experiment(World(2, with_interactions=True), alike, BLOCKS, random).parts
        assert driver.interval is not None
        widths.append(math.log(driver.interval[1] / driver.interval[0]) / 2)
    expected = stats.t.ppf(1 - 0.05 / 8, BLOCKS - 1) * SCATTER * math.sqrt(2 / BLOCKS)
    assert np.mean(widths) == pytest.approx(expected, rel=0.1)
