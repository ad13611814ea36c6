"""The report, opened in a real browser without a network."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.command_line import Lab

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian: apt install chromium)")
def test_charts_are_drawn_offline_and_nothing_is_refused_by_the_policy(lab: Lab, tmp_path: Path) -> None:
    finished = lab.run(lab.stack("one"), lab.stack("two"), blocks=3)
    assert finished.results
    assert CHROMIUM
    opened = subprocess.run(
        [
            CHROMIUM,
            *QUIET,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            "--dump-dom",
            (finished.results / "report.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        stdin=subprocess.DEVNULL,
    )

    assert opened.stdout.count("<svg") + opened.stdout.count("<canvas") >= 2
    said = [line for line in opened.stderr.splitlines() if "CONSOLE" in line]
    assert said == []
