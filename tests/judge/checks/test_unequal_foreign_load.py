"""Others that come at the moments of one side alone: equal contenders must not be told apart by it."""

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.slices import Slicing
from tests.builders import a_slice, a_trial, an_experiment, trials_of

HONEST_RATE = 4000.0


def beside(*, of_a: float, of_b: float, **claim: object) -> Result:
    """Two equal contenders in slices, each slower by what others used beside it."""
    builder = an_experiment("a", "b", blocks=12).claiming("a", "b", **claim)
    record = builder.record()
    shares = {"a": of_a, "b": of_b}
    made = trials_of(
        record,
        lambda name, block: a_trial().serving(HONEST_RATE * (1 - shares[name]) * (1 + (block % 3 - 1) / 500)),
    )
    trials = [trial.model_copy(update={"slices": slicing(shares[trial.condition[0]])}) for trial in made]
    return judge(record, trials, interrupted=False)


def slicing(share: float) -> Slicing:
    """Slices beside others that used so much in those that were kept."""
    slices = [a_slice(number, share if number < 12 else 0.9, kept=number < 12) for number in range(1, 13)]
    return Slicing(planned_rounds=12, rule="quiet", slices=slices, idle_seconds=10.0, idle_cpu_seconds=0.1)


@pytest.mark.parametrize("claim", [{"at_least": 0.95}, {"at_most": 0.97}, {"kind": "equal", "within": 0.05}])
def test_what_one_side_lost_to_others_decides_nothing(claim: dict[str, object], snapshot: object) -> None:
    (result,) = beside(of_a=0.09, of_b=0.0, **claim).claims
    assert result.verdict == "undecided"
    (finding,) = [each for each in result.findings if each.check == "unequal-foreign-load"]
    assert finding.severity == "warning"
    assert finding.evidence == snapshot


def test_what_both_lost_alike_changes_nothing() -> None:
    (result,) = beside(of_a=0.09, of_b=0.085, at_least=0.95).claims
    assert result.verdict == "upheld" and result.findings == []


@pytest.mark.parametrize(("of_second", "verdict"), [(0.0, "upheld"), (0.09, "undecided")])
def test_a_shape_has_no_verdict_where_points_lost_unequally_to_others(of_second: float, verdict: str) -> None:
    """Two points that are served alike."""
    record = an_experiment("a", blocks=12).sweeping(1, 2).stating("shape", of="a", shape="flat", within=0.05).record()
    first, second = (condition.id for condition in record.conditions)
    shares = {first: 0.0, second: of_second}
    made = trials_of(record, lambda _name, block: a_trial().serving(HONEST_RATE * (1 + (block % 3 - 1) / 500)))
    trials = [trial.model_copy(update={"slices": slicing(shares[trial.condition])}) for trial in made]
    (result,) = judge(record, trials, interrupted=False).claims
    assert result.verdict == verdict
    assert [(each.check, each.severity) for each in result.findings] == (
        [("unequal-foreign-load", "refusal")] if of_second else []
    )


def test_memory_is_not_bent_by_it() -> None:
    (result,) = beside(of_a=0.09, of_b=0.0, metric="peak_rss", at_most=1.05).claims
    assert result.verdict == "upheld" and result.findings == []
