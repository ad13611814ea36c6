"""Locales that are not UTF-8: every command prints what it has to say, and none ends by a character."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import a_trial, an_experiment, trials_of
from tests.command_line import Lab
from tests.tools.load.conftest import Target, serve  # noqa: F401 - a fixture

COMMANDS = ["run", "init", "ab-test", "why", "load", "ab", "wrk", "check", "list", "services", "doctor", "cluster",
            "judge", "compare", "history", "pool", "cross-examine", "docket", "import", "adopt"]  # fmt: skip
LOCALES = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "latin-1": {"PYTHONIOENCODING": "iso-8859-1"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
HELPS = "from fairtrial.__main__ import main; import sys; sys.argv = ['fairtrial', *sys.argv[1:]]; main()"


def call(locale: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    unset = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return subprocess.run(
        [sys.executable, "-c", HELPS, *arguments],
        cwd=folder,
        env={**unset, **LOCALES[locale]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("locale", LOCALES)
def test_every_help_is_printed(locale: str, tmp_path: Path) -> None:
    script = (
        "import contextlib, io, sys\n"
        "from fairtrial.__main__ import _accept_all_characters\n"
        "from fairtrial.commands import app\n"
        "_accept_all_characters()\n"
        "for command in sys.argv[1:]:\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        app([command, '--help'], prog_name='fairtrial')\n"
    )
    unset = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    done = subprocess.run(
        [sys.executable, "-c", script, *COMMANDS],
        cwd=tmp_path,
        env={**unset, **LOCALES[locale]},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(f"fairtrial {command}".encode() in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_title_with_any_character(locale: str, tmp_path: Path) -> None:
    """Names of files and titles of experiments hold what their authors write; an error quotes them."""
    file = tmp_path / "größe.toml"
    file.write_text('name = "x"\ntitle = "µ → 漢"\nworkload = "漢"\nstacks = []\n', encoding="utf-8")
    done = call(locale, tmp_path, "run", str(file))
    assert done.returncode == 2, done.stderr
    assert b"error:" in done.stderr and b".toml" in done.stderr


@pytest.mark.parametrize("locale", LOCALES)
def test_what_was_measured_is_printed(lab: Lab, serve: Callable[..., Target], locale: str) -> None:  # noqa: F811
    """After a load no character may cost its figures; files are UTF-8 in any locale."""
    done = call(locale, lab.folder, "load", "-n", "20", "--json", "x.json", serve("--body", "gr\u00f6\u00dfe").url)
    assert done.returncode in (0, 3), done.stderr
    assert b"verified" in done.stdout and json.loads((lab.folder / "x.json").read_text(encoding="utf-8"))

    record = an_experiment("a", "b", blocks=1).record()
    titled = record.experiment.model_copy(update={"title": "\u00b5 \u2192 \u6f22"})
    record = record.model_copy(update={"experiment": titled})
    lines = [record, *trials_of(record, a_trial())]
    (lab.folder / "record.jsonl").write_text("".join(line.model_dump_json() + "\n" for line in lines), encoding="utf-8")
    done = call(locale, lab.folder, "judge", ".", "--markdown", "x.md")
    assert done.returncode == 0 and b"report" in done.stdout, done.stderr
    assert "\u00b5 \u2192 \u6f22" in (lab.folder / "report.html").read_text(encoding="utf-8")
    assert (lab.folder / "x.md").read_text(encoding="utf-8")


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes('title = "Größe"\n'.encode("iso-8859-1"))
    done = call("latin-1", tmp_path, "run", "latin.toml")
    assert done.returncode == 2 and b"latin.toml" in done.stderr, done.stderr
