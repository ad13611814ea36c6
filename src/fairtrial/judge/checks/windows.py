"""The windows of a trial, at each of which checks of the engine look: its own, and in slices the whole one for tails.

Either is examined as what it is. What a check takes from the slices are no tails, which are read from the whole window,
and what it takes from that is nothing else; a refusal of all of either is one of the trial.
"""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding
from fairtrial.judge.metrics import find_metric
from fairtrial.record.model import TrialRecord


def whole_window_of(trial: TrialRecord) -> TrialRecord | None:
    """A trial of nothing but its whole window; None where it has none beside its figures."""
    if trial.slices is None or trial.slices.whole_window is None:
        return None
    return TrialRecord(
        index=trial.index,
        block=trial.block,
        condition=trial.condition,
        build=trial.build,
        lane=trial.lane,
        started_at=trial.started_at,
        engine=trial.slices.whole_window.engine,
    )


def of_slices(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Findings in the slices of a trial whose tails are read from elsewhere."""
    return _taking(findings, of_tail=False)


def of_whole_window(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Findings in the whole window of a trial, whose evidence says so."""
    for each in _taking(findings, of_tail=True):
        yield each.model_copy(update={"evidence": f"in the whole window for tails, {each.evidence}"})


def _taking(findings: Iterator[Finding], *, of_tail: bool) -> Iterator[Finding]:
    """Those that take whole trials, or metrics of this kind, without the others."""
    for each in findings:
        metrics = [name for name in each.metrics if find_metric(name.partition(" of ")[0]).of_tail is of_tail]
        if metrics or not each.metrics:
            yield each.model_copy(update={"metrics": metrics})
