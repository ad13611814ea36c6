import time
from itertools import combinations

import numpy as np
import pytest

from fairtrial.judge.statistics.student import mean_interval, mean_p_values
from fairtrial.judge.statistics.ties import OrderedPair, _groups, adjust, blocks_for_ranks, compare_all
from tests.judge.statistics.error_rates import ranked_by_starts, told_apart
from tests.judge.statistics.simulation import DEVIATIONS, at_most_five_percent


def test_p_values_are_the_interval_turned_round() -> None:
    values = np.array([0.1, 0.3, 0.35, 0.2, 0.02])
    (p_value,) = mean_p_values(values[:, None])
    low, high = mean_interval(values, float(1 - p_value)) or (0, 0)
    assert min(abs(low), abs(high)) < 0.01 * (high - low)


def test_blocks_that_do_not_differ_are_proof_of_what_they_are() -> None:
    samples = np.array([[0.0, 0.5]] * 4)
    assert mean_p_values(samples).tolist() == [1, 0]
    assert mean_p_values(samples[:2]).tolist() == [1, 1]


def test_the_factors_are_shaffers() -> None:
    """For four contenders 6, 3, 3, 3, 2, 1; for five 10, 6, 6, 6, 6, 4, 4, 3, 2, 1: Shaffer (1986), table 1."""
    for contenders, factors in {
        3: [3, 1, 1],
        4: [6, 3, 3, 3, 2, 1],
        5: [10, 6, 6, 6, 6, 4, 4, 3, 2, 1],
    }.items():
        rising = [1e-9 * 10**step for step in range(len(factors))]  # so far apart that no value reaches the next
        multiples = [after / before for after, before in zip(adjust(rising, contenders), rising, strict=True)]
        assert [factor for factor, p_value in zip(multiples, rising, strict=True) if p_value < 0.1] == pytest.approx(
            [float(factor) for factor, p_value in zip(factors, rising, strict=True) if p_value < 0.1]
        )


def test_an_adjusted_p_value_is_never_below_an_earlier_one() -> None:
    assert adjust([0.04, 0.01, 0.03], 3) == pytest.approx([0.04, 0.03, 0.03])


def test_far_apart_contenders_are_ranked() -> None:
    ranking = compare_all(
        {
            "slow": [100, 101, 99, 100, 102],
            "fast": [300, 310, 290, 305, 301],
            "faster": [302, 308, 291, 303, 304],
        },
    )
    assert ranking.order == ("faster", "fast", "slow")
    assert ranking.ranks == {"faster": (1, 2), "fast": (1, 2), "slow": (3, 3)}
    assert ranking.groups == (("faster", "fast"), ("slow",))
    assert ranking.letters == {"faster": "a", "fast": "a", "slow": "b"}
    assert ranking.different("slow", "fast") and not ranking.different("fast", "faster")
    pair = next(pair for pair in ranking.pairs if {pair.higher, pair.lower} == {"fast", "slow"})
    assert pair.ratio == pytest.approx(3.0, rel=0.01)


def test_the_lowest_may_come_first() -> None:
    times = {"quick": [1.0, 1.1, 0.9, 1.0], "late": [9.0, 9.5, 8.8, 9.1]}
    ranking = compare_all(times, lowest_first=True)
    assert ranking.order == ("quick", "late")
    assert ranking.ranks == {"quick": (1, 1), "late": (2, 2)}


def test_a_pair_is_told_apart_by_the_blocks_and_not_by_the_medians() -> None:
    """In each block `steady` is ahead, though the median of `leaping` is higher: blocks differ more than contenders."""
    leaping = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0]
    steady = [101.0, 202.0, 303.0, 404.0, 505.0, 606.0, 707.0]
    ranking = compare_all({"leaping": leaping, "steady": steady})
    assert ranking.ranks == {"steady": (1, 1), "leaping": (2, 2)}
    crossed = compare_all({"a": [1.0, 2.0, 3.0, 9.0, 9.5], "b": [1.1, 2.2, 3.3, 4.0, 4.1]})
    assert [(pair.higher, pair.lower) for pair in crossed.pairs] == [("b", "a")]
    assert crossed.pairs[0].ratio >= 1


def test_two_blocks_decide_nothing() -> None:
    ranking = compare_all({"a": [1, 1], "b": [9, 9], "c": [100, 101]})
    assert not any(pair.different for pair in ranking.pairs)
    assert set(ranking.ranks.values()) == {(1, 3)}
    assert ranking.letters == {"c": "a", "b": "a", "a": "a"}


