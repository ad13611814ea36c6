"""The contract's variables: what a stack is told by environment, beside HOST and PORT."""

from collections.abc import Sequence

MAX_THREADS = 16
DB_POOL = 16


def stack_settings(database_url: str, server_cpus: Sequence[int]) -> dict[str, str]:
    """One process for each of the server's processors; sixteen threads and database connections."""
    return {
        "DATABASE_URL": database_url,
        "WEB_CONCURRENCY": str(len(server_cpus)),
        "MAX_THREADS": str(MAX_THREADS),
        "DB_POOL": str(DB_POOL),
    }
