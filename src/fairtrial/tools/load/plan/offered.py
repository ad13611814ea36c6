"""What an open load asks by its plan, second for second."""

from collections.abc import Sequence

from fairtrial.engine.plan import Closed, EngineLoad, Ramp, Steps


def offered_by_second(load: EngineLoad, seconds: int, window_seconds: float) -> Sequence[float] | None:
    """Requests that are due in each of the first seconds of the window; None for a closed load.

    For Poisson arrivals it is what is to be expected.
    """
    if isinstance(load, Closed):
        return None
    if isinstance(load, Steps):
        return [_of_steps(load, second) for second in range(seconds)]
    if isinstance(load, Ramp):
        slope = (load.to_per_second - load.from_per_second) / window_seconds
        return [load.from_per_second + slope * (second + 0.5) for second in range(seconds)]
    return [load.rate_per_second] * seconds


def _of_steps(load: Steps, second: int) -> float:
    """Each step's rate times the part of this second in which it is in force."""
    begins = total = 0.0
    for step in load.steps:
        ends = begins + step.seconds
        total += step.rate_per_second * max(min(ends, second + 1) - max(begins, second), 0.0)
        begins = ends
    return total
