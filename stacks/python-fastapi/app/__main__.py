"""Starts uvicorn: `python -m app`."""

import signal
import sys

import uvicorn

from app.settings import Settings


def main() -> int:
    try:
        settings = Settings.from_environment()
    except ValueError as error:
        print(f"python-fastapi: {error}", file=sys.stderr)
        return 1

    # After its own clean end uvicorn raises the signal again, for whoever handled it before: status 0 here.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.run(
        "app.main:app",
        host=settings.host,
        port=settings.port,
        workers=settings.processes,
        loop=settings.event_loop,
        http=settings.http_parser,
        ws="none",
        access_log=settings.access_log,
        log_level="info" if settings.access_log else "warning",
        backlog=4096,
        timeout_keep_alive=65,
        timeout_graceful_shutdown=3,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
