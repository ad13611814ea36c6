"""docs/ci.md: its jobs are carried out in the clone of a pull request; the real command takes the arguments that they
give."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.experiment.model import Experiment
from tests.catalog.stacks.repositories import git
from tests.docs.pages import DOCS, ROOT, code_blocks
from tests.docs.pull_request import a_pull_request

GITHUB, GITLAB = (yaml.safe_load(block) for block in code_blocks(DOCS / "ci.md", "yaml"))
(ANY_CI,) = code_blocks(DOCS / "ci.md", "sh")
WHEEL = "https://wheels.invalid/fairtrial-0.1.0-py3-none-manylinux_2_17_x86_64.whl"
STAND_IN = """#!/bin/sh
printf '%s\\n' "$@" > {arguments}
exit "$STATUS"
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return a_pull_request(tmp_path)


def carried_out(commands: str, clone: Path, status: int = 0) -> int:
    """The exit status of a job's commands, with stand-ins for `pip` and `fairtrial`."""
    programs = clone.parent / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("pip", "fairtrial"):
        (programs / name).write_text(STAND_IN.format(arguments=clone.parent / f"{name}-arguments"))
        (programs / name).chmod(0o755)
    variables = {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "STATUS": "0",
        "FAIRTRIAL": WHEEL,
        "BASE": "trunk",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(clone.parent / "origin", "rev-parse", "trunk"),
    }
    script = commands.replace("fairtrial ab-test", f"STATUS={status} fairtrial ab-test")
    return subprocess.run(["bash", "-e", "-c", script], cwd=clone, env=os.environ | variables, check=False).returncode


def compared(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """What the real command would carry out, with the arguments that the stand-in was given."""
    seen: list[Experiment] = []

    def instead(_console: object, experiment: Experiment, *_: object, **__: object) -> None:
        seen.append(experiment)
        raise Problem("it would be carried out")

    monkeypatch.setattr("fairtrial.commands.carry_out.carry_out", instead)
    monkeypatch.chdir(clone)
    with pytest.raises(Problem, match="it would be carried out"):
        app((clone.parent / "fairtrial-arguments").read_text().splitlines(), standalone_mode=False)
    before, after = next(iter(seen[0].contenders.values())).tried_refs.values()
    assert git(clone, "show", f"{before}:milliseconds") == "0" and git(clone, "show", f"{after}:milliseconds") == "30"
    return seen[0]


@pytest.mark.parametrize("commands", [ANY_CI, "\n".join(GITLAB["performance"]["script"])], ids=["any", "gitlab"])
def test_both_commits_are_compared(commands: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert carried_out(commands, clone) == 0
    assert (clone.parent / "pip-arguments").read_text().splitlines()[-1] == WHEEL
    assert compared(clone, monkeypatch).claims[0].text.endswith("by more than 10%")


def test_undecided_may_pass_and_slower_does_not(clone: Path) -> None:
    lenient = f"{ANY_CI.strip()} || [ $? -eq 3 ]"
    assert "`|| [ $? -eq 3 ]`" in " ".join((DOCS / "ci.md").read_text().split())
    assert [carried_out(lenient, clone, status) for status in (0, 1, 2, 3, 4)] == [0, 1, 1, 0, 1]
    assert GITLAB["performance"]["allow_failure"] == {"exit_codes": 3}


def test_gitlab_keeps_what_the_command_writes() -> None:
    command = shlex.split(GITLAB["performance"]["script"][-1])
    kept = GITLAB["performance"]["artifacts"]
    assert command[command.index("--markdown") + 1] in kept["paths"] and "results" in kept["paths"]
    assert command[command.index("--junit") + 1] == kept["reports"]["junit"]


def test_github_uses_the_action_as_it_is_on_a_request_that_may_only_read() -> None:
    described = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = GITHUB["jobs"]["performance"]["steps"]
    assert steps[1]["uses"].startswith("OWNER/fairtrial@") and steps[1]["with"].keys() <= described["inputs"].keys()
    assert GITHUB[True] == "pull_request", "to YAML, `on` is true"
    assert GITHUB["permissions"] == {"contents": "read"}
