"""The live panel of a load on a terminal, and who gets it."""

import io
import os
import pty
import re
import subprocess
from typing import Any

import pytest
from rich.console import Console

from fairtrial.tools.load.progress import progress_on
from fairtrial.tools.load.progress.live import LivePanel
from fairtrial.tools.load.progress.plain import PlainLines
from fairtrial.tools.load.request.command_load import CommandLoad
from tests.command_line import Lab
from tests.tools.load.conftest import Target
from tests.tools.load.measurements import URL, closed


def panel_after(load: CommandLoad, *events: dict[str, Any]) -> str:
    """What the panel shows after these events."""
    console = Console(file=io.StringIO(), width=100)
    panel = LivePanel(console, URL, load)
    for event in events:
        panel.engine_event(event)
    with console.capture() as capture:
        console.print(panel.renderable())
    return capture.get()


def progress(elapsed: float, phase: str, **changes: Any) -> dict[str, Any]:
    """A progress event."""
    event = {"event": "progress", "elapsed_seconds": elapsed, "phase": phase, "verified": 50, "errors": 0}
    return event | {"verified_per_second": 100.0, "p50_seconds": None, "p99_seconds": None} | changes


def test_before_the_first_event_it_connects() -> None:
    text = panel_after(closed())
    assert URL in text
    assert "closed, 16 connections, keep-alive, 3 s" in text
    assert "connecting" in text and "0:00 of 0:03" in text


def test_how_long_a_warm_up_takes_is_not_known() -> None:
    text = panel_after(closed(warmup_seconds=2.0), progress(1.0, "warmup", rise=0.124))
    assert "warm-up, 1.0 s, pace still rises by 12%" in text and "0:01" in text and "0:01 of" not in text


def test_the_window_counts_from_its_opening() -> None:
    opened = {"event": "window", "state": "opened", "elapsed_seconds": 7.0}
    text = panel_after(closed(warmup_seconds=2.0), progress(6.0, "warmup"), opened, progress(8.0, "window"))
    assert "measuring" in text and "0:08 of 0:10" in text


def test_rates_times_and_errors() -> None:
    first = progress(1.0, "window", verified_per_second=50.0)
    second = progress(2.0, "window", errors=3, p50_seconds=0.000162, p99_seconds=0.0049)
    text = panel_after(closed(), first, second)
    assert "measuring" in text and "0:02 of 0:03" in text
    assert "100/s  ▄█" in text
    assert "p50 0.162  p99 4.90 ms" in text
    assert re.search(r"errors +3", text)


def test_a_number_of_requests_has_no_planned_length() -> None:
    text = panel_after(closed({"requests": 100}), progress(1.0, "window"))
    assert "0:01" in text and " of " not in text


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Console:
    """A console on a terminal that can rewrite lines."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return Console(file=io.StringIO(), force_terminal=True)


def test_a_terminal_has_the_panel(terminal: Console) -> None:
    assert isinstance(progress_on(terminal, URL, closed(), plain=False), LivePanel)


def test_without_a_terminal_or_with_plain_there_are_lines(terminal: Console) -> None:
    assert isinstance(progress_on(terminal, URL, closed(), plain=True), PlainLines)
    assert isinstance(progress_on(Console(file=io.StringIO()), URL, closed(), plain=False), PlainLines)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_may_ask_for_lines(
    terminal: Console, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert isinstance(progress_on(terminal, URL, closed(), plain=False), PlainLines)


def on_a_terminal(lab: Lab, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit status and everything that was drawn on a terminal."""
    own, other = pty.openpty()
    settings = {name: value for name, value in lab.environment.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        lab.command("load", *arguments),
        cwd=lab.folder,
        env=settings | {"TERM": "xterm"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    drawn = b""
    try:
        while chunk := os.read(own, 65536):
            drawn += chunk
    except OSError:
        pass  # the terminal's other side is closed
    os.close(own)
    return process.wait(), drawn.decode()


def test_the_live_view(lab: Lab, target: Target) -> None:
    status, drawn = on_a_terminal(lab, target.url, "--steps", "300:1s,600:800ms")
    assert status == 0
    assert "Ctrl-C ends the load and reports" in drawn
    assert "measuring" in drawn and "of 0:02" in drawn
    assert re.search(r"p50 [\d.]+  p99 [\d.]+ ms", drawn)
    assert "█" in drawn


def test_plain_has_no_live_view(lab: Lab, target: Target) -> None:
    status, drawn = on_a_terminal(lab, target.url, "-n", "20", "--plain")
    assert status == 0
    assert "Ctrl-C" not in drawn
    assert "20 verified of 20 answers" in drawn
