"""The standard streams of a lab on a host: lines that tell it what to do, and messages that are alone on its output."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO

ENDS_WITHIN_SECONDS = 20.0
"""A stack and a database have their times of grace. What is left then, the guards end when this process does."""
END = "end"
"""The line by which all is done, and a lab ends in order."""
STOP = "stop"
"""The line by which a trial under way is given up, as its user wants it."""


def hand_on(lines: IO[str], on_line: Callable[[str | None], None]) -> None:
    """Hand lines on, in a thread of its own. If they end without `END`, end this process as Ctrl-C does, then for good.

    Args:
        on_line: is called with each other line, and with None for `END`.
    """

    def listen() -> None:
        ends_in_order = False
        for line in lines:
            text = line.rstrip("\n")
            if text == STOP:
                _interrupt()
            elif text == END:
                ends_in_order = True
                on_line(None)
            elif text:
                on_line(text)
        if not ends_in_order:
            _interrupt()
            threading.Event().wait(ENDS_WITHIN_SECONDS)
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()


def serve_standard_streams(serve: Callable[[IO[str], IO[str]], None]) -> None:
    """Serve standard input and output, of which the second is the messages' alone: all else goes to standard error."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the worker inherited
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin, out)


def _interrupt() -> None:
    with suppress(OSError):
        os.kill(os.getpid(), signal.SIGINT)
