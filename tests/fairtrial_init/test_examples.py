"""`fairtrial init --examples`: whoever installed a wheel has no checkout, of which the documentation's commands name
files."""

import re
from pathlib import Path

from tests.called_here import Call
from tests.command_line import Lab
from tests.docs.pages import PAGES
from tests.lines import line_with


def test_every_file_that_a_documented_command_names_is_in_the_copy(lab: Lab, call: Call, snapshot: object) -> None:
    finished = call("init", "--examples")

    assert finished.status == 0, finished.err
    assert finished.out.splitlines() == snapshot
    commands = [
        line for page in PAGES for line in re.findall(r"^ {4}(?:\./)?fairtrial .*$", page.read_text(), re.MULTILINE)
    ]
    names = {word for line in commands for word in line.split() if word.startswith("examples/")}
    assert {"examples/first-stack", "examples/two-services/experiment.toml"} <= names
    assert not [name for name in names if not (lab.folder / name).exists()]


def test_a_copy_names_nothing_that_a_checkout_alone_has(lab: Lab, call: Call, snapshot: object) -> None:
    assert call("init", "--examples").status == 0
    copy = lab.folder / "examples"
    pages, files = list(copy.rglob("*.md")), list(copy.rglob("*.toml"))
    assert copy / "own-api/shop.workload.toml" in files
    assert not [path for path in (*pages, *files) if "./fairtrial " in path.read_text()]
    links = [(page, link) for page in pages for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())]
    assert (copy / "README.md", "two-services") in links
    assert not [(page, link) for page, link in links if not (page.parent / link).exists()]
    assert line_with((copy / "README.md").read_text(), "an audit of") == snapshot


def test_what_is_there_stays(lab: Lab, call: Call) -> None:
    (lab.folder / "examples").mkdir()
    refused = call("init", "--examples")
    assert refused.status == 2 and "examples: there already" in refused.err
    assert not list((lab.folder / "examples").iterdir())


def test_they_are_copied_into_the_folder_that_is_named(lab: Lab, call: Call) -> None:
    missing = call("init", "tour", "--examples")
    assert missing.status == 2 and "there is no folder tour" in missing.err
    (lab.folder / "tour").mkdir()
    assert call("init", "tour", "--examples").status == 0
    assert (lab.folder / "tour/examples/two-services/schema.sql").is_file()
    assert not [path for path in Path(lab.folder).rglob("__pycache__") if path.is_dir()]
