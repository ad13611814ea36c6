"""The worlds of `failing_worlds`, with few repetitions and wide margins."""

import pytest

from tests.judge.statistics import failing_worlds as worlds
from tests.judge.statistics import tail_worlds
from tests.judge.statistics.simulation import at_most_five_percent


def test_faults_of_the_machine_cost_blocks_and_no_verdict() -> None:
    with_fault, decided, held = worlds.machine_faults(0.02, 20, 200)
    assert with_fault > 80 and decided >= 198 and held >= 180
    assert worlds.complete_with_spare(0.02, 20, 200) >= 198 > 40 > worlds.complete_with_spare(0.2, 20, 200)


def test_several_claims_err_more_often_unless_they_are_judged_together() -> None:
    assert worlds.wrong_among_claims(10, "each", 200) > 40
    assert worlds.wrong_among_claims(10, "together", 200) <= at_most_five_percent(200)
    assert worlds.wrong_among_answers(6, 0.045, 200) <= at_most_five_percent(200)


def test_a_plain_drift_of_one_side_is_found_and_none_is_not() -> None:
    held, warned, found = worlds.drifting("50% slower at the end", 20, 100)
    assert held < 10 and found >= warned > 95
    held, warned, found = worlds.drifting("none", 20, 100)
    assert held > 85 and warned <= 2 and found <= at_most_five_percent(100)
    _, warned, found = worlds.drifting("10% slower at the end", 20, 100)
    assert warned < 30 < found


def test_starts_that_fall_apart_are_found() -> None:
    warned, found, there = worlds.starts_apart("one start in ten 3 times slower", 20, 100)
    assert there > 75 and found >= warned > 75
    assert worlds.starts_apart("none", 20, 100) == (0, 0, 0)


@pytest.mark.parametrize("name", worlds.HONEST_STARTS)
def test_honest_starts_are_warned_of_in_few_runs(name: str) -> None:
    for blocks in (5, 20):
        assert worlds.honest_starts(name, blocks, 100)[0] <= at_most_five_percent(100)
    if name == "Student t, 3 degrees, 5%":
        assert worlds.honest_starts(name, 20, 100)[1] > 60


def test_a_budget_on_few_answers_is_held_to_its_level() -> None:
    def upheld(together: int, answers: int, method: tail_worlds.Method) -> float:
        return tail_worlds.budgets(together, answers, 20, 300, method)[0] / 300

    assert upheld(1, 1000, "nearest rank") > 0.06
    assert upheld(1, 1000, "unbiased") < 0.06 and upheld(5, 5000, "with its reach") < 0.05
    assert upheld(20, 1000, "unbiased") > 0.08
    assert upheld(20, 1000, "with its reach") < 0.05
    assert tail_worlds.budgets(20, 1000, 20, 100, "with its reach")[2] > 50
    assert tail_worlds.budgets(1, 1000, 20, 100, "with its reach")[2] == 0


@pytest.mark.parametrize("kind", worlds.KINDS)
def test_the_named_number_decides_about_four_of_five(kind: str) -> None:
    assert 0.65 <= sum(worlds.decided_by_kind(kind, 10, 200)) / 200 <= 0.95
