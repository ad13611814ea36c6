"""Data of a private server, loaded once and kept: every later start takes a copy of it."""

from collections.abc import Callable
from pathlib import Path

from fairtrial.base.cache.once import made_once
from fairtrial.catalog.services.private.folder import give_to_server, run_folder
from fairtrial.catalog.services.private.server import Command, IsReady, PrivateServer, copy_folder

DATA = "data"

ReadyMade = Callable[[], Path]
"""Gives that folder; makes it anew if someone emptied the cache meanwhile."""


def ready_made(
    title: str,
    name: str,
    sha256: str,
    command: Callable[[Path], Command],
    is_ready: IsReady,
    fill: Callable[[int], None],
) -> Path:
    """The folder with a server's data, for `PrivateServer.start`; made, if it is not there yet, by a server of its own.

    Args:
        title: of the service, for messages.
        name: what the data are called in the cache.
        sha256: of all that decides what the data are.
        command: gives the server's command, from the folder in which it runs.
        fill: loads a server, from the port it listens on.

    Raises:
        Problem: the server did not start, could not be filled, or did not end cleanly.
    """

    def make(target: Path) -> None:
        with run_folder(name) as folder, PrivateServer(title, folder, command(folder), is_ready) as server:
            server.data.mkdir()
            give_to_server(server.data)
            server.start()
            with server.being_filled():
                fill(server.port)
            server.end_cleanly()
            copy_folder(server.data, target / DATA)

    return made_once("datasets", name, sha256, make) / DATA
