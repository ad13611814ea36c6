"""The job `task-creation`: threads that all exist at once. Each says that it is there, and waits until it may end."""

import os
import threading

from gathering import in_gathered_threads


def main() -> None:
    """Start the threads, wait until all may end, and for their end."""
    may_end = threading.Event()
    tasks = [may_end.wait] * int(os.environ["TASKS"])
    in_gathered_threads(tasks, lambda gathering: gathering.line(), may_end.set)
