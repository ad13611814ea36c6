"""Errors that nobody foresaw, and interrupts at moments that nobody chose: no traceback, and never the status 1."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrial.base.exit_status import INTERRUPTED, NOTHING_RAN, UNFORESEEN
from tests.called_here import Call
from tests.command_line import Lab

INTERRUPTED_IMPORT = """
import os, runpy, signal, sys
interrupt, module = sys.argv.pop(1), sys.argv.pop(1)
class Interrupts:
    def find_spec(self, name, *_):
        if name == module:
            {"plain": lambda: os.kill(os.getpid(), signal.SIGINT),
             "in a text": lambda: exec("os.kill(os.getpid(), signal.SIGINT)")}[interrupt]()
sys.meta_path.insert(0, Interrupts())
runpy.run_module("fairtrial", run_name="__main__")
"""
INTERRUPTED_AT_EXIT = """
import atexit, os, runpy, signal
atexit.register(os.kill, os.getpid(), signal.SIGINT)
runpy.run_module("fairtrial", run_name="__main__")
"""


def raises(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Have `fairtrial list` fail."""

    def fail() -> None:
        raise error

    monkeypatch.setattr("fairtrial.experiment.files.shipped_experiments", fail)


def details(lab: Lab) -> list[Path]:
    """The files of errors in this process; other tests use the same cache at the same time."""
    return sorted((lab.cache / "errors").glob(f"*-{os.getpid()}-*.txt"))


def test_an_error_is_one_line_and_its_traceback_is_in_a_file(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(details(lab))
    raises(monkeypatch, ZeroDivisionError("nobody\nforesaw \x1b[31mthis"))
    finished = call("list", "experiments")
    assert finished.status == UNFORESEEN
    (line,) = finished.err.splitlines()
    (file,) = set(details(lab)) - before
    assert "ZeroDivisionError: nobody foresaw" in line and file.name in line
    assert "\x1b" not in line
    assert "Traceback" in file.read_text() and "nobody\nforesaw" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_no_secret_is_in_the_line_or_in_the_file(lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(details(lab))
    monkeypatch.setenv("SHOP_TOKEN", "c0ffee-and-cake")
    monkeypatch.setenv("XDG_SESSION_ID", "1")
    monkeypatch.setenv("PWD", "/usr")
    monkeypatch.setenv("SHOP", "postgresql://shop:pa55word@db/shop")
    raises(monkeypatch, ValueError("c0ffee-and-cake postgresql://lab:s3cret@db/x pa55word sk-abcdefghijklmnopqrstuvw"))
    finished = call("list", "experiments")
    (file,) = set(details(lab)) - before
    for text in (finished.err, file.read_text()):
        for secret in ("c0ffee-and-cake", "s3cret", "pa55word", "sk-abcdefghijklmnopqrstuvw"):
            assert secret not in text
    assert "postgresql://lab:" in finished.err
    assert "env PWD" not in file.read_text() and "SESSION_ID" not in file.read_text()


def test_an_interrupt_that_a_library_wrapped_is_still_one(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped = ImportError("half loaded")
    wrapped.__cause__ = KeyboardInterrupt()
    raises(monkeypatch, wrapped)
    assert call("list", "experiments").status == INTERRUPTED


def test_a_question_that_is_not_answered_is_not_a_refutation(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`services install` asks first; there is nobody to answer."""
    monkeypatch.setattr("fairtrial.tools.provision.install.missing_packages", lambda services: ["nothing"])
    monkeypatch.setattr("sys.stdin", None)
    with open(os.devnull) as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        assert call("services", "install", "sqlite").status == INTERRUPTED


def test_an_output_that_is_full(lab: Lab) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            lab.command("list", "experiments"),
            cwd=lab.folder,
            env=lab.environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == NOTHING_RAN
    assert "No space left on device" in done.stderr and "remedy: free space" in done.stderr
    assert "Traceback" not in done.stderr and "fault of Fairtrial" not in done.stderr


@pytest.mark.parametrize("module", ["typer", "pydantic"])
@pytest.mark.parametrize("interrupt", ["plain", "in a text"])
def test_an_interrupt_while_it_is_loaded(lab: Lab, module: str, interrupt: str) -> None:
    """At the beginning of the command, and when a subcommand loads what it needs.

    Also while a text is run as a program, as is done to make a dataclass: of that, `python -m` would die by a signal.
    """
    (lab.folder / "interrupted.py").write_text(INTERRUPTED_IMPORT)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted", interrupt, module, "judge", "nowhere"],
        cwd=lab.folder,
        env=lab.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


def test_an_interrupt_at_the_exit(lab: Lab) -> None:
    """As one who presses Ctrl-C twice sends: the first is being handled."""
    (lab.folder / "interrupted.py").write_text(INTERRUPTED_AT_EXIT)
    done = subprocess.run(
        [sys.executable, "-m", "interrupted", "list", "experiments"],
        cwd=lab.folder,
        env=lab.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, "") and done.stdout
