"""A result in a notebook."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import pytest

import fairtrial
from fairtrial.base.document import json_text
from fairtrial.base.problem import Problem
from fairtrial.record.write import RecordWriter
from tests.docs.pages import DOCS, code_blocks
from tests.report.scene import judged


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A results folder."""
    _, record, trials = judged()
    with RecordWriter(tmp_path) as writer:
        for line in (record, *trials):
            writer.append(line)
    return tmp_path


def test_the_example_of_the_page_prints_the_figures(results: Path) -> None:
    (example,) = code_blocks(DOCS / "formats.md", "python")
    (named,) = [line for line in example.splitlines() if "fairtrial.read" in line]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example.replace(named, f"result = fairtrial.read({str(results)!r})"))
    assert "rust-axum" in printed.getvalue() and "lower" in printed.getvalue()


def test_a_folder_and_its_json_have_the_same_frames(results: Path) -> None:
    read = fairtrial.read(results)
    file = results / "kept.json"
    file.write_text(json_text(read.result))
    again = fairtrial.read(str(file))
    for one, other in ((read.figures, again.figures), (read.verdicts, again.verdicts), (read.trials, again.trials)):
        assert one.equals(other) and len(one)
    goodput = read.figures.query("metric == 'goodput' and block.isna()").set_index("contender")
    assert goodput.value["rust-axum"] > 20_000 and goodput.isna().value["python-threads"]
    assert len(read.trials) == 25 and set(read.verdicts.verdict) == {"upheld", "refuted", "undecided"}


@pytest.mark.parametrize(("text", "words"), [("{}", "no result"), ("[", "no result"), (None, "cannot be read")])
def test_what_is_no_result(tmp_path: Path, text: str | None, words: str) -> None:
    file = tmp_path / "some.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(Problem, match=words) as raised:
        fairtrial.read(file)
    assert raised.value.remedy and raised.value.__notes__ == [f"remedy: {raised.value.remedy}"]


def test_without_pandas(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    read = fairtrial.read(results)
    assert read.result.claims
    with pytest.raises(Problem) as raised:
        _ = read.figures
    assert "fairtrial[notebook]" in raised.value.remedy


def test_the_package_is_imported_at_once() -> None:
    script = "import sys, fairtrial; sys.exit(bool({'numpy', 'pydantic', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
