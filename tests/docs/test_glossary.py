"""docs/glossary.md: whatever a user reads in the table, the verdicts or the findings is explained there."""

import re
from typing import get_args

import pytest
from rich.console import Console

from fairtrial.judge.checks.model import Severity
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Outcome, Verdict
from fairtrial.report.columns import ALWAYS, IF_MEASURED, START_AND_MEMORY, Column
from fairtrial.report.terminal import print_result
from tests.builders import a_trial, an_experiment, trials_of
from tests.docs.pages import DOCS, ROOT

GLOSSARY = (DOCS / "glossary.md").read_text()
ENTRIES = {
    term
    for paragraph in GLOSSARY.split("\n\n")
    if paragraph.startswith(("**", "<!-- columns -->"))
    for term in re.findall(r"\*\*(.+?)\*\*", paragraph)
}


def headings_of_the_table() -> set[str]:
    """The column headings of the table in the terminal, as it prints them, without their units."""
    record = an_experiment("a", "b").record()
    result = judge(record, trials_of(record, a_trial().serving(4000)), interrupted=False)
    console = Console(width=160)
    with console.capture() as captured:
        print_result(result, console)
    lines = captured.get().splitlines()
    bottom = next(number for number, line in enumerate(lines) if line.startswith("stack "))
    return {word for line in lines[bottom - 1 : bottom + 1] for word in re.split(r"\s{2,}", line.strip()) if word}


def test_every_heading_of_the_table_has_an_entry() -> None:
    headings = headings_of_the_table()
    assert {"stack", "rank", "goodput/s", "95% interval", "p99", "outcome"} <= headings
    units = {unit for column in (*ALWAYS, *IF_MEASURED) for unit in column.unit.split()}
    terms = {heading.removesuffix("/s") for heading in headings - units}
    assert terms - ENTRIES == set()


@pytest.mark.parametrize("column", [*IF_MEASURED, *START_AND_MEMORY], ids=lambda column: column.title)
def test_every_further_column_has_an_entry(column: Column) -> None:
    assert column.title in ENTRIES


@pytest.mark.parametrize("word", [*get_args(Outcome), *get_args(Verdict), *get_args(Severity)])
def test_every_outcome_verdict_and_severity_has_an_entry(word: str) -> None:
    assert word in ENTRIES


@pytest.mark.parametrize("page", ["README.md", "docs/experiments.md"])
def test_the_glossary_is_linked_where_readers_need_it(page: str) -> None:
    assert "glossary.md)" in (ROOT / page).read_text()
