"""Bodies against patterns, and bodies that are none."""

import pytest

from fairtrial.experiment.workload_file.body_check import BodyCheck, Pattern

PRICE = BodyCheck(matches={"/price": Pattern(r"^\d+\.\d\d$")})


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ('{"price": "3.50", "more": null}', True),
        ('{"price": 3.50}', True),  # as it is spelled
        ('{"price": 3.5}', False),
        ('{"price": 350e-2}', False),
        ('{"price": "٣.50"}', False),  # digits are those of ASCII
        ('{"price": null}', False),
        ("{}", False),
        ('{"price": 1.00, "price": 1.00}', False),
        ('{"price": 1.00, "more": NaN}', False),
        ('{"price": 1.00}}', False),
        ("[" * 100_000, False),
        ("", False),
        (None, False),
    ],
)
def test_patterns(body: str | None, fits: bool, snapshot: object) -> None:
    fault = PRICE.fault(body)
    assert (fault is None) == fits and fault == snapshot


def test_a_pattern_is_searched_in_linear_time() -> None:
    check = BodyCheck(matches={"": Pattern("^(a|a)*$"), "/0": Pattern("x")})
    assert check.fault(f'"{"a" * 100_000}b"') is not None
    with pytest.raises(ValueError, match="look-around"):
        Pattern("(?!a)b")
