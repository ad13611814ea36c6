import pytest

from fairtrial.base.units import (
    UNITS,
    Quantity,
    parse_duration,
    parse_quantity,
    parse_rate,
    readable_unit,
)


@pytest.mark.parametrize(
    ("text", "value", "base"),
    [
        ("50 ms", 0.05, "seconds"),
        ("50ms", 0.05, "seconds"),
        ("4 us", 4e-6, "seconds"),
        ("4 µs", 4e-6, "seconds"),
        ("4 \u03bcs", 4e-6, "seconds"),
        ("0.5 s", 0.5, "seconds"),
        ("1.5 min", 90, "seconds"),
        ("2 h", 7200, "seconds"),
        ("512 bytes", 512, "bytes"),
        ("64 kB", 64_000, "bytes"),
        ("64 KiB", 65_536, "bytes"),
        ("100 MB", 1e8, "bytes"),
        ("100 MiB", 100 * 2**20, "bytes"),
        ("2 GB", 2e9, "bytes"),
        ("2 GiB", 2**31, "bytes"),
        ("2,000/s", 2000, "per_second"),
        ("2k/s", 2000, "per_second"),
        ("90/min", 1.5, "per_second"),
        ("-1,800/s", -1800, "per_second"),
        ("5%", 0.05, "share"),
        ("0%", 0, "share"),
    ],
)
def test_quantities_are_held_in_their_base_unit(text: str, value: float, base: str) -> None:
    quantity = parse_quantity(text)
    assert (quantity.value, quantity.unit.base) == (pytest.approx(value, rel=1e-12), base)


@pytest.mark.parametrize(
    "text", ["", "50", "ms", "50 parsec", "1,5 ms", "2,00/s", "2k", "2k ms", "nan s", "50 MS", "5 % of it", "1e999 s"]
)
def test_what_is_no_quantity_is_answered_with_the_units(text: str) -> None:
    with pytest.raises(ValueError, match=r"µs, ms, s, .* GiB, /s|finite number"):
        parse_quantity(text)


@pytest.mark.parametrize("symbol", UNITS)
@pytest.mark.parametrize("number", ["0", "50", "0.1", "-3", "0.0000001", "123456789012345678"])
def test_a_quantity_is_read_back_as_it_was_written(number: str, symbol: str) -> None:
    quantity = parse_quantity(f"{number} {symbol}")
    assert Quantity.model_validate(quantity.model_dump()) == quantity
    assert Quantity.model_validate_json(quantity.model_dump_json()) == quantity


def test_each_kind_has_its_parser(snapshot: object) -> None:
    assert (parse_duration("500 ms"), parse_rate("2k/s")) == (0.5, 2000)
    with pytest.raises(ValueError) as error:
        parse_duration("5%")
    assert str(error.value) == snapshot
    with pytest.raises(ValueError, match="is not a rate"):
        parse_rate("5 s")


def test_a_bare_number_may_have_a_default_unit() -> None:
    assert parse_duration("10", default="s") == 10
    assert parse_duration("2m", default="s") == 120
    assert parse_rate("2k", default="/s") == 2000
    assert parse_rate("1.5M", default="/s") == 1_500_000


@pytest.mark.parametrize(
    ("base", "value", "symbol"),
    [
        ("seconds", 0.000004, "µs"),
        ("seconds", -0.05, "ms"),
        ("seconds", 75, "s"),
        ("seconds", 0, "s"),
        ("bytes", 512, "bytes"),
        ("bytes", 100 * 2**20, "MiB"),
        ("per_second", 2000, "/s"),
        ("share", 0.05, "%"),
    ],
)
def test_a_readable_unit_is_chosen_by_size(base: str, value: float, symbol: str) -> None:
    assert readable_unit(base, value).symbol == symbol  # type: ignore[arg-type]
