"""How many local ports Linux looks at to open connections to one address, simulated.

`python -m benches.ports` prints the table of benches/error_rates.md.

The search is that of `__inet_hash_connect` in net/ipv4/inet_hashtables.c (as of Linux 6.8; algorithm 4 of RFC 6056).
For each pair of a source and a destination it remembers a place in the range of local ports. A connect looks at every
second port from there on, at those of the lowest port's parity first, and at the others only when it has passed all of
these. It takes the first port that no connection of the same pair has. The place moves on behind the ports that were
passed, and by nine ports on average where none were.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benches.document import table

PAGE = Path(__file__).resolve().parent / "error_rates.md"

PORTS = 60_999 - 32_768 + 1
"""Of `net.ipv4.ip_local_port_range`, unless set otherwise."""
CONNECTIONS = (14_000, 14_116, 19_000, 28_000, 50_000, 100_000)
SOURCES = (1, 2, 4, 8)

CONNECT_SECONDS = 20e-6
"""Of a connect whose first port is free."""
LOOK_SECONDS = 70e-9
"""Of a port that is taken: 14,200 connections were opened in 0.34 s and 18,000 in 4.2 s, and each of the 3,800 looked
at 14,116 ports and more."""
SEED = 1


class Half:
    """Every second port of the range, in a ring: which of them are taken."""

    def __init__(self, ports: int) -> None:
        self.ports = ports
        self.free = ports
        # From each port, one that is free or nearer to one that is.
        self._next = list(range(ports))

    def take(self, start: int) -> int:
        """Take the first free port from `start` on, of which there is one.

        Returns:
            How many taken ones come before it.
        """
        passed, port = [], start
        while self._next[port] != port:
            passed.append(port)
            port = self._next[port]
        after = (port + 1) % self.ports
        for each in (*passed, port):
            self._next[each] = after
        self.free -= 1
        return (port - start) % self.ports


class Pair:
    """A source and a destination: the local ports between them."""

    def __init__(self, ports: int, drawn: random.Random) -> None:
        self._halves = (Half(ports // 2), Half(ports // 2))
        self._drawn = drawn
        self._place = drawn.randrange(1 << 32)

    def connect(self) -> int | None:
        """Take a port.

        Returns:
            How many were looked at, the free one included; None if none is free.
        """
        looked_at = 0
        for half in self._halves:
            if half.free == 0:
                looked_at += half.ports
                continue
            passed = half.take(self._place // 2 % half.ports)
            self._place += 2 * (max(passed, self._drawn.randrange(8)) + 1)
            return looked_at + passed + 1
        return None


@dataclass(frozen=True)
class Opened:
    """What it takes to open so many connections."""

    ports_each: float
    """looked at by a connect, the mean"""
    seconds: float


def opened(connections: int, sources: int, ports: int = PORTS) -> Opened | None:
    """Connections to one address, shared out evenly among these sources; None if there are too few ports.

    Sources do not share ports: one stands for all.
    """
    pair = Pair(ports, random.Random(SEED))  # noqa: S311 (ports, not secrets)
    looked_at = [pair.connect() for _ in range(math.ceil(connections / sources))]
    known = [each for each in looked_at if each is not None]
    if len(known) < len(looked_at):
        return None
    ports_each = fmean(known)
    return Opened(ports_each, connections * (CONNECT_SECONDS + (ports_each - 1) * LOOK_SECONDS))


def text(connections: Sequence[int] = CONNECTIONS, sources: Sequence[int] = SOURCES) -> str:
    """The table, as Markdown: a row for each number of connections."""

    def cell(count: int, from_sources: int) -> str:
        result = opened(count, from_sources)
        if result is None:
            return "no port is left"
        return f"{result.ports_each:,.1f}; {result.seconds:.2g} s"

    head = ["connections to one address", *(f"from {each} source{'s' if each > 1 else ''}" for each in sources)]
    return table(head, [[f"{count:,}", *(cell(count, each) for each in sources)] for count in connections])


if __name__ == "__main__":
    print(text())
