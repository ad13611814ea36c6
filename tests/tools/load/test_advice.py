"""Remedies for errors, and warnings about figures that cannot be trusted."""

import pytest

from fairtrial.judge.checks.generator_saturated import CHECK
from fairtrial.tools.load.advice import GENERATOR_BUSY, remedy, warnings
from tests.builders import ERROR_KINDS
from tests.tools.load.measurements import busy, measurement, open_measurement, plan


def test_every_kind_of_error_has_a_remedy() -> None:
    assert [kind for kind in (*ERROR_KINDS, "tls", "overflow") if not remedy(kind, plan())] == []


def test_a_busy_generator_is_named() -> None:
    assert CHECK.thresholds["warn"].value == GENERATOR_BUSY
    assert list(warnings(measurement(threads=busy(0.79)))) == []
    (warning,) = warnings(measurement(threads=busy(0.81)))
    assert "used 81% of its busiest processor" in warning
    (together,) = warnings(measurement(of=plan(threads=10, cpus=[1]), threads=busy(0.09) * 10))
    assert "used 90% of its busiest processor" in together


def test_waiting_awake_is_not_being_busy() -> None:
    spinning = busy(0.95)[0].model_copy(update={"spinning_seconds": 2.7})
    assert list(warnings(open_measurement(threads=[spinning]))) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"achieved_over_offered": 0.5}, "only 50.0% of the offered requests"),
        ({"interrupted": True}, "interrupted"),
    ],
)
def test_other_warnings(changes: dict[str, object], words: str) -> None:
    (warning,) = warnings(open_measurement(**changes))
    assert words in warning


def test_requests_that_hang_are_named() -> None:
    (warning,) = warnings(measurement(in_flight_at_end=4, oldest_in_flight_seconds=2.5))
    assert "4 requests unanswered at the end, the oldest for 2,500 ms: longer than any answer took" in warning
    assert list(warnings(measurement(in_flight_at_end=4, oldest_in_flight_seconds=0.01))) == []


def test_a_driver_that_could_not_be_had_is_named() -> None:
    fallback = "this kernel has no io_uring"
    (warning,) = warnings(measurement(of=plan(driver="io_uring"), driver_fallback=fallback))
    assert fallback in warning
    assert list(warnings(measurement(driver_fallback=fallback))) == []
