"""The contract's variables: what a stack is told by environment, beside HOST and PORT."""

from collections.abc import Sequence

MAX_THREADS = 16
DB_POOL = 16


def stack_settings(
    server_cpus: Sequence[int], *, database_url: str = "", cache_url: str = "", upstream_url: str = ""
) -> dict[str, str]:
    """One process for each of the server's processors; sixteen threads and database connections.

    URLs that are empty are left out.
    """
    urls = {"DATABASE_URL": database_url, "CACHE_URL": cache_url, "UPSTREAM_URL": upstream_url}
    return {name: url for name, url in urls.items() if url} | {
        "WEB_CONCURRENCY": str(len(server_cpus)),
        "MAX_THREADS": str(MAX_THREADS),
        "DB_POOL": str(DB_POOL),
    }
