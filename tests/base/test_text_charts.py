"""Charts made of characters."""

from fairtrial.base.text_charts import bar, progress_bar, sparkline


def test_a_progress_bar_is_as_full_as_its_share() -> None:
    for share, filled in ((0.0, 0), (0.26, 3), (1.0, 10)):
        drawn = progress_bar(share, 10)
        assert drawn.plain == "━" * 10
        assert sum(span.end - span.start for span in drawn.spans if span.style == "dim") in (10 - filled, 0)


def test_bars_have_eighths_of_cells() -> None:
    assert bar(1.0, 4) == "████"
    assert bar(0.5, 4) == "██"
    assert bar(0.53125, 4) == "██▏"
    assert bar(0.0, 4) == ""


def test_whatever_is_above_zero_has_a_sliver() -> None:
    assert bar(1e-9, 4) == "▏"
    assert bar(1e-9, 4, unicode=False) == "#"


def test_bars_without_unicode() -> None:
    assert bar(0.5, 4, unicode=False) == "##"


def test_a_sparkline() -> None:
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([0, 0]) == sparkline([]) == ""
