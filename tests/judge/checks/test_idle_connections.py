"""Idle connections that were not there: what is refused, what is a warning, and what is merely told."""

from typing import Any

import pytest

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.model import Finding, LoadCase
from fairtrial.judge.metrics import find_metric
from fairtrial.record.idle_connections import IdleConnections, IdleLoss, IdleMemory
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import MemoryKind


def trial(**values: Any) -> TrialRecord:
    whole = {"number": 10_000, "opened": 10_000, "opening_seconds": 2.5, "open_at_begin": 10_000, "open_at_end": 10_000}
    idle = IdleConnections(**{**whole, **values})
    return TrialRecord(index=1, block=1, condition="a", started_at="", idle_connections=idle)


def found(**values: Any) -> list[Finding]:
    return list(all_checks()["idle-connections"].findings(LoadCase([trial(**values)], {}, 1), {}))


def loss(number: int, example: str) -> IdleLoss:
    return IdleLoss(number=number, first_seconds=3.0, last_seconds=3.5, example=example)


def memory(before_bytes: int, open_bytes: int) -> IdleMemory:
    return IdleMemory(
        before_bytes=before_bytes, open_bytes=open_bytes, connections=10_000, kind=MemoryKind.PROPORTIONAL
    )


@pytest.mark.parametrize(
    ("values", "severity"),
    [
        ({"pings": 12, "memory": memory(20 << 20, 120 << 20)}, "note"),
        ({"open_at_end": 9_990, "losses": {"reset": loss(10, "the server reset the connection")}}, "warning"),
        ({"open_at_end": 9_989, "losses": {"websocket_close_1001": loss(11, "closed with code 1001")}}, "refusal"),
        ({"opened": 0, "open_at_begin": 0, "open_at_end": 0, "failures": {"refused": loss(100, "nobody")}}, "refusal"),
    ],
)
def test_those_that_are_missing_decide(values: dict[str, Any], severity: str, snapshot: object) -> None:
    (finding,) = found(**values)
    assert finding.severity == severity
    assert (finding.evidence, finding.remedy) == snapshot


def test_a_window_that_did_not_close_is_the_matter_of_others() -> None:
    assert found(open_at_end=None) == []


def test_the_memory_of_each_is_the_difference_over_their_number() -> None:
    metric = find_metric("idle_connection_rss")
    assert metric.read(trial(memory=memory(20 << 20, 120 << 20))) == pytest.approx((100 << 20) / 10_000)
    assert metric.read(trial(memory=memory(20 << 20, 19 << 20))) is None
    assert metric.read(trial()) is None
