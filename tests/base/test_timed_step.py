"""A step on a terminal and in a pipe."""

from io import StringIO

import pytest
from rich.console import Console

from fairtrial.base.timed_step import timed_step
from tests.waiting import wait_for


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_a_terminal_shows_the_time_and_no_longer_than_the_step_lasts(is_terminal: bool) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=is_terminal, width=80)
    with timed_step(console, "building"):
        if is_terminal:
            wait_for(lambda: "0:00" in out.getvalue(), "the time is shown")
    assert out.getvalue().endswith("\x1b[2K" if is_terminal else "building\n")
