"""What a service is, and what the lab asks of one that runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from fairtrial.catalog.tables import Table
from fairtrial.record.model import ServiceIdentity

RowsLoaded = Callable[[str, int], None]
"""Called now and then with a table's name and the number of its rows loaded so far; not at all if they were at hand."""

Counters = Mapping[str, int]
"""What a service says it has done since it started, by these names, as far as it tells:

statements: all statements or commands; reads: statements that read (selects, finds, gets); writes: statements that
write (inserts, updates, deletes, sets); commits: transactions committed; rows_read, rows_written: rows (documents,
keys) touched. A name that a service does not tell is missing, never 0."""


class RunningService(Protocol):
    """A service that is up and holds the tables."""

    url: str
    """what stacks get; may hold a password: never printed or recorded"""

    identity: ServiceIdentity

    @property
    def pid(self) -> int | None:
        """The process below which the service's processes lie; None if it has none of its own or is external."""

    def fault(self) -> str | None:
        """Why it no longer serves (it died: with the end of its log), or None."""

    def altered(self) -> bool:
        """Whether the tables are no longer what was loaded, as far as its counters or files tell."""

    def reset(self) -> None:
        """Bring the tables back to what was loaded. Connections of others are cut.

        Raises:
            Problem: that was not possible; the service is down then.
        """

    def counters(self) -> Counters:
        """What it has done so far; empty if it tells nothing. The lab's own statements are in it."""

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table as they are stored: numbers as int, json columns as what they decode to, times as text.

        A json column that holds no JSON gives the stored value as it is.
        """

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of the row with this key. The lab does so to see whether stacks notice."""


@dataclass(frozen=True)
class Missing:
    """Why a service cannot be brought up here."""

    reason: str
    packages: Sequence[str]
    """Debian packages that bring it; empty if there are none"""
    remedy: str


Role = Literal["database", "cache", "balancer"]


@dataclass(frozen=True)
class Service:
    """A service that the lab can bring up.

    `up(tables, variant, on_rows)` brings it up with the tables loaded, and down again; it raises Problem.
    """

    name: str
    title: str
    roles: Sequence[Role]
    up: Callable[[Sequence[Table], str, RowsLoaded], AbstractContextManager[RunningService]]
    missing: Callable[[], Missing | None]
    """None if all that it needs is installed"""
    version: Callable[[], str | None]
    """what is installed, in its own words; None if nothing is"""
    schemes: Sequence[str] = ()
    """of the URLs by which an external one is given"""
    connect: Callable[[str, Sequence[Table], RowsLoaded], AbstractContextManager[RunningService]] | None = None
    """`connect(url, tables, on_rows)` loads the tables into a place of the lab's own on one that runs already, and
    removes them at the end; raises Problem, without the URL in it, also if that place holds something else"""
    install: Callable[[], None] | None = None
    """brings it where no Debian package does; raises Problem"""
    variants: Mapping[str, str] = field(default_factory=dict)
    """what else than "default" there is, and how it differs, in words"""
