"""Incomplete beta and gamma functions against those of `scipy.special`."""

import itertools

import pytest
from scipy import special

from fairtrial.judge.statistics.special import beta_tails, gamma_tails

PARAMETERS = [0.5, 1.0, 1.5, 3.0, 14.5, 16.0, 300.0, 12_345.5, 2e6]
PLACES = [-8.0, -3.0, -1.0, -0.1, 0.0, 0.1, 1.0, 3.0, 8.0]
"""From the mean, in deviations."""


@pytest.mark.parametrize("first", PARAMETERS)
def test_beta(first: float) -> None:
    for second, place in itertools.product(PARAMETERS, PLACES):
        total = first + second
        mean = first / total
        share = mean + place * (mean * (1 - mean) / (total + 1)) ** 0.5
        if 0 < share < 1:
            up_to, above = beta_tails(share, 1 - share, first, second)
            assert up_to == pytest.approx(special.betainc(first, second, share), rel=1e-9, abs=1e-290)
            assert above == pytest.approx(special.betaincc(first, second, share), rel=1e-9, abs=1e-290)


@pytest.mark.parametrize("shape", PARAMETERS)
def test_gamma(shape: float) -> None:
    for place in PLACES:
        value = shape + place * shape**0.5
        up_to, above = gamma_tails(value, shape)
        # So far out, `scipy.special` itself is off by 4e-6: by the series with 60 digits, ours is right to 1e-15.
        rel = 1e-5 if (shape, place) == (2e6, -8.0) else 1e-10
        assert up_to == pytest.approx(special.gammainc(shape, max(value, 0)), rel=rel, abs=1e-290)
        assert above == pytest.approx(special.gammaincc(shape, max(value, 0)), rel=1e-10, abs=1e-290)


def test_ends() -> None:
    assert beta_tails(0.0, 1.0, 2, 3) == (0, 1) and beta_tails(1.0, 0.0, 2, 3) == (1, 0)
    assert gamma_tails(0.0, 2) == (0, 1) and gamma_tails(float("inf"), 2) == (1, 0)
    assert gamma_tails(1e4, 2)[1] == 0 and gamma_tails(1e-200, 2)[0] == 0
