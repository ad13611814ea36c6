"""The lab's own way into a private SQL server: as superuser, by its socket, with a password that nobody else knows."""

from pathlib import Path
from typing import Any

import psutil

from fairtrial.catalog.services.model import RunningService


def lab_client(service: RunningService) -> Any:
    """The client with all rights."""
    running: Any = service
    return running._client


def data_of(service: RunningService) -> Path:
    """Where the server's data are, and its socket among them."""
    (server,) = psutil.Process(service.pid).children()
    return Path(next(word for word in server.cmdline() if word.endswith("/data")).removeprefix("--datadir="))
