"""A record, judged again."""

from pathlib import Path

import pytest

from tests.command_line import Finished, Lab

CLAIM = """
[[claims]]
id = "{id}"
kind = "budget"
text = "More than so many answers"
of = "{of}"
at_least = "{at_least}/s"
"""


@pytest.fixture
def ran(lab: Lab) -> Finished:
    name = lab.stack("tried")
    return lab.fairtrial("run", lab.experiment(name, blocks=3), *lab.named(name), "--junit", "ran.xml")


def others(lab: Lab, *claims: str) -> Path:
    path = lab.folder / "others.toml"
    path.write_text((lab.folder / "tried.toml").read_text() + "".join(claims))
    return path


def test_the_claims_of_another_file(lab: Lab, ran: Finished) -> None:
    assert ran.results and (lab.folder / "ran.xml").exists()
    before = (ran.results / "result.json").read_text()
    file = others(
        lab,
        CLAIM.format(id="some", of="tried", at_least=1),
        CLAIM.format(id="most", of="tried", at_least=1_000_000_000),
    )
    judged = lab.fairtrial("judge", ran.results, "--claims", file, "--markdown", "out.md", "--junit", "out.xml")
    assert judged.status == 1, judged.err
    assert "upheld  some" in judged.out and "refuted  most" in judged.out
    assert (ran.results / "result.json").read_text() == before, "a record keeps its own result"
    assert "✗ refuted" in (lab.folder / "out.md").read_text()
    assert 'failures="1"' in (lab.folder / "out.xml").read_text()


def test_its_own_reports_are_rebuilt(lab: Lab, ran: Finished) -> None:
    assert ran.results
    before = (ran.results / "result.json").read_text()
    (ran.results / "result.json").unlink()
    (ran.results / "report.html").unlink()
    assert lab.fairtrial("judge", ran.results).status == 0
    assert (ran.results / "result.json").read_text() == before
    assert (ran.results / "report.html").exists()


def test_claims_about_what_was_not_tried(lab: Lab, ran: Finished) -> None:
    assert ran.results
    text = others(lab, CLAIM.format(id="x", of="absent", at_least=1)).read_text()
    (lab.folder / "others.toml").write_text(text.replace('stacks = ["tried"]', 'stacks = ["tried", "absent"]'))
    judged = lab.fairtrial("judge", ran.results, "--claims", lab.folder / "others.toml")
    assert judged.status == 2
    assert "none of its claims speaks of what was tried: tried" in judged.err


def test_a_file_that_cannot_be_written(lab: Lab, ran: Finished) -> None:
    assert ran.results
    judged = lab.fairtrial("judge", ran.results, "--junit", "absent/out.xml")
    assert judged.status != 0 and "absent/out.xml cannot be written" in judged.err
