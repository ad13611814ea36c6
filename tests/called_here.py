"""Commands called in the process of the test, which need neither a process of their own nor its end."""

import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairtrial.commands import main
from tests.command_line import Finished, Lab

Call = Callable[..., Finished]


@pytest.fixture
def call(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Call]:
    """`fairtrial` with these arguments, as the command line calls it: in the lab's folder, with its environment."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.chdir(lab.folder)
    for name, value in lab.environment.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str | Path) -> Finished:
        monkeypatch.setattr(sys, "argv", ["fairtrial", *map(str, arguments)])
        before = set((lab.folder / "results").glob("*"))
        with pytest.raises(SystemExit) as exited:
            main()
        out, err = capsys.readouterr()
        new = sorted(set((lab.folder / "results").glob("*")) - before)
        return Finished(int(exited.value.code or 0), out, err, new[0] if new else None)

    yield call
    for number, handler in handlers.items():
        signal.signal(number, handler)
