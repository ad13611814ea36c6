import pytest

from fairtrial.judge.statistics.looks import MOST_LOOKS, level_at, level_of_rest, looks_in_time, plan_looks
from tests.judge.statistics.error_rates import TIMES, decided, decided_by_the_clock, decided_in_time
from tests.judge.statistics.simulation import DEVIATIONS, at_most_five_percent


@pytest.mark.parametrize(
    ("first", "most", "looks"),
    [
        (5, 40, [5, 10, 20, 40]),
        (5, 12, [5, 12]),
        (5, 6, [6]),
        (3, 3, [3]),
        (4, 6, [4, 6]),
        (3, 200, [3, 9, 24, 70, 200]),
    ],
)
def test_looks_are_geometric(first: int, most: int, looks: list[int]) -> None:
    assert plan_looks(first, most) == looks


def test_every_plan_is_ascending_and_ends_at_the_most() -> None:
    for first in range(3, 12):
        for most in range(first, 120):
            looks = plan_looks(first, most)
            assert looks == sorted(set(looks)) and looks[-1] == most and len(looks) <= MOST_LOOKS
            assert looks[0] in (first, most)


@pytest.mark.parametrize("most", [5, 9, 40, 199])
def test_the_shares_of_the_error_add_up(most: int) -> None:
    looks = plan_looks(5, most)
    assert sum(1 - level_at(look + 1, looks) for look in range(len(looks))) == pytest.approx(0.05)


def test_a_single_look_costs_nothing() -> None:
    assert level_at(1, [7]) == pytest.approx(0.95)


def test_known_levels() -> None:
    """By hand: of 5%, 1.25% go to the first 20 blocks in proportion to what each look adds, and 3.75% to the last."""
    assert [level_at(look, [5, 10, 20, 40]) for look in (1, 2, 3, 4)] == pytest.approx(
        [0.996875, 0.996875, 0.99375, 0.9625]
    )
    assert level_at(1, [10, 20], level=0.9) == pytest.approx(0.975)


def test_known_levels_in_proportion_to_the_blocks() -> None:
    assert [level_at(look, [5, 10, 20, 40], last_share=None) for look in (1, 2, 3, 4)] == pytest.approx(
        [0.99375, 0.99375, 0.9875, 0.975]
    )
    assert level_at(1, [10, 20], level=0.9, last_share=None) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("first", "most", "elapsed", "within", "looks", "looks_of_older_records"),
    [
        (5, 200, 50.0, 60.0, [6], [6]),
        (5, 200, 50.0, 61.0, [6], [7]),
        (5, 200, 50.0, 71.0, [7], [5, 8]),
        (5, 200, 50.0, 30.0, [5], [5]),
        (5, 200, 50.0, 100.0, [5, 10], [5, 10]),
        (3, 200, 30.0, 600.0, [3, 6, 13, 28, 60], [3, 6, 13, 28, 60]),
        (3, 24, 30.0, 6000.0, [3, 6, 12, 24], [3, 6, 12, 24]),
        (3, 24, 0.0, 60.0, [3, 6, 12, 24], [3, 6, 12, 24]),
    ],
)
def test_looks_are_planned_for_the_time_that_there_is(
    first: int, most: int, elapsed: float, within: float, looks: list[int], looks_of_older_records: list[int]
) -> None:
    assert looks_in_time(first, most, elapsed, within, ends_in_time=True) == looks
    assert looks_in_time(first, most, elapsed, within, ends_in_time=False) == looks_of_older_records


@pytest.mark.parametrize("fitting", [5.0, 9.5, 24.0])
@pytest.mark.parametrize("time", TIMES)
def test_looks_planned_from_the_clock_decide_what_is_true_of_neither_side_five_times_in_a_hundred(
    time: str, fitting: float
) -> None:
    repetitions = 1500
    count, _ = decided_in_time("normal", time, 5, fitting, repetitions)
    assert count <= at_most_five_percent(repetitions)


def test_where_there_is_time_for_the_first_look_alone_nothing_is_lost_by_looking() -> None:
    """A gap of two deviations in five blocks: a run that looks once decides it in 89% (docs/statistics.md)."""
    repetitions = 1000
    count, blocks = decided_in_time("normal", "blocks of one length", 5, 5, repetitions, gap=1.906)
    assert blocks == 5
    assert count > 0.85 * repetitions


@pytest.mark.parametrize(("look", "looks"), [(0, [5, 10]), (3, [5, 10]), (1, []), (1, [5, 5]), (1, [0, 5])])
def test_there_is_no_level_without_a_plan(look: int, looks: list[int]) -> None:
    with pytest.raises(ValueError, match="look"):
        level_at(look, looks)


def test_the_last_of_all_intervals_spends_what_is_left() -> None:
    assert [level_of_rest(blocks, [5, 10, 20, 40]) for blocks in (0, 5, 10, 20)] == pytest.approx(
        [0.95, 0.953125, 0.95625, 0.9625]
    )
    assert level_of_rest(10, [5, 10, 20, 40], last_share=None) == pytest.approx(0.9625)
    assert level_of_rest(20, [5, 10, 20, 40]) == pytest.approx(level_at(4, [5, 10, 20, 40]))


@pytest.mark.parametrize("looks", [[], [5, 10]])
def test_after_the_last_look_nothing_is_left(looks: list[int]) -> None:
    with pytest.raises(ValueError, match="nothing is left"):
        level_of_rest(10, looks)


@pytest.mark.parametrize("name", DEVIATIONS)
def test_a_run_that_a_clock_ends_errs_no_oftener(name: str) -> None:
    repetitions = 2000
    assert decided_by_the_clock(name, plan_looks(4, 32), repetitions) <= at_most_five_percent(repetitions)


@pytest.mark.parametrize(("first", "most"), [(2, 10), (5, 4)])
def test_no_plan_starts_below_three_blocks_or_shrinks(first: int, most: int) -> None:
    with pytest.raises(ValueError, match="first"):
        plan_looks(first, most)


@pytest.mark.parametrize("name", DEVIATIONS)
def test_repeated_looks_decide_what_is_true_of_neither_side_five_times_in_a_hundred(name: str) -> None:
    repetitions, looks = 2000, plan_looks(4, 16)
    planned = [level_at(look + 1, looks) for look in range(len(looks))]
    assert decided(name, looks, planned, repetitions) <= at_most_five_percent(repetitions)


def test_naive_looks_decide_it_far_more_often() -> None:
    repetitions, looks = 2000, [5, 10, 20, 40]
    assert decided("normal", looks, [0.95] * 4, repetitions) > 2 * 0.05 * repetitions
