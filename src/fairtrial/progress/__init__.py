"""Progress, while an experiment is conducted: a live line on a terminal, plain lines elsewhere."""

from rich.console import Console

from fairtrial.conduct.conduct import Watcher
from fairtrial.progress.live import LiveProgress
from fairtrial.progress.plain import PlainProgress


def progress_on(console: Console) -> Watcher:
    """The watcher that fits the console."""
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)
