"""Starts that fall apart: the slow mode is named, and honest scatter is not."""

import numpy as np
import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.judge.checks.starts_differ import far_from_middle, slower_group
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found

CLOSE = (4000.0, 4080.0, 3950.0, 4020.0, 3990.0, 4050.0, 3970.0)


def findings(*rates: float) -> list[Finding]:
    """Of a condition with these rates, beside an even one."""
    record = an_experiment("a", "b", blocks=len(rates)).record()

    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().serving(rates[block - 1] if name == "a" else 2000.0)

    return found("starts-differ", record, trials_of(record, make))


def test_a_slow_start_is_named_with_its_factor(snapshot: object) -> None:
    (finding,) = findings(*CLOSE[:3], 1330.0, *CLOSE[4:])
    assert (finding.severity, finding.trial) == ("warning", None)
    assert finding.evidence == snapshot
    assert "of_starts" in finding.remedy


def test_starts_with_two_modes_are_named_all() -> None:
    (finding,) = findings(2600.0, 4080.0, 3950.0, 2650.0, 3990.0, 4050.0, 3970.0)
    assert "2 starts of 7" in finding.evidence


def test_a_start_that_is_too_fast_is_as_odd() -> None:
    assert "1.5" in findings(*CLOSE[:6], 6100.0)[0].evidence


def test_two_groups_are_named_where_every_other_start_is_slow(snapshot: object) -> None:
    """The median absolute deviation is as wide as the gap there: by it no start is far from the middle."""
    rates = [rate / factor for rate, factor in zip([*CLOSE, 4010.0], [1, 1.5] * 4, strict=True)]
    assert not any(far_from_middle(rates, 3.5, 1.25))
    (finding,) = findings(*rates)
    assert finding.evidence == snapshot


@pytest.mark.parametrize(
    "rates",
    [
        [2000.0, *[4000.0] * 3, 3990.0, 2010.0, 2005.0, 4010.0],  # three in a group
        [*[2000.0] * 4, *[2450.0] * 4],  # a factor of 1.225
        [2000.0, 2300.0, 2600.0, 2900.0, 4000.0, 4400.0, 4800.0, 5300.0],  # the gap is 1.38, either group wider or near
    ],
)
def test_what_is_no_pair_of_groups_is_called_none(rates: list[float]) -> None:
    assert not any(slower_group(rates, 1.25))


@pytest.mark.parametrize("starts", [8, 9, 10, 16, 40])
@pytest.mark.parametrize("world", ["normal", "student", "lognormal"])
def test_starts_that_scatter_far_but_are_of_one_kind_hardly_ever_fall_into_two(world: str, starts: int) -> None:
    random = np.random.default_rng(4)
    draw = {
        "normal": lambda: random.standard_normal(starts),
        "student": lambda: random.standard_t(3, starts),
        "lognormal": lambda: np.exp(random.standard_normal(starts)),
    }[world]
    accused = sum(any(slower_group(np.exp(0.4 * draw()).tolist(), 1.25)) for _ in range(1000))
    assert accused <= 35


@pytest.mark.parametrize(
    "rates",
    [
        CLOSE,
        (*CLOSE[:6], 3300.0),  # 3.5 deviations away, and 17% below
        (2000.0, 2600.0, 3300.0, 4100.0, 5200.0, 6500.0, 8100.0),  # all are far apart: no start is the odd one
        (*CLOSE[:3], 1330.0),  # four blocks
    ],
)
def test_honest_scatter_is_not_accused(rates: tuple[float, ...]) -> None:
    assert findings(*rates) == []


@pytest.mark.parametrize(("deviation", "share"), [(0.03, 0.0), (0.05, 0.002)])
@pytest.mark.parametrize("starts", [5, 10, 40])
def test_even_starts_are_hardly_ever_accused(deviation: float, share: float, starts: int) -> None:
    random = np.random.default_rng(3)
    accused = sum(
        any(far_from_middle(np.exp(deviation * random.standard_normal(starts)).tolist(), 3.5, 1.25))
        for _ in range(1000)
    )
    assert accused <= 1000 * share
