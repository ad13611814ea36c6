"""Findings and reasons, once each, with the trials that they concern."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.model import Outcome, Result
from fairtrial.report.columns import in_order


@dataclass(frozen=True)
class Group:
    """The findings of one check about one contender (None: the experiment), alike in severity and remedy."""

    severity: Severity
    check: str
    contender: str | None
    evidence: str
    remedy: str
    trials: Sequence[int]

    @property
    def where(self) -> str:
        """`node-http, trials 3 and 8`, or `the experiment`."""
        if self.contender is None:
            return "the experiment"
        return f"{self.contender}, {numbered(self.trials)}"


@dataclass(frozen=True)
class Obstacle:
    """Why trials of one contender have no figures, where no finding says so."""

    outcome: Outcome
    contender: str
    reason: str
    remedy: str
    trials: Sequence[int]


def grouped_findings(result: Result) -> list[Group]:
    """The gravest first. The evidence is that of the first trial of each group."""
    groups: dict[tuple[str, str, str | None, str], tuple[Finding, list[int]]] = {}
    for finding in result.findings:
        groups[finding.severity, finding.check, None, finding.remedy + finding.evidence] = finding, []
    for condition in in_order(result.conditions):
        for trial in condition.trials:
            for finding in trial.findings:
                key = finding.severity, finding.check, condition.contender, finding.remedy
                indices = groups.setdefault(key, (finding, []))[1]
                if trial.index not in indices:
                    indices.append(trial.index)
    gravity = {"refusal": 0, "warning": 1, "note": 2}
    return sorted(
        (
            Group(finding.severity, finding.check, about, finding.evidence, finding.remedy, trials)
            for (_, _, about, _), (finding, trials) in groups.items()
        ),
        key=lambda group: gravity[group.severity],
    )


def obstacles(result: Result) -> list[Obstacle]:
    """Trials not run, and refused ones that no check refused, by contender and reason."""
    found: dict[tuple[Outcome, str, str, str], list[int]] = {}
    for condition in in_order(result.conditions):
        if not condition.trials:
            key: tuple[Outcome, str, str, str] = "not run", condition.contender, condition.reason or "", ""
            found.setdefault(key, [])
        for trial in condition.trials:
            refused_by_check = any(finding.severity == "refusal" for finding in trial.findings)
            if trial.outcome == "not run" or (trial.outcome == "refused" and not refused_by_check):
                key = trial.outcome, condition.contender, trial.reason or "", trial.remedy or ""
                found.setdefault(key, []).append(trial.index)
    return [Obstacle(*key, trials) for key, trials in found.items()]


def numbered(indices: Iterable[int]) -> str:
    """`trial 3`, `trials 3 and 8`, `trials 1, 2, 3, 4, 5 and 9 more`."""
    numbers = [str(index) for index in indices]
    if len(numbers) == 1:
        return f"trial {numbers[0]}"
    if len(numbers) > 6:
        return f"trials {', '.join(numbers[:5])} and {len(numbers) - 5} more"
    return f"trials {', '.join(numbers[:-1])} and {numbers[-1]}" if numbers else "no trial"
