"""experiments/studies: claims that exist try each sentence of a study, or it says why not; no claim is forgotten."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from benches.replications import SENTENCES
from fairtrial.base.locations import shipped
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.studies import STUDIES

HEAD = "| sentence | tried as |"
REFERENCE = re.compile(r"`([a-z0-9-]+)/([a-z0-9-]+)`")
NOT_TRIED = re.compile(r"\bnot tried\b(: \S+ \S+)?")

CLAIMS = {
    path.stem: [claim.id for claim in load_experiment(path).claims]
    for path in sorted(shipped("experiments").glob("*.toml"))
}
"""By experiment, the ids of its claims."""


def rows(text: str) -> Iterator[list[str]]:
    """The cells of each row of the tables of sentences."""
    in_table = False
    for line in text.splitlines():
        in_table = line.startswith("|") and (in_table or line == HEAD)
        if in_table and line != HEAD and not line.startswith("| ---"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def faults(text: str, claims: Mapping[str, Collection[str]], own: Collection[str]) -> list[str]:
    """What is wrong with a page of sentences.

    Args:
        claims: by experiment, the ids of its claims.
        own: the names of the study's experiments.
    """
    found: list[str] = []
    sentences: set[str] = set()
    named = set(REFERENCE.findall(" ".join(cells[-1] for cells in rows(text))))
    for cells in rows(text):
        if len(cells) != 2 or not all(cells):
            found.append(f"not two cells that hold something: {cells}")
        if cells[0] in sentences:
            found.append(f"twice: {cells[0]}")
        sentences.add(cells[0])
        if any(match.group(1) is None for match in NOT_TRIED.finditer(cells[-1])):
            found.append(f"not tried, without a reason: {cells[0]}")
    found += [f"no such claim: {each}/{claim}" for each, claim in sorted(named) if claim not in claims.get(each, ())]
    found += [f"no sentence: {each}/{claim}" for each in own for claim in claims[each] if (each, claim) not in named]
    return found if sentences else ["no table of sentences"]


@pytest.mark.parametrize("page", sorted(SENTENCES.glob("*.md")), ids=lambda page: page.stem)
def test_every_sentence_is_tried_or_says_why_not_and_no_claim_is_forgotten(page: Path) -> None:
    assert faults(page.read_text(), CLAIMS, STUDIES[page.stem].experiments) == []


def test_every_page_is_a_study_s_and_every_study_has_experiments() -> None:
    assert {page.stem for page in SENTENCES.glob("*.md")} == STUDIES.keys()
    assert all(study.experiments for study in STUDIES.values())


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | `mine/one`, `other/two` |", []),
        ("| a | `mine/one`: as if |\n| b | the check swapped |", []),
        ("| a | `mine/one` |\n| b | not tried: no such program |", []),
        ("| a | `mine/two` |", ["no such claim: mine/two", "no sentence: mine/one"]),
        ("| a | `yours/one`, `mine/one` |", ["no such claim: yours/one"]),
        ("| a | `other/two` |", ["no sentence: mine/one"]),
        ("| a | |\n| b | `mine/one` |", ["not two cells that hold something: ['a', '']"]),
        ("| a | b | `mine/one` |", ["not two cells that hold something: ['a', 'b', '`mine/one`']"]),
        ("| a | `mine/one` |\n| a | not tried: no such program |", ["twice: a"]),
        ("| a | `mine/one`; not tried |", ["not tried, without a reason: a"]),
        ("| a | `mine/one`; not tried: why |", ["not tried, without a reason: a"]),
    ],
)
def test_what_is_wrong_is_found(row: str, expected: list[str]) -> None:
    text = f"# A study\n\n| other | table |\n| --- | --- |\n| | |\n\n{HEAD}\n| --- | --- |\n{row}\n"
    assert faults(text, {"mine": ["one"], "other": ["two"]}, ["mine"]) == expected


def test_a_page_without_sentences_is_wrong() -> None:
    assert faults("# A study\n", {"mine": ["one"]}, []) == ["no table of sentences"]
