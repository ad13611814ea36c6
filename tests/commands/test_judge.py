"""A record, judged again."""

import lzma
import shutil
from pathlib import Path

import pytest

from tests.called_here import Call
from tests.command_line import Lab

CLAIM = """
[[claims]]
id = "{id}"
kind = "budget"
text = "More than so many answers"
of = "{of}"
at_least = "{at_least}/s"
"""


@pytest.fixture(scope="module")
def run_once(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an experiment was run: `results`, `tried.toml` and `ran.xml`."""
    lab = Lab(tmp_path_factory.mktemp("run"), cache)
    name = lab.stack("tried")
    finished = lab.fairtrial("run", lab.experiment(name, blocks=3), *lab.named(name), "--junit", "ran.xml")
    assert finished.results, finished.err
    return lab.folder


@pytest.fixture
def results(lab: Lab, run_once: Path) -> Path:
    """The lab's own copy of the results folder and of the files beside it."""
    shutil.copytree(run_once, lab.folder, dirs_exist_ok=True)
    (folder,) = (lab.folder / "results").iterdir()
    return folder


def others(lab: Lab, *claims: str) -> Path:
    path = lab.folder / "others.toml"
    path.write_text((lab.folder / "tried.toml").read_text() + "".join(claims))
    return path


def test_the_claims_of_another_file(lab: Lab, call: Call, results: Path) -> None:
    assert (lab.folder / "ran.xml").exists()
    before = (results / "result.json").read_text()
    file = others(
        lab,
        CLAIM.format(id="some", of="tried", at_least=1),
        CLAIM.format(id="most", of="tried", at_least=1_000_000_000),
    )
    judged = call("judge", results, "--claims", file, "--markdown", "out.md", "--junit", "out.xml")
    assert judged.status == 1, judged.err
    assert "upheld  some" in judged.out and "refuted  most" in judged.out
    assert (results / "result.json").read_text() == before, "a record keeps its own result"
    assert "✗ refuted" in (lab.folder / "out.md").read_text()
    assert 'failures="1"' in (lab.folder / "out.xml").read_text()


def test_its_own_reports_are_rebuilt(call: Call, results: Path) -> None:
    before = (results / "result.json").read_text()
    (results / "result.json").unlink()
    (results / "report.html").unlink()
    assert call("judge", results).status == 0
    assert (results / "result.json").read_text() == before
    assert (results / "report.html").exists()


def test_a_compressed_record_is_judged_and_nothing_written_beside_it(call: Call, results: Path, tmp_path: Path) -> None:
    packed = tmp_path / "kept" / "tried.jsonl.xz"
    packed.parent.mkdir()
    packed.write_bytes(lzma.compress((results / "record.jsonl").read_bytes()))
    judged = call("judge", packed)
    assert judged.status == 0, judged.err
    assert list(packed.parent.iterdir()) == [packed]
    assert call("judge", packed, "--out", tmp_path / "out").status == 0
    assert (tmp_path / "out" / "result.json").read_text() == (results / "result.json").read_text()


def test_claims_about_what_was_not_tried(lab: Lab, call: Call, results: Path) -> None:
    text = others(lab, CLAIM.format(id="x", of="absent", at_least=1)).read_text()
    (lab.folder / "others.toml").write_text(text.replace('stacks = ["tried"]', 'stacks = ["tried", "absent"]'))
    judged = call("judge", results, "--claims", lab.folder / "others.toml")
    assert judged.status == 2
    assert "claims is about what was" in judged.err


def test_a_file_that_cannot_be_written(call: Call, results: Path) -> None:
    judged = call("judge", results, "--junit", "absent/out.xml")
    assert judged.status != 0 and "absent: no such folder" in judged.err and "--junit" in judged.err


def test_reports_cannot_be_written_to_a_file(lab: Lab, call: Call, results: Path) -> None:
    (lab.folder / "taken").write_text("somebody's")
    for place in (lab.folder / "taken", "/proc/nowhere"):
        judged = call("judge", results, "--out", place)
        assert judged.status == 2
        assert f"reports cannot be written to {place}" in judged.err and "--out" in judged.err
    assert (lab.folder / "taken").read_text() == "somebody's"
