"""Does a nominal 95% interval hold the truth 93 to 97 times in 100? benches/coverage.py has the long answer."""

import pytest
from scipy import stats

from tests.judge.statistics.error_rates import equal_stacks_differ, figures_held, ratios_held, wrongly_upheld
from tests.judge.statistics.simulation import DEVIATIONS, FIGURES, RATIOS, UNSYMMETRIC, at_most_five_percent

LEANING = "autocorrelated blocks"
ONE_LEANS = "autocorrelated blocks of one side"
NEARLY_HALF = [f"{share} 1.5 times slower, against none" for share in ("four starts in ten", "nine starts in twenty")]
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
@pytest.mark.parametrize("name", sorted(RATIOS.keys() - {ONE_LEANS, *NEARLY_HALF}))
def test_a_ratios_interval_holds_the_truth(name: str, blocks: int) -> None:
    assert at_least(0.93) <= ratios_held(name, blocks, REPETITIONS) <= at_most(0.98)


@pytest.mark.parametrize("blocks", [5, 6, 7, 9, 10, 20])
@pytest.mark.parametrize("name", NEARLY_HALF)
def test_a_ratio_of_two_kinds_of_starts_holds_the_truth(name: str, blocks: int) -> None:
    assert ratios_held(name, blocks, REPETITIONS) >= at_least(0.93)


@pytest.mark.parametrize("blocks", [3, 5, 10, 20, 40])
@pytest.mark.parametrize("name", UNSYMMETRIC)
def test_a_slow_mode_of_one_side_upholds_no_false_bound(name: str, blocks: int) -> None:
    """2.5% a side is what the level allows; of five blocks one run in 32 meets only the rarer kind of start."""
    assert max(wrongly_upheld(name, blocks, REPETITIONS)) <= at_most(0.032 if blocks < 6 else 0.025)


def test_blocks_that_lean_on_each_other_spoil_a_figure_and_not_a_ratio() -> None:
    assert figures_held(LEANING, 10, REPETITIONS) < 0.90 * REPETITIONS
    assert ratios_held(LEANING, 10, REPETITIONS) > at_least(0.93)


def test_blocks_of_one_side_that_lean_on_each_other_spoil_a_ratio() -> None:
    assert ratios_held(ONE_LEANS, 10, REPETITIONS) < 0.90 * REPETITIONS


@pytest.mark.parametrize("blocks", [3, 5, 10, 20])
@pytest.mark.parametrize("name", DEVIATIONS)
def test_two_names_for_one_stack_rarely_differ(name: str, blocks: int) -> None:
    """200 A/A experiments. At a true rate of 5%, ten are expected, and more than 20 are found once in a thousand
    simulations (binomial)."""
    repetitions = 200
    assert equal_stacks_differ(name, blocks, repetitions) <= at_most_five_percent(repetitions)
