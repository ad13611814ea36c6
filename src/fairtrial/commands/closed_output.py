"""What happens when nobody reads standard output any more, as in `fairtrial … | head -1`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fairtrial.base.exit_status import OUTPUT_CLOSED


@contextmanager
def quiet_end() -> Iterator[None]:
    """End without a word, with status 141, when standard output is a pipe that nobody reads.

    It is done as Python's documentation recommends ("Note on SIGPIPE"): the signal stays ignored, as its default would
    also kill us when any other pipe or socket breaks; the error is caught, and what is left goes to /dev/null. Only the
    status is not its 1, which means something here already.
    """
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as end:
        if isinstance(end, SystemExit) and not isinstance(end.__context__, BrokenPipeError):
            raise  # rich and click have caught the error themselves if it is the context
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OUTPUT_CLOSED)
