"""Progress of an experiment: a live line on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from rich.console import Console

from fairtrial.lab.progress.live import LiveProgress
from fairtrial.lab.progress.plain import PlainProgress


@contextmanager
def progress_on(console: Console, *, verbose: bool = False) -> Iterator[LiveProgress | PlainProgress]:
    """The progress that fits the console; what it draws is gone at the end.

    Args:
        verbose: each trial leaves a line.
    """
    if not console.is_terminal:
        yield PlainProgress(console, verbose=verbose)
        return
    with closing(LiveProgress(console, verbose=verbose)) as progress:
        yield progress
