"""Times as people write them on a command line."""

import re

from fairtrial.problem import Problem

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST_SECONDS = 86_400.0


def parse_duration(text: str) -> float:
    """Seconds from `10s`, `500ms`, `2m`, `1h` or a bare number of seconds.

    Raises:
        Problem: it is none of these, not above zero, or more than a day.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)?", text.strip())
    seconds = float(found[1]) * UNITS[found[2] or "s"] if found else 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Problem(f"{text!r} is not a time from above 0 to a day", "write 10s, 500ms, 2m or 1h")
    return seconds
