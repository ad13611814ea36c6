"""The load of options in words, and how long it lasts."""

from typing import Any

import pytest

from fairtrial.load.engine_terms import Ramp
from fairtrial.tools.load.request.command_load import CommandLoad, load_of
from fairtrial.tools.load.request.options import LoadOptions
from fairtrial.tools.load.request.values import RateRamp, RateStep

POISSON = {"rate": 2000.0, "arrival": "poisson"}
TWO_STEPS = (RateStep(10, 2), RateStep(0, 1))


def offered(*, tls: bool = False, **options: Any) -> CommandLoad:
    """By default without a warm-up."""
    return load_of(LoadOptions(**{"url": "http://a/", "warmup_seconds": 0.0, "seconds": 3.0} | options), tls=tls)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"connections": 1, "think_seconds": 0.05},
        {"requests": 1000, "seconds": None},
        {"no_keepalive": True},
        {"requests_per_connection": 5},
        {"pipeline": 8},
        {"http2": True},
        {"http2": True, "streams": 20},
        {**POISSON, "connections": 4, "http2": True, "streams": 9},
        {"tls": True},
        {**POISSON, "tls": True, "deadline_seconds": 0.5},
        {"warmup_seconds": 0.5},
        {"warmup_seconds": 0.5, "warmup_limit_seconds": 0.5},
        {**POISSON, "drain_seconds": 0.0},
        {**POISSON, "drain_seconds": 5.0, "warmup_seconds": 1.0},
        POISSON,
        {"rate": 2000.0, "requests": 500, "seconds": None},
        {"ramp": RateRamp(0, 500), "connections": 1},
        {"ramp": RateRamp(0, 500), "warmup_seconds": 1.0},
        {"steps": TWO_STEPS, "connections": 1, "seconds": None},
        {"threads": 4},
    ],
)
def test_the_load_in_words(options: dict[str, Any], snapshot: object) -> None:
    assert offered(**options).describe() == snapshot


def test_the_planned_length_of_the_window() -> None:
    assert offered().window_seconds == 3
    assert offered(steps=TWO_STEPS, seconds=None).window_seconds == 3
    assert offered(requests=5, seconds=None).window_seconds is None


def test_the_options_of_a_command_go_beyond_an_experiments_file() -> None:
    """As many connections as are asked for, however few requests; and times that a file does not take."""
    few = offered(requests=5, seconds=None, timeout_seconds=7200.0)
    assert (few.load.connections, few.engine_terms()["timeout_seconds"]) == (16, 7200)


def test_the_warm_up_of_a_rate_that_changes_has_its_length_whatever_the_pace() -> None:
    warmed = offered(ramp=RateRamp(1, 2), warmup_seconds=1.0).engine_terms()
    assert warmed["load"] == Ramp(from_per_second=1, to_per_second=2, connections=64)
    assert (warmed["warmup_seconds"], warmed["warmup_limit_seconds"]) == (1, None)
    limited = offered(ramp=RateRamp(1, 2), warmup_seconds=1.0, warmup_limit_seconds=2.0).engine_terms()
    assert limited["warmup_limit_seconds"] == 2
    assert offered(ramp=RateRamp(1, 2), warmup_limit_seconds=2.0).engine_terms()["warmup_limit_seconds"] is None
