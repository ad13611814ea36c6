"""The histogram of response times as text."""

from fairtrial.record.histogram import read_histogram
from fairtrial.tools.load.report.bars import bins, histogram_lines
from tests.tools.load.measurements import hdr


def test_bars_have_round_edges_and_lose_nothing() -> None:
    times = read_histogram(hdr(*range(100, 300), 40_000))
    filled = bins(times)
    assert sum(each.count for each in filled) == times.count == 201
    assert [round(each.low_seconds * 1e6) for each in filled[:2]] == [100, 150] or filled[0].low_seconds < 100e-6
    assert len(filled) <= 16
    for line in histogram_lines(times, 80):
        assert len(line) <= 80
    assert all(line.isascii() for line in histogram_lines(times, 80, unicode=False))
    assert histogram_lines(read_histogram(""), 80) == []


def test_a_single_time_has_a_bin() -> None:
    assert [each.count for each in bins(read_histogram(hdr(100, 100)))] == [2]
