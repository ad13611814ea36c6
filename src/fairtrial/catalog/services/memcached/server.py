"""memcached's own program: how a private server is started. It keeps nothing on disk: each start loads the tables."""

from collections.abc import Sequence

from fairtrial.catalog.services.common.client import answers
from fairtrial.catalog.services.common.installed import assert_installed
from fairtrial.catalog.services.common.key_value import assert_pairs
from fairtrial.catalog.services.common.server_program import Location, ServerProgram, arguments_of
from fairtrial.catalog.services.memcached import NAME, PROGRAM, SCHEME, TITLE, missing
from fairtrial.catalog.services.memcached.client import MemcachedClient
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.tables import Table

LEAST_MEGABYTES = 256
ITEM_OVERHEAD_BYTES = 128
"""An item's header, and the space left free in its chunk."""

ROOM = 2
"""How many times the memory that the data need: nothing is to be dropped for want of memory."""


def program(start: ServiceStart) -> ServerProgram:
    """A private memcached with memory enough for the tables.

    Raises:
        Problem: it is not installed, there is no such variant, or the tables are not keys and values.
    """
    assert_pairs(TITLE, start.tables)
    assert_installed(missing())
    arguments_of(TITLE, {}, start.variant)
    memory = megabytes(start.tables)

    def command(location: Location) -> list[str]:
        return [PROGRAM, "-l", location.host, "-p", str(location.port), "-U", "0", "-m", str(memory)]

    return ServerProgram(
        name=NAME,
        title=TITLE,
        command=command,
        is_ready=lambda location: answers(_client(location)),
        client=_client,
        url=lambda location: f"{SCHEME}://{location.host}:{location.port}",
    )


def megabytes(tables: Sequence[Table]) -> int:
    """The memory that a private server is given, in MiB, estimated from a sample of the rows."""
    data_bytes = 0.0
    for table in tables:
        sample = table.rows.sample()
        texts = sum(len(table.key_prefix) + len("".join(map(str, row.values())).encode()) for row in sample)
        data_bytes += table.rows.count * (ITEM_OVERHEAD_BYTES + texts / max(1, len(sample)))
    return max(LEAST_MEGABYTES, int(ROOM * data_bytes / 2**20) + 1)


def _client(location: Location) -> MemcachedClient:
    return MemcachedClient((location.host, location.port))
