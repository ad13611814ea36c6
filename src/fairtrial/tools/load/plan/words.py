"""What people write on a command line: times, rates, statuses, headers."""

import re

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

UNITS = {"us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST_SECONDS = 86_400.0
SHORTEST_STEP_SECONDS = 0.001
HIGHEST_RATE = 10_000_000.0

NAMES = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
RESERVED = {
    "connection": "choose with --no-keepalive or --requests-per-connection",
    "content-length": "it follows from the body: leave it out",
    "transfer-encoding": "bodies are sent whole, with their length: leave it out",
}


def parse_duration(text: str) -> float:
    """Seconds from `10s`, `500ms`, `2m`, `1h` or a bare number of seconds.

    Raises:
        Problem: it is none of these, not above zero, or more than a day.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s|m|h)?", text.strip())
    seconds = float(found[1]) * UNITS[found[2] or "s"] if found else 0.0
    if not 0 < seconds <= LONGEST_SECONDS:
        raise Problem(f"'{printable(text)}' is not a time from above 0 to a day", "write 10s, 500ms, 2m or 1h")
    return seconds


def parse_rate(text: str) -> float:
    """Requests per second from `2000`, `2k`, `1.5M`, `2000/s` or `90/m`.

    Raises:
        Problem: it is none of these, not above zero, or beyond what one machine can offer.
    """
    rate = _rate(text)
    if not 0 < rate <= HIGHEST_RATE:
        raise Problem(
            f"'{printable(text)}' is not a rate above 0 and up to ten million requests/s", "write 2000, 2k or 90/m"
        )
    return rate


def parse_ramp(text: str) -> tuple[float, float]:
    """Requests per second, from and to, of `FROM:TO`. One of them may be 0.

    Raises:
        Problem: it is not two rates.
    """
    first, _, last = text.partition(":")
    rates = _rate(first), _rate(last)
    if not all(0 <= rate <= HIGHEST_RATE for rate in rates) or max(rates) == 0:
        raise Problem(f"'{printable(text)}' is not a ramp of two rates", "write FROM:TO, such as 100:5k")
    return rates


def parse_steps(text: str) -> tuple[tuple[float, float], ...]:
    """Requests per second and seconds of each `RATE:TIME`, separated by commas. A rate may be 0, but not all.

    Raises:
        Problem: a part is none, which is named by its place, or all of them together are nothing or more than a day.
    """
    parts = text.split(",")
    steps = tuple(_step(place, part.strip(), of=len(parts)) for place, part in enumerate(parts, 1))
    if not any(rate for rate, _ in steps):
        raise Problem("every step has the rate 0: nothing would be asked", "give one of them a rate, such as 500:10s")
    if sum(seconds for _, seconds in steps) > LONGEST_SECONDS:
        raise Problem("the steps last more than a day together", "shorten them, or run them one after the other")
    return steps


def _step(place: int, part: str, of: int) -> tuple[float, float]:
    where = f"step {place} of {of}, '{printable(part, 40)}'"
    example = "write RATE:TIME, several with commas: 500:10s,1k:10s"
    rate_text, colon, time_text = part.partition(":")
    if not colon:
        raise Problem(f"{where}: not a rate and a time with a colon between them", example)
    rate = _rate(rate_text)
    if not 0 <= rate <= HIGHEST_RATE:
        raise Problem(f"{where}: '{printable(rate_text, 40)}' is not a rate from 0 to ten million requests/s", example)
    try:
        seconds = parse_duration(time_text)
    except Problem as problem:
        raise Problem(f"{where}: {problem.reason}", example) from problem
    if seconds < SHORTEST_STEP_SECONDS:
        raise Problem(f"{where}: a step lasts at least 1 ms", example)
    return rate, seconds


def parse_statuses(text: str) -> tuple[int, ...]:
    """The statuses of `200,204`, `2xx` or `200-299`, in order, each once.

    Raises:
        Problem: a part is none of these, or outside 100 to 599.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([1-5])xx|(\d{3})(?:-(\d{3}))?", part.strip().lower())
        if match is None:
            raise Problem(f"'{printable(part)}' is not a status", "write 200, 2xx, 200-299, or several with commas")
        first = int(match[1]) * 100 if match[1] else int(match[2])
        last = first + 99 if match[1] else int(match[3] or match[2])
        if not 100 <= first <= last <= 599:
            raise Problem(f"'{printable(part)}': statuses go from 100 to 599", "write 200, 2xx or 200-299")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def parse_header(text: str) -> tuple[str, str]:
    """Name and value of `Name: value`.

    Raises:
        Problem: there is no colon, the name is none, the value holds a control character, or the header is not
        the user's to set.
    """
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not NAMES.fullmatch(name):
        raise Problem(f"'{printable(text, 80)}' is not a header", "write -H 'Name: value'")
    if name.lower() in RESERVED:
        raise Problem(f"the header {name} is set by Fairtrial", RESERVED[name.lower()])
    if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in value):
        raise Problem(f"the value of the header {name} holds a control character", "write it on one line")
    return name, value


def _rate(text: str) -> float:
    """-1 for what is no rate."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKM])?(?:/(s|m|h))?", text.strip())
    if found is None:
        return -1.0
    factor = {None: 1.0, "k": 1e3, "K": 1e3, "M": 1e6}[found[2]]
    return float(found[1]) * factor / UNITS[found[3] or "s"]
