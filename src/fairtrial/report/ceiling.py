"""How far the harness itself reaches, for the line beside the figures."""

from fairtrial.base.formatting import count, figure
from fairtrial.judge.model import Result
from fairtrial.record.calibration import Calibration


def ceiling_in_words(result: Result) -> str:
    """`ceiling: the load engine reached 61,000/s …`; for several loads, that of each. Empty without a calibration."""
    if not result.calibrations:
        return ""
    reached = ", ".join(f"{figure(one.ceiling_per_second)}/s with {_load(one)}" for one in result.calibrations)
    dearest = max(one.engine_cpu_seconds_per_request for one in result.calibrations)
    paced = [lag for one in result.calibrations if (lag := _lag(one)) is not None]
    pacing = f"; an open load's p99 of send lag: {figure(1000 * max(paced))} ms" if paced else ""
    return (
        f"ceiling: from a server that does nothing, the load engine reached {reached}; "
        f"{figure(1e6 * dearest)} µs of its processor a request{pacing}"
    )


def _load(one: Calibration) -> str:
    threads = "" if one.threads is None else f" and {count(min(one.threads, one.connections), 'thread')}"
    return count(one.connections, "connection") + threads + ("" if one.keep_alive else ", a new one each time")


def _lag(one: Calibration) -> float | None:
    return None if one.pacing_lag is None else one.pacing_lag.percentiles.get("99")
