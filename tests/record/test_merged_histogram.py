"""Histograms, added up."""

import pytest

from fairtrial.record.histogram import read_histogram
from fairtrial.record.merged_histogram import merged_histogram
from tests.record.test_histogram import encoded, zigzag


def test_counts_are_added_bucket_by_bucket() -> None:
    first, second = encoded(zigzag(-2048, 1, -1023, 2)), encoded(zigzag(-10, 3, -2037, 5))
    merged = read_histogram(merged_histogram([first, "", second]))
    assert [(round(each.low_seconds * 1e9), each.count) for each in merged.buckets] == [(10, 3), (2048, 6), (4096, 2)]


def test_one_alone_stays_as_it_is_and_none_is_empty() -> None:
    one = encoded(zigzag(-5, 1_000_000_007, -130, 1))
    assert read_histogram(merged_histogram([one])).buckets == read_histogram(one).buckets
    assert merged_histogram(["", ""]) == ""


def test_large_counts_are_written_as_they_are_read() -> None:
    one = encoded(zigzag(-1, (1 << 60) + 1))
    assert read_histogram(merged_histogram([one, one])).count == (1 << 61) + 2


def test_histograms_with_other_buckets_are_refused() -> None:
    with pytest.raises(ValueError, match="buckets differ"):
        merged_histogram([encoded(zigzag(1)), encoded(zigzag(1), digits=2)])
