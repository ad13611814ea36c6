"""How the installed programs of a product run one private server: what each service says of its own."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGTERM, Signals

from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.catalog.services.common.client import Client
from fairtrial.catalog.services.common.folder import give_to_server
from fairtrial.catalog.services.model import ON_ONE_MACHINE, Addresses, DurabilityReading, RowsLoaded, ServiceStart
from fairtrial.catalog.tables import Table

DATA = "data"
"""The server's data, in the folder in which it runs and in the cache."""


@dataclass(frozen=True)
class Location:
    """Where a private server keeps its data and where it listens."""

    data: Path
    port: int
    addresses: Addresses = ON_ONE_MACHINE

    @property
    def host(self) -> str:
        """The IPv4 address at which it listens."""
        return self.addresses.server


@dataclass(frozen=True)
class Settings:
    """Other settings than the server's own defaults."""

    description: str
    """how it differs, for users"""
    arguments: Sequence[str]
    """what the server's command gets in addition"""


def empty_data(folder: Path) -> None:
    """Make an empty data folder in `folder`, owned by the server's user."""
    data = folder / DATA
    data.mkdir()
    give_to_server(data)


def no_login(location: Location) -> None:
    """The server knows no logins: whoever reaches its port may use it."""


def no_sessions(location: Location) -> None:
    """Everything is counted at once: no session need be ended for it."""


@dataclass(frozen=True)
class DataRecipe:
    """How a server's data with the tables are made, once: they are kept in the cache, and each start takes a copy."""

    key: Sequence[object]
    """what decides the data beside the tables"""
    command: Callable[[Location], list[str]]
    """the server's command for loading fast: if loading is cut off, the data are made again"""
    fill: Callable[[Location, Sequence[Table], RowsLoaded], None]
    """load a new server: whatever the tables need around them, and the tables"""
    initialise: Callable[[Path], None] = empty_data
    """make data without tables in a new folder, for `command`"""
    run: Callable[[Location, Sequence[Path]], None] | None = None
    """load the user's files into a server that `fill` has made ready; None: that cannot be done"""
    filled_key: Sequence[object] = ()
    """what decides only what `fill` makes"""
    end_signal: Signals = SIGTERM
    """at which the server writes its data out and ends"""


@dataclass(frozen=True)
class Durable:
    """How a server tells of its commits, once stacks are admitted. All functions raise Problem."""

    reading: Callable[[Location], DurabilityReading]
    sessions: Callable[[Location], int]
    """of stacks, that are open"""
    begin: Callable[[Location], None] = no_login
    """have it count what it does not by itself"""


@dataclass(frozen=True)
class CommitLog:
    """How the lab reads a server's own log for transactions that wrote something. Both functions raise Problem."""

    end: Callable[[Location], str]
    """where it ends now"""
    commits: Callable[[Location, str, str], int | None]
    """how many were committed between two ends; None: the log has them no more, or cannot be read"""
    retention: Callable[[Location], AbstractContextManager[None]] = lambda _location: nullcontext()
    """while it is open, the server removes nothing from the log"""


@dataclass(frozen=True)
class ServerProgram:
    """How the installed programs of a product make and run one private server, for one variant and some tables.

    All functions raise Problem.
    """

    name: str
    """of the service"""
    title: str
    """of the server, for messages"""
    command: Callable[[Location], list[str]]
    """the server's command for trials"""
    is_ready: Callable[[Location], bool]
    """whether the server answers the lab"""
    client: Callable[[Location], Client]
    """the lab's access, with all rights"""
    url: Callable[[Location], str]
    """what stacks get; may hold a password"""
    data_recipe: DataRecipe | None = None
    """None: the server keeps nothing on disk, and is loaded at each start"""
    admit_stacks: Callable[[Location], None] = no_login
    """let stacks in by `url`, after each start"""
    port: int | None = None
    """where it listens in trials; None: on a free port"""
    end_sessions: Callable[[Location], None] = no_sessions
    """end the sessions of stacks, and wait until what they did is counted"""
    durability: Durable | None = None
    """how it tells of its commits; None: it does not"""
    commit_log: CommitLog | None = None
    """None: the lab cannot read it"""
    product: str | None = None
    """what the record calls it; None: what the server calls itself"""
    settings: Mapping[str, str] = field(default_factory=dict)
    """for the record, beside those that the server tells"""
    leftovers: Sequence[str] = ()
    """files in the data by which a server says that it runs there; never true of a copy"""
    end_signal: Signals = SIGTERM
    """at which the server ends at once, without regard for its data"""
    why_not_held: str = ""
    """why its processes are not to be stopped for a moment, in words; empty: they may be"""
    loses_when_killed: str = ""
    """why acknowledged writes may be lost when it is killed, in words; empty: none may"""
    loses_in_power_cut: str = ""
    """the same, where it keeps them when it is killed and loses them in a power cut"""


ProgramFor = Callable[[ServiceStart], ServerProgram]
"""Raises Problem: it is not installed, has no such variant, or the tables do not fit it."""


def arguments_of(title: str, variants: Mapping[str, Settings], name: str) -> Sequence[str]:
    """The arguments that make a variant; none for "default".

    Raises:
        Problem: there is no such variant.
    """
    if name == "default":
        return []
    if name not in variants:
        raise Problem(f"{title} has no variant {name!r}{instead_of(name, ['default', *variants])}", "name one of these")
    return variants[name].arguments
