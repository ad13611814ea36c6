"""Progress of an experiment: a live line on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from fairtrial.lab.conduct import Watcher
from fairtrial.lab.progress.live import LiveProgress
from fairtrial.lab.progress.plain import PlainProgress


@contextmanager
def progress_on(console: Console, *, verbose: bool = False) -> Iterator[Watcher]:
    """The watcher that fits the console; what it draws is gone at the end.

    Args:
        verbose: each trial leaves a line.
    """
    kind = LiveProgress if console.is_terminal else PlainProgress
    watcher = kind(console, verbose=verbose)
    try:
        yield watcher
    finally:
        watcher.close()
