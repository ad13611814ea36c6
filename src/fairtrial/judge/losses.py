"""Losses: the metrics that findings take from a trial that stands otherwise, and what a figure then rests on.

Every figure, rank, curve and verdict reads a metric through `Losses`, so that none of them sees what was lost.

Two rules say what is left. A loss that has to do with the contender leaves no figure of its condition, as a refusal
does: a generator's lateness weighs most where answers are quick, so that the trials that are left would be the slow
ones. A loss by a check of the machine (`Check.of_machine`), which looks at no figure, is independent of what was
measured: its block is left out for that metric, of a claim for all of its conditions, so that pairs stay together. If
more than half of the blocks are lost, there is no figure: what is left would be the exception.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.model import Finding, refusing
from fairtrial.judge.metrics import METRICS, Metric
from fairtrial.record.model import TrialRecord

Reading = tuple[TrialRecord, float]
"""A trial and its value of a metric."""


@dataclass(frozen=True)
class Losses:
    """The findings of each trial, by its index, as far as they take metrics from it."""

    findings: Mapping[int, Sequence[Finding]] = field(default_factory=dict)

    @classmethod
    def of(cls, findings: Mapping[int | None, Sequence[Finding]]) -> "Losses":
        """Those among the findings of all trials."""
        return cls(
            {
                trial: taking
                for trial, trial_findings in findings.items()
                if trial is not None and (taking := [finding for finding in trial_findings if finding.metrics])
            }
        )

    def taking(self, metric: Metric, trial: TrialRecord) -> Finding | None:
        """The finding that takes the metric from this trial; None if it has it."""
        return refusing(metric.name, self.findings.get(trial.index, ()), metric.request)

    def by_machine(self, metric: Metric, trial: TrialRecord) -> Finding | None:
        """The finding that takes the metric from this trial, if it is one on the machine alone."""
        finding = self.taking(metric, trial)
        return finding if finding is not None and all_checks()[finding.check].of_machine else None

    def read(self, metric: Metric, trial: TrialRecord) -> float | None:
        """The metric's value in this trial; None if it was lost, or never measured."""
        return None if self.taking(metric, trial) is not None else metric.read(trial)

    def readings(self, metric: Metric, trials: Sequence[TrialRecord]) -> list[Reading]:
        """The trials, of one condition, on which a figure rests; empty if there is no figure."""
        on_time = [trial for trial in trials if self.by_machine(metric, trial) is None]
        measured = [(trial, value) for trial in on_time if (value := self.read(metric, trial)) is not None]
        # A figure of only those trials whose sample was large enough would be a selection.
        is_selection = len(measured) < len(on_time) or too_many(len(trials) - len(on_time), len(trials))
        return [] if is_selection else measured


def goodput_by_block(trials: Sequence[TrialRecord], losses: Losses) -> dict[int, float]:
    """The goodput of a condition in each block in which it is above zero; empty if it has none."""
    return {trial.block: value for trial, value in losses.readings(METRICS["goodput"], trials) if value > 0}


def too_many(losses: int, blocks: int) -> bool:
    """Whether so many losses leave no figure."""
    return 2 * losses > blocks
