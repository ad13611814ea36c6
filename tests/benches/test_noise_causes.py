"""The shares of causes, of restarts whose causes are known; and a try with a stack that is started."""

from pathlib import Path

import numpy as np
import pytest

from benches.noise_causes import ADDRESSES, ARENAS, PADDING, PAGE_CACHE, Restart, read, report, shares

CAUSES = (ADDRESSES, ARENAS, PADDING, PAGE_CACHE)


def restarts(number: int) -> list[Restart]:
    """Layouts scatter by 3%, the rest by 1.5%, moments by 1%; a cold page cache costs 4%."""
    random = np.random.default_rng(7)
    made = []
    for _ in range(number):
        switches = dict(zip(CAUSES, (random.random(len(CAUSES)) < 0.5).tolist(), strict=True))
        level = random.normal(0, 0.015) + switches[ADDRESSES] * random.normal(0, 0.03) - 0.04 * switches[PAGE_CACHE]
        made.append(Restart(switches, (level + random.normal(0, 0.01, 8)).tolist()))
    return made


def test_a_cause_has_the_share_that_it_has() -> None:
    """Of the variance 0.03² + 0.015² + 0.01² / 8 with all causes on, layouts are 79%, and the shift is 0.02²: 35%."""
    found = shares(restarts(2000), resamples=200)
    own, shift = found[ADDRESSES]
    assert own.low < 79 < own.high and own.high - own.low < 25 and shift.estimate < 3
    own, shift = found[PAGE_CACHE]
    assert own.low < 0 < own.high and shift.low < 35 < shift.high
    for name in (ARENAS, PADDING):
        own, shift = found[name]
        assert own.low < 0 < own.high and shift.estimate < 3
    assert found["moments"][0].estimate == pytest.approx(1.1, abs=0.2)


def test_the_table_names_what_was_switched() -> None:
    text = report(restarts(40))
    assert "| address-space layout | drawn at each start | setarch -R |" in text
    assert "40 restarts, which scatter by" in text


def test_a_line_that_was_cut_off_is_no_restart(tmp_path: Path) -> None:
    file = tmp_path / "restarts.jsonl"
    assert read(file) == []
    file.write_text('{"switches": {"hash seed": true}, "log_ratios": [0.1, 0.2]}\n{"switches": {"hash se')
    assert read(file) == [Restart({"hash seed": True}, [0.1, 0.2])]
