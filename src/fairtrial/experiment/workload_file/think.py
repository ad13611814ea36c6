"""Think times: how long a user waits after an answer, always the same or drawn anew each time."""

import re

from fairtrial.base.units import parse_duration

LONGEST_SECONDS = 3600.0
MOST_SIGMA = 4.0
"""The engine's own limit (docs/engine-programs.md, distributions of delays)."""

UNIFORM = re.compile(r"uniform (.+) to (.+)")
EXPONENTIAL = re.compile(r"exponential (.+)")
LOGNORMAL = re.compile(r"lognormal (.+) sigma (\d+(?:\.\d+)?)")


def engine_think(text: str) -> float | str:
    """`250 ms`, `uniform 1 s to 3 s`, `exponential 2 s` (its mean) or `lognormal 2 s sigma 0.5` (its median, and the
    standard deviation of its natural logarithm), as the engine takes it: seconds, or a distribution.

    Raises:
        ValueError: it is none of these, or above an hour; the message says how to write it.
    """
    try:
        return _engine_value(text)
    except ValueError:
        raise ValueError(
            f'{text!r} is no time up to an hour: write one such as "250 ms", or "uniform 1 s to 3 s", '
            '"exponential 2 s" or "lognormal 2 s sigma 0.5"'
        ) from None


def _engine_value(text: str) -> float | str:
    if match := UNIFORM.fullmatch(text):
        low, high = _seconds(match[1]), _seconds(match[2])
        if low > high:
            raise ValueError
        return f"uniform:{low:.9f}s:{high:.9f}s"
    if match := EXPONENTIAL.fullmatch(text):
        return f"exponential:{_seconds(match[1]):.9f}s"
    if match := LOGNORMAL.fullmatch(text):
        if float(match[2]) > MOST_SIGMA:
            raise ValueError
        return f"lognormal:{_seconds(match[1]):.9f}s:{match[2]}"
    return _seconds(text)


def _seconds(text: str) -> float:
    seconds = parse_duration(text)
    if not 0 <= seconds <= LONGEST_SECONDS:
        raise ValueError
    return seconds
