"""The console command `fairtrial`, and `python -m fairtrial`."""

import codecs
import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from fairtrial.base.exit_status import INTERRUPTED
from fairtrial.base.search_path import search_administrators_folders


def main() -> NoReturn:
    """Run the command line. An interrupt while it is loaded, or at its exit, ends the process at once, in silence."""
    loads_interruptibly = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if loads_interruptibly:  # not where it is ignored, as behind nohup
        # An exception within an import would leave modules half made, and its traceback wherever Python drops it.
        signal.signal(signal.SIGINT, _exit_at_once)
    search_administrators_folders()
    from fairtrial.commands import main as run_command_line  # noqa: PLC0415

    if loads_interruptibly:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _accept_all_characters()
    try:
        run_command_line()
    finally:
        for stream in (sys.stdout, sys.stderr):  # what a pipe has not got yet
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        if loads_interruptibly:
            signal.signal(signal.SIGINT, _exit_at_once)


def _accept_all_characters() -> None:
    """Standard output and error take every character: one that the locale lacks is written as `?`, and the bytes of a
    file name that is no text as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_utf8 = codecs.lookup(stream.encoding).name == "utf-8"
            stream.reconfigure(errors="backslashreplace" if is_utf8 else "replace")


def _exit_at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
