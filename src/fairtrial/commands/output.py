"""Standard error for problems, and standard output that its reader closes early, as in `fairtrial … | head -1`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fairtrial.base.exit_status import OUTPUT_CLOSED
from fairtrial.base.locations import place_of_docs
from fairtrial.base.problem import Problem


def print_problem(problem: Problem) -> None:
    """Print reason and remedy to standard error."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), problem.reason))
    if problem.remedy:
        console.print(Text.assemble(("remedy: ", "bold"), problem.remedy))
    if place := place_of_docs(problem.reason + problem.remedy):
        console.print(Text(place, style="dim"))


@contextmanager
def silent_exit_when_output_closes() -> Iterator[None]:
    """Exit silently with status 141 when standard output is a pipe that its reader has closed.

    This follows Python's documentation ("Note on SIGPIPE"): the signal stays ignored, since its default action would
    also kill us when any other pipe or socket breaks. The error is caught, and unwritten output goes to /dev/null. Only
    the status differs from the documentation's 1, which has another meaning here.
    """
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # where it is the context, rich or click have caught the BrokenPipeError themselves
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(OUTPUT_CLOSED)
