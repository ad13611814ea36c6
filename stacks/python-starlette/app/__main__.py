"""Starts uvicorn: `python -m app`."""

import asyncio
import signal
import sys

import uvicorn

from app.settings import Settings
from app.store import Store, StoreError


async def check_database(settings: Settings) -> None:
    """What is wrong is said once, in one line, and not by each worker."""
    async with Store.open(settings.database_url, connections=1):
        pass


def main() -> int:
    try:
        settings = Settings.from_environment()
        asyncio.run(check_database(settings))
    except (ValueError, StoreError) as error:
        print(f"python-starlette: {error}", file=sys.stderr)
        return 1

    # After its own clean end uvicorn raises the signal again, for whoever handled it before: status 0 here.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.run(
        "app.main:app",
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="warning",
        timeout_keep_alive=65,
        timeout_graceful_shutdown=3,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
