"""Claims about memory that was read in different ways are not judged."""

import pytest

from fairtrial.judge.judging import judge
from fairtrial.record.processes import MemoryKind
from tests.builders import an_experiment, trials_of
from tests.judge.claims.scene import served

OLD, NEW = MemoryKind.RESIDENT, MemoryKind.PROPORTIONAL


@pytest.mark.parametrize(
    ("metric", "one", "other", "is_withheld"),
    [
        ("peak_rss", OLD, NEW, True),
        ("end_rss", OLD, NEW, True),
        ("goodput", OLD, NEW, False),
        ("peak_rss", NEW, NEW, False),
        ("peak_rss", OLD, OLD, False),  # an older record
    ],
)
def test_only_figures_of_one_kind_are_compared(
    metric: str, one: MemoryKind, other: MemoryKind, is_withheld: bool
) -> None:
    record = an_experiment("one", "other").claiming("one", "other", metric=metric, at_most=100).record()
    names = {condition.id: condition.contender for condition in record.conditions}
    kinds = {"one": one, "other": other}
    trials = []
    for trial in trials_of(record, served({"one": 1000.0, "other": 1000.0})):
        assert trial.server is not None
        update = {"memory_kind": kinds[names[trial.condition]], "end_rss_bytes": trial.server.peak_rss_bytes}
        trials.append(trial.model_copy(update={"server": trial.server.model_copy(update=update)}))
    (claim,) = judge(record, trials, interrupted=False).claims
    withheld = [finding for finding in claim.findings if finding.check == "unequal-memory"]
    assert [finding.severity for finding in withheld] == ["refusal"] * is_withheld
    if is_withheld:
        assert claim.verdict == "undecided"
        assert "one resident, other proportional" in claim.reason
