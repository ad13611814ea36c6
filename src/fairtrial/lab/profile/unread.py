"""How many requests have arrived and are not read yet, and how many answers: the queues beside the process.

By Little's law (J. D. C. Little, Operations Research 9 (1961) 383), one waits there for as large a share of its
response time as their mean number is of all that are under way. The mean is that at moments of a Poisson process, which
see what there is on average (R. W. Wolff, Operations Research 30 (1982) 223). A connection that waits to be accepted
has its request unread, too.
"""

import random
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress

from fairtrial.lab.meters.sockets import kernel_socket, questions_about, sockets_at, unread_bytes
from fairtrial.record.profile import Unread

EVERY_SECONDS = 0.005
"""On average."""
MOST_SECONDS = 0.05
"""Between two moments: how long the end is awaited at most. One in 20,000 would come later."""
MOST_SOCKETS = 32
"""That are asked after at one moment on either side, drawn at random: at 3 µs each, 4% of a processor."""
MOST_LOST = 0.01
"""Of the sockets that were asked after: where more have been closed, connections are replaced, and others not seen."""


class _Side:
    """Sockets with one request or answer in each at most."""

    def __init__(self, sockets: list[bytes]) -> None:
        self._sockets = sockets
        self._asked = self._lost = 0
        self._total = 0.0

    def some(self) -> list[bytes]:
        """Those to ask after next, drawn at random."""
        return random.sample(self._sockets, min(MOST_SOCKETS, len(self._sockets)))

    def add(self, unread: Sequence[int | None]) -> None:
        """Count what was found in those that were drawn."""
        if unread:
            self._asked += len(unread)
            self._lost += unread.count(None)
            self._total += len(self._sockets) * sum(map(bool, unread)) / len(unread)

    def mean(self, moments: int) -> float | None:
        """Over so many moments; None where it is not known."""
        if not self._asked or self._lost > MOST_LOST * self._asked:
            return None
        return self._total / moments


class UnreadWatch:
    """Looks at random moments from `open` to `close`, in a thread of its own.

    Args:
        port: to which the load goes.
        ports: on which the stack's processes listen, those behind a balancer included.
    """

    def __init__(self, port: int, ports: Collection[int]) -> None:
        self._port, self._ports = port, {port, *ports}
        self._is_over = False
        self.moments = 0
        """at which was looked so far"""
        self._sides: list[_Side] = []
        self._thread = threading.Thread(target=self._look, daemon=True)

    def open(self) -> None:
        """Open the window, in which connections stay the same."""
        self._thread.start()

    def close(self) -> Unread | None:
        """Close it; None: the kernel did not tell, or too late."""
        self.end()
        self._thread.join()
        if not self.moments:
            return None
        requests, answers = (side.mean(self.moments) for side in self._sides)
        return Unread(moments=self.moments, requests=requests, answers=answers)

    def end(self) -> None:
        """Look no more, whether or not the window was opened."""
        self._is_over = True

    def _look(self) -> None:
        with suppress(OSError):
            requests = _Side([each for port in self._ports for each in sockets_at(source=port)])
            answers = _Side(list(sockets_at(destination=self._port)))
            self._sides = [requests, answers]
            with kernel_socket() as kernel:
                while True:
                    # The load generator reads nothing while this runs on its processor: all that can be is done before
                    # the moment, and answers are asked after first.
                    of_answers, of_requests = answers.some(), requests.some()
                    count = len(of_answers) + len(of_requests)
                    questions = questions_about([*of_answers, *of_requests])
                    # To wait for an event costs more between wake-up and look, in which answers stay unread.
                    time.sleep(min(random.expovariate(1 / EVERY_SECONDS), MOST_SECONDS))
                    if self._is_over:
                        break
                    unread = unread_bytes(kernel, questions, count) if count else []
                    answers.add(unread[: len(of_answers)])
                    requests.add(unread[len(of_answers) :])
                    self.moments += 1