@pytest.mark.parametrize(("contenders", "blocks"), [(2, 3), (3, 4), (4, 4), (5, 5), (7, 5), (8, 6), (14, 6), (40, 8)])
def test_few_blocks_rank_few_contenders(contenders: int, blocks: int) -> None:
    """Far apart as they are: starts of two kinds could be so as well, in more than one of twenty experiments."""
    assert blocks_for_ranks(contenders) == blocks
    values = {f"c{place}": [2.0**place, 2.02**place, 1.98**place, *[2.0**place] * 9] for place in range(contenders)}
    enough = compare_all({name: each[:blocks] for name, each in values.items()})
    assert enough.ranks["c0"] == (contenders, contenders)
    too_few = compare_all({name: each[: blocks - 1] for name, each in values.items()})
    assert set(too_few.ranks.values()) == {(1, contenders)}


def test_equal_contenders_with_two_kinds_of_starts_are_seldom_ranked() -> None:
    assert ranked_by_starts(4, 0.4, 4, 400) <= at_most_five_percent(400)
    assert ranked_by_starts(5, 0.4, 4, 400) == 0


def test_drift_of_whole_blocks_hides_no_difference() -> None:
    drift = [1.0, 0.3, 2.0, 0.6, 1.5]
    noise = [1.0, 1.01, 0.99, 1.0, 1.02]
    values = {"one": [100 * d for d in drift], "two": [110 * d * n for d, n in zip(drift, noise, strict=True)]}
    assert compare_all(values).ranks == {"two": (1, 1), "one": (2, 2)}


def test_one_contender_is_first_and_last() -> None:
    assert compare_all({"only": [3.0, 4.0, 5.0]}).ranks == {"only": (1, 1)}


def test_a_contender_between_two_shares_a_letter_with_each() -> None:
    def pair(higher: str, lower: str, different: bool) -> OrderedPair:
        return OrderedPair(higher, lower, 1.1, 0.5, different)

    groups = _groups("abc", [pair("a", "b", False), pair("a", "c", True), pair("b", "c", False)])
    assert groups == (("a", "b"), ("b", "c"))
    crossed = [pair(*both, both in {("a", "b"), ("c", "d")}) for both in combinations("abcd", 2)]
    assert _groups("abcd", crossed) == (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"))


@pytest.mark.parametrize(
    "values", [{}, {"a": []}, {"a": [1.0], "b": [1.0, 2.0]}, {"a": [0.0], "b": [1.0]}, {"a": [float("inf")]}]
)
def test_a_ranking_needs_complete_blocks_of_positive_values(values: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="a ranking"):
        compare_all(values)


@pytest.mark.parametrize("name", DEVIATIONS)
@pytest.mark.parametrize("blocks", [5, 20])
def test_four_equal_contenders_are_rarely_told_apart(name: str, blocks: int) -> None:
    repetitions = 600
    assert told_apart(name, blocks, repetitions) <= at_most_five_percent(repetitions)


def test_groups_are_the_largest_sets_that_hold_no_different_pair() -> None:
    """Against a search through all sets: 7 contenders, pairs that differ by chance."""
    names = "abcdefg"
    generator = np.random.default_rng(11)
    for _ in range(20):
        pairs = [OrderedPair(*couple, 1.0, 0.0, bool(generator.random() < 0.5)) for couple in combinations(names, 2)]
        apart = {frozenset((pair.higher, pair.lower)) for pair in pairs if pair.different}
        sets = [frozenset(each) for size in range(1, 8) for each in combinations(names, size)]
        alike = [each for each in sets if not any(pair <= each for pair in apart)]
        largest = {each for each in alike if not any(each < other for other in alike)}
        assert set(map(frozenset, _groups(names, pairs))) == largest


def test_hundreds_of_contenders_are_no_more_work_than_their_pairs() -> None:
    """Twice as many contenders are four times the pairs. It was eight times as much work, and sixteen in the sums."""

    def seconds(contenders: int) -> float:
        values = {f"{place}": [1000 + 37 * place + block for block in range(10)] for place in range(contenders)}
        began = time.process_time()
        compare_all(values)
        return time.process_time() - began

    seconds(10)
    assert seconds(200) < 4 * 4 * seconds(100)
