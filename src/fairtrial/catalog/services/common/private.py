"""A private service: a server of the lab's own, started on a copy of data that were loaded once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path

from fairtrial.base.cache.once import made_once
from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import Client, LoadedService, answers, table_named
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.key_value import key_of
from fairtrial.catalog.services.common.power import why_no_power_cut
from fairtrial.catalog.services.common.server import PrivateServer, copy_folder, folder_bytes
from fairtrial.catalog.services.common.server_program import DATA, DataRecipe, Location, ProgramFor, ServerProgram
from fairtrial.catalog.services.common.user_files import files_sha256
from fairtrial.catalog.services.model import ON_ONE_MACHINE, Addresses, DurabilityReading, ServiceStart
from fairtrial.catalog.tables import tables_sha256
from fairtrial.record.identity import ServiceIdentity

ROOM_BYTES = 2 << 30
"""Of a disk of its own, beside the loaded data twice: for the logs of the database (PostgreSQL's `max_wal_size` is
1 GB) and the rows of a short load. Only what is written takes space."""


class PrivateService(LoadedService):
    """A private server that runs and holds the tables."""

    def __init__(
        self,
        program: ServerProgram,
        start: ServiceStart,
        server: PrivateServer,
        client: Client,
    ) -> None:
        self.durability_at_start: DurabilityReading | None = None
        super().__init__(client, start.tables)
        self._program, self._start, self._server = program, start, server
        self.url = program.url(self._location)
        server.start(_loaded_data(program, start))
        self._begin()
        self.identity = ServiceIdentity(
            name=program.name,
            product=program.product or client.product(),
            variant=start.variant,
            where="private",
            settings={**client.settings(), **program.settings},
        )

    def _begin(self) -> None:
        """Prepare a server that was just started before a stack may use it."""
        self._program.admit_stacks(self._location)
        if self._program.data_recipe is None:
            self._client.load(self._tables, self._start.on_rows)
        if (durable := self._program.durability) is not None:
            durable.begin(self._location)
            self.durability_at_start = durable.reading(self._location)
        self.mark_loaded()

    @property
    def _location(self) -> Location:
        return Location(self._server.data, self._server.port, self._start.addresses)

    def durability(self) -> DurabilityReading:
        """The server's account of its commits now.

        Raises:
            Problem: it cannot be asked.
        """
        assert self._program.durability is not None
        return self._program.durability.reading(self._location)

    def sessions(self) -> int:
        """How many sessions of stacks are open.

        Raises:
            Problem: the server cannot be asked.
        """
        return self._program.durability.sessions(self._location) if self._program.durability is not None else 0

    def log_end(self) -> str | None:
        """Where the server's log ends now; None: the lab does not read it.

        Raises:
            Problem: it cannot be asked.
        """
        return None if self._program.commit_log is None else self._program.commit_log.end(self._location)

    def log_retention(self) -> AbstractContextManager[None]:
        """While it is open, the server removes nothing from its log.

        Raises:
            Problem: it cannot be asked.
        """
        log = self._program.commit_log
        return nullcontext() if log is None else log.retention(self._location)

    def commits_in_log(self, since: str, until: str) -> int | None:
        """How many transactions that wrote a row were committed between two ends of its log; None: it has them no more.

        Raises:
            Problem: it cannot be asked.
        """
        log = self._program.commit_log
        return None if log is None else log.commits(self._location, since, until)

    @property
    def pid(self) -> int | None:
        """The guard below which the server runs."""
        return self._server.pid

    def fault(self) -> str | None:
        """How the server ended, with the end of its log; None while it runs."""
        return self._server.fault()

    @property
    def loses_when_killed(self) -> str:
        """Why acknowledged writes may be lost when the server is killed, in words; empty: none may."""
        return (
            self._program.loses_when_killed if self._program.data_recipe is not None else "it keeps nothing on a disk"
        )

    @property
    def why_no_power_cut(self) -> str:
        """Why a power cut would find nothing that is the stack's, or is not possible here; empty: neither."""
        loses = self.loses_when_killed or self._program.loses_in_power_cut
        return f"not durable: {loses}" if loses else why_no_power_cut()

    @contextmanager
    def separate_disk(self) -> Iterator[None]:
        """Within it, the power fails when the server is killed. It is down when that is entered and left: `reset`.

        Raises:
            Problem: there is no such disk here, or the tables cannot be made.
        """
        self._client.close()
        loaded = _loaded_data(self._program, self._start)
        with self._server.separate_disk(ROOM_BYTES + (2 * folder_bytes(loaded) if loaded is not None else 0)):
            yield

    def kill(self) -> None:
        """Kill the server with all its processes; it serves no more.

        Raises:
            Problem: its data lie on a disk of its own whose power cannot be cut.
        """
        self._server.kill()

    def start_again(self) -> None:
        """Start the server that was killed, on the same port, on what it left on the disk.

        Raises:
            Problem: it did not start; it is down then.
        """
        self._client.close()
        self._client.lab_work.begin_anew()
        # By a login: one that was started the first time may have asked for none.
        location = self._location
        self._server.start_again(lambda port: listens(port, location.host) and answers(self._program.client(location)))

    @property
    def why_not_held(self) -> str:
        """Why its clients would take that for more than a slow moment, in words; empty: they would not."""
        return self._program.why_not_held

    def hold(self) -> AbstractContextManager[None]:
        """Within it, all processes of the server are stopped. Raises Problem: they do not stop."""
        return self._server.hold()

    def reset(self) -> None:
        """Start the server anew, on the same port, on a new copy of the loaded data.

        Raises:
            Problem: it did not start, or the data could not be made or copied; the server is down then.
        """
        self._client.close()
        self._server.restart(_loaded_data(self._program, self._start))
        self._begin()
        self._server.sync_disk()

    def end_sessions(self) -> None:
        """End all sessions of stacks, where the server counts what they did late."""
        with suppress(Problem):
            self._program.end_sessions(self._location)

    def mark_unread(self, table: str, keys: Sequence[int]) -> bool:
        """Have these keys count as unread; False if the server does not tell that of keys.

        Raises:
            Problem: it cannot be asked, or a key is not there.
        """
        return self._client.mark_unread([key_of(table_named(self._tables, table), key) for key in keys])

    def keys_read(self, table: str, keys: Sequence[int]) -> int:
        """How many of them were read since.

        Raises:
            Problem: the server cannot be asked.
        """
        return self._client.keys_read([key_of(table_named(self._tables, table), key) for key in keys])


