"""The level of confidence that a report names is that of the interval which it is about."""

import re

import pytest

from fairtrial.base.formatting import level_in_words
from fairtrial.base.locations import PACKAGE
from fairtrial.judge.judging import judge
from fairtrial.report.html import html_text
from fairtrial.report.rows import verdicts_of
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99)
EXPERIMENT = (
    an_experiment("a", "b", blocks=10)
    .claiming(of="a", to="b", at_least=1.5)
    .stating("equal", of="a", to="b", metric="goodput", within=0.05)
    .stating("order", order=["a", "b"], metric="goodput")
    .stating("budget", of="a", metric="response_time_p99", at_most=0.05)
    .stating("budget", of="a", metric="response_time_p99", at_most=0.05, of_starts=0.5)
    .stating("difference", of="a", to="b", metric="goodput", at_least=100)
)


def make(name: str, block: int) -> TrialBuilder:
    return a_trial().serving((2000 if name == "a" else 1000) * WOBBLE[(block + len(name)) % 5])


@pytest.mark.parametrize("looks", [[], [10, 20, 40]])
@pytest.mark.parametrize("judged", ["each", "together"])
def test_each_level_in_a_report_is_that_of_its_interval(looks: list[int], judged: str) -> None:
    record = EXPERIMENT.but(claims_judged=judged).record().model_copy(update={"looks": looks})
    trials = trials_of(record, make)
    result = judge(record, trials, interrupted=False)
    levels = [claim.level for claim in result.claims]
    assert len(levels) == 6 and all(levels)
    for claim, row in zip(result.claims, verdicts_of(result), strict=True):
        assert claim.level is not None and row.level == claim.level
        assert f"({level_in_words(claim.level)} interval" in claim.sentence
    page = html_text(result, record, trials)
    drawn = [claim.level for claim in result.claims if f'id="chart-claim-{claim.id}"' in page and claim.level]
    assert f"A bar is the {level_in_words(*drawn)} interval" in page
    assert f"95% of figures, {level_in_words(*map(float, filter(None, levels)))} of claims" in page
    assert (min(drawn) > 0.95) == bool(looks)


def test_no_report_says_a_level_of_its_own() -> None:
    files = [path for path in (PACKAGE / "report").rglob("*") if path.suffix in {".py", ".j2"}]
    assert files and not [path.name for path in files if re.search(r"\b9[0-9](\.\d+)?\s?%", path.read_text())]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ((), ""),
        ((0.95,), "95%"),
        ((0.995, 0.9), "90% to 99.5%"),
        ((1 - 0.05 / 300,), "99.98%"),
        ((0.99999,), "99.999%"),
    ],
)
def test_a_level_is_never_rounded_to_certainty(levels: tuple[float, ...], words: str) -> None:
    assert level_in_words(*levels) == words
