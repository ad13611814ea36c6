"""The first ten minutes of somebody who has a service in a repository: each step is one command, says what comes next,
and prints no more than a screen of 80 columns holds.

The installation is tried in test_installed.py, and a commit that is slower in test_ab_test.py.
"""

import json
import os
import re

import pytest

from tests.called_here import Call
from tests.catalog.stacks.repositories import a_repository
from tests.command_line import CALM, Lab

SERVICE = """
import http.server, os


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/items":
            pass
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Handler).serve_forever()
"""
SHORT = {
    "warmup_seconds = 1.0": "warmup_seconds = 0.1\nwarmup_limit_seconds = 0.2",
    "= 4.8": "= 0.5",
    "connections = 16": "connections = 2",
}
LENIENT = CALM + "[checks.unanswered]\nwindow_share = 1.0\n"


FINDING = ("warning", "note", "  ")
"""How the lines of a finding begin, and how they go on."""


def work_in_the_shop(lab: Lab) -> None:
    """The user works in the folder of a service from here on, on a terminal of 80 columns."""
    lab.folder /= "shop"
    a_repository(lab.folder, {"app.py": SERVICE, ".gitignore": "/results/\n"}, {"notes": "x"})
    lab.environment["COLUMNS"] = "80"


def printed(lab: Lab, *arguments: str, most_lines: int, status: int = 0) -> str:
    """What a command printed: no more than so many lines, beside what checks of a run found on the test's machine."""
    finished = lab.fairtrial(*arguments)
    assert finished.status == status, finished.out + finished.err
    findings = FINDING if "run" in arguments else ()
    lines = [line for line in finished.out.splitlines() if not line.startswith(findings)]
    assert len(lines) <= most_lines, finished.out
    return finished.out


def test_a_service_of_ones_own_from_nothing_to_its_report(lab: Lab) -> None:
    work_in_the_shop(lab)
    assert "fairtrial init " in printed(lab, most_lines=5)

    tried = printed(lab, "init", "--yes", most_lines=16)
    assert "✓ get-items" in tried and "fairtrial ab-test" in tried and "fairtrial run" in tried
    assert "fairtrial run " in (told := printed(lab, most_lines=5)) and "newest report" not in told

    file = lab.folder / "fairtrial.toml"
    text = file.read_text()
    for usual, short in SHORT.items():
        assert usual in text
        text = text.replace(usual, short)
    file.write_text(text + LENIENT)
    ran = printed(lab, "run", "--blocks", "1", most_lines=30)
    assert "the fairtrial.toml of this folder" in ran and re.search(r"^app +[\d,.]+ .* valid", ran, re.MULTILINE), ran
    report = ran.rpartition("in one file: ")[2].strip()
    assert (lab.folder / report).is_file()
    result = json.loads((lab.folder / report).with_name("result.json").read_text())
    assert [each["outcome"] for each in result["conditions"]] == ["valid"]

    assert f"The newest report: {report}" in printed(lab, most_lines=5)


def test_in_a_folder_with_nothing_three_lines_say_what_one_can_do(call: Call, snapshot: object) -> None:
    assert call().out == snapshot


@pytest.mark.parametrize(
    ("files", "first"),
    [
        (["fairtrial.toml", "package.json"], "fairtrial run"),
        (["package.json", "server.js"], "fairtrial init"),
        (["requirements.txt", "app.py"], "fairtrial init"),
        (["notes.txt"], "fairtrial load URL"),
    ],
)
def test_what_lies_there_decides_what_comes_next(lab: Lab, call: Call, files: list[str], first: str) -> None:
    texts = {
        "package.json": '{"scripts": {"start": "node server.js"}}',
        "requirements.txt": "flask\n",
        "app.py": "from flask import Flask\napp = Flask(__name__)\n",
    }
    for name in files:
        (lab.folder / name).write_text(texts.get(name, ""))
    finished = call()
    assert finished.status == 0, finished.err
    assert next(line for line in finished.out.splitlines() if line.startswith("  ")).strip().startswith(first)
    assert len(finished.out.splitlines()) <= 5


def test_where_nothing_has_changed_the_last_commit_is_what_to_compare(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = lab.folder / "shop"
    before, after = a_repository(shop, {"fairtrial.toml": "", "app": "1"}, {"app": "2"})
    monkeypatch.chdir(shop)
    named = re.search(r"fairtrial ab-test (\w+) (\w+)   did the last change", call().out)
    assert named and before.startswith(named[1]) and after.startswith(named[2])
    (shop / "app").write_text("3")
    assert "fairtrial ab-test   what you have changed" in call().out


def test_the_report_that_was_written_last_is_named(lab: Lab, call: Call) -> None:
    for day, name in enumerate(("b-20260101-000000", "a-20260102-000000"), 1):
        report = lab.folder / "results" / name / "report.html"
        report.parent.mkdir(parents=True)
        report.touch()
        os.utime(report, (day, day))
    assert "The newest report: results/a-20260102-000000/report.html" in call().out
