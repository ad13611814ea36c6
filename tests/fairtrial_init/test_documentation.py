"""docs/init.md names every option, and every kind of project by what it looks for."""

import re

import typer
from typer.core import TyperGroup

from fairtrial.commands import app
from tests.docs.pages import DOCS

PAGE = (DOCS / "init.md").read_text()


def test_every_option_is_on_the_page() -> None:
    group = typer.main.get_group(app)
    assert isinstance(group, TyperGroup)
    options = [name for parameter in group.commands["init"].params for name in parameter.opts if name.startswith("-")]
    assert len(options) >= 8
    assert [name for name in options if name != "--help" and not re.search(rf"`{name}\b", PAGE)] == []


def test_every_kind_of_project_is_on_the_page() -> None:
    for found in (
        "FastAPI", "Flask", "Django", "Python program", "package.json", "go.mod", "Cargo.toml", "pom.xml",
        "build.gradle", "Gemfile", "Dockerfile",
    ):  # fmt: skip
        assert found in PAGE
