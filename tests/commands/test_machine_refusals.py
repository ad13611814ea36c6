"""What the machine refused to the lab, and texts that are none: told with a remedy, and no fault of Fairtrial."""

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial.base.exit_status import NOTHING_RAN, UNFORESEEN, WRONG_USE
from fairtrial.commands.machine_refusals import refusal_by_machine
from tests.called_here import Call
from tests.command_line import Lab
from tests.commands.test_unforeseen import raises
from tests.lines import passage
from tests.machine.needs import needs
from tests.tools.load.conftest import Target, serve  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("number", "path", "remedy"),
    [
        (errno.EMFILE, None, "ulimit -n"),
        (errno.ENFILE, None, "fs.file-max"),
        (errno.ENOSPC, "/var/lab", "free space"),
        (errno.EDQUOT, None, "quota"),
        (errno.EROFS, "/var/lab", "can be written"),
        (errno.ENOMEM, None, "free memory"),
        (errno.EACCES, "/var/lab", "permissions"),
        (errno.EPERM, "/var/lab", "permissions"),
        (errno.EADDRNOTAVAIL, None, "127.0.0.1"),  # as on a host with IPv6 alone
        (errno.EAGAIN, None, "limit of processes"),
    ],
)
def test_what_a_user_can_see_to(
    call: Call, monkeypatch: pytest.MonkeyPatch, number: int, path: str | None, remedy: str
) -> None:
    raises(monkeypatch, OSError(number, os.strerror(number), path))
    finished = call("list", "experiments")
    assert finished.status == NOTHING_RAN
    assert remedy in finished.err and "fault of Fairtrial" not in finished.err
    assert path is None or f"{path}: {os.strerror(number)}" in finished.err


def test_what_a_library_made_of_it() -> None:
    error = RuntimeError("the pool is broken")
    error.__cause__ = OSError(errno.EMFILE, "Too many open files")
    assert refusal_by_machine(error) is not None
    assert refusal_by_machine(RuntimeError("can't start new thread")) is not None


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(errno.EPERM, "Operation not permitted"),  # of what? nobody could mend that
        ValueError("no such thing"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        FileNotFoundError(errno.ENOENT, "No such file or directory", "/x"),
        RuntimeError("dictionary changed size during iteration"),
    ],
)
def test_what_stays_a_fault(call: Call, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    assert refusal_by_machine(error) is None
    raises(monkeypatch, error)
    assert call("list", "experiments").status == UNFORESEEN


def test_bytes_in_an_argument_are_no_text(call: Call) -> None:
    """In Python they are surrogates, which UTF-8 cannot write."""
    finished = call("ab", "-n", "10", "-A", "ada\udcf6:secret", "http://127.0.0.1:1/")
    assert finished.status == WRONG_USE
    assert "ada\\udcf6" in finished.err and "bytes that are no text" in finished.err


@pytest.mark.parametrize(
    ("key", "arguments"),
    [("headers", ["-H", "X: a\udcf6"]), ("body", ["--body", "a\udcf6"]), ("body_file", ["--body", "@a\udcf6"])],
)
def test_bytes_in_what_is_sent_are_named(
    lab: Lab,
    call: Call,
    serve: Callable[..., Target],  # noqa: F811
    key: str,
    arguments: list[str],
) -> None:
    (lab.folder / os.fsdecode(b"a\xf6")).touch()
    finished = call("load", "-d", "200ms", *arguments, serve().url)
    assert finished.status == WRONG_USE
    assert f"{key}: " in finished.err and "a\\udcf6" in finished.err and "bytes that are no text" in finished.err


def run(lab: Lab, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """A command of a shell, in the lab's folder."""
    return subprocess.run(
        command,
        cwd=lab.folder,
        env=lab.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_more_connections_than_files(lab: Lab, snapshot: object) -> None:
    """It is said before anything is built: no contender is blamed for it."""
    stack = lab.stack("mine", build=[["touch", "built"]])
    arguments = lab.command("run", lab.experiment(stack), *lab.named(stack))
    done = run(lab, "sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", *arguments)
    assert done.returncode == NOTHING_RAN, done.stdout + done.stderr
    assert passage(done.stderr, "68 open files", "and 64") == snapshot
    assert "ulimit -n" in done.stderr and not (lab.folder / "results").exists()


@needs("root")
def test_root_without_its_rights(lab: Lab) -> None:
    """As in a container that has dropped all capabilities: servers run as the lab does."""
    stack = lab.stack("mine")
    arguments = lab.command("run", lab.experiment(stack), *lab.named(stack))
    done = run(lab, "setpriv", "--bounding-set=-all", "--inh-caps=-all", *arguments)
    assert "fault of Fairtrial" not in done.stderr, done.stderr
    assert "report, in one file:" in done.stdout and "not run" not in done.stdout, done.stdout + done.stderr
