"""The engine's histograms, decoded."""

import base64
import struct
import zlib

import pytest

from fairtrial.record.histogram import Histogram, position_of, read_histogram


def encoded(counts: bytes, digits: int = 3, lowest: int = 1) -> str:
    """HdrHistogram V2, compressed, of these encoded counts."""
    inner = struct.pack(">IIIIQQd", 0x1C849313, len(counts), 0, digits, lowest, 3_600_000_000_000, 1.0) + counts
    packed = zlib.compress(inner)
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()


def zigzag(*numbers: int) -> bytes:
    """Counts as ZigZag LEB128; a negative number stands for so many empty places."""
    out = bytearray()
    for number in numbers:
        value = number << 1 if number >= 0 else (-number << 1) - 1
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out)


def test_small_values_have_a_place_each() -> None:
    histogram = read_histogram(encoded(zigzag(-10, 3, 1)))
    assert [(round(each.low_seconds * 1e9), each.count) for each in histogram.buckets] == [(10, 3), (11, 1)]
    assert histogram.count == 4
    assert histogram.mean_seconds == pytest.approx(10.75e-9)
    assert histogram.count_up_to(10.9e-9) == 3
    assert (histogram.count_up_to(0), histogram.count_up_to(1)) == (0, 4)


def test_larger_values_share_places_that_double() -> None:
    histogram = read_histogram(encoded(zigzag(-2048, 1, -1023, 2)))
    widths = [round((each.high_seconds - each.low_seconds) * 1e9) for each in histogram.buckets]
    assert [round(each.low_seconds * 1e9) for each in histogram.buckets] == [2048, 4096]
    assert widths == [2, 4]


def test_counts_of_several_bytes() -> None:
    assert read_histogram(encoded(zigzag(-5, 1_000_000_007))).count == 1_000_000_007


def hundred() -> Histogram:
    return read_histogram(encoded(zigzag(-1, *([1] * 100))))


def test_a_percentile_lies_between_two_times() -> None:
    at = {each: round(hundred().at(each) * 1e9, 2) for each in (0, 1, 50, 90, 99, 100)}
    assert at == {0: 1, 1: 1.34, 50: 50.5, 90: 90.63, 99: 99.66, 100: 100}


def test_a_percentile_that_leans_on_a_lower_bound_is_one() -> None:
    assert round(hundred().at(90, bounds_from=90.5e-9) * 1e9) == 91
    assert round(hundred().at(89, bounds_from=90.5e-9) * 1e9, 2) == 89.63


def test_the_shortest_time_that_so_many_do_not_exceed() -> None:
    assert [round(hundred().through(each)[0] * 1e9) for each in (0, 1, 50, 50.5, 99, 100)] == [1, 1, 50, 51, 99, 100]
    assert hundred().through(50.5)[1] == 51


def test_the_position_of_a_percentile() -> None:
    at = [round(position_of(percentile, 1000), 3) for percentile in (0, 50, 99, 99.9, 100)]
    assert at == [0.333, 500.5, 990.663, 999.666, 1000.667]
    # Of a hundred groups of ten it is ten times as far from the end as of a hundred.
    assert position_of(99, 1000, together=10) == pytest.approx(10 * position_of(99, 100))


def test_an_empty_histogram() -> None:
    assert read_histogram("").count == read_histogram(encoded(b"")).count == 0
    assert Histogram(()).count_up_to(1) == 0


FORGED = {
    "another text": "AAAAAAAAAAAA",
    "no base64": "not base64!",
    "too short": "AAAA",
    "not compressed": base64.b64encode(struct.pack(">II", 0x1C849314, 8) + b"no zlib!").decode(),
    "a count that breaks off": encoded(b"\x80"),
    "more digits than there are": encoded(zigzag(1), digits=2**31),
    "a place that nothing has": encoded(zigzag(-(2**61), 1)),
}


@pytest.mark.parametrize("text", FORGED.values(), ids=FORGED)
def test_text_that_is_not_a_histogram(text: str) -> None:
    with pytest.raises(ValueError, match=r"[Hh]istogram|base64|padding"):
        read_histogram(text)


def test_a_histogram_is_unpacked_up_to_a_bound(snapshot: object) -> None:
    """Ten megabytes of empty places stand in ten kilobytes."""
    with pytest.raises(ValueError) as error:
        read_histogram(encoded(zigzag(-8_000) * 5_000_000))
    assert str(error.value) == snapshot
