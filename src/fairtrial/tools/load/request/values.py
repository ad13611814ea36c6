"""Values of options: times and rates in the range that a load can have, ramps, steps, statuses, headers, addresses.

`base.units` is imported when a value is read: every `--help` imports this module, and pydantic takes a while.
"""

import re
from typing import NamedTuple

from fairtrial.base.http_syntax import RESERVED_HEADERS, TOKEN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LONGEST_SECONDS = 86_400.0
LONGEST_WAIT_SECONDS = 3600.0
HIGHEST_RATE = 10_000_000.0
SHORTEST_STEP_SECONDS = 0.001


class RateRamp(NamedTuple):
    """A rate that changes linearly from one to the other."""

    from_per_second: float
    to_per_second: float


class RateStep(NamedTuple):
    """A rate, and how long it is offered."""

    rate_per_second: float
    seconds: float


class Header(NamedTuple):
    """A header of the request."""

    name: str
    value: str


def duration_option(text: str) -> float:
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


def rate_option(text: str) -> float:
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


def parse_ramp(text: str) -> RateRamp:
    """The two rates of `FROM:TO`. One of them may be 0.

    Raises:
        Problem: it is not two rates.
    """
    first, _, last = text.partition(":")
    start, end = parse_rate_or_zero(first), parse_rate_or_zero(last)
    if start is None or end is None or max(start, end) == 0:
        raise Problem(f"'{printable(text)}' is not a ramp of two rates", "write FROM:TO, such as 100:5k")
    return RateRamp(start, end)


def parse_steps(text: str) -> tuple[RateStep, ...]:
    """Each `RATE:TIME` of a list separated by commas. A rate may be 0, but not all of them.

    Raises:
        Problem: a part is not a step (the message names its place), or all steps together offer nothing, or last more
        than a day.
    """
    parts = text.split(",")
    steps = tuple(_parse_step(place, part.strip(), of=len(parts)) for place, part in enumerate(parts, 1))
    if not any(step.rate_per_second for step in steps):
        raise Problem("every step has the rate 0: no request would be sent", "give one a rate, such as 500:10s")
    if sum(step.seconds for step in steps) > LONGEST_SECONDS:
        raise Problem("the steps last more than a day together", "shorten them, or run them one after the other")
    return steps


def _parse_step(place: int, part: str, of: int) -> RateStep:
    where = f"step {place} of {of}, '{printable(part, 40)}'"
    example = "write RATE:TIME, several with commas: 500:10s,1k:10s"
    rate_text, colon, time_text = part.partition(":")
    if not colon:
        raise Problem(f"{where}: not a rate and a time with a colon between them", example)
    rate = parse_rate_or_zero(rate_text)
    if rate is None:
        raise Problem(f"{where}: '{printable(rate_text, 40)}' is not a rate from 0 to ten million requests/s", example)
    try:
        seconds = duration_option(time_text)
    except Problem as problem:
        raise Problem(f"{where}: {problem.reason}", example) from problem
    if seconds < SHORTEST_STEP_SECONDS:
        raise Problem(f"{where}: a step lasts at least 1 ms", example)
    return RateStep(rate, seconds)


def parse_statuses(text: str) -> tuple[int, ...]:
    """The statuses of `200,204`, `2xx` or `200-299`, in order, each once.

    Raises:
        Problem: a part is none of these, or outside 100 to 599.
    """
    statuses: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([1-5])xx|(\d{3})(?:-(\d{3}))?", part.strip().lower())
        if match is None:
            raise Problem(f"'{printable(part)}' is not a status", "write 200, 2xx, 200-299, or several with commas")
        first = int(match[1]) * 100 if match[1] else int(match[2])
        last = first + 99 if match[1] else int(match[3] or match[2])
        if not 100 <= first <= last <= 599:
            raise Problem(f"'{printable(part)}': statuses go from 100 to 599", "write 200, 2xx or 200-299")
        statuses.update(range(first, last + 1))
    return tuple(sorted(statuses))


def parse_header(text: str) -> Header:
    """Name and value of `Name: value`.

    Raises:
        Problem: there is no colon, the name is not valid, the value holds a control character, or the header is not
        the user's to set.
    """
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or not TOKEN.fullmatch(name):
        raise Problem(f"'{printable(text, 80)}' is not a header", "write -H 'Name: value'")
    if name.lower() in RESERVED_HEADERS:
        raise Problem(f"the header {name} is set by Fairtrial", RESERVED_HEADERS[name.lower()])
    if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in value):
        raise Problem(f"the value of the header {name} holds a control character", "write it on one line")
    return Header(name, value)


class ConnectTo(NamedTuple):
    """Where the connections of a URL's host and port go instead; None: any of them, or as before."""

    host: str | None
    port: int | None
    other_host: str | None
    other_port: int | None


def parse_connect_to(text: str) -> ConnectTo:
    """`HOST:PORT:OTHER:PORT`, as curl has it: each may be empty, and an IPv6 address is in brackets.

    Raises:
        Problem: it is none.
    """
    part = r"(\[[^\[\]]+\]|[^:\[\]]*)"
    match = re.fullmatch(f"{part}:([0-9]{{0,5}}):{part}:([0-9]{{0,5}})", text)
    ports = (None, None) if match is None else (match[2], match[4])
    if match is None or any(port and not 0 < int(port) < 65536 for port in ports):
        raise Problem(
            f"--connect-to: '{printable(text, 80)}' is not HOST:PORT:OTHER:PORT",
            "write --connect-to example.org:443:127.0.0.1:8443; a part that is empty stands for any, or for no change",
        )
    host, port, other_host, other_port = (part.strip("[]") or None for part in match.groups())
    return ConnectTo(
        host.lower() if host else None, int(port) if port else None, other_host, int(other_port) if other_port else None
    )
