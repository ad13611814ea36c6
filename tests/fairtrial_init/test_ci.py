"""`fairtrial init --ci`: the file for a CI service, which tries the experiment that is there."""

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairtrial import __version__
from fairtrial.base.problem import Problem
from fairtrial.experiment.model import Experiment
from tests.called_here import Call
from tests.catalog.stacks.repositories import a_repository, git
from tests.command_line import Lab
from tests.docs.test_action import Action, action
from tests.lines import line_with

__all__ = ["action"]

EXPERIMENT = """
name = "shop"
title = "A shop"
workload = "plaintext"
stacks = ["app"]
[load]
[contenders.app]
folder = "."
command = ["true"]
"""


@pytest.fixture
def repository(lab: Lab) -> Path:
    """A repository with a service in a folder of its own."""
    a_repository(lab.folder / "shops", {"shop/fairtrial.toml": EXPERIMENT}, {"shop/version": "2"})
    return lab.folder / "shops"


def test_the_workflow_of_github_calls_the_action(action: Action, call: Call) -> None:
    """Which compares both commits of a pull request. Strangers get no more than they have: read-only permissions."""
    finished = call("init", action.clone, "--ci", "github")

    assert finished.status == 0, finished.out + finished.err
    file = action.clone / ".github" / "workflows" / "fairtrial.yml"
    assert "written: " in finished.out and file.name in finished.out.replace("\n", "")
    assert git(action.clone, "status", "--porcelain") == "?? .github/", "nothing else is written"
    assert "In place of OWNER: the user or organisation" in file.read_text()
    workflow: dict[Any, Any] = yaml.safe_load(file.read_text())
    assert workflow[True] == "pull_request" and workflow["permissions"] == {"contents": "read"}  # YAML's `on` is true
    checkout, step = workflow["jobs"]["ab-test"]["steps"]
    assert checkout["uses"].startswith("actions/checkout@") and step["uses"].endswith("/fairtrial@main")
    job = action.run(**{name: str(value).lower() for name, value in step["with"].items()})
    assert job.succeeds, job.log
    assert action.arguments == "ab-test fairtrial/base HEAD --margin 10% --minutes 10"


def test_a_service_in_a_folder_of_its_own(repository: Path, call: Call, snapshot: object) -> None:
    assert call("init", repository / "shop", "--ci", "github").status == 0
    workflow = yaml.safe_load((repository / ".github" / "workflows" / "fairtrial.yml").read_text())
    assert workflow["jobs"]["ab-test"]["steps"][1]["with"]["folder"] == "shop"

    shutil.copytree(repository / "shop", repository / "shop $(x)")
    refused = call("init", repository / "shop $(x)", "--ci", "gitlab")
    assert refused.status == 2
    assert line_with(refused.err, "give the folder") == snapshot


def test_the_file_of_gitlab_compares_both_commits(
    repository: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("init", repository / "shop", "--ci", "gitlab").status == 0

    job = yaml.safe_load((repository / "fairtrial.gitlab-ci.yml").read_text())["fairtrial"]
    assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert job["variables"] == {"FAIRTRIAL": f"fairtrial=={__version__}"}
    install, fetch, change_folder, compare = job["script"]
    assert install == 'pip install --quiet "$FAIRTRIAL"' and fetch.startswith("git fetch --quiet --depth 1 origin")
    assert change_folder == "cd shop" and job["artifacts"]["paths"] == ["shop/results", "shop/ab-test.md"]
    words = shlex.split(compare.replace("$CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD~1"))
    assert words[0] == "fairtrial"
    seen: list[Experiment] = []

    def instead(_console: object, experiment: Experiment, *_: object, **__: object) -> None:
        seen.append(experiment)
        raise Problem("it would be carried out")

    monkeypatch.setattr("fairtrial.commands.carry_out.carry_out", instead)
    monkeypatch.chdir(repository / "shop")
    assert "it would be carried out" in call(*words[1:]).err
    (experiment,) = seen
    assert experiment.contenders["app"].tried_refs == {"head-1": "HEAD~1", "head": "HEAD"}
    assert experiment.minutes == 10 and experiment.claims[0].text.endswith("HEAD~1 by more than 10%")


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_for_a_service_at_the_top_no_folder_is_written(lab: Lab, call: Call, service: str) -> None:
    top = lab.folder / "shop"
    a_repository(top, {"fairtrial.toml": EXPERIMENT}, {"version": "2"})
    assert call("init", top, "--ci", service).status == 0
    text = next(top.rglob("*fairtrial*.yml")).read_text()
    assert not re.search(r"cd |folder:|\./|FOLDER", text)
    if service == "gitlab":
        job = yaml.safe_load(text)["fairtrial"]
        assert len(job["script"]) == 3 and job["artifacts"]["paths"] == ["results", "ab-test.md"]
        assert job["artifacts"]["reports"] == {"junit": "ab-test.xml"}


def test_a_file_that_is_there_stays(repository: Path, call: Call) -> None:
    file = repository / "fairtrial.gitlab-ci.yml"
    file.write_text("mine")
    refused = call("init", repository / "shop", "--ci", "gitlab")
    assert refused.status == 2 and "there already" in refused.err and file.read_text() == "mine"
    assert call("init", repository / "shop", "--ci", "gitlab", "--force").status == 0
    assert "merge_request_event" in file.read_text()
    assert (repository / "shop" / "fairtrial.toml").read_text() == EXPERIMENT


def test_a_folder_in_no_repository(lab: Lab, call: Call) -> None:
    (lab.folder / "shop").mkdir()
    (lab.folder / "shop" / "fairtrial.toml").write_text(EXPERIMENT)
    finished = call("init", "shop", "--ci", "github")
    assert finished.status == 2 and "not in a git repository" in finished.err
