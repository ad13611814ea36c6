"""Servers that are up and idle beside the one under load: whether they hold connections to it."""

import threading
from collections.abc import Collection, Sequence
from random import SystemRandom

from fairtrial.engine.process_tree import Root
from fairtrial.lab.meters.connections import connections_to


class BystanderWatch:
    """Looks at a drawn moment of a slice and at its end, from `open` to `close`.

    Who asks the server under load slows it, and hardly uses a processor itself. Whoever lets go of a connection before
    the end cannot know when the other look comes.

    Args:
        ports: on which the server under load listens.
        idle: the guards of each server beside it.
        seconds: how long the slice is.
    """

    def __init__(self, ports: Collection[int], idle: Sequence[Collection[Root]], seconds: float) -> None:
        self._ports, self._idle = ports, idle
        self.connected: set[int] = set()
        """the places, among `idle`, of those that held a connection"""
        self._look_at_drawn_moment = threading.Timer(SystemRandom().uniform(0, seconds), self._look)
        self._look_at_drawn_moment.daemon = True

    def open(self) -> None:
        """The slice begins."""
        self._look_at_drawn_moment.start()

    def close(self) -> None:
        """The slice has ended."""
        self._look_at_drawn_moment.cancel()
        self._look_at_drawn_moment.join()
        self._look()

    def _look(self) -> None:
        for place, roots in enumerate(self._idle):
            if any((peers := connections_to(port, *roots)) is not None and peers.number for port in self._ports):
                self.connected.add(place)
