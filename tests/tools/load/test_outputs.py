"""Files, the live view, and the end by Ctrl-C."""

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser

from rich.console import Console

from fairtrial.tools.load.progress.live import sparkline
from fairtrial.tools.load.progress.plain import PlainLines
from tests.command_line import Lab
from tests.tools.load.conftest import Target


def test_all_files_at_once(lab: Lab, target: Target) -> None:
    files = ("--json", "x.json", "--csv", "x.csv", "--hdr", "x.hgrm", "--html", "x.html")
    finished = lab.fairtrial("load", target.url, "-d", "3200ms", "-r", "500", *files, "-H", "Authorization: secret-1")
    assert finished.status == 0, finished.err

    found = json.loads((lab.folder / "x.json").read_text())
    assert found["url"] == target.url
    assert found["load"].startswith("open, constant 500 requests/s")
    assert found["verified"] > 1000

    with (lab.folder / "x.csv").open() as file:
        series = list(csv.DictReader(file))
    assert [row["second"] for row in series] == ["1", "2", "3", "4"]
    assert sum(int(row["verified"]) for row in series) == found["verified"]
    assert float(series[0]["p50_seconds"]) > 0

    percentiles = (lab.folder / "x.hgrm").read_text().splitlines()
    assert re.fullmatch(r"\s+\d+\.\d{3} 1\.0{12}\s+" + str(found["answers"]), percentiles[-4])

    page = (lab.folder / "x.html").read_text()
    assert "open, constant 500 requests/s" in page
    charts = json.loads(scripts(page)[0])
    assert set(charts) == {"distribution", "percentiles", "rate", "time"}
    assert sum(bar["answers"] for bar in charts["distribution"]["data"]["values"]) == found["answers"]
    assert {point["times"] for point in charts["percentiles"]["data"]["values"]} == {"response time", "service time"}
    for text in (page, json.dumps(found), finished.out):
        assert "secret-1" not in text


def scripts(page: str) -> list[str]:
    """The text of each script."""

    class Reader(HTMLParser):
        inside = False
        found: list[str]

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.inside = tag == "script"

        def handle_data(self, data: str) -> None:
            if self.inside:
                self.found.append(data)

    reader = Reader()
    reader.found = []
    reader.feed(page)
    return reader.found


def test_standard_output_is_the_programs(lab: Lab, target: Target) -> None:
    finished = lab.fairtrial("load", target.url, "-n", "50", "--csv", "-")
    assert finished.out.startswith("second,")
    assert "verified answers/s" in finished.err


def test_a_device_is_written_and_not_replaced(lab: Lab, target: Target) -> None:
    finished = lab.fairtrial("load", target.url, "-n", "50", "--json", "/dev/stderr", "--csv", "/dev/null")
    assert finished.status == 0
    assert '"verified": 50' in finished.err
    assert os.path.exists("/dev/null") and not os.path.isfile("/dev/null")


def test_a_line_a_second_without_a_terminal(lab: Lab, target: Target) -> None:
    finished = lab.fairtrial("load", target.url, "-d", "2200ms", "-r", "100")
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
        "1 s 100 verified/s 3 errors (warm-up)",
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


def test_sparks() -> None:
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([0, 0]) == sparkline([]) == ""


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


def test_who_wants_it_plain_gets_no_live_view(lab: Lab, target: Target) -> None:
    for arguments, environment in ((["--plain"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
        status, drawn = on_a_terminal(lab, target.url, "-n", "20", *arguments, **environment)
        assert status == 0
        assert "Ctrl-C" not in drawn
        assert "20 verified of 20 answers" in drawn


def test_ctrl_c_reports_what_was_measured(lab: Lab, serve: Callable[..., Target]) -> None:
    target = serve("--body", "hello")
    command = lab.command("load", target.url, "-d", "1h", "-r", "200", "--json", "x.json")
    process = subprocess.Popen(
        command, cwd=lab.folder, env=lab.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    assert "verified/s" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130, err
    assert "warning: interrupted" in out
    assert "verified answers/s" in out
    found = json.loads((lab.folder / "x.json").read_text())
    assert found["interrupted"] and found["verified"] > 0
    assert target.stop()["requests"] >= found["verified"]
