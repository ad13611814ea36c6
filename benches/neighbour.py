"""A neighbour on this machine: a process that takes a processor in bursts."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

MEAN_SECONDS, SHARE = 3.0, 0.5
"""Of a burst, and how much of its time it is at work; bursts and the pauses before them are exponential."""


@contextmanager
def neighbour(seed: int, mean_seconds: float = MEAN_SECONDS, share: float = SHARE) -> Iterator[subprocess.Popen[bytes]]:
    """Within, it works, on whatever processor the kernel gives it. It ends with this process in any case."""
    command = [sys.executable, __file__, str(seed), str(mean_seconds), str(share)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def main(seed: int, mean_seconds: float, share: float) -> None:
    """Work and rest in turn, until standard input is closed."""
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    drawn = random.Random(seed)  # noqa: S311 (times, not secrets)
    mean_pause_seconds = mean_seconds * (1 - share) / share
    while not ended.wait(drawn.expovariate(1 / mean_pause_seconds)):
        until = time.monotonic() + drawn.expovariate(1 / mean_seconds)
        while time.monotonic() < until and not ended.is_set():
            pass


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(float, sys.argv[2:]))
