"""The progress of a load as a line a second."""

import io
import re

from rich.console import Console

from fairtrial.tools.load.progress.plain import PlainLines
from tests.command_line import Lab
from tests.tools.load.conftest import Target


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
        lines.engine_event(progress(elapsed, phase, verified))
    lines.engine_event({"event": "window", "state": "opened", "elapsed_seconds": 1.5})
    for elapsed, verified in ((2.0, 300), (2.5, 1000), (3.0, 1100), (3.5, 3000)):
        lines.engine_event(progress(elapsed, "window", verified))
    assert [" ".join(line.split()) for line in out.getvalue().splitlines()] == [
        "1 s 100 verified/s 3 errors (warm-up, 1.0 s)",
        "2 s 1,000 verified/s 3 errors",
        "4 s 2,000 verified/s 3 errors",
    ]


def progress(elapsed: float, phase: str, verified: int) -> dict[str, object]:
    """A progress event."""
    return {"event": "progress", "elapsed_seconds": elapsed, "phase": phase, "verified": verified, "errors": 3}


def test_a_line_has_the_times_of_the_last_full_second() -> None:
    out = io.StringIO()
    lines = PlainLines(Console(file=out))
    lines.engine_event(progress(1.0, "window", 50) | {"p50_seconds": None, "p99_seconds": None})
    lines.engine_event(progress(2.0, "window", 50) | {"p50_seconds": 0.000162, "p99_seconds": 0.0049})
    first, second = out.getvalue().splitlines()
    assert "p50" not in first
    assert second.endswith("3 errors  p50 0.162  p99 4.90 ms")
