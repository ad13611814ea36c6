"""*Equal* as the answer to claims that one side is ahead of another, with its sentence and what decides it."""

from io import StringIO
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console

from fairtrial.judge.claims.equality import no_difference
from fairtrial.judge.claims.together import leaves_its_share
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.outcome import exit_status
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.html import html_text
from fairtrial.report.junit import junit_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

WOBBLE = (1.0, 1.01, 0.99, 1.006, 0.994)


def run_of(
    kind: str, rates: dict[str, float], *, blocks: int = 10, margin: float = 0.05, cpu: float = 0.95, **claim: Any
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """Stacks that serve at these rates, of which the first wobbles by 1%, at this share of their processors."""
    record = an_experiment(*rates, blocks=blocks).stating(kind, **claim).record()
    record = record.model_copy(update={"experiment": record.experiment.model_copy(update={"margin": margin})})
    first = next(iter(rates))

    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().serving(rates[name] * (WOBBLE[block % 5] if name == first else 1.0)).but(server_cpu=cpu)

    return record, trials_of(record, make)


def verdict(kind: str, rates: dict[str, float], **keys: Any) -> ClaimResult:
    return judge(*run_of(kind, rates, **keys), interrupted=False).claims[0]


NEAR = {"a": 1000.0, "b": 1000.0}
PAIR = {"of": "a", "to": "b"}


@pytest.mark.parametrize(
    ("kind", "rates", "claim", "expected"),
    [
        ("ratio", NEAR, PAIR | {"at_least": 1}, "equal"),
        ("ratio", NEAR, PAIR | {"at_most": 1}, "equal"),
        ("ratio", NEAR, PAIR | {"at_least": 1, "margin": 0.005}, "undecided"),
        ("ratio", {"a": 1005, "b": 1000}, PAIR | {"at_least": 1.005}, "equal"),
        ("ratio", {"a": 1030, "b": 1000}, PAIR | {"at_least": 1}, "upheld"),
        ("ratio", {"a": 970, "b": 1000}, PAIR | {"at_least": 1}, "refuted"),
        ("ratio", {"a": 1045, "b": 1000}, PAIR | {"at_least": 1.045}, "undecided"),
        ("ratio", NEAR, PAIR | {"at_least": 2}, "refuted"),
        ("ratio", {"a": 2000, "b": 1000}, PAIR | {"at_least": 2}, "undecided"),
        ("ratio", NEAR, PAIR | {"at_least": 0.95}, "upheld"),
        ("ratio", NEAR, PAIR | {"at_least": 0.999}, "undecided"),
        ("difference", NEAR, PAIR | {"at_least": "0/s"}, "equal"),
        ("difference", NEAR, PAIR | {"at_least": "300/s"}, "refuted"),
        ("difference", NEAR, PAIR | {"at_least": "-0.1/s"}, "undecided"),
        ("order", NEAR, {"order": ["a", "b"]}, "equal"),
        ("order", NEAR, {"order": ["b", "a"]}, "equal"),
        ("order", {"a": 1000, "b": 1000, "c": 500}, {"order": ["a", "b", "c"]}, "equal"),
        ("order", {"a": 1000, "b": 1000, "c": 500}, {"order": ["c", "b", "a"]}, "refuted"),
        ("order", {"a": 1000, "b": 1000, "c": 500}, {"order": ["a", "b", "c"], "margin": 0.005}, "undecided"),
        ("equal", NEAR, PAIR, "upheld"),
        ("budget", NEAR, {"of": "a", "at_least": "1000/s"}, "undecided"),
    ],
)
def test_what_is_neither_ahead_nor_behind_by_the_margin_is_equal(
    kind: str, rates: dict[str, float], claim: dict[str, Any], expected: str
) -> None:
    result = verdict(kind, rates, **claim)
    assert result.verdict == expected, result.sentence


@pytest.mark.parametrize(
    ("kind", "rates", "claim"),
    [
        ("ratio", NEAR, PAIR | {"at_least": 1}),
        ("difference", NEAR, PAIR | {"at_least": "0/s"}),
        ("order", {"a": 1000, "b": 1000, "c": 500}, {"order": ["a", "b", "c"]}),
        ("order", {"a": 1000, "b": 1000, "c": 1000}, {"order": ["b", "c", "a"]}),
        ("ratio", NEAR, PAIR | {"at_least": 1, "margin": 0.008}),
    ],
)
def test_the_sentence_says_which_difference_is_left(
    kind: str, rates: dict[str, float], claim: dict[str, Any], snapshot: object
) -> None:
    result = verdict(kind, rates, **claim)
    assert result.sentence == snapshot
    assert result.margin == claim.get("margin", 0.05)


def test_the_difference_that_is_left_is_rounded_up_and_never_beyond_the_margin() -> None:
    assert no_difference([(0.98, 1.0211)], 0.05) == "no difference above 2.2%"
    assert no_difference([(1 / 1.03, 1.01)], 0.05) == "no difference above 3%"
    assert no_difference([(0.94, 1.01)], 0.05) == "no difference above 5%"
    assert no_difference([(1.0, 1.0)], 0.05) == "no difference above 0.1%"


def test_the_margin_is_that_of_the_claim_or_of_the_experiment(snapshot: object) -> None:
    claim = PAIR | {"at_least": 1}
    assert verdict("ratio", NEAR, margin=0.005, **claim).verdict == "undecided"
    assert verdict("ratio", NEAR, margin=0.05, **claim).verdict == "equal"
    with pytest.raises(ValidationError) as error:
        an_experiment("a", "b").claiming("a", "b", at_least=0.95, margin=0.05).record()
    assert error.value.errors()[0]["msg"] == snapshot


def test_few_blocks_show_no_equality() -> None:
    few = verdict("ratio", NEAR, blocks=4, **PAIR, at_least=1)
    assert few.verdict == "undecided" and "one kind of start" in (few.reason or "")


def test_an_equal_claim_fails_a_run_and_is_shown_as_what_it_is() -> None:
    record, trials = run_of("ratio", NEAR, **PAIR, at_least=1)
    result = judge(record, trials, interrupted=False)
    assert exit_status(result) == 1
    reason = result.claims[0].reason
    assert f'<failure message="equal: {reason}">' in junit_text(result)
    assert "| = equal |" in markdown_text(result)
    assert "= equal" in html_text(result, record, trials)
    console = Console(width=200, record=True, file=StringIO())
    print_result(result, console, verbose=False)
    shown = console.export_text()
    assert f"Equal: {reason}." in shown and "would overturn it" in shown


def test_what_may_wait_for_the_same_thing_is_not_called_equal() -> None:
    for kind, claim in (("ratio", PAIR | {"at_least": 1}), ("order", {"order": ["a", "b"]})):
        idle = verdict(kind, NEAR, cpu=0.3, **claim)
        assert idle.verdict == "undecided" and "can do more" in (idle.reason or ""), idle.sentence


def test_an_equal_claim_leaves_no_share_of_the_error_to_others() -> None:
    equal = verdict("ratio", NEAR, **PAIR, at_least=1)
    near = verdict("ratio", {"a": 1030, "b": 1000}, **PAIR, at_least=1)
    far = verdict("ratio", {"a": 2000, "b": 1000}, **PAIR, at_least=1)
    alike = verdict("equal", NEAR, **PAIR)
    assert [leaves_its_share(each) for each in (equal, near, far, alike)] == [False, False, True, True]


def test_an_undecided_claim_asks_for_the_blocks_that_show_equality_if_they_are_fewer() -> None:
    """So near to one that not even 200 blocks tell which side is ahead: a few more show that neither is, by 0.6%."""
    claim = verdict("ratio", NEAR, **PAIR, at_least=1, margin=0.006)
    assert claim.verdict == "undecided" and "Not even" not in claim.sentence
    wide = verdict("ratio", NEAR, **PAIR, at_least=1, margin=0.0001)
    assert "Not even 200 blocks" in wide.sentence
