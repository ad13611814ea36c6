"""Times and rates of a load as options write them: `fairtrial.base.units`, in the range that a load can have.

`base.units` is imported when a value is read: every `--help` imports this module, and pydantic takes a while.
"""

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LONGEST_SECONDS = 86_400.0
LONGEST_WAIT_SECONDS = 3600.0
HIGHEST_RATE = 10_000_000.0


def parse_duration(text: str) -> float:
    """Seconds from `10s`, `500ms`, `2m`, `1h` or a bare number of seconds.

    Raises:
        Problem: it is none of these, not above zero, or more than a day.
    """
    seconds = _seconds(text)
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Problem(f"'{printable(text)}' is not a time from above 0 to a day", "write 10s, 500ms, 2m or 1h")
    return seconds


def parse_time_or_zero(text: str) -> float:
    """Seconds from `5s`, `500ms` or `0`, up to an hour.

    Raises:
        Problem: it is none of these.
    """
    seconds = _seconds(text)
    if not 0 <= seconds <= LONGEST_WAIT_SECONDS:
        raise Problem(f"'{printable(text)}' is not a time from 0 to an hour", "write 5s, 500ms, or 0")
    return seconds


def _seconds(text: str) -> float:
    """A duration as the user wrote it; -1 if it is none."""
    from fairtrial.base import units  # noqa: PLC0415 see above

    try:
        return units.parse_duration(text, default="s")
    except ValueError:
        return -1.0


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
    from fairtrial.base import units  # noqa: PLC0415 see above

    try:
        rate = units.parse_rate(text, default="/s")
    except ValueError:
        return None
    return rate if 0 <= rate <= HIGHEST_RATE else None
