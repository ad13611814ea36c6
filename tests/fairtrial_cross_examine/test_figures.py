"""Printed numbers and how far they may be from what was measured."""

import pytest

from fairtrial_cross_examine import figures
from fairtrial_cross_examine.figures import as_count, as_figure, duration, prefixed_figure, quantity
from fairtrial_cross_examine.figures import size as data_size
from fairtrial_cross_examine.model import Figure


@pytest.mark.parametrize(
    ("text", "value", "within"),
    [("0.450", 0.45, 0.0005), ("401.71", 401.71, 0.005), ("1,117", 1117, 0.5), ("2", 2, 0.5)],
)
def test_the_last_digit_says_how_a_number_was_rounded(text: str, value: float, within: float) -> None:
    assert (as_figure(text).value, as_figure(text).within) == pytest.approx((value, within))


@pytest.mark.parametrize(
    ("text", "seconds", "within"),
    [
        ("635.91us", 635.91e-6, 0.005e-6),
        ("22.63ms", 0.02263, 0.005e-3),
        ("10.00m", 600, 0.3),
        ("1m30.5s", 90.5, 0.05),
        ("2m0s", 120, 0.5),
        ("1.5µs", 1.5e-6, 0.05e-6),
        ("661.88 ms", 0.66188, 0.005e-3),
    ],
)
def test_times(text: str, seconds: float, within: float) -> None:
    assert (duration(text).value, duration(text).within) == pytest.approx((seconds, within))


def test_amounts_of_data() -> None:
    assert data_size("144.91MB").value == pytest.approx(144.91 * 2**20)
    assert data_size("3.1 MB", 1000).value == pytest.approx(3.1e6)
    assert data_size("1.50 KiB").value == 1536
    assert data_size("612 bytes") == Figure(value=612)
    assert data_size("2.00 B").value == 2


def test_counts_and_prefixes() -> None:
    assert as_count("1,117,285") == 1_117_285
    assert prefixed_figure("23k") == Figure(value=23_000, within=500)
    assert prefixed_figure("2.62k").within == pytest.approx(5)
    assert prefixed_figure("917").value == 917


def test_quantities_of_statements_keep_their_digits() -> None:
    assert quantity("1.220 s", "seconds").within == pytest.approx(0.0005)
    assert quantity("1220 ms", "seconds").within == pytest.approx(0.0005)
    assert quantity("1220 ms", "seconds").value == pytest.approx(1.22)
    assert quantity("0 ms", "seconds") == Figure(value=0, within=0.0005)
    assert quantity("2k/s", "per_second") == Figure(value=2000, within=500)
    assert quantity("5,113 bytes", "bytes") == Figure(value=5113)
    with pytest.raises(ValueError, match="not a time"):
        quantity("5 MiB", "seconds")


def test_json_numbers() -> None:
    assert figures.number(12) == Figure(value=12)
    assert figures.number(0.25) == Figure(value=0.25, within=0.005)
    assert figures.number(True) is None and figures.number("12") is None and figures.number(None) is None


@pytest.mark.parametrize("text", ["1" * 400, "9" * 24 + "9" * 290])
def test_numbers_that_are_too_large_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        as_figure(text)


def test_rounding_is_carried_through() -> None:
    product = Figure(value=10, within=1).times(Figure(value=2, within=0.5))
    assert product.high == pytest.approx(27.5)
    quotient = Figure(value=10, within=1).over(Figure(value=2, within=0.5))
    assert quotient is not None and quotient.high == pytest.approx(11 / 1.5)
    assert Figure(value=10).over(Figure(value=0.4, within=0.5)) is None
    assert Figure(value=1.0, within=0.1).agrees_with(Figure(value=1.15, within=0.1))
    assert not Figure(value=1.0, within=0.1).agrees_with(Figure(value=1.25, within=0.1))
    assert Figure(value=1.0).agrees_with(Figure(value=1.01), share=0.01)
