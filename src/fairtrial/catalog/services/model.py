"""A service, and what the lab asks of one that runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.tables import Table
from fairtrial.experiment.service_address import ServiceAddress
from fairtrial.record.identity import ServiceIdentity

RowsLoaded = Callable[[str, int], None]
"""Called from time to time while a table is loaded, with its name and the number of rows loaded so far; never called if
the loaded data come from the cache."""

MOST_CONCURRENCY = 400
"""The largest concurrency budget for which every private server has connections."""

Counters = Mapping[str, int]
"""What a service did since it started, as far as it tells, by these names:

statements: all statements or commands; reads: statements that read (selects, finds, gets); writes: statements that
write (inserts, updates, deletes, sets); commits: transactions committed;
writing_commits: those that wrote, or took the number of one that writes (a service that `LogsCommits` says it better);
rows_read, rows_written: rows (documents, keys) touched; rows_read.TABLE, rows_written.TABLE: those of one table,
whatever a statement's text says; reads.TABLE, writes.TABLE: statements on one table; table_reads: statements that read
and looked at a table; table_transactions: transactions that did, each statement outside of one being its own;
statement_milliseconds: for how long statements were carried out, sleeps included, added up over all sessions;
bytes_sent: to all clients. A name that a service does not tell is missing, never 0."""


Change = Callable[[int, str], None]
"""`change(key, value)` sets one column of the row with this key."""


class RunningService(Protocol):
    """A service that runs and holds the tables."""

    url: str
    """what stacks get as DATABASE_URL or CACHE_URL; may hold a password, so it is never printed or recorded"""

    identity: ServiceIdentity
    """what the record says of it"""

    @property
    def pid(self) -> int | None:
        """The process below which the service's processes run; None if it has none or is external."""

    def fault(self) -> str | None:
        """Why the service no longer serves, with the end of its log if it has one; None while it serves."""

    def altered(self, rows: bool = True) -> str:
        """Changes by anybody but the lab since the tables were loaded, in words; empty: none, as far as the service
        tells.

        Looked at are the rows, unless the workload is to write them, and whatever else outlives a stack's sessions:
        tables, indexes, functions, users, their settings and the server's. A service that cannot be asked is altered.
        """

    def reset(self) -> None:
        """Restore the tables as they were loaded. Connections of others are cut where the service can do that.

        Raises:
            Problem: that was not possible; the service is down then.
        """

    def counters(self) -> Counters:
        """All that the service did so far, the lab's own changes of rows left out; empty if it cannot be asked or tells
        nothing.

        They are left out by whatever changes them (`common.lab_work`), so that no one else has to. Of what the lab
        asks, a few statements may be among them where a service cannot tell users apart.
        """

    def end_sessions(self) -> None:
        """End all sessions of stacks, where what a session did may be counted late: then it is counted at once.

        Only a private service does that, and only one that counts late. Nothing happens if it cannot be asked.
        """

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table as they are stored, by column name: numbers as int, times as RFC 3339 text.

        Columns of JSON are decoded; one that holds no valid JSON is given as it is stored.

        Raises:
            Problem: there is no such table, or the service cannot be asked.
        """

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of the row with this key, so that the lab can see whether stacks notice.

        Raises:
            Problem: there is no such table, or the service refused.
        """

    def changing(self, table: str, column: str, *, together: bool = False) -> AbstractContextManager[Change]:
        """To change one row after the other within it, as `change` does, and over one connection.

        With `together`, the changes are one transaction, where the service has those: committed when it is left.

        Raises:
            Problem: as `change`; when it is entered, or at a change.
        """


@dataclass(frozen=True)
class DurabilityReading:
    """A database's account of its commits at one moment."""

    settings: Mapping[str, str]
    """those in force that decide whether a commit is on the disk when it is answered"""
    promised: bool
    """whether it is, by these"""
    relaxed: frozenset[str]
    """what roles, sessions or tables have that lets it be answered sooner, in words"""
    writing: Sequence[int]
    """counters, each of which grows by at least one with every commit of a transaction that wrote; empty: none"""
    flushes: int | None
    """of its log so far; None: it does not count them"""


@runtime_checkable
class TellsDurability(Protocol):
    """A running service that tells of its commits."""

    durability_at_start: DurabilityReading | None
    """before any stack was admitted; None: this server does not tell"""

    def durability(self) -> DurabilityReading:
        """Its account now. Raises Problem: it cannot be asked."""

    def sessions(self) -> int:
        """How many sessions of stacks are open. Raises Problem: it cannot be asked."""


@dataclass(frozen=True)
class MaintenanceReading:
    """A database's work for itself up to one moment."""

    counted: Mapping[str, int]
    """since it started, by the names of `record.database.Maintenance`; those it does not tell are missing"""
    running: frozenset[str]
    """what is under way: `checkpoint`, `vacuum`, `snapshot`"""


@runtime_checkable
class LogsCommits(Protocol):
    """A running service whose own log, or account, tells the lab of the transactions that wrote something."""

    def log_end(self) -> str | None:
        """Where the log ends now, or how the account stands; None: the lab does not read this server's.

        Raises:
            Problem: it cannot be asked.
        """

    def log_retention(self) -> AbstractContextManager[None]:
        """While it is open, nothing is removed from the log: between two of its ends, all commits are counted.

        Raises:
            Problem: the server cannot be asked.
        """

    def commits_in_log(self, since: str, until: str) -> int | None:
        """How many transactions that wrote a row were committed between two ends of the log; None: it has them no more,
        or cannot be read. Raises Problem: the server cannot be asked."""


