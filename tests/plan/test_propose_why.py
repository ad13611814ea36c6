"""The file that `fairtrial why A B` writes: what can be switched on the way from one stack to another."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.plan.make import make_plan
from fairtrial.plan.propose_why import WhyProposal, propose_why

STACKS = find_stacks()
WITH_VARIANTS = [
    name for name, stack in STACKS.items() if stack.kind == "server" and stack.variants.keys() - {"default"}
]


def proposed(start: str, end: str) -> WhyProposal:
    return propose_why(STACKS, StackRef.model_validate(start), StackRef.model_validate(end))


def loaded(text: str, folder: Path) -> Experiment:
    file = folder / "why.toml"
    file.write_text(text)
    experiment = load_experiment(file)
    make_plan(experiment, STACKS, file)
    return experiment


def with_the_first_comment(text: str) -> str:
    """With the first factor that is named, as its comment says."""
    switched = re.sub(r"^# (\[why.*)\n# (.*)$", r"\1\n\2", text, count=1, flags=re.MULTILINE)
    return switched.replace("# unequal_budgets", "unequal_budgets").replace('[env]\nWEB_CONCURRENCY = "1"\n', "")


def test_variants_are_switched_one_of_those_that_change_the_same(tmp_path: Path, snapshot: object) -> None:
    proposal = proposed("python-fastapi", "python-flask")
    assert proposal.text == snapshot
    why = loaded(proposal.text, tmp_path).why
    assert (
        why is not None
        and len(why.factors) == proposal.factors == 4
        and proposal.comments == proposal.text.count("# [")
    )
    assert len({each.variant for each in why.factors.values()}) == 4


def test_variants_of_one_stack_are_led_from_one_to_the_other_by_variables(tmp_path: Path) -> None:
    proposal = proposed("python-fastapi:psycopg", "python-fastapi:stdlib-json")
    why = loaded(proposal.text, tmp_path).why
    assert why is not None and why.factors["json"].env == {"JSON": "stdlib"}
    assert "stdlib-json" not in why.factors and "psycopg" not in why.factors, "neither end is a factor"


def test_what_lets_a_stack_do_more_at_once_is_named_and_not_switched(tmp_path: Path) -> None:
    proposal = proposed("ruby-rails", "node-http")
    assert re.search(r"^# .*\(sets MAX_THREADS: say at the top why with unequal_budgets\)$", proposal.text, re.M)
    assert "\n# [why.factors.one-thread]\n" in proposal.text
    loaded(proposal.text, tmp_path)


def proposals_from(start: str) -> Iterator[WhyProposal]:
    for end in STACKS:
        with suppress(Problem):
            yield proposed(start, end)


@pytest.mark.parametrize("start", WITH_VARIANTS)
def test_each_proposal_is_an_experiment_that_can_be_run(start: str, tmp_path: Path) -> None:
    """Those that switch nothing, with what they name, as their comments say."""
    proposal = max(proposals_from(start), key=lambda each: each.factors)
    text = proposal.text if proposal.factors else with_the_first_comment(proposal.text)
    experiment = loaded(text, tmp_path)
    assert experiment.why is not None and experiment.why.factors


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        ("go-nethttp", "go-nethttp", "stands on both sides"),
        ("python-batch", "python-flask", "no workload is of both"),
        ("python-fastapi:psycopgg", "python-flask", "no variant 'psycopgg'"),
        ("fastapi", "python-flask", "there is no stack 'fastapi'"),
    ],
)
def test_what_cannot_be_proposed_is_said(start: str, end: str, reason: str) -> None:
    with pytest.raises(Problem, match=re.escape(reason)):
        proposed(start, end)
