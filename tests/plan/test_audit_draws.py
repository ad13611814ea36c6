"""In which trials the database is killed, and beside which it is held."""

import pytest

from fairtrial.plan.audit_draws import EACH_BLOCKS, HOLDS_EACH_BLOCKS, draw_crash_audits, draw_hold_audits

BLOCKS = [["a", "b"], ["b", "a"]] * 10


def trials_of(condition: str) -> list[int]:
    order = [each for block in BLOCKS for each in block]
    return [number for number, each in enumerate(order, 1) if each == condition]


def test_some_are_at_least_one_of_each_five_of_a_condition_and_the_first_comes_before_the_first_look() -> None:
    for first_look in (3, len(BLOCKS)):
        drawn = draw_crash_audits("some", BLOCKS, first_look)
        for condition in ("a", "b"):
            trials = trials_of(condition)
            apart = min(EACH_BLOCKS, first_look)
            parts = [trials[begin : begin + apart] for begin in range(0, len(trials), apart)]
            counts = [len(drawn.intersection(part)) for part in parts]
            assert min(counts[:-1]) >= 1


def test_who_has_seen_a_crash_may_see_another_one_soon() -> None:
    """One trial in ten is drawn by itself, whatever was drawn before."""
    draws = [len(draw_crash_audits("some", BLOCKS, len(BLOCKS))) for _ in range(200)]
    assert max(draws) > 2 * len(BLOCKS) / EACH_BLOCKS
    assert sum(draws) / len(draws) < 1.3 * 2 * len(BLOCKS) / EACH_BLOCKS, "their share stays about a fifth"


def test_a_single_block_is_drawn_whole() -> None:
    assert draw_crash_audits("some", [["a", "b", "c"]], 1) == {1, 2, 3}


def test_nobody_knows_them_before() -> None:
    """Of twenty draws out of five for each of eight, two differ, or the system's randomness is broken."""
    assert len({draw_crash_audits("some", BLOCKS, len(BLOCKS)) for _ in range(20)}) > 1


def test_all_and_none() -> None:
    assert draw_crash_audits("all", BLOCKS, 20) == frozenset(range(1, 41))
    assert draw_crash_audits("none", BLOCKS, 20) == frozenset()


def test_a_block_is_held_whole_or_not_at_all() -> None:
    for first_look in (1, 3, len(BLOCKS)):
        drawn = draw_hold_audits("some", BLOCKS, first_look)
        blocks, apart = {(number - 1) // 2 for number in drawn}, min(HOLDS_EACH_BLOCKS, first_look)
        assert len(drawn) == 2 * len(blocks)
        assert len([block for block in blocks if block < apart]) == 1, "before the first look"


def test_later_blocks_are_held_once_in_ten_whatever_was_drawn_before() -> None:
    counts = [len(draw_hold_audits("some", BLOCKS, 5)) / 2 for _ in range(400)]
    assert sum(counts) / len(counts) == pytest.approx(1 + 15 / HOLDS_EACH_BLOCKS, abs=0.3)
    assert max(counts) >= 4 and min(counts) == 1


def test_holds_of_all_and_of_none() -> None:
    assert len({draw_hold_audits("some", BLOCKS, len(BLOCKS)) for _ in range(20)}) > 1
    assert draw_hold_audits("all", BLOCKS, 20) == frozenset(range(1, 41))
    assert draw_hold_audits("none", BLOCKS, 20) == frozenset()
