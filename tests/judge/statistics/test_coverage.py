"""Does a nominal 95% interval hold the truth 93 to 97 times in 100? benches/coverage.py has the long answer."""

import pytest
from scipy import stats

from tests.judge.statistics.error_rates import equal_stacks_differ, figures_held, ratios_held
from tests.judge.statistics.simulation import DEVIATIONS, FIGURES, RATIOS, at_most_five_percent

LEANING = "autocorrelated blocks"
REPETITIONS = 2000


def at_least(share: float) -> int:
    """What a true share of `share` falls short of once in a thousand simulations (binomial)."""
    return int(stats.binom.ppf(0.001, REPETITIONS, share))


def at_most(share: float) -> int:
    return int(stats.binom.ppf(0.999, REPETITIONS, share))


@pytest.mark.parametrize("blocks", [3, 5, 6, 10, 20])
@pytest.mark.parametrize("name", sorted(FIGURES.keys() - {LEANING}))
def test_a_figures_interval_holds_the_median(name: str, blocks: int) -> None:
    assert at_least(0.93) <= figures_held(name, blocks, REPETITIONS) <= at_most(0.97)


@pytest.mark.parametrize("blocks", [3, 5, 10, 20])
@pytest.mark.parametrize("name", sorted(RATIOS.keys() - {"one slow start in ten, against none"}))
def test_a_ratios_interval_holds_the_truth(name: str, blocks: int) -> None:
    assert at_least(0.93) <= ratios_held(name, blocks, REPETITIONS) <= at_most(0.98)


def test_what_is_skewed_on_one_side_only_loses_no_more_than_is_said() -> None:
    assert ratios_held("one slow start in ten, against none", 10, REPETITIONS) >= at_least(0.90)


def test_blocks_that_lean_on_each_other_spoil_a_figure_and_not_a_ratio() -> None:
    assert figures_held(LEANING, 10, REPETITIONS) < 0.90 * REPETITIONS
    assert ratios_held(LEANING, 10, REPETITIONS) > at_least(0.93)


@pytest.mark.parametrize("blocks", [3, 5, 10, 20])
@pytest.mark.parametrize("name", DEVIATIONS)
def test_two_names_for_one_stack_rarely_differ(name: str, blocks: int) -> None:
    """200 A/A experiments. At a true rate of 5%, ten are expected, and more than 20 are found once in a thousand
    simulations (binomial)."""
    repetitions = 200
    assert equal_stacks_differ(name, blocks, repetitions) <= at_most_five_percent(repetitions)