@runtime_checkable
class TellsMaintenance(Protocol):
    """A running service that tells of its checkpoints, vacuum, flushes or snapshots."""

    identity: ServiceIdentity

    def maintenance(self) -> MaintenanceReading | None:
        """Its account now; None: its product tells nothing of the kind. Raises Problem: it cannot be asked."""


@runtime_checkable
class CanBeKilled(Protocol):
    """A running service whose server is the lab's to kill, and to start again on what it left."""

    @property
    def loses_when_killed(self) -> str:
        """Why acknowledged writes may be lost when it is killed, in words; empty: none may."""

    @property
    def why_no_power_cut(self) -> str:
        """Why its disk is not to lose its power when it is killed, in words; empty: it is."""

    def separate_disk(self) -> AbstractContextManager[None]:
        """Within it, once reset, its data lie on a disk whose power fails when it is killed. It is down afterwards.

        Raises:
            Problem: the lab has no such disk here.
        """

    def kill(self) -> None:
        """Kill the server with all its processes at once (SIGKILL), and return when they are gone.

        Raises:
            Problem: the power of its disk cannot be cut.
        """

    def start_again(self) -> None:
        """Start it on the same files. Raises Problem: it did not start; it is down then."""


@runtime_checkable
class CanBeHeld(Protocol):
    """A running service whose processes are the lab's to stop for a moment."""

    @property
    def why_not_held(self) -> str:
        """Why its clients would take that for more than a slow moment, in words; empty: they would not."""

    def hold(self) -> AbstractContextManager[None]:
        """Within it, all of its processes are stopped, and go on afterwards. Raises Problem: they do not stop."""


@runtime_checkable
class TellsKeysRead(Protocol):
    """A running service that can tell of single keys whether anybody read them."""

    def mark_unread(self, table: str, keys: Sequence[int]) -> bool:
        """Have these keys count as unread from now on; False if this server does not tell that of keys.

        Raises:
            Problem: it cannot be asked, or a key is not there.
        """

    def keys_read(self, table: str, keys: Sequence[int]) -> int:
        """How many of these keys were read, or written, since `mark_unread`. Raises Problem: it cannot be asked."""


def one_by_one(
    changed: Any, table: Any, column: str, *, together: bool = False
) -> AbstractContextManager[Callable[[int, str], Any]]:
    """`changing` of whatever changes a row by `change` without a connection for it alone, and has no transactions."""
    del together

    def change(key: int, value: str) -> Any:
        return changed.change(table, key, column, value)

    return nullcontext(change)


@dataclass(frozen=True)
class SqlAccess:
    """How the user's statements are put to a database, whoever runs it.

    Both take the URL that stacks get, the SQL and how many seconds it may take, and raise Problem without the URL in
    it: the database cannot be reached, or refuses, or does not answer in time.
    """

    execute: Callable[[str, str, float], object]
    """carries any number of statements out"""
    query: Callable[[str, str, float], Sequence[Sequence[Any]]]
    """the rows that one statement answers with, two at most"""


@dataclass(frozen=True)
class Missing:
    """Why a service cannot be started here."""

    reason: str
    packages: Sequence[str]
    """Debian packages that bring what is missing; empty if there are none"""
    remedy: str


@dataclass(frozen=True)
class Addresses:
    """The IPv4 addresses of a private server and of those who use it: by default, all are on one machine."""

    server: str = LOOPBACK
    """at which it listens"""
    stacks: str = LOOPBACK
    """from which stacks connect"""


ON_ONE_MACHINE = Addresses()


@dataclass(frozen=True)
class ServiceStart:
    """How a private service is started, and what it holds then."""

    tables: Sequence[Table] = ()
    variant: str = "default"
    on_rows: RowsLoaded = lambda _table, _rows: None
    files: Sequence[Path] = ()
    """the user's, from which it is loaded; of a service that `loads_files`"""
    addresses: Addresses = ON_ONE_MACHINE
    address: ServiceAddress | None = None
    """the port, and the login of stacks, which stand in programs; of a service that has `assert_address`"""

    @property
    def contents(self) -> list[str]:
        """Names of what it holds, for the folder that keeps it loaded."""
        return [*(table.name for table in self.tables), *(["own"] if self.files else [])]


Role = Literal["database", "cache", "balancer"]


@dataclass(frozen=True)
class Service:
    """A service that the lab can provide."""

    name: str
    title: str
    roles: Sequence[Role]
    start: Callable[[ServiceStart], AbstractContextManager[RunningService]]
    """starts a private one, loaded, and stops it at the end; raises Problem, with what the database refused of files"""
    missing: Callable[[], Missing | None]
    """None if everything that a private one needs is installed"""
    version: Callable[[], str | None]
    """the installed product and version, in its own words; None if there is none"""
    is_open: bool = False
    """whether a private one asks for no password: it lets in whoever reaches its network"""
    port: int | None = None
    """on which the product listens unless a URL names another; None if it is no server"""
    schemes: Sequence[str] = ()
    """of the URLs that name an external one"""
    connect: Callable[[str, Sequence[Table], RowsLoaded], AbstractContextManager[RunningService]] | None = None
    """`connect(url, tables, on_rows)` loads the tables into the database at the URL, and removes them at the end; it
    raises Problem, without the URL in it, also if that database holds something that is not the lab's; None: there are
    no external ones"""
    install: Callable[[], None] | None = None
    """puts what is lacking and no Debian package brings into the cache; raises Problem; None if packages bring all"""
    loads_files: bool = False
    """whether it can be loaded from the user's files"""
    sql: SqlAccess | None = None
    """None: it takes no SQL"""
    assert_address: Callable[[ServiceAddress], object] | None = None
    """raises Problem: the product needs one of the address's names itself; None: it cannot be started at an address"""
    variants: Mapping[str, str] = field(default_factory=dict)
    """beside "default", the variants by name, and how each differs, for users"""
