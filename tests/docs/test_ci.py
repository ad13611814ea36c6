"""docs/ci.md: its commands are carried out in a shallow clone; the real command takes the arguments that they give."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.experiment.model import Experiment
from tests.catalog.stacks.repositories import a_repository, git
from tests.docs.pages import DOCS, code_blocks

STAND_IN = """#!/bin/sh
printf '%s\\n' "$@" > arguments
echo '## tables' > ab-test.md
exit "$STATUS"
"""
FILE = """
name = "shop"
title = "A shop"
workload = "plaintext"
stacks = ["app"]
[load]
[contenders.app]
folder = "."
command = ["true"]
"""
(WORKFLOW,) = code_blocks(DOCS / "ci.md", "yaml")
ANY_CI, LENIENT = code_blocks(DOCS / "ci.md", "sh")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A change, cloned as CI services do it: without the branch that it is meant for."""
    origin = tmp_path / "origin"
    origin.mkdir()
    (origin / "fairtrial.toml").write_text(FILE)
    a_repository(origin, {"version": "1"}, {"version": "2"})
    git(origin, "branch", "trunk", "HEAD~1")
    git(origin, "branch", "change", "HEAD")
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", "--branch", "change", f"file://{origin}", str(folder))
    (folder / ".fairtrial").mkdir()
    (folder / ".fairtrial" / "fairtrial").write_text(STAND_IN)
    (folder / ".fairtrial" / "fairtrial").chmod(0o755)
    return folder


def carried_out(commands: str, clone: Path, status: int = 0) -> int:
    """The exit status of a step's commands, in a shell that stops at the first that fails."""
    variables = {"BASE": "trunk", "STATUS": str(status), "GITHUB_STEP_SUMMARY": str(clone / "summary.md")}
    return subprocess.run(["bash", "-e", "-c", commands], cwd=clone, env=os.environ | variables, check=False).returncode


def compared(clone: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """What the real command would carry out, with the arguments that the stand-in was given."""
    seen: list[Experiment] = []

    def instead(_console: object, experiment: Experiment, *_: object, **__: object) -> None:
        seen.append(experiment)
        raise Problem("it would be carried out")

    monkeypatch.setattr("fairtrial.commands.carry_out.carry_out", instead)
    monkeypatch.chdir(clone)
    with pytest.raises(Problem, match="it would be carried out"):
        app((clone / "arguments").read_text().splitlines(), standalone_mode=False)
    for ref in ("origin/trunk", "HEAD"):
        assert git(clone, "cat-file", "-t", ref).strip() == "commit"
    return seen[0]


def steps() -> list[dict[str, Any]]:
    (job,) = yaml.safe_load(WORKFLOW)["jobs"].values()
    return [step for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("commands", [ANY_CI, steps()[0]["run"], ANY_CI.splitlines()[0] + "\n" + LENIENT])
def test_both_commits_are_compared(commands: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert carried_out(commands, clone) == 0
    experiment = compared(clone, monkeypatch)
    assert experiment.contenders["app"].tried_refs == {"origin-trunk": "origin/trunk", "head": "HEAD"}
    assert experiment.claims[0].text.endswith("origin/trunk by more than 10%")


def test_the_job_fails_as_the_command_does_and_has_its_tables_all_the_same(clone: Path) -> None:
    compare, summary = steps()
    assert carried_out(compare["run"], clone, status=1) == 1
    assert summary["if"] == "always()" and carried_out(summary["run"], clone) == 0
    assert (clone / "summary.md").read_text() == "## tables\n"
    (clone / "ab-test.md").unlink()
    assert carried_out(summary["run"], clone) == 0, "where nothing was tried"


def test_undecided_may_pass_and_slower_does_not(clone: Path) -> None:
    assert [carried_out(LENIENT, clone, status) for status in (0, 1, 2, 3, 4)] == [0, 1, 1, 0, 1]
