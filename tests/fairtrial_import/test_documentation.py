"""docs/import.md: its examples are what the command writes."""

import re
import shlex
import tomllib
from pathlib import Path

from fairtrial_import.kinds import source_kinds
from tests.docs.pages import DOCS, code_blocks
from tests.fairtrial_import.imported import DATA, import_to

PAGE = DOCS / "import.md"
WRITTEN = [tomllib.loads(block) for block in code_blocks(PAGE, "toml")]


def written_with(request: str) -> dict[str, object]:
    """The tables of the example that holds this request, without its title."""
    return next(tables for tables in WRITTEN if request in tables["requests"])


def test_the_example_of_a_curl_command(tmp_path: Path) -> None:
    lines = (line.strip() for line in PAGE.read_text().splitlines())
    commands = [line for line in lines if "--json" in line and "fairtrial import" in line]
    (source,) = (shlex.split(command)[2] for command in commands)
    text = import_to(tmp_path, source).text
    assert tomllib.loads(text)["requests"] == written_with("post-orders")["requests"]


def test_the_example_of_a_file_of_requests(tmp_path: Path) -> None:
    (example,) = code_blocks(PAGE, "http")
    file = tmp_path / "requests.http"
    file.write_text(example)
    text = import_to(tmp_path, file).text
    assert tomllib.loads(text)["requests"] == written_with("a-page-of-items")["requests"]


def test_the_example_of_an_access_log(tmp_path: Path) -> None:
    tables = tomllib.loads(import_to(tmp_path, DATA / "access.log").text)
    example = written_with("items-id")
    assert {name: {"items-id": tables[name]["items-id"]} for name in ("rows", "requests")} == example


def test_every_kind_and_option_is_on_the_page() -> None:
    text = PAGE.read_text()
    for word in [*source_kinds(), "--out", "--from", "--host", "--most", "--force"]:
        assert re.search(rf"`{word}`", text), word