@contextmanager
def private_service(program_for: ProgramFor, start: ServiceStart) -> Iterator[PrivateService]:
    """Bring a private server up with the tables, or with what the user's files hold, and down again.

    Raises:
        Problem: it is not installed, there is no such variant, it does not start, or it cannot be loaded; the reason
            quotes what the database refused.
    """
    program = program_for(start)
    with (
        run_folder(program.name) as folder,
        _server(program, folder, program.command, program.port, start.addresses) as server,
        closing(program.client(Location(server.data, server.port, start.addresses))) as client,
    ):
        yield PrivateService(program, start, server, client)


def _server(
    program: ServerProgram,
    folder: Path,
    command: Callable[[Location], list[str]],
    port: int | None = None,
    addresses: Addresses = ON_ONE_MACHINE,
) -> PrivateServer:
    return PrivateServer(
        program.title,
        folder,
        lambda data, port: command(Location(data, port, addresses)),
        lambda port: program.is_ready(Location(folder / DATA, port, addresses)),
        port=port,
        host=addresses.server,
        leftovers=program.leftovers,
        end_signal=program.end_signal,
    )


def _loaded_data(program: ServerProgram, start: ServiceStart) -> Path | None:
    """The folder with the server's loaded data, from the cache or made now; None if none is kept."""
    recipe = program.data_recipe
    if recipe is None:
        return None

    def make(target: Path) -> None:
        with run_folder(program.name) as folder, _server(program, folder, recipe.command) as server:
            server.start(_initialised_data(program.name, recipe))
            with server.naming_full_disk():
                location = Location(server.data, server.port)
                recipe.fill(location, start.tables, start.on_rows)
                if start.files:
                    assert recipe.run is not None
                    recipe.run(location, start.files)
            server.end_cleanly(recipe.end_signal)
            copy_folder(server.data, target / DATA)

    key = [*recipe.key, *recipe.filled_key, *([files_sha256(start.files)] if start.files else [])]
    name = "-".join([program.name, *start.contents])
    return made_once("datasets", name, tables_sha256(start.tables, *key), make) / DATA


def _initialised_data(name: str, recipe: DataRecipe) -> Path:
    """The folder with data that hold no tables yet, from the cache or made now.

    To make them takes MariaDB seconds, and to copy them a fraction of one.
    """

    def make(target: Path) -> None:
        with run_folder(name) as folder:
            recipe.initialise(folder)
            copy_folder(folder / DATA, target / DATA)

    return made_once("initialised", name, tables_sha256((), *recipe.key), make) / DATA
