"""Measurements that no engine made, for tests of reports."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.open import OpenLoad
from fairtrial.load.request_load import CommandOptions
from fairtrial.record.engine_summary import EngineSummary, EngineThread, Waiting
from fairtrial.record.model import TrialRecord
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.request.command_load import CommandLoad
from tests.builders import TrialBuilder, a_trial
from tests.record.test_histogram import encoded, zigzag

URL = "http://127.0.0.1:8080/x"
MICROSECOND = 1000


def hdr(*microseconds: int) -> str:
    """A histogram of these times."""
    return hdr_of(Counter(microseconds))


def hdr_of(microseconds: Mapping[int, int]) -> str:
    """A histogram of times, with how often each was taken."""
    counts: Counter[int] = Counter()
    for time, count in microseconds.items():
        counts[place_of(time * MICROSECOND)] += count
    places: list[int] = []
    next_place = 0
    for place, count in sorted(counts.items()):
        if place > next_place:
            places.append(next_place - place)
        places.append(count)
        next_place = place + 1
    return encoded(zigzag(*places))


def rounded(seconds: npt.ArrayLike) -> dict[int, int]:
    """Times in microseconds, one at least, with how often each was taken."""
    times, counts = np.unique(np.maximum(np.rint(1e6 * np.asarray(seconds)), 1), return_counts=True)
    return dict(zip(map(int, times), map(int, counts), strict=True))


def place_of(nanoseconds: int) -> int:
    """The index of this value's count in the encoding with three digits."""
    doubling = max(nanoseconds.bit_length() - 11, 0)
    within = nanoseconds >> doubling
    return within if doubling == 0 else (doubling << 10) + within


def closed(beyond: dict[str, Any] | None = None, **changes: Any) -> CommandLoad:
    """A closed load of three seconds without a warm-up, with these fields and `CommandOptions` changed."""
    return CommandLoad(ClosedLoad(**{"warmup_seconds": 0} | changes), CommandOptions(**beyond or {}))


def plan(load: CommandLoad | None = None, **changes: Any) -> EnginePlan:
    """Of the engine, for a closed load of three seconds or this one, with these fields changed."""
    settings: dict[str, Any] = {**(load or closed()).engine_terms()} | changes
    return EnginePlan(address="127.0.0.1:8080", requests=[Request(name="GET /x", path="/x")], **settings)


def measurement(
    trial: TrialBuilder | None = None,
    *,
    load: CommandLoad | None = None,
    of: EnginePlan | None = None,
    **changes: Any,
) -> Measurement:
    """A measurement of an honest trial, or of this one; `changes` are fields of its summary."""
    engine = (trial or a_trial()).record().engine
    assert engine
    times = {"response_time": engine.response_time.model_copy(update={"hdr_base64": hdr(*range(100, 300))})}
    offered = load or closed()
    return measured(offered, of or plan(offered), engine.model_copy(update=times | changes))


def measured(load: CommandLoad, plan: EnginePlan, engine: EngineSummary) -> Measurement:
    """A measurement with this summary."""
    return Measurement(URL, load, plan, TrialRecord(index=1, block=1, condition="load", started_at="", engine=engine))


def with_trial(measurement: Measurement, **changes: Any) -> Measurement:
    """The measurement with these fields of its trial changed."""
    return replace(measurement, trial=measurement.trial.model_copy(update=changes))


def open_measurement(**changes: Any) -> Measurement:
    """A measurement of an open load."""
    constant = OpenLoad(kind="open", rate_per_second=4000, arrivals="constant", connections=64, warmup_seconds=0)
    facts: dict[str, Any] = {
        "offered": 12_000,
        "achieved_over_offered": 1.0,
        "waiting": Waiting(limit=100_000, peak=0, at_end=0),
    }
    return measurement(load=CommandLoad(constant), **facts | changes)


def busy(share: float, window: float = 3.0) -> list[EngineThread]:
    """A load generator whose thread was at work for this share of the window."""
    return [EngineThread(cpu_seconds=share * window)]


__all__ = [
    "URL",
    "EngineSummary",
    "busy",
    "closed",
    "hdr",
    "measured",
    "measurement",
    "open_measurement",
    "plan",
    "with_trial",
]
