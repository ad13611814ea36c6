"""The progress of a load: the live panel on a terminal, who gets it, and a line a second elsewhere."""

import io
import os
import pty
import re
import subprocess
from typing import Any

import pytest
from rich.console import Console

from fairtrial.tools.load.progress import LivePanel, PlainLines, load_progress_on
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
    assert "pace still rises by 12%" in text and "0:01" in text and "0:01 of" not in text


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


def view_on(console: Console, *, plain: bool) -> object:
    """What shows the progress on this console."""
    with load_progress_on(console, URL, closed(), plain=plain) as show_progress:
        return show_progress.__self__  # type: ignore[attr-defined]


def test_a_terminal_has_the_panel(terminal: Console) -> None:
    assert isinstance(view_on(terminal, plain=False), LivePanel)


def test_without_a_terminal_or_with_plain_there_are_lines(terminal: Console) -> None:
    assert isinstance(view_on(terminal, plain=True), PlainLines)
    assert isinstance(view_on(Console(file=io.StringIO()), plain=False), PlainLines)


def test_one_line_may_stand_for_all_where_there_is_no_panel(terminal: Console) -> None:
    file = Console(file=io.StringIO())
    for console in (file, terminal):
        with load_progress_on(console, URL, closed(), plain=False, one_line="tries 50 requests/s") as show_progress:
            show_progress(progress(2.0, "window"))
    assert file.file.getvalue() == "tries 50 requests/s\n"  # type: ignore[attr-defined]
    assert "tries" not in terminal.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_may_ask_for_lines(
    terminal: Console, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert isinstance(view_on(terminal, plain=False), PlainLines)


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
    assert "Ctrl-C ends the load" in drawn
    assert "measuring" in drawn and "of 0:02" in drawn
    assert re.search(r"p50 [\d.]+  p99 [\d.]+ ms", drawn)
    assert "█" in drawn


def test_plain_has_no_live_view(lab: Lab, target: Target) -> None:
    status, drawn = on_a_terminal(lab, target.url, "-n", "20", "--plain")
    assert status == 0
    assert "Ctrl-C" not in drawn
    assert "20 verified of 20 answers" in drawn


def test_a_line_a_second_without_a_terminal(lab: Lab, target: Target) -> None:
    finished = lab.fairtrial("load", target.url, "-d", "2200ms", "-r", "100", "--warmup", "0")
    lines = finished.err.splitlines()
    assert 1 <= len(lines) <= 3
    times = r"(  p50 [\d.]+  p99 [\d.]+ ms)?"
    assert all(re.fullmatch(rf" +\d s +\d+ verified/s +0 errors{times}", line) for line in lines)
    assert "p99" in lines[-1]


def test_a_line_is_of_its_own_second_and_phase() -> None:
    out = io.StringIO()
    lines = PlainLines(Console(file=out))
    for elapsed, phase, verified in ((0.5, "warmup", 40), (1.0, "warmup", 100), (1.2, "warmup", 200)):
        lines.engine_event(progress(elapsed, phase, verified=verified, errors=3))
    lines.engine_event({"event": "window", "state": "opened", "elapsed_seconds": 1.5})
    for elapsed, verified in ((2.0, 300), (2.5, 1000), (3.0, 1100), (3.5, 3000)):
        lines.engine_event(progress(elapsed, "window", verified=verified, errors=3))
    assert [" ".join(line.split()) for line in out.getvalue().splitlines()] == [
        "1 s 100 verified/s 3 errors (warm-up, 1.0 s)",
        "2 s 1,000 verified/s 3 errors",
        "4 s 2,000 verified/s 3 errors",
    ]


def test_a_line_has_the_times_of_the_last_full_second() -> None:
    out = io.StringIO()
    lines = PlainLines(Console(file=out))
    lines.engine_event(progress(1.0, "window"))
    lines.engine_event(progress(2.0, "window", p50_seconds=0.000162, p99_seconds=0.0049))
    first, second = out.getvalue().splitlines()
    assert "p50" not in first
    assert second.endswith("0 errors  p50 0.162  p99 4.90 ms")
