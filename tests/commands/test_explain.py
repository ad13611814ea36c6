"""`fairtrial explain`: every name that a report or a message has is explained, by the pages of the documentation."""

from typing import get_args

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.model import Experiment
from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.model import finding
from fairtrial.judge.claims.contender_limit import NAME as OWN_LIMIT
from fairtrial.judge.design import design_kinds
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import LimitKind, Outcome, Verdict
from fairtrial.report.brief import where_explained
from fairtrial.report.columns import ALWAYS, GOODPUT, IF_MEASURED, LIMITS, START_AND_MEMORY
from fairtrial.tools.explain import explain
from tests.called_here import Call


@pytest.mark.parametrize("name", [*all_checks(), OWN_LIMIT, *design_kinds()])
def test_every_check_is_explained_by_its_own_section(name: str) -> None:
    entry = explain(name)[0][0]
    assert entry.page == "checks.md" and "](" not in entry.text
    if name in all_checks():
        assert entry.section == name and "**Looks at**" in " ".join(entry.text.split())


def test_every_metric_column_verdict_and_limit_is_explained() -> None:
    columns = [column.title for column in (GOODPUT, *ALWAYS, *IF_MEASURED, *START_AND_MEMORY)]
    limits = [LIMITS[kind] for kind in get_args(LimitKind)]
    names = [*METRICS, "response_time_p97", *columns, *get_args(Verdict), *get_args(Outcome), *limits, "rank", "limit"]
    pages = {name: explain(name)[0][0].page for name in names}
    assert set(pages.values()) <= {"glossary.md", "claims.md", "checks.md"}


def test_every_key_of_an_experiment_is_explained() -> None:
    keys = [field.alias or name for name, field in Experiment.model_fields.items()]
    assert {"blocks", "margin", "load"} <= set(keys)
    assert {key: explain(key)[0] for key in keys if not explain(key)[0]} == {}


@pytest.mark.parametrize(
    ("name", "page", "section", "text"),
    [
        ("Not warm", "checks.md", "not-warm", "tolerance"),
        ("load.connections", "experiments.md", "[load], closed", "default: 16"),
        ("checks.errors.share", "checks.md", "errors", "share"),
        ("slices", "experiments.md", "[slices]", "measured in turn"),
        ("closed load", "glossary.md", "The trial", "Little's law"),
    ],
)
def test_a_name_may_be_written_in_several_ways(name: str, page: str, section: str, text: str) -> None:
    entry = explain(name)[0][0]
    assert (entry.page, entry.section) == (page, section) and text in " ".join(entry.text.split())


def test_a_name_that_nothing_has(call: Call) -> None:
    with pytest.raises(Problem, match=r"did you mean not-warm\?"):
        explain("not-wram")
    finished = call("explain", "not-wram")
    assert finished.status == 2 and "did you mean not-warm?" in finished.err and "fairtrial explain" in finished.err


def test_what_is_printed_of_a_check(call: Call) -> None:
    """Its section, its thresholds with their sources, and what to do."""
    finished = call("explain", "errors")
    words = " ".join(finished.out.split())
    check = all_checks()["errors"]
    assert finished.status == 0 and "**" not in words
    remedy = " ".join(check.remedy.split())[:40]
    for said in (check.finds, "share 0.001 (", f"What to do: {remedy}", "the pages are in"):
        assert said.replace("`", "") in words


def test_without_a_name_all_are_listed(call: Call) -> None:
    finished = call("explain")
    words = " ".join(finished.out.split())
    assert finished.status == 0 and "not-warm" in words and "response_time_p99" in words and "undecided" in words


def test_the_line_below_findings_names_the_check_of_the_gravest() -> None:
    found = [finding(severity, "seen") for severity in ("note", "refusal", "warning")]
    named = [each.model_copy(update={"check": each.severity}) for each in found]
    assert where_explained(named) == "fairtrial explain refusal says more"
    assert where_explained(named[:1]) == where_explained([]) == ""
