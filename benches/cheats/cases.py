"""The cheats that are tried, and under what."""

from dataclasses import dataclass

CLOSED = """kind = "closed"
connections = 8
warmup_seconds = 0.9
warmup_limit_seconds = 0.9
duration_seconds = 2.1
timeout_seconds = 2.0"""

CROWDED = CLOSED.replace("connections = 8", "connections = 32")

CAPACITY = """kind = "capacity"
lowest_per_second = 100
highest_per_second = 1600
precision = 0.2
connections = 64
warmup_seconds = 0.2
warmup_limit_seconds = 0.2
probe_seconds = 0.5
duration_seconds = 2.1
timeout_seconds = 2.0
objectives = [{{ name = "quick", percentile = 99, within_milliseconds = 40, error_share = 0.001 }}]"""

FAN_OUT = "[options]\ndelay_milliseconds = 10\n"

SLICED = """kind = "closed"
connections = 4
warmup_seconds = 0.3
warmup_limit_seconds = 0.3
duration_seconds = 2.4
timeout_seconds = 2.0"""

SLICES = "[slices]\nseconds = 0.3\nserver_share = 1.0\nengine_share = 1.0\napart_share = 1.0\n"


@dataclass(frozen=True)
class Case:
    """One cheat."""

    subject: str
    program: str
    mode: str
    workload: str
    service: str
    load: str = CLOSED
    more: str = ""
    load_hosts: bool = False
    alone: bool = False
    """not beside other cheats, whom it would disturb"""


def cases_of(subject: str, program: str, workload: str, service: str, *modes: str, **more: object) -> list[Case]:
    """A case for each mode."""
    return [Case(subject, program, mode, workload, service, **more) for mode in modes]  # type: ignore[arg-type]


CASES = [
    *cases_of("MariaDB", "sql.py", "random-item", "mariadb", "behind", "scans", "handler", "prepays"),
    *cases_of(
        "MariaDB", "sql.py", "survey-insert", "mariadb", "seldom", "changes-nothing", "rolls-back", "pads", "settings"
    ),
    *cases_of(
        "PostgreSQL", "postgres.py", "survey-insert", "postgresql", "savepoints", "rolls-back", "numbers", "notifies"
    ),
    *cases_of("Redis", "tracked.py", "redirect", "redis", "behind", "pipes", "hedges"),
    *cases_of(
        "memcached",
        "keys.py",
        "redirect",
        "memcached",
        "behind",
        "prepays",
        "sizes",
        "touches",
        "quiet",
        "validates",
        "calcifies",
    ),
    *cases_of(
        "MongoDB",
        "documents.py",
        "random-item",
        "mongodb",
        "missing",
        "aggregates",
        "counts",
        "get-more",
        "watches",
        "streams",
    ),
    *cases_of("MongoDB", "documents.py", "random-item", "mongodb", "pool", "crowd", load=CROWDED),
    *cases_of(
        "MongoDB",
        "documents.py",
        "survey-insert",
        "mongodb",
        "unacknowledged",
        "many",
        "refused",
        "transacts",
        "ordered-later",
    ),
    *cases_of("calls", "calls.py", "fan-out", "none", "prepays", more=FAN_OUT),
    *cases_of("capacity", "sql.py", "random-item", "mariadb", "prepays", load=CAPACITY),
    *cases_of("capacity", "calls.py", "fan-out", "none", "prepays", "sheds", load=CAPACITY, more=FAN_OUT),
    *cases_of(
        "slices",
        "plain.py",
        "plaintext",
        "none",
        "burns",
        "forks",
        "orphans",
        "asks",
        "connects",
        "closes",
        "stops",
        "renices",
        "writes",
        "collects",
        "engine",
        load=SLICED,
        more=SLICES,
        alone=True,
    ),
    *cases_of("load hosts", "sql.py", "random-item", "mariadb", "one-host", "lax-host", "late-host", load_hosts=True),
]
