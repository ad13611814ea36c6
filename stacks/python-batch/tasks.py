"""The job `task-creation`: threads that all exist at once. Each says that it is there, and waits until it may end."""

import os
import socket
import sys
import threading


def main() -> None:
    """Start the threads, wait until all may end, and for their end."""
    may_end = threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gathering:
        gathering.connect(os.environ["GATHERING"])

        def task() -> None:
            gathering.sendall(b".")
            may_end.wait()

        threads = [threading.Thread(target=task) for _ in range(int(os.environ["TASKS"]))]
        started = 0
        try:
            for thread in threads:
                thread.start()
                started += 1
            may = gathering.recv(1)
        except RuntimeError as error:  # the system has no more threads to give
            sys.exit(f"after {started:,} threads: {error}")
        finally:
            may_end.set()
            for thread in threads[:started]:
                thread.join()
        if not may:
            sys.exit("the gathering ended before all were there")
