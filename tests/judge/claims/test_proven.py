"""What today's interval decides, offered where no number of blocks would."""

import pytest

from fairtrial.base.units import UNITS, parse_quantity
from fairtrial.judge.claims.longer_windows import Windows
from fairtrial.judge.claims.proven import proven_bounds, proven_margin, proven_share
from fairtrial.judge.statistics.window_share import WindowShare


def test_a_bound_below_and_one_above_are_rounded_away_from_the_interval(snapshot: object) -> None:
    interval = (0.93456, 1.11412)
    assert proven_bounds(interval, (1.0, None), None) == snapshot
    assert "`at_most = 1.12` would" in proven_bounds(interval, (None, 1.0), None)
    assert proven_bounds(interval, (1.0, 1.1), None) == snapshot
    assert "`at_least = -0.012` would" in proven_bounds((-0.01191, 0.2), (0.0, None), None)


def test_a_bound_is_written_as_a_file_has_it(snapshot: object) -> None:
    words = proven_bounds((0.047, 0.05211), (None, 0.05), UNITS["ms"])
    assert words == snapshot
    assert parse_quantity("52.2 ms").value >= 0.05211


@pytest.mark.parametrize(("interval", "bounds"), [(None, (1.0, None)), ((0.0, 0.2), (0.1, None))])
def test_nothing_is_offered_where_nothing_is_proven(
    interval: tuple[float, float] | None, bounds: tuple[float | None, float | None]
) -> None:
    assert proven_bounds(interval, bounds, None) == ""


def test_a_margin_holds_both_ends(snapshot: object) -> None:
    assert proven_margin((0.93, 1.0651)) == snapshot
    assert proven_margin((0.99, 1.11), 'a claim of kind "equal" of a and b with') == snapshot
    assert proven_margin(None) == proven_margin((0.0, 1.0)) == proven_margin((0.01, 1.0)) == ""


def test_a_share_is_rounded_down(snapshot: object) -> None:
    assert proven_share(0.769) == snapshot
    assert proven_share(0.004) == ""


def test_longer_windows_are_named_as_what_decides_and_else_what_they_do_as_well(snapshot: object) -> None:
    windows = Windows(WindowShare(0.9, 0.8, 0.95, 0.9, shows_slow_waves=True), seconds=10)
    assert windows.help(3.0) and not windows.help(100.0) and not windows.help(None)
    assert windows.in_words(3.0) == snapshot
    assert "would decide it" in windows.in_words(3.0, "would decide it")
