"""Stacks as shares, as the frames of a flame graph, and beside those of another contender."""

import pytest

from fairtrial.record.folded_stacks import Stack
from fairtrial.report.profile.differences import differing_frames, profile_pairs
from fairtrial.report.profile.frames import MOST_DRAWN, laid_out, self_shares, whole_shares
from tests.report.profile.profiles import NEW, OLD, two_profiles


def test_shares_of_a_frame_that_calls_itself_are_no_more_than_all() -> None:
    stacks = {("main", "walk (a.py:1)", "walk (a.py:2)"): 3, ("main",): 1}
    assert self_shares(stacks) == {"walk (a.py)": 0.75, "main": 0.25}
    assert whole_shares(stacks) == {"main": 1.0, "walk (a.py)": 0.75}


def test_a_frame_lies_below_its_caller_and_beside_its_siblings() -> None:
    drawn = {each.path: each for each in laid_out({("m", "a"): 2, ("m", "b", "c"): 1, ("m",): 1})}
    assert [(drawn[path].begins, drawn[path].ends) for path in [(), ("m",), ("m", "a"), ("m", "b")]] == [
        (0.0, 1.0),
        (0.0, 1.0),
        (0.0, 0.5),
        (0.5, 0.75),
    ]
    assert drawn["m", "b", "c"].depth == 3 and drawn["m",].self_share == 0.25


def test_what_would_be_too_narrow_or_too_much_is_left_out() -> None:
    narrow = {("m", f"f{number}"): 1 for number in range(1000)}
    assert [each.name for each in laid_out(narrow)] == ["all", "m"]
    deep: dict[Stack, int] = {tuple(f"{row}/{place}" for place in range(250)): 1 for row in range(20)}
    drawn = laid_out(deep)
    assert len(drawn) == MOST_DRAWN
    paths = {each.path for each in drawn}
    assert all(path[:-1] in paths for path in paths if path)


def test_the_frame_that_came_is_found_whatever_its_line() -> None:
    came, rest = differing_frames(OLD, NEW)
    assert (
        "<script>" in came.frame
        and "\x1b" not in came.frame
        and came.self_share == (0.0, 0.3)
        and came.whole == (0.0, 0.3)
    )
    assert rest.frame == "serve (a.py)" and rest.self_share == (0.5, 0.21) and rest.whole == (1.0, 1.0)


@pytest.mark.parametrize("samples", [1, 4])
def test_a_difference_that_chance_can_make_is_none(samples: int) -> None:
    few = {stack: max(1, count * samples // 1000) for stack, count in NEW.items()}
    assert differing_frames(OLD, few) == []
    assert differing_frames(OLD, OLD) == [] and differing_frames(OLD, {}) == []


def test_contenders_that_one_profiler_saw_are_compared() -> None:
    (pair,) = profile_pairs(two_profiles())
    assert (pair.first.contender, pair.second.contender) == ("app:main", "app:HEAD")
