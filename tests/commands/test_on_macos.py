"""What the table says of macOS, in a Python that lacks what it lacks there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from fairtrial.commands import app
from fairtrial.commands.on_macos import DOES_NOT, WORKS
from fairtrial.record.write import RecordWriter
from tests.builders import a_trial, an_experiment, trials_of

SCRIPT = Path(__file__).with_name("as_on_macos.py")
DATA = Path(__file__).parents[1]
ARGUMENTS = {
    "judge": ["RUN"],
    "compare": ["RUN", "RUN"],
    "history": ["RUN"],
    "pool": ["RUN"],
    "cross-examine": [str(DATA / "fairtrial_cross_examine/data/tools/k6-honest.json")],
    "docket": ["build", "."],
    "import": [str(DATA / "fairtrial_import/data/shop.har")],
    "list": [],
    "explain": ["harness-limited"],
    "why": ["why-restify"],
    "check": ["go-net-http"],
    "load": ["http://127.0.0.1:9/"],
    "ab": ["http://127.0.0.1:9/"],
    "wrk": ["http://127.0.0.1:9/"],
    "services": ["install", "redis"],
    "cluster": ["check"],
    "adopt": ["entry"],
}


def on_macos(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "PYTHONPATH": str(DATA.parent), "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_table_has_every_command() -> None:
    group = typer.main.get_command(app)
    assert sorted([*WORKS, *DOES_NOT]) == sorted(group.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", WORKS)
def test_what_works_works_without_linux(command: str, tmp_path: Path) -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(record, lambda name, block: a_trial().serving(4000 + 10 * block + (name == "a")))
    (tmp_path / "RUN").mkdir()
    with RecordWriter(tmp_path / "RUN") as writer:
        for line in (record, *trials):
            writer.append(line)
    done = on_macos(tmp_path, command, *ARGUMENTS[command])
    assert done.returncode in (0, 1, 3), done.stderr
    assert "not foreseen" not in done.stderr and "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) > 1
    if command in ("judge", "history"):
        assert list(tmp_path.rglob("*.html"))


@pytest.mark.parametrize("command", [name for name in DOES_NOT if name not in ("lab", "worker")])
def test_what_needs_linux_says_so_at_once(command: str, tmp_path: Path) -> None:
    done = on_macos(tmp_path, command, *ARGUMENTS.get(command, []))
    assert done.returncode == 4, done.stderr
    error, remedy = done.stderr.splitlines()
    assert f"`fairtrial {command}` needs Linux" in error and "virtual machine or container" in remedy
    assert ("`fairtrial judge DIR`" in error) == (command == "why")
    assert not any(tmp_path.rglob("*.txt"))


def test_the_help_of_what_needs_linux_is_shown(tmp_path: Path) -> None:
    assert "--rate" in on_macos(tmp_path, "load", "--help").stdout
