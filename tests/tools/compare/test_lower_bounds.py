"""Times that are lower bounds, before and after a change."""

import pytest

from fairtrial.tools.compare.comparison import FigureRow
from fairtrial.tools.compare.outputs import comparison_markdown, row_cells
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.tools.compare.test_compare import NOISE, Run, compared


def taking(p99_seconds: float) -> TrialBuilder:
    """16 connections, so that a median of a quarter of that follows from the rate."""
    return a_trial().serving(4 * 16 / p99_seconds)


def run(p99_seconds: float, bounded: int = 0) -> Run:
    """Five blocks of `a`, in the last `bounded` of which p99 is a lower bound."""
    record = an_experiment("a").record()

    def make(_name: str, block: int) -> TrialBuilder:
        trial = taking(p99_seconds * NOISE[block % 5])
        return trial.unanswered_from(0.9 * p99_seconds) if block > 5 - bounded else trial

    return record, trials_of(record, make)


def row(before: Run, after: Run) -> FigureRow:
    (found,) = compared(before, after, "response_time_p99").rows
    return found


@pytest.mark.parametrize(
    ("after", "exact", "bounded_after", "bounded_before"),
    [
        (0.032, "regression", "regression", "~"),
        (0.008, "improvement", "~", "improvement"),
        (0.016, "within the margin", "~", "~"),
    ],
)
def test_a_change_is_named_only_if_it_stands_with_longer_times(
    after: float, exact: str, bounded_after: str, bounded_before: str
) -> None:
    assert row(run(0.016), run(after)).change == exact
    for bounded in (1, 5):
        assert row(run(0.016), run(after, bounded)).change == bounded_after
        assert row(run(0.016, bounded), run(after)).change == bounded_before
        assert row(run(0.016, bounded), run(after, bounded)).change == "~"


def test_figures_ratio_and_interval_say_on_which_side_they_are_open() -> None:
    def cells(before: int, after: int) -> list[str]:
        return row_cells(row(run(0.016, before), run(0.032, after)))[2:6]

    assert not any(sign in cell for cell in cells(0, 0) for sign in "<>")
    before, after, ratio, interval = cells(0, 5)
    assert (before, after, ratio) == ("16.0 ms", "> 32.0 ms", "> 2.00") and " to > 2.0" in interval
    before, after, ratio, interval = cells(5, 0)
    assert (before, after, ratio) == ("> 16.0 ms", "32.0 ms", "< 2.00") and interval.startswith("< 1.9")
    assert cells(5, 5) == ["> 16.0 ms", "> 32.0 ms", "–", "–"]


def test_a_median_of_which_the_longest_alone_is_a_bound_is_exact() -> None:
    assert max(NOISE) == NOISE[1]  # of block 1
    record, trials = run(0.032)
    bounded = taking(0.032 * NOISE[1]).unanswered_from(0.030).record(1, 1)
    told = [bounded.model_copy(update={"condition": each.condition}) if each.block == 1 else each for each in trials]
    found = row(run(0.016), (record, told))
    assert found.bounds == ("none", "some") and row_cells(found)[3:5] == ["32.0 ms", "2.00"]
    assert " to > 2.0" in row_cells(found)[5]


def test_the_signs_are_explained_where_there_are_some() -> None:
    assert "lower bound" in comparison_markdown(compared(run(0.016), run(0.032, 5), "response_time_p99"), "title")
    assert "lower bound" not in comparison_markdown(compared(run(0.016), run(0.032), "response_time_p99"), "title")
