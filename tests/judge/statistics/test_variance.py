import math

import numpy as np
import pytest

from fairtrial.judge.statistics.variance import nested, split

TURNIPS = [
    [[3.28, 3.09], [3.52, 3.48], [2.88, 2.80]],
    [[2.46, 2.44], [1.87, 1.92], [2.19, 2.19]],
    [[2.77, 2.66], [3.74, 3.44], [2.55, 2.55]],
    [[3.78, 3.87], [4.07, 4.12], [3.31, 3.31]],
]
"""Calcium in turnip greens, two determinations of each of three leaves of each of four plants: G. W. Snedecor and W. G.
Cochran, Statistical Methods, 6th edition (1967), chapter 10."""


def arrays(groups: list[list[list[float]]]) -> list[list[np.ndarray]]:
    return [[np.array(unit) for unit in group] for group in groups]


def test_the_textbooks_turnips() -> None:
    plants, leaves, determinations = nested(arrays(TURNIPS))
    assert plants is not None
    assert (plants.degrees, leaves.degrees, determinations.degrees) == (3, 8, 12)
    assert plants.mean_square == pytest.approx(2.5201, abs=1e-4)
    assert leaves.mean_square == pytest.approx(0.3288, abs=1e-4)
    assert determinations.mean_square == pytest.approx(0.0067, abs=1e-4)
    assert plants.variance == pytest.approx(0.3652, abs=1e-4)
    assert leaves.variance == pytest.approx(0.1610, abs=1e-4)


def test_one_way_by_hand() -> None:
    """Means 2, 6, 10 of three units of two values: MS between 32, within 2, so (32 - 2) / 2 = 15."""
    _, units, within = nested(arrays([[[1, 3], [5, 7], [9, 11]]]))
    assert (units.mean_square, within.variance, units.variance) == pytest.approx((32, 2, 15))
    assert units.p_value == pytest.approx(0.0254, abs=1e-3)


def test_unbalanced_one_way_by_hand() -> None:
    """Units of 1, 2 and 3 values: k1 = (6 - 14/6) / 2 = 11/6. Means 0, 3, 6 with 4.0 overall: SS 16 + 2 + 12 = 30."""
    _, units, within = nested(arrays([[[0.0], [2.0, 4.0], [5.0, 6.0, 7.0]]]))
    assert within.variance == pytest.approx(4 / 3)
    assert units.mean_square == pytest.approx(15)
    assert units.variance == pytest.approx((15 - 4 / 3) / (11 / 6))


def test_a_component_is_never_negative() -> None:
    _, units, _ = nested(arrays([[[0, 10], [1, 9], [4, 6]]]))
    assert units.variance == 0


def test_the_components_are_recovered() -> None:
    """Mean over 200 unbalanced simulations; standard errors of the means are some 5% of the truth."""
    random = np.random.default_rng(3)
    result = []
    for _ in range(200):
        groups = []
        for build in range(6):
            of_build = random.normal(0, 0.3)
            groups.append(
                [
                    of_build + random.normal(0, 0.2) + random.normal(0, 0.1, 3 + (start + build) % 4)
                    for start in range(3 + build % 3)
                ]
            )
        builds, starts, within = nested(groups)
        assert builds is not None
        result.append([builds.variance, starts.variance, within.variance])
    assert np.mean(result, axis=0) == pytest.approx([0.09, 0.04, 0.01], rel=0.15)


def test_a_factor_of_scale_changes_no_share() -> None:
    random = np.random.default_rng(4)
    series = [np.exp(random.normal(0, 0.1) + random.normal(7, 0.05, 30)) for _ in range(8)]
    ten_times = split([10 * each for each in series])
    assert ten_times.shares == pytest.approx(split(series).shares)


def leaning(random: np.random.Generator, seconds: int, lean: float, start: float) -> list[float]:
    """A trial second by second: AR(1) within, and `start` the standard deviation between starts."""
    level, values = random.normal(0, 0.05 / math.sqrt(1 - lean**2)), []
    of_start = random.normal(0, start)
    for _ in range(seconds):
        values.append(math.exp(7 + of_start + level))
        level = lean * level + random.normal(0, 0.05)
    return values


def test_waves_within_a_window_are_not_taken_for_starts() -> None:
    """Equal starts whose seconds lean on each other at 0.5: the spread of the figures is the window's."""
    random = np.random.default_rng(6)
    window, starts = [], []
    for _ in range(60):
        result = split([leaning(random, 60, 0.5, 0.0) for _ in range(8)])
        window.append(result.window)
        starts.append(result.starts.variance)
    true_window = (0.05 / (1 - 0.5)) ** 2 / 60
    assert np.mean(window) == pytest.approx(true_window, rel=0.25)
    assert np.mean(starts) < 0.5 * true_window


def test_the_spread_is_that_of_the_figures() -> None:
    random = np.random.default_rng(8)
    result = [split([leaning(random, 30, 0.3, 0.1) for _ in range(10)]) for _ in range(60)]
    assert np.mean([each.spread() ** 2 for each in result]) == pytest.approx(0.1**2 + 0.0102 / 60, rel=0.2)
    assert np.mean([each.shares["starts"] for each in result]) > 0.9
    one = result[0]
    assert one.part_seconds == 5 and one.parts_per_trial == pytest.approx(6)
    assert one.spread(longer=1e9) ** 2 == pytest.approx(one.starts.variance)


def test_builds_are_told_from_starts() -> None:
    random = np.random.default_rng(12)
    builds = [name for name in "abcdefgh" for _ in range(4)]
    of_build = {name: random.normal(0, 0.2) for name in "abcdefgh"}
    series = [np.exp(of_build[name] + random.normal(0, 0.01) + random.normal(5, 0.01, 16)) for name in builds]
    result = split(series, builds)
    assert result.builds is not None and result.builds.p_value is not None
    assert result.shares["builds"] > 0.9
    assert result.builds.p_value < 0.001
    assert sum(result.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("series", "builds"),
    [
        ([[1.0, 2.0]], None),
        ([[1.0, 2.0], [1.0]], None),
        ([[1.0, 0.0], [1.0, 2.0]], None),
        ([[1.0, 2.0], [1.0, 2.0]], ["a"]),
        ([[1.0, 2.0], [1.0, 2.0]], ["a", "b"]),
    ],
)
def test_what_cannot_be_split(series: list[list[float]], builds: list[str] | None) -> None:
    with pytest.raises(ValueError, match="needs"):
        split(series, builds)
