"""Progress of an experiment: a live line on a terminal, plain lines elsewhere."""

from rich.console import Console

from fairtrial.lab.conduct import Watcher
from fairtrial.lab.progress.live import LiveProgress
from fairtrial.lab.progress.plain import PlainProgress


def progress_on(console: Console) -> Watcher:
    """A watcher for this console: live on a terminal, plain elsewhere."""
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)
