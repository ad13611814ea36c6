"""action.yml: its steps are carried out as GitHub's runner does it, in the shallow clone of a pull request."""

import json
import shutil
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from fairtrial.report.junit import JunitCase, suite_text
from tests.catalog.stacks.repositories import git
from tests.command_line import Lab
from tests.docs.github_runner import Job, run_action
from tests.docs.pages import ROOT
from tests.docs.pull_request import a_pull_request
from tests.lines import line_with

STAND_IN = """#!/bin/sh
echo "$@" > "$OUT/arguments"
while [ $# -gt 0 ]; do
    case $1 in
        --out) mkdir "$2/shop-20261128-120000" && echo report > "$2/shop-20261128-120000/report.html" ;;
        --markdown) echo "## tables" > "$2" ;;
        --junit) [ ! -f "$OUT/junit.xml" ] || cp "$OUT/junit.xml" "$2" ;;
    esac
    shift
done
exit "$STATUS"
"""
HOSTILE = '$(touch stolen)`touch stolen`"; touch stolen; #'
EVENT = {
    "event_name": "pull_request",
    "event": {"pull_request": {"number": 7, "title": HOSTILE}},
    "base_ref": "trunk",
    "head_ref": HOSTILE,
    "token": "secret",
}


class Action:
    """The action with a stand-in for `fairtrial`, on a pull request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "action"
        (self.folder / "engine").mkdir(parents=True)
        shutil.copy(ROOT / "action.yml", self.folder)
        (self.folder / "fairtrial").write_text(STAND_IN)
        (self.folder / "fairtrial").chmod(0o755)
        self.clone = a_pull_request(folder / "pull-request")
        self.environment = {"OUT": str(folder), "STATUS": "0", "GITHUB_REPOSITORY": "somebody/shop"}

    def run(self, **inputs: str) -> Job:
        scratch = self.folder.parent / "runner"
        scratch.mkdir()
        return run_action(self.folder, self.clone, scratch, EVENT, self.environment, **inputs)

    @property
    def arguments(self) -> str:
        """What the stand-in was called with, up to the files that it writes."""
        return (self.folder.parent / "arguments").read_text().partition(" --out")[0]


@pytest.fixture
def action(tmp_path: Path) -> Action:
    return Action(tmp_path)


@pytest.mark.measures
def test_a_slower_pull_request_is_found_in_its_shallow_clone(lab: Lab) -> None:
    clone = a_pull_request(lab.folder / "pull-request")
    scratch = lab.folder / "runner"
    scratch.mkdir()

    job = run_action(ROOT, clone, scratch, EVENT, lab.environment, margin="20%")

    assert not job.succeeds and job.outputs["verdict"] == "refuted", job.log
    assert "app: HEAD is slower than fairtrial/base by more than 20%" in job.log
    assert "## app: HEAD against fairtrial/base" in job.summary
    report = Path(job.outputs["report"])
    assert "<html" in report.read_text()
    kept = job.used["actions/upload-artifact@v7"]
    assert Path(kept["path"]) in report.parents and (report.parent / "record.jsonl").exists()
    assert kept["name"] == f"{report.parent.name}-0"
    assert job.used["actions/cache@v6"]["path"] == "~/.cache/fairtrial"


def test_the_commit_that_the_pull_request_would_be_merged_into_is_fetched(action: Action) -> None:
    job = action.run()

    assert job.succeeds, job.log
    assert action.arguments == "ab-test fairtrial/base HEAD --margin 10%"
    assert git(action.clone, "show", "fairtrial/base:milliseconds") == "0"
    assert git(action.clone, "show", "HEAD:milliseconds") == "30"
    assert git(action.clone, "show", "fairtrial/base:other") == "of trunk alone", "what it is merged into is newer"
    assert git(action.clone, "rev-list", "--count", "fairtrial/base") == "1"


def test_a_base_that_is_named_is_fetched(action: Action) -> None:
    assert action.run(base="first", margin="3%", minutes="9").succeeds
    assert action.arguments == "ab-test fairtrial/base HEAD --margin 3% --minutes 9"
    assert "of trunk alone" not in git(action.clone, "ls-tree", "--name-only", "fairtrial/base")


def test_a_complete_clone_stays_complete(action: Action) -> None:
    git(action.clone, "fetch", "--quiet", "--unshallow")
    assert action.run().succeeds
    assert git(action.clone, "rev-parse", "--is-shallow-repository") == "false"


def test_an_experiment_is_run_in_place_of_the_comparison(action: Action) -> None:
    (action.clone / "services" / "shop").mkdir(parents=True)
    assert action.run(experiment="budget.toml", folder="services/shop", minutes="2").succeeds
    assert action.arguments == "run budget.toml --minutes 2"


@pytest.mark.parametrize(
    ("status", "undecided", "verdict", "succeeds", "said"),
    [
        ("0", "fail", "upheld", True, ""),
        ("1", "pass", "refuted", False, "::error title=Fairtrial::refuted"),
        ("1", "pass", "equal", False, "::error title=Fairtrial::equal"),
        ("3", "fail", "undecided", False, "::error title=Fairtrial::undecided"),
        ("3", "pass", "undecided", True, "::warning title=Fairtrial::undecided"),
        ("4", "pass", "none", False, "::error title=Fairtrial::nothing could be judged"),
    ],
)
def test_the_job_fails_as_the_command_does_and_the_pull_request_says_why(
    action: Action, status: str, undecided: str, verdict: str, succeeds: bool, said: str
) -> None:
    action.environment["STATUS"] = status
    claims = [JunitCase("claims", each, "failure", f"{each}: why", "") for each in ("equal", verdict)]
    (action.folder.parent / "junit.xml").write_text(suite_text("shop", "2026-11-28T12:00:00", claims))
    job = action.run(undecided=undecided)
    assert (job.outputs["verdict"], job.succeeds) == (verdict, succeeds)
    annotations = [line for line in job.log.splitlines() if line.startswith("::")]
    assert annotations == ([f"{said}: the summary of the job says why"] if said else [])
    assert job.summary == "## tables\n"
    assert job.used["actions/upload-artifact@v7"]["name"] == "shop-20261128-120000-0"


def test_what_strangers_write_is_never_part_of_a_script(action: Action) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    assert all("${{" not in step.get("run", "") for step in steps)
    for inputs in ({"base": HOSTILE}, {"margin": HOSTILE}, {"experiment": HOSTILE}):
        shutil.rmtree(action.folder.parent / "runner", ignore_errors=True)
        action.run(**inputs)
        assert not list(action.folder.parent.rglob("stolen"))


def test_a_version_is_installed_apart_from_other_programs(action: Action, tmp_path: Path) -> None:
    wheel = tmp_path / "fairtrial-9.9-py3-none-any.whl"
    described = "fairtrial-9.9.dist-info/"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("stand_in.py", "def main(): print('of the wheel')")
        file.writestr(described + "METADATA", "Metadata-Version: 2.1\nName: fairtrial\nVersion: 9.9\n")
        file.writestr(described + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(described + "entry_points.txt", "[console_scripts]\nfairtrial = stand_in:main\n")
        file.writestr(described + "RECORD", "")

    job = action.run(version=str(wheel))

    assert job.succeeds and "of the wheel" in job.log
    assert "actions/cache@v6" not in job.used, "there is nothing to compile"
    assert [path.name for path in Path(job.path[0]).iterdir()] == ["fairtrial"]


class Api(ThreadingHTTPServer):
    """A stand-in for GitHub's: the comments on pull request 7, which others write as well."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        mark = "<!-- fairtrial: . -->"
        self.comments = [{"id": i, "user": {"type": "User"}, "body": f"{mark} by a person"} for i in range(120)]
        self.status = 200


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        (page,) = parse_qs(urlsplit(self.path).query)["page"]
        self._answer(self.server.comments[(int(page) - 1) * 100 : int(page) * 100])

    def do_POST(self) -> None:
        assert self.path == "/repos/somebody/shop/issues/7/comments"
        self.server.comments.append({"id": 1000, "user": {"type": "Bot"}, "body": self._body()})
        self._answer({})

    def do_PATCH(self) -> None:
        assert self.path == "/repos/somebody/shop/issues/comments/1000"
        self.server.comments[-1]["body"] = self._body()
        self._answer({})

    def _body(self) -> str:
        text: str = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        return text

    def _answer(self, content: Any) -> None:
        status = self.server.status if self.headers["Authorization"] == "Bearer secret" else 401
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def api(action: Action) -> Iterator[Api]:
    with Api() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        action.environment["GITHUB_API_URL"] = f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()
        thread.join()


def test_one_comment_has_the_tables_and_is_rewritten(action: Action, api: Api) -> None:
    assert action.run(comment="true").succeeds
    (action.folder / "fairtrial").write_text(STAND_IN.replace("## tables", "## tables of a later run"))
    shutil.rmtree(action.folder.parent / "runner")
    job = action.run(comment="true")

    assert job.succeeds and "warning" not in job.log
    assert len(api.comments) == 121
    assert "## tables of a later run" in api.comments[-1]["body"]
    assert all("by a person" in comment["body"] for comment in api.comments[:120])


def test_nothing_is_said_on_the_pull_request_unasked(action: Action, api: Api) -> None:
    assert action.run().succeeds
    assert len(api.comments) == 120


def test_a_token_that_may_not_comment_fails_no_job(action: Action, api: Api, snapshot: object) -> None:
    api.status = 403
    job = action.run(comment="true")
    assert job.succeeds
    assert line_with(job.log, "::warning title=Fairtrial::no comment:") == snapshot
