"""`fairtrial run` without an argument: the fairtrial.toml that lies there, and else the quickstart."""

from pathlib import Path
from typing import Any

import pytest

from tests.called_here import Call
from tests.command_line import Lab

MINE = 'name = "mine"\ntitle = "Mine"\nworkload = "plaintext"\nstacks = ["go-nethttp"]\n[load]\nkind = "closed"\n'


@pytest.mark.parametrize(
    ("file", "arguments", "name"),
    [
        ("fairtrial.toml", [], "mine"),
        ("other.toml", [], "quickstart"),
        ("fairtrial.toml", ["quickstart"], "quickstart"),
    ],
)
def test_what_lies_there_is_run(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch, file: str, arguments: list[str], name: str
) -> None:
    (lab.folder / file).write_text(MINE)
    seen: list[tuple[str, Path]] = []

    def instead(_console: object, experiment: Any, file: Path, *_: object, **__: object) -> None:
        seen.append((experiment.name, file))
        raise KeyboardInterrupt

    monkeypatch.setattr("fairtrial.commands.carry_out.carry_out", instead)
    finished = call("run", *arguments)

    assert [each for each, _ in seen] == [name]
    said = "the fairtrial.toml of this folder (for the quickstart: fairtrial run quickstart)"
    assert (said in finished.out) == (name == "mine")
