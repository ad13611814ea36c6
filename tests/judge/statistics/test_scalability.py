import math

import numpy as np
import pytest

from fairtrial.judge.statistics.scalability import Law, PoorFit, Scalability, fit_law, scalability
from tests.judge.statistics.error_rates import law_held

SDM91 = {1: 64.9, 18: 995.9, 36: 1652.4, 72: 1853.2, 108: 1828.9, 144: 1775.0, 216: 1702.2}
"""SPEC SDM91 on a SPARCcenter 2000, scripts an hour by users: N. J. Gunther, Guerrilla Capacity Planning (2007). The
coefficients below are those that the R package `usl` (3.0) prints: least squares of the throughputs themselves."""

RAY_TRACER = {1: 20, 4: 78, 8: 130, 12: 170, 16: 190, 20: 200}
"""The first six points of the ray tracing benchmark in the same book; coefficients by the same package."""

LOADS = [1, 2, 4, 8, 16, 32, 64]


def fitted(points: dict[int, float], *, logarithmic: bool) -> Law:
    loads, throughputs = np.array(list(points), dtype=float), np.array(list(points.values()), dtype=float)
    return fit_law(loads, throughputs, logarithmic=logarithmic)


def noisy(law: Law, blocks: int, noise: float, random: np.random.Generator) -> list[list[float]]:
    return [[law.at(load) * math.exp(random.normal(0, noise)) for _ in range(blocks)] for load in LOADS]


def test_the_published_fit_of_sdm91() -> None:
    law = fitted(SDM91, logarithmic=False)
    assert law.contention == pytest.approx(2.773e-2, rel=1e-3)
    assert law.coherency == pytest.approx(1.044e-4, rel=1e-3)
    assert law.single == pytest.approx(90.0, rel=1e-3)
    assert law.peak == pytest.approx(96.51956, rel=1e-4)
    assert law.at(law.peak) == pytest.approx(1884, abs=1)


def test_the_published_fit_of_the_ray_tracer() -> None:
    law = fitted(RAY_TRACER, logarithmic=False)
    assert (law.contention, law.coherency, law.single) == pytest.approx((0.02444, 0.00163, 20.85605), rel=3e-3)


def test_logarithms_keep_the_throughput_of_one() -> None:
    assert fitted(SDM91, logarithmic=True).single == pytest.approx(64.9, rel=0.06)
    assert fitted(SDM91, logarithmic=False).single > 1.3 * 64.9


@pytest.mark.parametrize(
    "law", [Law(1000, 0.05, 0.0005), Law(3, 0.2, 0.0), Law(1e6, 0.0, 0.001), Law(50, 0.0, 0.0), Law(70, 1.0, 0.0)]
)
def test_what_follows_the_law_is_found(law: Law) -> None:
    fit = scalability(LOADS, [[law.at(load)] * 3 for load in LOADS])
    assert isinstance(fit, Scalability)
    assert (fit.law.single, fit.law.contention, fit.law.coherency) == pytest.approx(
        (law.single, law.contention, law.coherency), rel=1e-3, abs=1e-6
    )
    assert fit.miss < 1e-4


def test_a_peak_within_the_data_has_an_interval() -> None:
    law = Law(1000, 0.05, 0.0015)
    fit = scalability(LOADS, noisy(law, 5, 0.02, np.random.default_rng(5)))
    assert isinstance(fit, Scalability) and fit.peak is not None and fit.peak.interval is not None
    assert fit.peak.interval[0] < law.peak < fit.peak.interval[1]
    assert fit.peak.interval[1] < 64


def test_a_peak_beyond_the_data_is_not_reported() -> None:
    law = Law(1000, 0.02, 0.00002)
    assert law.peak > 64
    fit = scalability(LOADS, [[law.at(load)] * 3 for load in LOADS])
    assert isinstance(fit, Scalability) and fit.peak is None


def test_two_blocks_have_a_fit_and_no_interval() -> None:
    fit = scalability(LOADS, [[Law(10, 0.1, 0.01).at(load)] * 2 for load in LOADS])
    assert isinstance(fit, Scalability)
    assert fit.contention.interval is None and fit.peak is not None and fit.peak.interval is None


def test_five_points_are_too_few() -> None:
    fit = scalability(LOADS[:5], [[load] * 3 for load in LOADS[:5]])
    assert isinstance(fit, PoorFit) and "at least 6" in fit.reason


def test_a_wall_is_not_the_law() -> None:
    """In proportion up to 8, then level: the curve has a corner."""
    random = np.random.default_rng(2)
    for wall, reason in ((8, "more than 10%"), (16, "scatter")):
        curve = [[min(load, wall) * 1000 * math.exp(random.normal(0, 0.01)) for _ in range(5)] for load in LOADS]
        fit = scalability(LOADS, curve)
        assert isinstance(fit, PoorFit) and reason in fit.reason


def test_noise_alone_is_not_a_poor_fit() -> None:
    random = np.random.default_rng(7)
    poor = sum(
        isinstance(scalability(LOADS, noisy(Law(1000, 0.1, 0.001), 3, 0.08, random)), PoorFit) for _ in range(40)
    )
    assert poor <= 2


def test_the_intervals_hold_the_truth() -> None:
    """150 repetitions at 95%: fewer than 131 once in a thousand. κ N² is 0.08: near the edge of what can be."""
    fits, held = law_held(Law(1000, 0.02, 0.00002), 4, 150)
    assert fits == 150 and held["peaks"] == 0
    assert min(held["λ"], held["σ"], held["κ"]) >= 131


@pytest.mark.parametrize(
    ("loads", "curve"),
    [
        ([1, 2], [[1.0]]),
        ([2, 1], [[1.0], [1.0]]),
        ([0, 1], [[1.0], [1.0]]),
        ([1, 2], [[1.0], [1.0, 2.0]]),
        ([1, 2], [[], []]),
        ([1, 2], [[1.0], [0.0]]),
    ],
)
def test_what_is_no_curve(loads: list[float], curve: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="a curve needs"):
        scalability(loads, curve)
