"""Bodies against patterns, and bodies that are none."""

import pytest

from fairtrial.experiment.workload_file.body_check import BodyCheck, Pattern

PRICE = BodyCheck(matches={"/price": Pattern(r"^\d+\.\d\d$")})


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('{"price": "3.50", "more": null}', None),
        ('{"price": 3.50}', None),  # as it is spelled
        ('{"price": 3.5}', '/price is "3.5", which does not match '),
        ('{"price": 350e-2}', '/price is "350e-2", which'),
        ('{"price": "٣.50"}', "/price is "),  # digits are those of ASCII
        ('{"price": null}', "/price is neither a text nor a number"),
        ("{}", "/price is missing"),
        ('{"price": 1.00, "price": 1.00}', "not JSON: a member occurs twice"),
        ('{"price": 1.00, "more": NaN}', "not JSON: NaN is no number"),
        ('{"price": 1.00}}', "not JSON: "),
        ("[" * 100_000, "not JSON: nested too deeply"),
        ("", "not JSON: "),
        (None, "not UTF-8"),
    ],
)
def test_patterns(body: str | None, fault: str | None) -> None:
    found = PRICE.fault(body)
    assert found is None if fault is None else found is not None and found.startswith(fault), found


def test_a_pattern_is_searched_in_linear_time() -> None:
    check = BodyCheck(matches={"": Pattern("^(a|a)*$"), "/0": Pattern("x")})
    assert check.fault(f'"{"a" * 100_000}b"') is not None
    with pytest.raises(ValueError, match="look-around"):
        Pattern("(?!a)b")
