"""Times and rates with their units, as options write them."""

import re

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

SECONDS = {"us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
"""The length of each unit of time."""
THOUSANDS = {None: 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
LONGEST_SECONDS = 86_400.0
HIGHEST_RATE = 10_000_000.0


def parse_duration(text: str) -> float:
    """Seconds from `10s`, `500ms`, `2m`, `1h` or a bare number of seconds.

    Raises:
        Problem: it is none of these, not above zero, or more than a day.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s|m|h)?", text.strip())
    seconds = float(match[1]) * SECONDS[match[2] or "s"] if match else 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Problem(f"'{printable(text)}' is not a time from above 0 to a day", "write 10s, 500ms, 2m or 1h")
    return seconds


def parse_rate(text: str) -> float:
    """Requests per second from `2000`, `2k`, `1.5M`, `2000/s` or `90/m`.

    Raises:
        Problem: it is none of these, not above zero, or beyond what one machine can offer.
    """
    rate = parse_rate_or_zero(text)
    if not rate:
        raise Problem(
            f"'{printable(text)}' is not a rate above 0 and up to ten million requests/s", "write 2000, 2k or 90/m"
        )
    return rate


def parse_rate_or_zero(text: str) -> float | None:
    """The same, but 0 is a rate, too; None if it is none, or above ten million requests per second."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kKM])?(?:/(s|m|h))?", text.strip())
    if match is None:
        return None
    rate = float(match[1]) * THOUSANDS[match[2]] / SECONDS[match[3] or "s"]
    return rate if rate <= HIGHEST_RATE else None
